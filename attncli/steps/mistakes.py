"""Making mistakes on purpose, and what people do wrong in equations of a kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import fields, replace
from itertools import islice
from operator import attrgetter
from typing import Any

from attncli.equations.tree import (
    Expression,
    Length,
    Negative,
    Quotient,
    Root,
    Sum,
    each,
    minus,
    rewritten,
)
from attncli.file.problems import ScenarioError
from attncli.names import Name
from attncli.operations.equation import EquationText, Indexed, is_a
from attncli.operations.operation import Operation
from attncli.operations.rearranging import Same
from attncli.steps.step import Mistake, Planned
from attncli.trace import Definition, HeadPlace, Place, PlannedStep, Trace
from attncli.trace.place import P

Change = Callable[[Definition, P], Definition | None]
"""What somebody makes instead of what a definition says, at a place; None where it's the same."""
Ways = Callable[[P, Planned], Iterable[Planned]]


Kind = str | type[Operation] | EquationText
"""Quantities of a local name, or made by operations of a kind."""
Operand = int | str | Callable[[P], Name | None]
"""One of a definition's own by its place, the latest of a local name, or what a place knows."""
WENT_IN: Callable[[Place], Name] = attrgetter("x")


def wrong(change: Change[P], *of: Kind, when: Callable[[P], bool] = lambda _: True) -> Ways[P]:
    """What is made wrongly in one of the quantities that are made under some local names, or by
    some kinds of operations, or in any: in the first where that can be, or as well in another."""
    return lambda place, planned: (
        (d,) for d in _changed(change, of, place, planned) if when(place)
    )


def once(change: Change[P], *of: Kind, when: Callable[[P], bool] = lambda _: True) -> Ways[P]:
    """What is made wrongly in the first of these quantities where that can be, and in no other."""
    return lambda place, planned: islice(wrong(change, *of, when=when)(place, planned), 1)


def in_last(change: Change[P], *of: Kind, when: Callable[[P], bool] = lambda _: True) -> Ways[P]:
    """What is made wrongly in the last quantity of a step, if it is one of these."""
    return lambda place, planned: wrong(change, *of, when=when)(place, planned[-1:])


def all_wrong(change: Change[P], *of: Kind) -> Ways[P]:
    """What is made wrongly in each of these quantities by whoever makes it in one."""
    return lambda place, planned: filter(None, (tuple(_changed(change, of, place, planned)),))


def either(*ways: Ways[P]) -> Ways[P]:
    """One of several ways, first those of the first."""
    return lambda place, planned: (made for f in ways for made in f(place, planned))


def instead(*made: Callable[[P], Definition | None]) -> Ways[P]:
    """Quantities that are made otherwise at a place, all by whoever makes the first of them so."""

    def ways(place: P, _: Planned) -> Iterator[Planned]:
        first, *others = (f(place) for f in made)
        return filter(None, ((first, *filter(None, others)) if first is not None else (),))

    return ways


def _changed(
    change: Change[P], of: tuple[Kind, ...], place: P, planned: Planned
) -> Iterator[Definition]:
    texts = [kind for kind in of if isinstance(kind, EquationText)]
    classes = tuple(kind for kind in of if isinstance(kind, type))
    for definition in planned:
        operation = definition.operation
        is_one = (
            definition.name.local in of or is_a(operation, *texts) or isinstance(operation, classes)
        )
        if is_one or not of:
            made = change(definition, place)
            if made is not None and made != definition:
                yield made


def by(operation: Operation | EquationText, *operands: Operand[P]) -> Change[P]:
    """The same by another operation, of all operands, or of some, or of others."""

    def change(definition: Definition, place: P) -> Definition | None:
        found = [_found(definition, place, operand) for operand in operands] or definition.operands
        made = operation() if isinstance(operation, EquationText) else operation
        names = tuple(filter(None, found))
        return (
            definition._replace(operation=made, operands=names)
            if len(names) == len(found)
            else None
        )

    return change


def operand(k: int, other: Operand[P]) -> Change[P]:
    """The same of another operand in one place."""

    def change(definition: Definition, place: P) -> Definition | None:
        name = _found(definition, place, other)
        if name is None:
            return None
        return definition._replace(
            operands=(*definition.operands[:k], name, *definition.operands[k + 1 :])
        )

    return change


def _found(definition: Definition, place: P, operand: Operand[P]) -> Name | None:
    if isinstance(operand, int):
        return definition.operands[operand]
    return place.latest(operand) if isinstance(operand, str) else operand(place)


def remade(change: Callable[[Any, P], Operation | None]) -> Change[P]:
    """The same by an operation that is made of its own; None where that can't be."""

    def changed(definition: Definition, place: P) -> Definition | None:
        made = change(definition.operation, place)
        return None if made is None else definition._replace(operation=made)

    return changed


def of_next_head(number: str) -> Change[HeadPlace]:
    """By the numbers that another head has, where an operation knows its own by this `number`."""
    return remade(
        lambda own, place: replace(own, **{number: (place.head + 1) % place.attention.heads})
    )


def as_a(kind: Callable[..., Operation] | EquationText) -> Change[Place]:
    """The same by another kind of operation, with all that its own is made with."""

    return remade(
        lambda own, _: (
            kind(*own.numbers)
            if isinstance(own, Indexed)
            else kind(**{field.name: getattr(own, field.name) for field in fields(own)})
        )
    )


def left_out(definition: Definition, _: Place) -> Definition:
    """What it is made of, as it is."""
    return definition._replace(operation=Same(), operands=definition.operands[:1])


def turned_round(definition: Definition, _: Place) -> Definition:
    """The operands in the other order."""
    return definition._replace(operands=definition.operands[::-1])


def swap(part: str, other: str, shown: str = "") -> Callable[[Definition, Place], Definition]:
    """Something else in the place of a part of an equation that is a text."""

    def change(definition: Definition, _: Place) -> Definition:
        right = definition.operation
        assert isinstance(right, Indexed)
        assert right.equation is not None
        wrong = right.equation.swap(part, other, shown)
        left = dict(wrong.operands)
        known = dict(zip(right.equation.names, right.numbers, strict=True))
        named = zip(right.equation.operands, definition.operands, strict=True)
        operands = tuple(name for (operand, _), name in named if operand in left)
        numbers = (known[name] for name in wrong.names)
        return definition._replace(operation=wrong(*numbers), operands=operands)

    return change


def swapped(
    definition: Definition, change: Callable[[Expression], Expression | None]
) -> Definition | None:
    """The same by its equation with some parts changed; None where there are none to change."""
    equation = definition.operation
    if not isinstance(equation, Indexed):
        return None
    tree = rewritten(equation.tree, change)
    if tree == equation.tree:
        return None
    shown = equation.shown and rewritten(equation.shown, change)
    return definition._replace(operation=Indexed(equation.signature(), tree, shown))


def sum_for_mean(definition: Definition, _: Place | None = None) -> Definition | None:
    """What is added up, without dividing it by how many there are."""
    equation = definition.operation
    match equation:
        case Indexed(tree=Quotient(total, count)) if any(each(count, Length)):
            pass
        case _:
            return None
    shown = equation.shown.dividend if isinstance(equation.shown, Quotient) else None
    return definition._replace(operation=Indexed(equation.signature(), total, shown))


def without_root(definition: Definition, _: Place | None = None) -> Definition | None:
    """What stands below a root, without taking that."""
    return swapped(definition, lambda node: node.operand if isinstance(node, Root) else None)


def exchanged(definition: Definition, _: Place | None = None) -> Definition | None:
    """b − a for a − b."""
    from attncli.operations.prediction import TargetDifference

    if isinstance(definition.operation, TargetDifference):
        return definition._replace(operation=replace(definition.operation, exchanged=True))

    def change(node: Expression) -> Expression | None:
        match node:
            case Sum((a, Negative(b))):
                return minus(b, a)
        return None

    return swapped(definition, change)


def all_made_wrongly(trace: Trace, part: PlannedStep, mistake: Mistake[Any]) -> Iterator[Planned]:
    """All that is made in other ways by whoever makes a mistake, of what is there, what the mistake
    is in first: once for each way to make it. None where the part doesn't come to make that, or
    where what it is made of isn't there."""
    ways = [*mistake.ways(part.place, part.definitions)]
    if not ways or not _is_made(trace, ways[0][0]):
        return
    for way in ways:
        made = tuple(d._replace(step=part.step) for d in way if _is_made(trace, d))
        if made and all(operand in trace for d in made for operand in d.operands):
            yield made


def _is_made(trace: Trace, definition: Definition) -> bool:
    return definition.name in trace and not trace[definition.name].given


def mistaken(trace: Trace, way: Planned, names: Collection[str]) -> Trace | None:
    """The trace with all made in other ways that is so by whoever makes a mistake in one way, and
    what leads from there to some quantities worked again; None where their numbers, or their
    shapes, don't allow that."""
    try:
        wrong = trace.remake(*way, to=names)
    except (KeyError, ValueError, ArithmeticError, IndexError, TypeError, ScenarioError):
        return None
    alike = (wrong[name].matrix.shape == trace[name].matrix.shape for name in names)
    return wrong if all(alike) else None
