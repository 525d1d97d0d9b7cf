"""What holds for the code as a whole: names that are told apart, short functions, no imports in a circle."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

PACKAGE = Path(__file__).parents[2] / "attncli"
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
LONGEST_FUNCTION, MOST_FIELDS = 80, 12
NAMED_OTHERWISE = {"pyyaml": "yaml"}
"""Packages that are imported by another name than they are installed by."""
OF_OTHERS = {"pandas", "pytest"}
"""Packages that are imported only for a program that uses them itself."""


_STATEMENTS = ("body", "orelse", "handlers", "finalbody", "cases")
"""Fields of statements that have others in them."""


@cache
def _definitions(path: Path) -> tuple[Definition, ...]:
    """Classes and functions, also those inside others: in statements, of which expressions have none."""
    found: list[Definition] = []
    waiting: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while waiting:
        node = waiting.pop()
        found += [node] if isinstance(node, Definition) else []
        for parts in (getattr(node, field, ()) for field in _STATEMENTS):
            waiting += parts if isinstance(parts, list) else ()
    return tuple(found)


def test_no_two_classes_share_a_name() -> None:
    """But for the oracle's, which shares no code."""
    rooms = (path for path in PACKAGE.rglob("*.py") if "oracle" not in path.parts)
    known = (d for path in rooms for d in _definitions(path))
    found = Counter(entry.name for entry in known if isinstance(entry, ast.ClassDef))
    assert len(found) > 300
    assert [name for name, count in found.items() if count > 1] == []


def test_no_function_is_too_long_to_read() -> None:
    functions = [
        (path, d.lineno, (d.end_lineno or 0) - d.lineno + 1)
        for path in PACKAGE.rglob("*.py")
        for d in _definitions(path)
        if not isinstance(d, ast.ClassDef)
    ]
    assert len(functions) > 4000
    assert [f for f in functions if f[-1] > LONGEST_FUNCTION] == []


def test_no_modules_import_each_other() -> None:
    """Also not by way of others, or inside a function; what only types need aside."""
    graph = grimp.build_graph("attncli", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert sum(map(len, imports.values())) > 1000
    TopologicalSorter(imports).prepare()  # which raises CycleError


def test_what_is_required_is_imported_and_the_other_way_round() -> None:
    """At run time; what only tests need is in the extra `dev`."""
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    entries = [*project["dependencies"], *(e for k in extras if k != "dev" for e in extras[k])]
    names = [re.split(r"[^\w-]", entry)[0] for entry in entries]
    graph = grimp.build_graph("attncli", include_external_packages=True, cache_dir=None)
    imported = {module.partition(".")[0] for module in graph.modules}
    others = imported - {"attncli", *OF_OTHERS, *sys.stdlib_module_names}
    assert {NAMED_OTHERWISE.get(name, name) for name in names} == others


def test_records_have_a_dozen_fields_at_most() -> None:
    """But for the options of `attn exercise`, which are as many as it has."""
    found = [
        (d.name, sum(isinstance(entry, ast.AnnAssign) for entry in d.body))
        for path in PACKAGE.rglob("*.py")
        for d in _definitions(path)
        if isinstance(d, ast.ClassDef)
    ]
    assert sum(count > 1 for _, count in found) > 300
    assert {name for name, count in found if count > MOST_FIELDS} == {"ExerciseArguments"}


def test_what_the_map_names_is_there() -> None:
    """Files and folders in backticks, and the rooms of its table."""
    text = (PACKAGE / "README.md").read_text("utf-8")
    named = set(re.findall(r"`([\w/]+(?:/|\.py|\.yaml|\.json))`", text))
    gone = [name for name in named if not any((root / name).exists() for root in _ROOTS)]
    beside = {"one_way.py", "order.py", "model.py", "scenario.py", "check.py", "declaring.py"}
    assert (
        set(gone) - beside - {"settings.py", "gpt2.yaml", "defaults.json", "contents.json"} == set()
    )
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert set(re.findall(r"^\| `(\w+)/` \|", text, re.MULTILINE)) == rooms


_ROOTS = (PACKAGE, PACKAGE.parent)
