"""The course of training: the loss and the probabilities of targets, and embeddings by updates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncli.document.blocks import Block, Callout, Spans, Subheading, Table, TableCell
from attncli.document.pictures import Arrow, ArrowGroup, Curves, Plane, Series
from attncli.document.tables import SideBySide
from attncli.errors import counted
from attncli.maths.equations.elision import elided
from attncli.maths.equations.tree import Number, Vector
from attncli.maths.notation import plain
from attncli.maths.notation.plain import unbreakable
from attncli.maths.numbers import decimals
from attncli.names import GRADIENTS, Name, Word
from attncli.pages.parts.blocks import matrix_block
from attncli.pages.parts.nearness import nearness
from attncli.pages.parts.pictures import MOST_POINTS
from attncli.pages.parts.selection import Selection
from attncli.pages.parts.sentences import words_enumerated
from attncli.pages.parts.updates import trained_parameters, trains_few
from attncli.scenario.model import UPDATES, after_updates, pass_of
from attncli.trace import Quantity, Trace


class RightWeight(NamedTuple):
    """A cell of attention weights whose key is the target of its query."""

    weights: Quantity
    """The weights that it is a cell of."""
    query: int
    """The place of its query, from 0."""
    key: int
    """The place of its key, from 0."""

    @property
    def address(self) -> str:
        return self.weights.address(self.query, self.key)


def right_weight(trace: Trace) -> RightWeight | None:
    """Finds the weight that the asked token gives to the one that is its target; None where there
    is no such key, or more than one head."""
    prediction = trace.scenario.prediction
    found = [q for q in trace.quantities.values() if _is_attention(q)]
    if len(found) != 1 or prediction.every or len(prediction.loss.counted) != 1:
        return None
    (weights,), (place,) = found, prediction.loss.counted
    target, keys = prediction.loss.targets[place], weights.columns.names
    if prediction.loss.targets_in_numbers or target not in keys:
        return None
    query = 0 if prediction.first else len(weights.values) - 1
    return RightWeight(weights, query, keys.index(target))


def _is_attention(quantity: Quantity) -> bool:
    name = quantity.name
    first = not pass_of(name) and not name.inside(GRADIENTS)
    return first and name.local == "weights" and quantity.columns.role == "K"


_MOST_TARGETS, _MOST_TABLES, _MOST_ARROWS = 3, 4, 12
_PLANE = _TWO = 2


class _Pass(NamedTuple):
    """A pass of a trained model, whose quantities are found by their names without any update."""

    trace: Trace
    """The trace of the training."""
    updates: int
    """How many updates were made before the pass."""

    def find(self, name: str) -> Quantity | None:
        place = after_updates(self.updates)
        known = Name(name).under(place) if place else Name(name)
        return self.trace.quantities.get(known)

    def parameter(self, name: Name) -> Quantity:
        """Returns a parameter after these updates."""
        latest = Name(UPDATES, after_updates(self.updates - 1))
        return self.trace[name.under(latest) if self.updates else name]


def training_table(trace: Trace, selection: Selection) -> list[Block]:
    """Returns the loss and the targets' probabilities after each update, and the trained embeddings
    before all, on the way, and after; nothing where nothing is trained."""
    passes = _passes(trace)
    if not passes:
        return []
    right = right_weight(trace)
    curve = _curve(passes) if selection.pictured and len(passes) > _TWO else []
    embeddings = _embeddings(trace, passes, selection)
    shares = _shares(passes)
    return [Subheading(("Training",)), _table(passes, right), *shares, *curve, *embeddings]


def _shares(passes: Sequence[_Pass]) -> list[Block]:
    """Says how much of the fall of the loss comes from the training of what the attention weights
    are made of, and how much from that of all else: each time the others are as they were."""
    first, last = passes[0], passes[-1]
    attended = [q.name for q in first.trace.quantities.values() if _is_attention(q)]
    leading = {name for d in first.trace.leading_to(attended).plan for name in d.operands}
    trained = trained_parameters(first.trace)
    one = [name for name in trained if name in leading]
    other = [name for name in trained if name not in leading]
    fall = _fall(first, last, ())
    if not one or not other or fall.shown <= 0:
        return []
    alone, rest = (_fall(first, last, names) for names in (other, one))
    said: Spans = (
        "With ", *words_enumerated(other), " put back to the start, the loss falls by ", alone,
        " of the ", fall, ", with ", *words_enumerated(one), " by ", rest, ".",
    )  # fmt: skip
    return [Callout(said)]


def _fall(first: _Pass, last: _Pass, put_back: Sequence[Name]) -> Number:
    """Computes by how much the loss falls with some parameters as they were, from the digits
    shown."""
    was = {last.parameter(name).name: first.parameter(name) for name in put_back}
    loss = last.find(last.trace.scenario.trained_loss)
    assert loss is not None
    known = [last.parameter(name).name for name in trained_parameters(first.trace)]
    others = last.trace.leading_to([loss.name], known)
    now = others.replay({name: q.values for name, q in was.items()})[loss.name].matrix.number(0, 0)
    return Number.written(decimals.difference(_loss(first).shown, now.shown))


def beside_another(trace: Trace, own: Trace, called: Spans) -> list[Block]:
    """Says how the training of a variant went, and what its loss is instead of that of another
    trace, or than before where that has none."""
    passes, others = _passes(trace), _passes(own)
    if not passes:
        return []
    count, clipped, training = len(passes) - 1, _clipped(passes[0]), trace.scenario.training
    rate = "" if others or training is None else (
        f" with the learning rate {decimals.text(training.learning_rate)}"
    )  # fmt: skip
    updates = counted(count, "update")
    after = f"{'After' if clipped else 'after'} {updates}{rate} the loss is "
    compared, instead = (others[-1], " instead of ") if others else (passes[0], ". Before it was ")
    words = (*called, *clipped, after, _loss(passes[-1]), instead, _loss(compared), ".")
    return [Callout(words), *([_table(passes, right_weight(trace))] if others else [])]


def numbers_of_training(trace: Trace) -> list[Quantity]:
    """Lists the numbers that are told of a training: the norm and the factor of clipping, and of
    each pass its loss, the change and the predicted one."""
    passes = _passes(trace)
    loss = trace.scenario.trained_loss
    clipping = [t.find(name) for t in passes[:1] for name in ("grad_norm", "clip_factor")]
    quantities = [t.find(name) for t in passes for name in (loss, "change", "predicted")]
    return [q for q in (*clipping, *quantities) if q is not None]


def _clipped(first: _Pass) -> Spans:
    """Says what clipping did before the first update; nothing where it changed nothing."""
    norm, factor = (first.find(name) for name in ("grad_norm", "clip_factor"))
    if norm is None or factor is None or factor.matrix.number(0, 0).shown >= 1:
        return ()
    together, each = norm.matrix.number(0, 0), factor.matrix.number(0, 0)
    training = first.trace.scenario.training
    limit = decimals.text(training.clip) if training is not None and training.clip else "it"
    text = "the gradients together have a norm of "
    above = f", above the limit of {limit}. Clipped, each is multiplied by "
    return (text, together, above, each, ". ")


def _loss(training_pass: _Pass) -> Number:
    loss = training_pass.find(training_pass.trace.scenario.trained_loss)
    assert loss is not None
    return loss.matrix.number(0, 0)


def _passes(trace: Trace) -> list[_Pass]:
    """Lists all passes of the model through which a trace gets; none where nothing is trained."""
    done = [
        step
        for step in trace.story
        if step.step == "progress" and any(its.name in trace for its in step.definitions)
    ]
    if trace.scenario.training is None or not done:
        return []
    return [_Pass(trace, k) for k in range(len(done) + 1)]


def _table(passes: list[_Pass], right: RightWeight | None) -> Table:
    """Returns a row for each pass, with the right token's weight, and with all that is trained if
    that is very little."""
    rows, headings = [*_rows(passes)], _headings(passes[0])
    if right is not None:
        headings = (*headings, Word(right.address))
        attended = (_with_minus(_attended(t, right)) for t in passes)
        rows = [(*row, text) for row, text in zip(rows, attended, strict=True)]
    for name in _few(passes[0].trace):
        headings = (*headings, str(name))
        vectors = (_vector(t.parameter(name)) for t in passes)
        rows = [(*row, vector) for row, vector in zip(rows, vectors, strict=True)]
    return Table(headings, tuple(rows))


def _few(trace: Trace) -> list[Name]:
    """Lists the trained parameters that have one row or one column, if all that is trained is a few
    numbers."""
    trained = trained_parameters(trace) if trains_few(trace) else []
    return [name for name in trained if 1 in trace[name].matrix.shape]


def _vector(quantity: Quantity) -> str:
    rows, columns = quantity.matrix.shape
    entries = (quantity.number(i, j) for i in range(rows) for j in range(columns))
    return unbreakable(plain(Vector(tuple(entries))))


def _curve(passes: Sequence[_Pass]) -> list[Block]:
    """Returns the curve of the loss after each update."""
    losses = [t.find(t.trace.scenario.trained_loss) for t in passes[:MOST_POINTS]]
    numbers = tuple(q.matrix.number(0, 0) for q in losses if q is not None)
    labels = tuple(str(t.updates) for t in passes[: len(numbers)])
    return [Curves("The loss after each update", "updates", labels, (Series("loss", numbers),))]


def _attended(training_pass: _Pass, right: RightWeight) -> Number:
    """Returns the right token's weight after so many updates; as before where nothing changes
    it."""
    quantity = training_pass.find(right.weights.name) or right.weights
    return quantity.number(right.query, right.key)


def _headings(first: _Pass) -> tuple[Word | str, ...]:
    targets = _targets(first)
    scenario = first.trace.scenario
    names = [f"p({scenario.prediction.loss.targets[k]})" for k in targets]
    if len({*names}) < len(names):  # the same of several tokens
        names = [f"p at {scenario.text.tokens[k]}" for k in targets]
    return ("Updates", "Loss", "Change", "Predicted", *map(Word, names))


def _targets(training_pass: _Pass) -> tuple[int, ...]:
    """Returns the places of the targets whose probabilities are told."""
    if training_pass.find("probabilities") is None:
        return ()
    return training_pass.trace.scenario.prediction.loss.counted[:_MOST_TARGETS]


def _rows(passes: list[_Pass]) -> Iterator[tuple[TableCell, ...]]:
    for training_pass in passes:
        loss = training_pass.trace.scenario.trained_loss
        numbers = (_number(training_pass.find(name)) for name in (loss, "change", "predicted"))
        yield (str(training_pass.updates), *numbers, *_probabilities(training_pass))


def _number(quantity: Quantity | None) -> str:
    return "" if quantity is None else _with_minus(quantity.matrix.number(0, 0))


def _with_minus(number: Number) -> str:
    return str(number.shown).replace("-", "−")


def _probabilities(training_pass: _Pass) -> Iterator[str]:
    """Yields the probabilities that the targets got."""
    quantity, prediction = (
        training_pass.find("probabilities"),
        training_pass.trace.scenario.prediction,
    )
    for k, place in list(zip(_targets(training_pass), prediction.loss.target_places, strict=False)):
        assert quantity is not None
        row = k if quantity.matrix.shape[0] > 1 else 0
        yield _with_minus(quantity.matrix.number(row, place))


def _embeddings(trace: Trace, passes: list[_Pass], selection: Selection) -> list[Block]:
    """Returns the embeddings before training, on the way, and after it; nothing where they aren't
    trained."""
    table = trace.scenario.text.table.name
    if table.under(Name(UPDATES)) not in trace:
        return []
    shown = [k for k in elided(len(passes), _MOST_TABLES) if k is not None]
    names = _words_of(trace, trace[table])
    tables = (matrix_block(passes[k].parameter(table), selection) for k in shown)
    named = (block._replace(names=block.names._replace(rows=names)) for block in tables)
    columns = tuple(zip((_called(k, passes) for k in shown), named, strict=True))
    side = SideBySide("", names, tuple(range(len(names))), columns)
    picture = _moved(passes, table, names) if selection.pictured else []
    before, after = (passes[k].parameter(table) for k in (0, -1))
    near = nearness(before, after, names, trace.rounding.decimals, ("before", "after"))
    return [Subheading(("The embeddings before, during and after",)), side, *picture, *near]


def _called(k: int, passes: list[_Pass]) -> str:
    return "Before" if k == 0 else "After" if k == len(passes) - 1 else f"After {k}"


def _words_of(trace: Trace, table: Quantity) -> tuple[Word, ...]:
    """Returns the tokens that a table has rows for."""
    tokens = {str(k): token for token, k in trace.scenario.text.known_ids.items()}
    return tuple(Word(tokens.get(name, name)) for name in table.rows.names)


def _moved(passes: list[_Pass], table: Name, names: tuple[Word, ...]) -> list[Block]:
    """Draws embeddings of two dimensions as arrows from where they were to where they came."""
    before, after = passes[0].parameter(table), passes[-1].parameter(table)
    if before.matrix.shape[1] != _PLANE:
        return []

    def at(quantity: Quantity, i: int) -> tuple[Number, Number]:
        return quantity.number(i, 0), quantity.number(i, 1)

    arrows = tuple(
        Arrow(name, at(after, i), at(before, i)) for i, name in enumerate(names[:_MOST_ARROWS])
    )
    moved = ArrowGroup(table, "", arrows)
    return [Plane("The embeddings, from before training to after it", (moved,))]
