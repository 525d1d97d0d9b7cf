"""Every regular expression of ours is linear in what it is run on: a long text that hardly matches
is through at once. A worse one takes seconds of some 50,000 characters, and minutes of a file."""

from __future__ import annotations

import ast
import gc
import importlib
import os
import pkgutil
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import attncli

LENGTH = 30_000
MOST_SECONDS = 0.2
"""Of the processor; what is linear takes a few hundredths, the mildest quadratic one half a second."""
METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub")
MAY_USE = re.compile(rf"\.(compile|{'|'.join(METHODS)})\(")
"""Where a module has a pattern, which is told in less time than its tree is read."""
parser: Any = importlib.import_module("re._parser")
SAMPLES = {
    "DIGIT": "1",
    "SPACE": " ",
    "WORD": "a",
    "NOT_DIGIT": "a",
    "NOT_SPACE": "a",
    "NOT_WORD": " ",
}
USUAL = "a1 .\n"


class Use(NamedTuple):
    """A pattern, and how it is run."""

    pattern: re.Pattern[Any]
    method: str
    place: str

    def run(self, text: str) -> None:
        given = text if isinstance(self.pattern.pattern, str) else text.encode()
        act = getattr(self.pattern, self.method)
        found = act(given[:0], given) if self.method == "sub" else act(given)
        if self.method == "finditer":
            list(found)


def uses() -> Sequence[Use]:
    """All that the modules say: `re.…(pattern, …)`, and patterns that are compiled once."""
    names = [module.name for module in pkgutil.walk_packages(attncli.__path__, "attncli.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    trees = {m: ast.parse(text) for m in modules if MAY_USE.search(text := source(m))}
    called = [(m, call) for m, tree in trees.items() for call in ast.walk(tree)
              if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)]  # fmt: skip
    found = [use for module, call in called for use in _used(module, call)]
    run = {use.pattern for use in found if use.method != "compile"}
    # one that is handed on before it is run is met at a beginning
    left = [use._replace(method="match") for use in found if use.pattern not in run]
    each = [*(use for use in found if use.method != "compile"), *left]
    return list({(use.pattern, use.method): use for use in each}.values())


def source(module: ModuleType) -> str:
    path = module.__spec__.origin if module.__spec__ else None
    assert path
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        return file.read()


def _used(module: ModuleType, call: ast.Call) -> Iterator[Use]:
    assert isinstance(call.func, ast.Attribute)
    place, method = f"{module.__name__}:{call.lineno}", call.func.attr
    if method not in (*METHODS, "compile"):
        return
    known = vars(module)
    if not (isinstance(call.func.value, ast.Name) and call.func.value.id == "re"):
        pattern = _value(call.func.value, known)
        if isinstance(pattern, re.Pattern) and method in METHODS:
            yield Use(pattern, method, place)
        return
    given = [_value(node, known) for node in (*call.args, *(k.value for k in call.keywords))]
    flags = [flag for flag in given if isinstance(flag, re.RegexFlag)]
    if given and isinstance(given[0], str | bytes):
        compiled = re.compile(given[0], flags[0] if flags else 0)
        yield Use(compiled, method, place)


def _value(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """What an expression says; None where that is known only when it runs."""
    try:
        return eval(compile(ast.Expression(node), "pattern", "eval"), dict(known))
    except Exception:
        return None


# -- long texts that hardly match ------------------------------------------------------------------


class Text(NamedTuple):
    """A text that says something again and again."""

    start: str
    unit: str
    end: str

    def __str__(self) -> str:
        return f"{self.start}{self.unit * (LENGTH // len(self.unit))}{self.end}"


def adversaries(pattern: re.Pattern[Any]) -> Iterator[Text]:
    """Long texts of what the pattern repeats, behind what has to stand before that, and of each
    character that it names; with and without an end that doesn't match."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode()
    units = dict.fromkeys(("", unit) for unit in (*USUAL, *_plain(text)))
    units |= dict.fromkeys(_pumps(parser.parse(text, pattern.flags & ~re.UNICODE), ""))
    return (Text(*unit, end) for unit in units for end in ("", "\0"))


def _plain(text: str) -> Iterable[str]:
    return (one for one in dict.fromkeys(text) if not one.isalnum())


def _pumps(tokens: Any, before: str) -> Iterator[tuple[str, str]]:
    """What is repeated in a pattern, each with a text that comes to it."""
    for kind, value in tokens:
        name = str(kind)
        if name.endswith("_REPEAT"):
            least, most, inside = value
            unit = _sample(inside)
            if unit and most - least > LARGE:
                yield from ((start, unit) for start in dict.fromkeys((before, "")))
                yield "", before + unit
            yield from _pumps(inside, before)
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            yield from _pumps(value[-1] if name == "SUBPATTERN" else value, before)
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _pumps(branch, before)
        elif name.startswith("ASSERT"):
            yield from _pumps(value[1], before)
        before += _sample([(kind, value)])


LARGE = 500
"""Times that something is repeated which is as good as for ever."""


def _sample(tokens: Any) -> str:
    """A text that a pattern matches, as far as it can be told so simply."""
    return "".join(_of_one(str(kind), value) for kind, value in tokens)


def _of_one(name: str, value: Any) -> str:
    simple: Mapping[str, Callable[[], str]] = {
        "LITERAL": lambda: chr(value),
        "NOT_LITERAL": lambda: "b" if value == ord("a") else "a",
        "ANY": lambda: "a",
        "IN": lambda: _of_class(value),
        "CATEGORY": lambda: SAMPLES[str(value).removeprefix("CATEGORY_")],
        "RANGE": lambda: chr(value[0]),
        "BRANCH": lambda: _sample(value[1][0]),
        "SUBPATTERN": lambda: _sample(value[-1]),
        "ATOMIC_GROUP": lambda: _sample(value),
    }
    if name.endswith("_REPEAT"):
        return _sample(value[2]) * max(1, int(value[0]))
    return simple.get(name, str)()


def _of_class(members: Any) -> str:
    """A character of a class."""
    if str(members[0][0]) != "NEGATE":
        return _of_one(str(members[0][0]), members[0][1])
    without = {_of_one(str(kind), value) for kind, value in members[1:]}
    return next(one for one in "aA1 .-\"'(\u00e9" if one not in without)


# -- running them ----------------------------------------------------------------------------------


def slow(known: Sequence[Use]) -> Iterator[str]:
    """Yields what patterns take too long for, told by a process that is ended then; another one
    goes on with the pattern after it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        gc.disable()  # which would look through all that the tests keep, on the pattern's time
        for k, use in enumerate(known):
            for text in adversaries(use.pattern):
                os.write(writing, f"{k} {text!r}\n".encode())
                signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
                use.run(f"{text}")
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        number, _, tried = told.read().splitlines()[-1].partition(" ")
    status = os.waitpid(child, 0)[1]
    use = known[int(number)]
    assert status == 0 or os.WIFSIGNALED(status), f"{use}: {status}"
    if status:
        yield f"{use.place}: {use.method} {use.pattern.pattern!r} on {tried}"
        if left := known[int(number) + 1 :]:
            yield from slow(left)


FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes here that can be ended")


@FORKS
def test_no_pattern_is_worse_than_linear() -> None:
    known = uses()
    assert len(known) > 100
    assert [*slow(known)] == []


@FORKS
@pytest.mark.parametrize("pattern", [r"a+b", r"[\d.]*\d[\d.]*", r"x(.*?)y", r"[^\s:]+\.npy\b"])
def test_what_is_worse_is_seen(pattern: str) -> None:
    compiled = re.compile(pattern)
    assert [*slow([Use(compiled, method, "here") for method in ("search", "fullmatch")])]


@FORKS
def test_what_comes_after_one_that_is_worse_is_seen_too() -> None:
    known = [Use(re.compile(pattern), "search", pattern) for pattern in ("a+b", "c", "d+e")]
    assert [told.split(":")[0] for told in slow(known)] == ["a+b", "d+e"]


# -- those of the pages ----------------------------------------------------------------------------

IN_SCRIPT = re.compile(
    r"(?<=[(,=:\[!&|?{};\s])/((?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([dgimsuvy]*)"
)
"""What is written as one; a division that looks like it does no harm."""


def in_scripts() -> Iterator[Use]:
    """The patterns of the scripts as Python says them, whose engine knows no way out: Chromium's
    goes on with another one where it goes back too often, and not every browser does."""
    for path in sorted((files("attncli") / "formats" / "html").iterdir(), key=str):
        if not path.name.endswith(".js") or path.name == "decimal.js":  # which is another's
            continue
        code = "\n".join(line.split(" // ")[0] for line in path.read_text("utf-8").splitlines())
        for found in IN_SCRIPT.finditer(code):
            with suppress(re.error):  # a division, or \p{…}, of which nothing is repeated
                yield Use(re.compile(found[1].replace("[^]", r"[\s\S]")), "sub", path.name)


@pytest.mark.filterwarnings("ignore:Possible nested set")
@FORKS
def test_no_pattern_of_a_page_is_worse_than_linear() -> None:
    known = [*dict.fromkeys(in_scripts())]
    assert len(known) > 30
    assert [*slow(known)] == []
