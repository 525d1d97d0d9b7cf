"""The quantities in which a mistake is made are there: a name that no step makes would be passed
over in silence."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import attncli.steps
from attncli.steps.order import made

WAYS = {"wrong", "once", "in_last", "all_wrong"}


def names_of(path: Path) -> Iterator[tuple[int, str]]:
    """The names of quantities for which the ways of mistakes are declared in a module."""
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match call:
            case ast.Call(ast.Name(function), [_, *of]) if function in WAYS:
                texts = (x for x in of if isinstance(x, ast.Constant))
                yield from ((text.lineno, str(text.value)) for text in texts)


def test_each_name_is_that_of_a_quantity_that_steps_make() -> None:
    modules = [*Path(attncli.steps.__path__[0]).rglob("*.py")]
    named = [(path.name, *found) for path in modules for found in names_of(path)]
    assert len(named) > 50
    assert [entry for entry in named if entry[2] not in made()] == []
