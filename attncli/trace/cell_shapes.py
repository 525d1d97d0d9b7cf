"""Whether the matrices of a recurrent cell fit together: each that doesn't is told of once.

How many numbers a memory has is told by most of its matrices, so that the odd one is blamed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from attncli.file.problems import Problems
from attncli.name import Name, below
from attncli.scenario.model import GATES, LETTERS, Recurrent
from attncli.scenario.scenario import Scenario

_H, _D, _K, _ONE = "h", "d", "k", "1"
"""Numbers of the memory, of the input, of what is read out, and what is a row."""


class _Side(NamedTuple):
    """What a side of a matrix is: so many times the numbers of something."""

    of: str
    times: int = 1


_Shape = tuple[_Side, _Side]
_NUMBER = _Side(_ONE)


def check_cells(scenario: Scenario, problems: Problems) -> set[str]:
    """Complains of matrices that don't fit their cell; the names of those of such cells, and of
    cells that lack a whole way, of which others complain."""
    wrong: set[str] = set()
    for stack in scenario.stacks:
        for layer in stack.layers:
            ways = [_of_way(scenario, *way) for way in _ways(layer.path, layer.recurrent)]
            lacking = any(not any(map(scenario.gives, way.known)) for way in ways)
            checked = [] if lacking else [_check(scenario, way.given, problems) for way in ways]
            if lacking or any(checked):
                wrong |= {name for way in ways for name in way.known}
    return wrong


class _Way(NamedTuple):
    """The matrices of a way of a cell, and those of them that are given."""

    known: Mapping[Name, _Shape]
    given: Mapping[Name, _Shape]


def _of_way(scenario: Scenario, path: Name, cell: Recurrent) -> _Way:
    known = {below(path, name): shape for name, shape in _shapes(cell)}
    given = {name: shape for name, shape in known.items() if name in scenario.given}
    return _Way(known, given)


def _ways(path: Name, cell: Recurrent | None) -> Iterator[tuple[Name, Recurrent]]:
    if cell is not None:
        yield path, cell
        if cell.direction == "both":
            yield below(path, "backward"), cell


def matrices_of_way(cell: Recurrent) -> set[str]:
    """The names of what a way of a cell may be given."""
    others = {"W_ya", "b_y"} if cell.kind == "lstm" else {"W_ya", "b_y", "initial_cell"}
    return {name for name, _ in _shapes(cell)} - others


def _shapes(cell: Recurrent) -> Iterator[tuple[str, _Shape]]:
    """What the matrices of a way of a cell are."""
    gates = GATES.get(cell.kind, ())
    h, d, k = _Side(_H), _Side(_D), _Side(_K)
    states = _Side(_H, len(cell.ways))
    yield from (("W_ya", (states, k) if cell.in_out else (k, states)), ("b_y", (_NUMBER, k)))
    yield from ((name, (_NUMBER, h)) for name in ("initial_state", "initial_cell"))
    if cell.stacked:
        all_gates = _Side(_H, len(gates) or 1)
        yield from (("W_ih", (all_gates, d)), ("W_hh", (all_gates, h)))
        yield from ((name, (_NUMBER, all_gates)) for name in ("b_ih", "b_hh"))
        return
    for letter in [LETTERS[gate] for gate in gates] or ["a"]:
        yield f"W_{letter}x", (d, h) if cell.in_out else (h, d)
        yield f"W_{letter}a", (h, h)
        yield f"b_{letter}", (_NUMBER, h)


def _check(scenario: Scenario, given: Mapping[Name, _Shape], problems: Problems) -> bool:
    """Whether something is wrong with the matrices of one way of a cell."""
    sizes = {of: _most(scenario, given, of) for of in (_H, _D, _K)}
    found = False
    for name, sides in given.items():
        if found and _K in (sides[1].of,) and sides[0] == _NUMBER:
            continue  # W_ya may be at fault, and tells how long b_y is
        wanted = tuple(1 if side.of == _ONE else side.times * sizes[side.of] for side in sides)
        shape = scenario.given[name].shape
        if shape != wanted and 0 not in wanted:
            found = True
            is_vector = sides[0] == _NUMBER
            told = f"has {_numbers(shape[1])}" if is_vector else f"is {shape[0]} × {shape[1]}"
            right = _numbers(wanted[1]) if is_vector else f"{wanted[0]} × {wanted[1]}"
            others = _others(shape, wanted, sides, sizes)
            problems.add(scenario.where(name), f"{name} {told}, and {others}", f"give it {right}")
    return found


def _numbers(count: int) -> str:
    return "1 number" if count == 1 else f"{count} numbers"


def _others(
    shape: tuple[int, int],
    wanted: tuple[int, ...],
    sides: _Shape,
    sizes: Mapping[str, int],
) -> str:
    """What a shape is set against."""
    wrong = next(k for k in (0, 1) if shape[k] != wanted[k])
    of, times = sides[wrong]
    if of == _D:
        return f"the weights of the input for the other gates are for {_numbers(sizes[_D])}"
    if of == _K:
        return f"what is read out has {_numbers(sizes[_K])}"
    several = "directions" if _K in (sides[0].of, sides[1].of) else "gates"
    each = f" in each of {times} {several}" if times > 1 else ""
    return f"the memory of this cell has {_numbers(sizes[_H])}{each}"


def _most(scenario: Scenario, given: Mapping[Name, _Shape], of: str) -> int:
    """How many numbers something has, as most sides have it; 0 where none tells."""
    votes = Counter(_votes(scenario, given, of))
    return max(votes, key=votes.__getitem__, default=0)


def _votes(scenario: Scenario, given: Mapping[Name, _Shape], of: str) -> Iterable[int]:
    for name, sides in given.items():
        for side, size in zip(sides, scenario.given[name].shape, strict=True):
            if side.of == of and size % side.times == 0:
                yield size // side.times
