"""The outcomes of a scenario: variants, training, graphs of attention, sampling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from attncli.document.blocks import (
    Block,
    Bullets,
    Callout,
    Edge,
    Paragraph,
    Spans,
    Subheading,
    Table,
    TableCell,
)
from attncli.document.pictures import Arrow, ArrowGroup, Curves, HeatMaps, Plane, Series
from attncli.document.retold import as_it_was
from attncli.document.tables import DataTable, MatrixBlock, SideBySide
from attncli.errors import counted
from attncli.maths.equations.elision import elided
from attncli.maths.equations.tree import Number, Symbol, Vector
from attncli.maths.notation import plain
from attncli.maths.notation.plain import unbreakable
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array
from attncli.names import GRADIENTS, Name, Word, below
from attncli.pages.parts.blocks import given_blocks, matrix_block, variant_block
from attncli.pages.parts.findings import (
    finding_anew,
    trained_parameters,
    trains_few,
    weights_of,
)
from attncli.pages.parts.pictures import MOST_POINTS, graph_of, pictures_of, tempered_by
from attncli.pages.parts.remarks import nearness, remarks_on
from attncli.pages.parts.sections import arranged, formulas_at, opening_of
from attncli.pages.parts.selection import Selection, shown_parts
from attncli.pages.parts.sentences import called_as, contrasted, quoted, words_enumerated
from attncli.scenario.file.problems import ScenarioError
from attncli.scenario.model import UPDATES, after_updates, pass_of
from attncli.steps.prediction.logits import TEMPERATURE
from attncli.trace import BackwardPlace, Quantity, Trace, UpdatePlace
from attncli.trace.quantity import token_of

_SAME = 1e-12
"""What floats may be off by where the same sums are done in another order."""


class _NamedTrace(NamedTuple):
    """A trace that others are compared with, and what it is called."""

    called: Spans
    trace: Trace


def variants_of(trace: Trace, selection: Selection) -> list[Block]:
    """Returns the rows that are told of each variant, beside the one before it that is told its
    positions in the same way, or else beside the scenario's own."""
    if result_of(trace) is None:
        from attncli.pages.parts.tokenizing import side_by_side

        return side_by_side(trace)
    blocks: list[Block] = [Subheading(("Variants",))]
    whole = _NamedTrace(("in the scenario itself",), trace)
    by_name: dict[tuple[str, ...], _NamedTrace] = {_positions(trace): whole}
    queries, axis, pictured = selection.queries, selection.axis, selection.pictured
    rows = Selection(queries=queries, axis=axis, pictured=pictured)
    for name, other in trace.variants.items():
        before = by_name.setdefault(
            _positions(other), _NamedTrace(("in the variant ", Word(name)), other)
        )
        blocks += _variant(name, other, whole if before.trace is other else before, trace, rows)
    return blocks


def _positions(trace: Trace) -> tuple[str, ...]:
    return tuple(p.kind for p in trace.scenario.stack.positions)


def _variant(
    name: str, other: Trace, before: _NamedTrace, trace: Trace, rows: Selection
) -> list[Block]:
    """Returns what a variant changed, what comes of it, and what it finds."""
    own, result = result_of(before.trace) or result_of(trace), result_of(other)
    if own is None or result is None:
        return []
    varied = Word("; ".join(other.scenario.varied))
    varied_as: Spans = (Word(name), " (", varied, "): ")
    changed = _changed(trace.quantities, other)
    if other.scenario.training is not None:
        blocks = beside_another(other, before.trace, varied_as)
        data = [DataTable(variant_block(name, q, Selection())) for q in numbers_of_training(other)]
        if blocks:
            return [*blocks[:1], *_given_in(name, other, changed), *blocks[1:], *data]
    compared = _Compared.of(own, result)
    says = other.scenario.about
    about = [Paragraph((Word(says),))] if says != trace.scenario.about else []
    note = Callout((*varied_as, *compared.sentences(own, result, before.called, rows)))
    tables = [*_given_in(name, other, changed), variant_block(name, result, rows)]
    found = () if compared.same else finding_anew(other, before.trace, rows)
    anew = _taken_anew(before.trace, other, rows)
    return [
        note,
        *anew,
        *about,
        *tables,
        *_words_moved(trace, other),
        *([Callout(as_it_was(found))] if found else []),
    ]


def _given_in(name: str, variant: Trace, changed: Sequence[Quantity]) -> list[Block]:
    """Returns what a variant gives; its tables know that they are its own."""
    blocks = given_blocks(variant, changed, Selection())
    return [b._replace(variant=name) if isinstance(b, MatrixBlock) else b for b in blocks]


def _taken_anew(before: Trace, other: Trace, rows: Selection) -> list[Block]:
    """Returns the steps that a variant takes and the trace before it doesn't: what each is for, a
    row of it worked, and what is worth a remark."""
    known, brief = {part.step for part in before.story}, rows._replace(detail="rows")
    blocks: list[Block] = []
    for part in shown_parts(other):
        if part.step not in known and not isinstance(part.place, BackwardPlace | UpdatePlace):
            known.add(part.step)
            formulas = Bullets(tuple((formula,) for formula in formulas_at(other, part)))
            blocks += [Paragraph(opening_of(other, part, ())), formulas]
            blocks += [*arranged(other, part, brief), *remarks_on(other, part)]
            blocks += pictures_of(other, part, rows) if rows.pictured else ()
    return blocks


def _words_moved(trace: Trace, other: Trace) -> list[Block]:
    """Says how near the tokens are to each other where a variant gives them other embeddings."""
    own, others = (_looked_up(t) for t in (trace, other))
    if own is None or others is None or own.rows.names != others.rows.names:
        return []
    alike, when = np.array_equal(own.values, others.values), ("here", "in the variant")
    return [] if alike else nearness(own, others, own.rows.words, trace.rounding.decimals, when)


def _looked_up(trace: Trace) -> Quantity | None:
    """Finds the first quantity that is made by looking tokens up in the table of embeddings; None
    without one."""
    made = (q for q in trace.quantities.values() if q.definition and q.definition.step == "embed")
    return next(made, None)


def _changed(own: Mapping[str, Quantity], other: Trace) -> list[Quantity]:
    """Lists the matrices that a variant gives, and the scenario doesn't give like that."""
    return [
        quantity
        for name, quantity in other.quantities.items()
        if quantity.given
        and not (name in own and np.array_equal(own[name].values, quantity.values))
    ]


def result_of(trace: Trace) -> Quantity | None:
    """Finds what a trace comes to: the last quantity with a row for each token; None without
    one."""
    made = [q for q in trace.quantities.values() if not q.given and q.rows.role in ("Q", "token")]
    return made[-1] if made else None


class _Compared(NamedTuple):
    """A comparison of the rows of two results with the same tokens; empty for results that can't be
    compared."""

    order: tuple[int, ...] = ()
    """The row of the second result for each row of the first."""
    off: Array | None = None
    """How far each number is off, [rows, columns]."""

    @classmethod
    def of(cls, own: Quantity, other: Quantity) -> _Compared:
        if own.matrix.shape != other.matrix.shape:
            return cls()
        if sorted(own.rows.names) != sorted(other.rows.names):
            return cls()
        order = [other.rows.names.index(name) for name in own.rows.names]
        return cls(tuple(order), np.abs(other.values[order] - own.values))

    @property
    def same(self) -> bool:
        return self.off is not None and not self.off.max() > _SAME

    @property
    def reordered(self) -> bool:
        return list(self.order) != sorted(self.order)

    def sentences(self, own: Quantity, other: Quantity, before: Spans, shown: Selection) -> Spans:
        """Puts the comparison in a sentence or two; `before` names what it is compared with. The
        row that differs most is one of those that are shown."""
        symbol = Symbol(other.name)
        if self.off is None:
            return (symbol, " has other tokens or another shape than ", *before, ".")
        rows = shown.rows(own)
        array = self.off[[*rows]]
        k, j = (int(place) for place in np.unravel_index(int(array.argmax()), array.shape))
        i = rows[k]
        numbers = contrasted(other.matrix.number(self.order[i], j), own.matrix.number(i, j))
        differing = int((self.off.max(axis=1) > _SAME).sum())
        if self.same or (numbers is None and len(rows) == len(self.order)):
            return (symbol, *self._alike(before))
        verb = " differ from those " if differing > 1 else " differs from that "
        that: Spans = () if own.name == other.name else ("of ", Symbol(own.name), " ")
        start = (f"{_of(differing, len(self.order))} of ", symbol, verb, *that, *before)
        if numbers is None:
            return (*start, ", none of them shown here.")
        its, others = numbers
        of_those = ". Of those shown, the" if len(rows) < len(self.order) else ". The"
        begins, most = (of_those, " differs most") if differing > 1 else (". It is the", "")
        return (
            *start, f"{begins} row of ", *called_as(own.rows.names, i), f"{most}, with ",
            its, " instead of ", others, *_in_column(own, j), ".", *self._order_counts(),
        )  # fmt: skip

    def _alike(self, before: Spans) -> Spans:
        if not self.reordered:
            return (" has the same rows as ", *before, ".")
        return (
            " has the same row for each token as ", *before, ", only in the order of these"
            " tokens: the order of the words makes no difference.",
        )  # fmt: skip

    def _order_counts(self) -> Spans:
        if not self.reordered:
            return ()
        return (" The tokens are the same in another order: now the order makes a difference.",)


def _in_column(quantity: Quantity, j: int) -> Spans:
    """Says in which column a number stands: ` in column 2`, ` in column “Gender”`; nothing where
    that has no name."""
    name = quantity.columns.names[j] if not quantity.is_list else ""
    return (" in column ", *([name] if name == str(j + 1) else quoted(name))) if name else ()


def _of(rows: int, of: int) -> str:
    """Says how many of the rows: `the only row`, `all 4 rows`, `3 of the 4 rows`."""
    if of == rows:
        return {1: "the only row", 2: "both rows"}.get(of, f"all {of} rows")
    return f"{rows} of the {of} rows"


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
    if len(found) != 1 or prediction.every or len(prediction.counted) != 1:
        return None
    (weights,), (place,) = found, prediction.counted
    target, keys = prediction.targets[place], weights.columns.names
    if prediction.targets_in_numbers or target not in keys:
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
    alone, rest = _without(first, last, other), _without(first, last, one)
    helped = decimals.total(n.shown for n in (*alone, *rest) if isinstance(n, Number))
    less = ". Where one has helped, the other has less left to do" if helped > fall.shown else ""
    return [Callout(("With ", *alone, " of the ", fall, ". With ", *rest, less, "."))]


def _without(first: _Pass, last: _Pass, names: Sequence[Name]) -> Spans:
    """Says how far the loss falls without the training of some parameters: `W_V put back to the
    start, the loss falls by 0.90`"""
    text = " put back to the start, the loss falls by "
    return (*words_enumerated(names), text, _fall(first, last, names))


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
    names = [f"p({scenario.prediction.targets[k]})" for k in targets]
    if len({*names}) < len(names):  # the same of several tokens
        names = [f"p at {scenario.text.tokens[k]}" for k in targets]
    return ("Updates", "Loss", "Change", "Predicted", *map(Word, names))


def _targets(training_pass: _Pass) -> tuple[int, ...]:
    """Returns the places of the targets whose probabilities are told."""
    if training_pass.find("probabilities") is None:
        return ()
    return training_pass.trace.scenario.prediction.counted[:_MOST_TARGETS]


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
    for k, place in list(zip(_targets(training_pass), prediction.target_places, strict=False)):
        assert quantity is not None
        row = k if quantity.matrix.shape[0] > 1 else 0
        yield _with_minus(quantity.matrix.number(row, place))


def _embeddings(trace: Trace, passes: list[_Pass], selection: Selection) -> list[Block]:
    """Returns the embeddings before training, on the way, and after it; nothing where they aren't
    trained."""
    table = trace.scenario.text.table
    if table.under(Name(UPDATES)) not in trace:
        return []
    shown = [k for k in elided(len(passes), _MOST_TABLES) if k is not None]
    names = _words_of(trace, trace[table])
    tables = (matrix_block(passes[k].parameter(table), selection) for k in shown)
    named = (block._replace(row_names=names) for block in tables)
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


def closing_graphs(trace: Trace, selection: Selection) -> list[Block]:
    """Draws who attends to whom in a scenario, and in each of its variants, where it asks for
    that."""
    show = trace.scenario.show
    if not show.graph and not show.arrows:
        return []
    weights = weights_of(trace)
    is_given = weights is not None and weights.given
    drawn = selection.pictured and not show.arrows and not is_given
    blocks = [] if drawn else _graph_of(trace, selection, ("Who attends to whom",))
    for name, variant in trace.variants.items():
        heading = ("Who attends to whom in the variant ", Word(name))
        blocks += _graph_of(variant, selection, heading) if show.arrows else []
    return blocks


def _graph_of(trace: Trace, selection: Selection, heading: Spans) -> list[Block]:
    weights, arrows = weights_of(trace), trace.scenario.show.arrows
    if weights is None:
        return []
    made = graph_of(weights, [*_edges(weights, selection, arrows)])
    missing = [] if not arrows else list(_without_weight(weights, selection, arrows))
    graph = [made] if made.edges else []
    return [Subheading(heading), *graph, *missing] if graph or missing else []


def _edges(
    weights: Quantity, selection: Selection, arrows: Mapping[str, Sequence[str]]
) -> Iterator[Edge]:
    """Yields the edges of each query, the strongest first."""
    for i in selection.rows(weights):
        for j in sorted(_keys(weights, i, arrows), key=lambda j: -weights.values[i, j]):
            number = weights.matrix.number(i, j)
            yield Edge(weights.rows.words[i], weights.columns.words[j], number)


def _without_weight(
    weights: Quantity, selection: Selection, arrows: Mapping[str, Sequence[str]]
) -> Iterator[Callout]:
    """Remarks on each of the arrows that isn't there, as its weight is 0."""
    for i in selection.rows(weights):
        for j in _keys(weights, i, arrows):
            if weights.values[i, j] == 0:
                names = weights.rows.names[i], weights.columns.names[j]
                query, key = map(quoted, names)
                yield Callout(("No arrow goes from ", *query, " to ", *key, ": its weight is 0."))


def _keys(weights: Quantity, i: int, arrows: Mapping[str, Sequence[str]]) -> list[int]:
    """Lists the places of the keys that a query's arrows may go to."""
    names = weights.columns.names
    if not arrows:
        return list(range(len(names)))
    query = weights.rows.names[i]
    wanted = {*arrows.get(query, ()), *arrows.get(token_of(query), ())}
    return [j for j, name in enumerate(names) if not wanted.isdisjoint((name, token_of(name)))]


def before_and_after(trace: Trace, result: Quantity | None, selection: Selection) -> list[Block]:
    """Returns each token's vector as it went in, beside what it came to, where a scenario asks for
    that."""
    X = trace.quantities.get(below(trace.scenario.stack.path, "X"))
    if not trace.scenario.show.before_after or X is None or result is None:
        return []
    if X.name == result.name or X.rows.names != result.rows.names:
        return []
    rows = selection.rows(result)
    entries = (("Before", X), ("After", result))
    columns = tuple((name, matrix_block(q, selection)._replace(rows=rows)) for name, q in entries)
    if selection.pictured:
        title = "Each token's vector before attention and after it"
        return [Subheading(("Before and after",)), HeatMaps(title, columns, signed=True)]
    return [Subheading(("Before and after",)), SideBySide("", result.rows.words, rows, columns)]


_GREEDY = "The temperature changes no greedy choice: the largest logit stays the largest."


def on_temperature(trace: Trace) -> list[Block]:
    """Says how many of 100 draws are of the likeliest token, at the temperature and at one on the
    other side of 1; nothing where no temperature is set."""
    own, name = trace.scenario.prediction.config.get(TEMPERATURE), Name("tempered", Name("next"))
    shares = trace.next_token
    if own is None or shares is None or name not in trace:
        return []
    other = Decimal("0.5") if own > 1 else Decimal(2)
    order = np.argsort(-trace[name].values[-1], kind="stable").tolist()
    try:
        others = tempered_by(trace, name, other, shares.name)[shares.name]
    except ScenarioError:  # exponentials that get too large
        return []
    now, then = (_of_100(q, order[:1]) for q in (shares, others))
    if now.shown == then.shown:
        return [Callout((_GREEDY,))]
    drawn: Spans = (
        " It matters where the next token is drawn. Of 100 draws about ", now, " would be ",
        *called_as(shares.columns.names, order[0]), " at temperature ", Number.written(own),
        ", and about ", then, " at temperature ", Number.written(other), ".",
    )  # fmt: skip
    return [Callout((_GREEDY, *drawn, *_of_the_rest(shares, others, order)))]


def _of_the_rest(shares: Quantity, others: Quantity, order: list[int]) -> Spans:
    """Says how the other draws change: `Draws of neither “alone” nor “home” rise from 9 to 37.`"""
    first, second, *rest = order
    now, then = (_of_100(q, rest) for q in (shares, others))
    if now.shown == then.shown:
        return ()
    a, b = (called_as(shares.columns.names, j) for j in (first, second))
    verb = "rise" if then.shown > now.shown else "fall"
    return (" Draws of neither ", *a, " nor ", *b, f" {verb} from ", now, " to ", then, ".")


def _of_100(shares: Quantity, places: Iterable[int]) -> Number:
    """Counts how many of 100 draws are of some tokens, from the digits shown."""
    row = shares.matrix.shape[0] - 1
    total = decimals.total(shares.matrix.shown(row, j) for j in places)
    return Number.written(decimals.round_to(decimals.product(total, Decimal(100)), 0))
