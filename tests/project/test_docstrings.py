"""Docstrings of functions begin with a verb; what docstrings name is there: the fields of a record,
and what another module has."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from tests.helpers.reference_tables import COMMANDS

PACKAGE = Path(__file__).parents[2] / "attncli"
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def _trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def _texts(*nodes: ast.AST) -> Iterator[str]:
    """Yields all names and strings in code, but for docstrings."""
    waiting: list[object] = [*nodes]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, ast.AST) and _docstring(part) is None:
            waiting += [getattr(part, field, None) for field in part._fields if field != "ctx"]


def _words(*nodes: ast.AST) -> set[str]:
    return {word for text in _texts(*nodes) for word in re.findall(r"\w+", text)}


@cache
def _code() -> dict[Path, set[str]]:
    return {path: _words(tree) for path, tree in _trees().items()}


def _docstring(node: object) -> str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return str(node.value.value)
    return None


@cache
def _docstrings() -> Sequence[tuple[Path, ast.AST, str]]:
    """Returns all docstrings, and those of fields and constants, each with what it stands in."""
    found: list[tuple[Path, ast.AST, str]] = []
    for path, tree in _trees().items():
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            for part in getattr(node, "body", ()):
                text = _docstring(part)
                if text is not None:
                    found.append((path, node, text))
                elif isinstance(part, Definition | ast.If):
                    waiting.append(part)
    return found


@cache
def _classes() -> dict[str, ast.ClassDef]:
    nodes = (node for tree in _trees().values() for node in tree.body)
    return {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}


@cache
def _of_class(kind: ast.ClassDef) -> set[str]:
    """Returns the words in a class, and in those that it is made of."""
    known = (_classes()[base] for base in _words(*kind.bases) if base in _classes())
    return _words(kind).union(*map(_of_class, known))


@cache
def _of_file(tree: ast.Module) -> set[str]:
    """Returns what a file's strings say, and what is defined or imported at its top."""
    top = [node for node in tree.body if not isinstance(node, Definition)]
    defined = {node.name for node in tree.body if isinstance(node, Definition)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return defined | _words(*top) | {str(node.value) for node in constants}


def test_a_record_is_told_by_the_fields_that_it_has() -> None:
    """A word in backticks is a field, or what the record's file knows by that name."""
    gone, seen = [], 0
    for path, node, _ in _docstrings():
        if isinstance(node, ast.ClassDef) and any(isinstance(x, ast.AnnAssign) for x in node.body):
            words = set(re.findall(r"`([a-z]\w*)`", ast.get_docstring(node) or ""))
            unknown = words and words - _of_class(node)
            unknown = unknown and unknown - _of_file(_trees()[path])
            gone += [f"{path.name}: {node.name}: {word}" for word in sorted(unknown)]
            seen += len(words)
    assert seen > 100
    assert gone == []


def test_what_docstrings_name_of_other_modules_is_there() -> None:
    """`equations.deciding`, `Rounding.carries`: a module or a class, and what it has."""
    modules: dict[str, set[str]] = {}
    for path, words in _code().items():
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        for part in parts:
            modules.setdefault(part, set()).update(parts, words)
    files = {path.name for path in PACKAGE.rglob("*.*")}
    everything = set(modules).union(*_code().values())
    gone, seen = [], 0
    for path, _, text in _docstrings():
        for name in re.findall(r"`((?:[A-Z][a-z]\w*|[a-z_]+)\.[a-z]\w+)`", text):
            head, tail = name.split(".")
            kind = _classes().get(head)
            has = _of_class(kind) if kind else modules.get(head, everything)
            is_there = head in everything and tail in has
            if not (is_there or name in files or head in sys.stdlib_module_names):
                gone.append(f"{path.name}: {name}")
            seen += 1
    assert seen > 20
    assert gone == []


@cache
def _listings() -> Sequence[tuple[Path, set[str], set[str]]]:
    """Returns each package that lists its modules, the names that it lists before two spaces, and
    those that it names in backticks."""
    found = []
    for path, node, text in _docstrings():
        if isinstance(node, ast.Module) and path.name == "__init__.py":
            lines = re.findall(r"^ *([a-z_]+(?:, [a-z_]+)*)  +\S", text, re.MULTILINE)
            listed = {name for line in lines for name in line.split(", ")}
            named = set(re.findall(r"`([a-z_]+)`", text))
            if len((listed | named) & _modules(path.parent)) > 1:
                found.append((path.parent, listed, named))
    return found


def _modules(package: Path) -> set[str]:
    return {
        entry.stem
        for entry in package.iterdir()
        if (entry.suffix == ".py" and not entry.stem.startswith("__"))
        or (entry / "__init__.py").is_file()
    }


def test_the_modules_that_a_package_lists_are_there() -> None:
    """Before two spaces, each with what it is for."""
    gone = [
        f"{package.name}: {name}"
        for package, listed, _ in _listings()
        for name in sorted(listed - {entry.stem for entry in package.iterdir()})
    ]
    assert sum(len(listed) for _, listed, _ in _listings()) > 80
    assert gone == []


def test_a_package_that_lists_modules_lists_all_of_them() -> None:
    missing = [
        f"{package.name}: {name}"
        for package, listed, named in _listings()
        for name in sorted(_modules(package) - listed - named)
    ]
    assert len(_listings()) > 15
    assert missing == []


_NO_VERBS = frozenset(
    [
        "As",
        "Cells",
        "Columns",
        "Heads",
        "Its",
        "Rows",
        "Sentences",
        "Tables",
        "This",
        "Those",
    ]
)


def _is_printed(path: Path, function: str) -> bool:
    """Tells whether a docstring is what `--help` prints of a command, which says what to do."""
    is_declaring = path.stem == "commands" or path.parent.name == "commands"
    return path.parent.name == "cli" or (is_declaring and function.removesuffix("_") in COMMANDS)


def test_a_docstring_of_a_function_begins_with_a_verb() -> None:
    """One that says what it does: “Returns”, “Tells whether”, “Writes”."""
    wrong, seen = [], 0
    for path, node, text in _docstrings():
        if not isinstance(node, ast.FunctionDef) or _is_printed(path, node.name):
            continue
        if ast.get_docstring(node, clean=False) == text:
            first = re.split(r"[\s,;:]", text.strip(), maxsplit=1)[0]
            is_verb = re.fullmatch(r"[A-Z][a-z]+s", first) and first not in _NO_VERBS
            wrong += [] if is_verb else [f"{path.name}: {text.strip()[:60]}"]
            seen += 1
    assert seen > 4000
    assert wrong == []
