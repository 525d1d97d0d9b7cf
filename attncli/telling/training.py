"""What training came to: what a page tells of later passes, and the tables that close it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attncli.arithmetic.elision import elided
from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Add, Operation
from attncli.document import Block, Section, Spans, Subheading, Table, TableCell
from attncli.name import Name, below
from attncli.pictures import Arrow, ArrowGroup, Plane
from attncli.records import NamedTuple
from attncli.scenario.training import UPDATES, after_updates
from attncli.steps import formulas_of
from attncli.tables import Data, SideBySide
from attncli.telling.blocks import matrix_block
from attncli.telling.parts import definitions_of, made_by, step_of
from attncli.telling.selection import Selection
from attncli.trace import Definition, Place, PlannedStep, Quantity, Trace, UpdatePlace
from attncli.word import Word

if TYPE_CHECKING:
    from attncli.telling.attention_learned import RightWeight

_TOLD = ("update", "loss", "progress")
"""The steps of a later pass that a page tells by default."""
_MOST_TARGETS, _MOST_TABLES, _MOST_ARROWS = 3, 4, 12
_PLANE = 2
_FEW = 4
"""So many numbers that are trained are worked at each update."""


def is_left_out(part: PlannedStep, selection: Selection) -> bool:
    """Whether a page goes without a part of a model that is worked again after an update."""
    return is_again(part, selection) and part.step not in _TOLD


def in_brief(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """What is told of a later update: the parameters after it."""
    path = Name(UPDATES, after_updates(part.updates))
    made = [(one, matrix_block(one, selection, part.path)) for one in made_by(trace, part)]
    return [table if one.name.inside(path) else Data(table) for one, table in made]


def is_in_brief(trace: Trace, part: PlannedStep, selection: Selection) -> bool:
    """Whether a page tells of a later update no more than the parameters after it."""
    trained = [
        one
        for one in made_by(trace, part)
        if one.name.inside(Name(UPDATES, after_updates(part.updates)))
    ]
    few = sum(one.values.size for one in trained) <= _FEW
    return part.step == "update" and is_again(part, selection) and not few


def in_one(trace: Trace, part: PlannedStep, section: Section) -> Section:
    """A section of an update whose formulas are those of one parameter, as those of all are
    alike."""
    if not isinstance(part.place, UpdatePlace):
        return section
    alike: dict[Operation, Definition] = {}
    for one in definitions_of(trace, part):
        if isinstance(one.operation, Add):  # of what was promised for each
            continue
        alike.setdefault(one.operation, one)
    told = formulas_of(step_of(part), part.place, tuple(alike.values()))
    return section._replace(formulas=told)


def is_again(part: PlannedStep, selection: Selection) -> bool:
    """Whether a part is of a model that is worked again, of which a page tells in brief."""
    return not selection.whole and bool(part.updates)


def progressed(trace: Trace, place: Place, _: Selection) -> list[Spans]:
    """`after update 1 the loss is 1.343: it fell by 0.344; the gradient had promised …`"""
    assert isinstance(place, UpdatePlace)
    loss, change, promised = (
        trace.quantities.get(below(after_updates(place.update), local))
        for local in (trace.scenario.prediction.loss, "change", "promised")
    )
    if loss is None or change is None or promised is None:
        return []
    now, by, said = (one.matrix.number(0, 0) for one in (loss, change, promised))
    verb = "rose" if by.shown > 0 else "fell" if by.shown < 0 else "changed"
    size = Number(abs(by.full), abs(by.shown))
    of = ", as the gradient had promised." if by.shown == said.shown else (
        "; the gradient had promised a change of ", said, ".",
    )  # fmt: skip
    told = of if isinstance(of, tuple) else (of,)
    return [(f"after update {place.update} the loss is ", now, f": it {verb} by ", size, *told)]


class _Pass(NamedTuple):
    """The quantities after so many updates, by their names without any."""

    trace: Trace
    updates: int

    def find(self, name: str) -> Quantity | None:
        place = after_updates(self.updates)
        known = Name(name).under(place) if place else Name(name)
        return self.trace.quantities.get(known)

    def parameter(self, name: Name) -> Quantity:
        """A parameter after these updates."""
        latest = Name(UPDATES, after_updates(self.updates - 1))
        return self.trace[name.under(latest) if self.updates else name]


def training_table(trace: Trace, selection: Selection) -> list[Block]:
    """The loss and the targets' probabilities after each update, and the trained embeddings before
    all, on the way, and after."""
    training = trace.scenario.training
    done = [one for one in trace.story if one.step == "progress" and _is_there(trace, one)]
    if training is None or not done:
        return []
    passes = [_Pass(trace, k) for k in range(len(done) + 1)]
    from attncli.telling.attention_learned import right_weight

    right = right_weight(trace)
    weights = [] if right is None else [_attended(one, right) for one in passes]
    rows, headings = tuple(_rows(passes)), _headings(passes[0])
    told: list[Block] = []
    if right is not None:
        headings = (*headings, right.address)
        rows = tuple((*row, _written(one)) for row, one in zip(rows, weights, strict=True))
        told = right.told(weights)
    table = Table(headings, rows)
    return [Subheading(("Training",)), table, *told, *_embeddings(trace, passes, selection)]


def _attended(one: _Pass, right: RightWeight) -> Number:
    """The right token's weight after so many updates; as before where nothing changes it."""
    quantity = one.find(right.weights.name) or right.weights
    return quantity.matrix.number(right.query, right.key)


def _is_there(trace: Trace, part: PlannedStep) -> bool:
    return any(one.name in trace for one in part.definitions)


def _headings(first: _Pass) -> tuple[Word | str, ...]:
    targets = _targets(first)
    told = (Word(f"p({first.trace.scenario.prediction.targets[k]})") for k in targets)
    return ("Updates", "Loss", "Change", "Promised", *told)


def _targets(one: _Pass) -> tuple[int, ...]:
    """The places of the targets whose probabilities are told."""
    if one.find("probabilities") is None:
        return ()
    return one.trace.scenario.prediction.counted[:_MOST_TARGETS]


def _rows(passes: list[_Pass]) -> Iterator[tuple[TableCell, ...]]:
    for one in passes:
        loss = one.trace.scenario.prediction.loss
        numbers = (_number(one.find(name)) for name in (loss, "change", "promised"))
        yield (str(one.updates), *numbers, *_probabilities(one))


def _number(quantity: Quantity | None) -> str:
    return "" if quantity is None else _written(quantity.matrix.number(0, 0))


def _written(number: Number) -> str:
    return str(number.shown).replace("-", "−")


def _probabilities(one: _Pass) -> Iterator[str]:
    """What the targets got."""
    quantity, prediction = one.find("probabilities"), one.trace.scenario.prediction
    for k, place in list(zip(_targets(one), prediction.target_places, strict=False)):
        assert quantity is not None
        row = k if quantity.matrix.shape[0] > 1 else 0
        yield _written(quantity.matrix.number(row, place))


def _embeddings(trace: Trace, passes: list[_Pass], selection: Selection) -> list[Block]:
    """The embeddings before training, on the way, and after it."""
    table = trace.scenario.text.table
    if table.under(Name(UPDATES)) not in trace:
        return []
    shown = [k for k in elided(len(passes), _MOST_TABLES) if k is not None]
    names = _words_of(trace, trace[table])
    tables = (matrix_block(passes[k].parameter(table), selection) for k in shown)
    named = (one._replace(row_names=names) for one in tables)
    columns = tuple(zip((_called(k, passes) for k in shown), named, strict=True))
    side = SideBySide("", names, tuple(range(len(names))), columns)
    picture = _moved(passes, table, names) if selection.pictured else []
    return [Subheading(("The embeddings before, during and after",)), side, *picture]


def _called(k: int, passes: list[_Pass]) -> str:
    return "Before" if k == 0 else "After" if k == len(passes) - 1 else f"After {k}"


def _words_of(trace: Trace, table: Quantity) -> tuple[Word, ...]:
    """The tokens that a table has rows for."""
    tokens = {str(k): token for token, k in trace.scenario.text.known_ids.items()}
    return tuple(Word(tokens.get(name, name)) for name in table.rows.names)


def _moved(passes: list[_Pass], table: Name, names: tuple[Word, ...]) -> list[Block]:
    """Embeddings of two dimensions as arrows from where they were to where they came."""
    before, after = passes[0].parameter(table), passes[-1].parameter(table)
    if before.matrix.shape[1] != _PLANE:
        return []

    def at(one: Quantity, i: int) -> tuple[Number, Number]:
        return one.number(i, 0), one.number(i, 1)

    arrows = tuple(
        Arrow(name, at(after, i), at(before, i)) for i, name in enumerate(names[:_MOST_ARROWS])
    )
    moved = ArrowGroup(table, "", arrows)
    return [Plane("The embeddings, from before training to after it", (moved,))]
