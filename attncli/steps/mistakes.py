"""Mistakes made on purpose: changes of a definition, and those in equations of a kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import fields, replace
from itertools import islice
from operator import attrgetter
from typing import Any

from attncli.maths.equations.tree import (
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
from attncli.maths.operations.equation import EquationText, Indexed, is_a
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.rearranging import Same
from attncli.names import Name
from attncli.scenario.file.problems import ScenarioError
from attncli.steps.step import Mistake, Planned
from attncli.trace import Definition, HeadPlace, Place, PlannedStep, Trace
from attncli.trace.place import P

Change = Callable[[Definition, P], Definition | None]
"""A function that returns what somebody makes instead of what a definition says, at a place, or
None where that can't be made."""
Ways = Callable[[P, Planned], Iterable[Planned]]


Kind = str | type[Operation] | EquationText
"""A kind of quantities: those of a local name, or made by operations of a kind."""
Operand = int | str | Callable[[P], Name | None]
"""An operand: one of a definition's own by its place, the latest of a local name, or one that a
place knows."""
WENT_IN: Callable[[Place], Name] = attrgetter("x")


def wrong(change: Change[P], *of: Kind, when: Callable[[P], bool] = lambda _: True) -> Ways[P]:
    """Returns the ways to make a change in one quantity: one way for each quantity in which it can
    be made, from the first on.

    The quantities are those that are made under the local names `of`, or by these kinds of
    operations, or any; `when` tells at which places it can be made.
    """
    return lambda place, planned: (
        (d,) for d in _changed(change, of, place, planned) if when(place)
    )


def once(change: Change[P], *of: Kind, when: Callable[[P], bool] = lambda _: True) -> Ways[P]:
    """Returns the way to make a change in the first of these quantities where it can be made, and
    in no other."""
    return lambda place, planned: islice(wrong(change, *of, when=when)(place, planned), 1)


def in_last(change: Change[P], *of: Kind, when: Callable[[P], bool] = lambda _: True) -> Ways[P]:
    """Returns the way to make a change in the last quantity of a step, if it is one of these."""
    return lambda place, planned: wrong(change, *of, when=when)(place, planned[-1:])


def all_wrong(change: Change[P], *of: Kind) -> Ways[P]:
    """Returns the one way that makes a change in all these quantities at once, for a mistake that
    is made everywhere or nowhere."""
    return lambda place, planned: filter(None, (tuple(_changed(change, of, place, planned)),))


def either(*ways: Ways[P]) -> Ways[P]:
    """Joins the ways of several mistakes, those of the first one first."""
    return lambda place, planned: (made for f in ways for made in f(place, planned))


def instead(*made: Callable[[P], Definition | None]) -> Ways[P]:
    """Returns the one way that makes these definitions instead of the right ones, all at once;
    there is none where the first can't be made."""

    def ways(place: P, _: Planned) -> Iterator[Planned]:
        first, *others = (f(place) for f in made)
        return filter(None, ((first, *filter(None, others)) if first is not None else (),))

    return ways


def _changed(
    change: Change[P], of: tuple[Kind, ...], place: P, planned: Planned
) -> Iterator[Definition]:
    """Yields the quantities of these kinds as a change makes them, where it makes them
    otherwise."""
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
    """Returns the change to another operation, of the same operands, or of those that are said; it
    makes nothing where one of these isn't there."""

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
    """Returns the change to another operand in one place; it makes nothing where that isn't
    there."""

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
    """Returns the change to an operation that is made of the right one; it makes nothing where that
    can't be."""

    def changed(definition: Definition, place: P) -> Definition | None:
        made = change(definition.operation, place)
        return None if made is None else definition._replace(operation=made)

    return changed


def of_next_head(number: str) -> Change[HeadPlace]:
    """Returns the change to the numbers of the next head, where an operation knows its own head's
    by this `number`."""
    return remade(
        lambda own, place: replace(own, **{number: (place.head + 1) % place.attention.heads})
    )


def as_a(kind: Callable[..., Operation] | EquationText) -> Change[Place]:
    """Returns the change to another kind of operation, made with all that the right one is made
    with."""

    return remade(
        lambda own, _: (
            kind(*own.numbers)
            if isinstance(own, Indexed)
            else kind(**{field.name: getattr(own, field.name) for field in fields(own)})
        )
    )


def left_out(definition: Definition, _: Place) -> Definition:
    """Changes a quantity to its first operand, unchanged."""
    return definition._replace(operation=Same(), operands=definition.operands[:1])


def turned_round(definition: Definition, _: Place) -> Definition:
    """Changes a quantity to one with its operands in reversed order."""
    return definition._replace(operands=definition.operands[::-1])


def swap(part: str, other: str, shown: str = "") -> Callable[[Definition, Place], Definition]:
    """Returns the change of one part of an equation's text to another; operands that the text no
    longer names are left out.

    `shown` is the formula that is shown then, where that isn't the text.
    """

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
    """Changes the parts of a quantity's equation that `change` has something else for; returns None
    where there are none."""
    equation = definition.operation
    if not isinstance(equation, Indexed):
        return None
    tree = rewritten(equation.tree, change)
    if tree == equation.tree:
        return None
    shown = equation.shown and rewritten(equation.shown, change)
    return definition._replace(operation=Indexed(equation.signature(), tree, shown))


def sum_for_mean(definition: Definition, _: Place | None = None) -> Definition | None:
    """Changes a mean to the sum, without the division by how many numbers there are; returns None
    where there is no mean."""
    equation = definition.operation
    match equation:
        case Indexed(tree=Quotient(total, count)) if any(each(count, Length)):
            pass
        case _:
            return None
    shown = equation.shown.dividend if isinstance(equation.shown, Quotient) else None
    return definition._replace(operation=Indexed(equation.signature(), total, shown))


def without_root(definition: Definition, _: Place | None = None) -> Definition | None:
    """Changes a root to what stands below it; returns None where there is no root."""
    return swapped(definition, lambda node: node.operand if isinstance(node, Root) else None)


def exchanged(definition: Definition, _: Place | None = None) -> Definition | None:
    """Changes a − b to b − a; returns None where there is no difference."""
    from attncli.maths.operations.losses import TargetDifference

    if isinstance(definition.operation, TargetDifference):
        return definition._replace(operation=replace(definition.operation, exchanged=True))

    def change(node: Expression) -> Expression | None:
        match node:
            case Sum((a, Negative(b))):
                return minus(b, a)
        return None

    return swapped(definition, change)


def all_made_wrongly(trace: Trace, part: PlannedStep, mistake: Mistake[Any]) -> Iterator[Planned]:
    """Yields, for each way to make a mistake, all that is made in another way and is in the trace,
    first the quantity that the mistake is in.

    Nothing is yielded where the part doesn't come to make that quantity, nor a way whose operands
    aren't in the trace.
    """
    ways = [*mistake.ways(part.place, part.definitions)]
    if not ways or not _is_made(trace, ways[0][0]):
        return
    for way in ways:
        made = tuple(d._replace(step=part.step) for d in way if _is_made(trace, d))
        if made and all(operand in trace for d in made for operand in d.operands):
            yield made


def _is_made(trace: Trace, definition: Definition) -> bool:
    return definition.name in trace and not trace[definition.name].given


IMPOSSIBLE = (ValueError, ArithmeticError, ScenarioError, IndexError, KeyError, TypeError)
"""What a working raises that can't be done with these numbers, or these shapes."""


def mistaken(trace: Trace, way: Planned, names: Collection[str]) -> Trace | None:
    """Returns the trace with one way of a mistake made, and what leads from there to some
    quantities worked again; None where their numbers, or their shapes, don't allow that."""
    try:
        wrong = trace.remake(*way, to=names)
    except IMPOSSIBLE:
        return None
    alike = (wrong[name].matrix.shape == trace[name].matrix.shape for name in names)
    return wrong if all(alike) else None
