"""The tables of the reference, worked out of the declarations that they are about.

In `scenarios/README.md` each table stands below a comment that says what it is of:
`<!-- keys: attention -->`, `<!-- keys in: mask -->`, `<!-- options: run -->`, `<!-- steps -->`,
`<!-- questions -->`, `<!-- errata: i_love_ai -->`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import typer

from attncli.classroom.files.exam_file import EXAM, PART, QUESTION, PoolKind
from attncli.classroom.files.exercise_file import (
    ASKED,
    EXERCISE,
    TOLERANCE,
    AskKind,
    BlankingKind,
    NameKind,
    PointsKind,
)
from attncli.classroom.files.scheme import COSTS, SCHEME
from attncli.classroom.forms.rules import RULES
from attncli.cli import app
from attncli.pages.catalogue import contents
from attncli.pipeline import load, work
from attncli.scenario.file import shipped
from attncli.scenario.file.keys import (
    Choice,
    Either,
    Flag,
    Key,
    ListOf,
    MapOf,
    NumberKind,
    OneOrMany,
    Record,
    TextKind,
    WholeNumber,
)
from attncli.scenario.file.matrices import MatrixKind, VectorKind
from attncli.scenario.file.sources import SourceKind
from attncli.scenario.published import NumbersKind
from attncli.scenario.show import AnswerKind
from attncli.steps import steps
from attncli.steps.order import keys_of
from attncli.steps.schema import SCENARIO
from attncli.steps.written.keys import (
    EquationKind,
    EquationsKind,
    OutputKind,
    StandingKind,
    StartKind,
    StepsKind,
    TimesKind,
    ValueKind,
)
from tests.helpers.errata import errata

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
PARTS = ("stack", "attention", "layer", "cell", "way", "file")
_TABLE = re.compile(r"(?<=^<!-- )([\w: ]+)( -->\n\n)((?:\|.*\n)+\n)?", re.MULTILINE)


def with_tables(text: str) -> str:
    """The reference with each of its tables as it has to be."""
    return _TABLE.sub(lambda found: f"{found[1]}{found[2]}{_table(found[1])}\n", text)


def tabled_keys(text: str) -> set[str]:
    """The keys of a scenario that the tables of a text are asked to have."""
    parts = re.findall(r"^<!-- keys: ([\w ]+) -->$", text, re.MULTILINE)
    return {key.name for part in " ".join(parts).split() for key in _part(part)}


def _table(named: str) -> str:
    what, _, of = named.partition(": ")
    headings, rows = _TABLES[what](of)
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


Rows = tuple[list[str], Iterable[list[str]]]


def _keys(parts: str) -> Rows:
    return _HEADINGS, map(_row, (key for part in parts.split() for key in _part(part)))


def _keys_in(path: str) -> Rows:
    """The keys of all maps that a key, or one inside it, may hold, each once."""
    name, *rest = path.split()
    (key,) = (key for part in (*PARTS, "whole") for key in _part(part) if key.name == name)
    for name in rest:
        key = next(entry for entry in _inside(key.kind) if entry.name == name)
    inner: dict[str, list[Key[Any]]] = {}
    for entry in _inside(key.kind):
        inner.setdefault(entry.name, []).append(entry)
    return _HEADINGS, map(_row_of_several, inner.values())


def _steps(_: str) -> Rows:
    made = (
        [f"`{step.name}`", ", ".join(f"`{name}`" for name in step.results.names)]
        for step in steps()
    )
    return ["step", "makes"], made


def _questions(_: str) -> Rows:
    asked = ([f"`{i.name}`", i.does] for step in steps() for i in step.inquiries)
    return ["question", "asks"], asked


def _scenarios(_: str) -> Rows:
    shown = [row for group, scenarios in contents().items() for row in _group(group, scenarios)]
    return ["scenario", "shows"], shown


def _group(title: str, scenarios: Mapping[str, str]) -> Iterator[list[str]]:
    yield [f"**{title}**", ""]
    yield from ([f"`{name}`", says] for name, says in scenarios.items())


def _options(command: str) -> Rows:
    whole = COMMANDS[command]
    whole.list_names()
    found = [param for param in whole.params if param.param_type_name == "option"]
    return ["option", "takes", "means"], map(_option, found)


def _option(option: Any) -> list[str]:
    names = " or ".join(f"`{name}`" for name in option.opts)
    takes = "" if option.is_flag else ", ".join(f"`{word}`" for word in option.metavar.split("|"))
    default = f" By default `{option.default}`." if isinstance(option.default, str) else ""
    return [names, takes, f"{option.help}{default}"]


def _rules(_: str) -> Rows:
    return ["rule", "means"], ([f"`{name}`", says] for name, says in RULES.items())


def _of_exercise(part: str) -> Rows:
    """The keys of an exercise file, and of what it may ask for or let pass; of an exam, of what its
    parts say besides, and of a question of one's own."""
    own = tuple(key for key in PART.keys if key.name not in EXERCISE.known)
    records = {"file": EXERCISE.keys, "asked": ASKED.keys, "tolerance": TOLERANCE.keys}
    return _HEADINGS, map(
        _row,
        (
            records
            | {"exam": EXAM.keys, "part": own, "own": QUESTION.keys}
            | {"scheme": SCHEME.keys, "costs": COSTS.keys}
        )[part],
    )


_HEADINGS = ["key", "takes", "means"]


def _errata(name: str) -> Rows:
    """The numbers of a shipped scenario's source that don't follow."""
    headings = ["number", "source", "right", "verdict", "place", "why"]
    return headings, list(errata_of(name))


def errata_of(name: str) -> Iterator[list[str]]:
    text = shipped.find(name).read_text("utf-8")
    if "published:" in text:
        for erratum in errata(work(load(name))):
            yield [
                f"`{erratum.cell}`",
                erratum.printed,
                erratum.right,
                erratum.verdict,
                erratum.at,
                erratum.why,
            ]


_TABLES: dict[str, Callable[[str], Rows]] = {
    "keys": _keys,
    "keys in": _keys_in,
    "exercise": _of_exercise,
    "steps": _steps,
    "questions": _questions,
    "options": _options,
    "rules": _rules,
    "scenarios": _scenarios,
    "errata": _errata,
}


def _part(part: str) -> tuple[Key[Any], ...]:
    """The keys of a part of the model; those of none are about the whole."""
    if part == "whole":
        owned = {name for part in PARTS for name in keys_of(part)}
        return tuple(key for key in SCENARIO.keys if key.name not in owned)
    return tuple(keys_of(part).values())


def _inside(kind: Any) -> Iterator[Key[Any]]:
    if isinstance(kind, Record):
        yield from kind.keys
    for inner in _kinds_in(kind):
        yield from _inside(inner)


def _kinds_in(kind: Any) -> tuple[Any, ...]:
    single = getattr(kind, "kind", None)
    return (single,) if single is not None else getattr(kind, "kinds", ())


def _row_of_several(keys: list[Key[Any]]) -> list[str]:
    """A row of a key that several maps have, perhaps with other choices or another meaning."""
    return ["; ".join(dict.fromkeys(texts)) for texts in zip(*map(_row, keys), strict=True)]


def _row(key: Key[Any]) -> list[str]:
    return [f"`{key.name}`", _takes(key.kind), key.says]


def _takes(kind: Any, *, many: bool = False) -> str:
    """What a key may hold, in a few words: one of a kind, or `many`."""
    match kind:
        case Choice(words):
            return ", ".join(f"`{word}`" for word in words)
        case WholeNumber(least, most) if most <= _MOST_WRITTEN:
            return f"{least} to {most}"
        case ListOf(inner):
            return f"{'lists' if many else 'a list'} of {_takes(inner, many=True)}"
        case MapOf(inner, what):
            return f"{what} → {_takes(inner)}"
        case OneOrMany() | Either():
            return _takes_either(kind)
    known = next((words for of, words in _WORDS.items() if isinstance(kind, of)), None)
    if isinstance(kind, NameKind):
        name = kind.what.split()[0]  # of a mistake that is known
        known = f"a {name}", f"{name}s"
    return (known or _WORDS_OF_SCHEMAS[kind.schema()["type"]])[many]


def _takes_either(kind: OneOrMany[object] | Either) -> str:
    if isinstance(kind, OneOrMany) or kind.kinds[1:] == (ListOf(kind.kinds[0]),):
        return f"{_takes(_kinds_in(kind)[0])}, or a list of such"
    return ", or ".join(dict.fromkeys(map(_takes, kind.kinds)))


_MOST_WRITTEN = 1000
_WORDS: dict[type, tuple[str, str]] = {
    AnswerKind: ("a cell, or words → a cell", ""),
    AskKind: ("a step, or a map", "steps and maps"),
    EquationKind: ("an equation", "equations"),
    EquationsKind: ("a list of equations", ""),
    OutputKind: ("a name", ""),
    StandingKind: ("a step of the model", ""),
    StepsKind: ("step → a map", ""),
    StartKind: ("a number, numbers, or the name of an array", ""),
    TimesKind: ("an index, perhaps with its side: `t in round`", ""),
    ValueKind: ("what stands right of the =", ""),
    BlankingKind: ("`results`, `working`, `all`, `random:SHARE`", ""),
    PoolKind: ("a step, or a map", "steps, maps and questions"),
    PointsKind: ("a number, or step or quantity → number", ""),
    Flag: ("`true`, `false`", "`true`, `false`"),
    MatrixKind: ("a matrix", "matrices"),
    NumberKind: ("a number", "numbers"),
    NumbersKind: ("numbers", "numbers"),
    SourceKind: ("a matrix", "matrices"),
    TextKind: ("a text", "texts"),
    VectorKind: ("a row of numbers", "rows of numbers"),
    WholeNumber: ("a whole number", "whole numbers"),
}
_WORDS_OF_SCHEMAS = {"object": ("a map", "maps")}
