"""Pictures of a trace, by the names that steps have for theirs, and the whole as a diagram."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import groupby
from math import inf, isqrt
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.document.blocks import Block, Edge, Graph, Subheading
from attncli.document.pictures import (
    Arrow,
    ArrowGroup,
    Bars,
    Box,
    Curves,
    Diagram,
    HeatMaps,
    Link,
    Pixels,
    Plane,
    Series,
)
from attncli.maths.equations.elision import MOST_PARTS
from attncli.maths.equations.tree import Location, Number
from attncli.maths.notation.plain import plain
from attncli.maths.operations.activations import DivideBy
from attncli.maths.operations.equation import is_a
from attncli.maths.operations.positions import Sinusoids
from attncli.maths.operations.softmax import DivideByRow
from attncli.names import Name, Word, below
from attncli.option_values import Pictures
from attncli.pages.parts.blocks import matrix_block
from attncli.pages.parts.selection import (
    Selection,
    definitions_of,
    made_by,
    operands_of,
    place_in_words,
    row_asked_for,
)
from attncli.pages.parts.tokenizing import scores_of_merged
from attncli.pages.parts.working import number_among
from attncli.scenario.file.problems import ScenarioError
from attncli.steps.order import step_of
from attncli.steps.tokenizing import LONGEST_TOLD, table_of
from attncli.tokenizers.merge_training import LearnedMerge, MergeTraining
from attncli.tokenizers.merges import MergeModel
from attncli.tokenizers.pieces import LongestMatch
from attncli.tokenizers.unigram import PieceEnding
from attncli.trace import (
    AttentionPlace,
    CutPlace,
    Definition,
    HeadPlace,
    PlannedStep,
    Quantity,
    Trace,
    WayPlace,
    make,
)


def cut(shown: int, of: int, things: str, which: str = "first") -> str:
    """Says in a title that a picture shows some of many: `, the first 12 of 40 queries`; nothing
    where it shows all."""
    return "" if shown >= of else f", the {which} {shown} of {of} {things}"


def called(part: PlannedStep, title: str) -> str:
    """Returns a title with the place that a picture is of, where there are several."""
    place = place_in_words(part.path)
    return f"{title} ({place})" if place else title


def called_by(part: PlannedStep, title: str, quantity: Quantity, i: int) -> Word:
    """Returns a title with the address of the row that a picture is of in the place of `{}`."""
    row = f"{part.place.here(quantity.name)}{quantity.inside(i)}"
    return Word(called(part, title.format(row)))


MOST_POINTS = 64
"""So many rows of a quantity are drawn, the first ones."""


def cut_of(quantity: Quantity, rows: str) -> str:
    """Says in a title what isn't drawn of a quantity."""
    height, width = quantity.matrix.shape
    return cut(MOST_POINTS, height, rows) + cut(MOST_PARTS, width, "dimensions")


def series_of(quantity: Quantity) -> tuple[Series, ...]:
    """Returns a series for each column of a quantity, the first ones of many; a list is one."""
    rows, columns = min(quantity.matrix.shape[0], MOST_POINTS), quantity.matrix.shape[1]
    names = quantity.columns.words or (quantity.local,)
    return tuple(
        Series(names[j], tuple(quantity.number(i, j) for i in range(rows)))
        for j in range(min(columns, MOST_PARTS))
    )


_MOST_QUERIES, _MOST_KEYS = 12, 16
"""So many queries have edges, the first of those that are shown; and so many each, as there is room
for."""
_THRESHOLDS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


def attended(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Subheading | Graph]:
    """Yields a heading and the graph of the weights: the edges of each query, the heaviest first.
    Of one head among others only where all pictures are asked for: one of all heads comes last."""
    place = part.place
    assert isinstance(place, AttentionPlace)
    among_others = place.attention.heads > 1 and selection.head is None
    if among_others and selection.pictures is Pictures.ONE:
        return
    for weights in made_by(trace, part):
        if weights.local == "weights":
            least = _threshold(weights)
            title = f"Who attends to whom, by weights of {least:g} or more"
            title += cut(_MOST_QUERIES, len(selection.rows(weights)), "queries")
            title += cut(_MOST_KEYS, weights.matrix.shape[1], "keys", "heaviest")
            yield Subheading((called(part, title),))
            yield graph_of(weights, [*_edges(weights, selection)], least, _MOST_KEYS)


def _threshold(weights: Quantity) -> float:
    """Finds the first threshold that is no more than an even share, so that every query has an
    edge."""
    even = 1 / weights.matrix.shape[1]
    return next((n for n in _THRESHOLDS if n <= even), 0.0)


def graph_of(
    weights: Quantity, edges: Sequence[Edge], least: float = 0.0, most: float = inf
) -> Graph:
    """Returns the graph of the edges that weigh more than nothing and no less than `least`, of each
    query the first `most`; it keeps the others aside."""
    queries = (enumerate(its) for _, its in groupby(edges, attrgetter("source")))
    each = ((k, edge.weight.shown) for its in queries for k, edge in its)
    shown = [k < most and weight > 0 and float(weight) >= least for k, weight in each]
    kept, others = (
        tuple(edge for edge, is_shown in zip(edges, shown, strict=True) if is_shown == asked)
        for asked in (True, False)
    )
    return Graph(weights.name, kept, weights.columns.words, others, least)


def _edges(weights: Quantity, selection: Selection) -> Iterator[Edge]:
    rows, columns = weights.rows.words, weights.columns.words
    for i in selection.rows(weights)[:_MOST_QUERIES]:
        for j in sorted(range(len(columns)), key=lambda j: -weights.values[i, j]):
            yield Edge(rows[i], columns[j], weights.number(i, j))


def gradient_norm(trace: Trace, part: PlannedStep, _: Selection) -> Iterator[Curves]:
    """Yields the norms of all times, where the last of them is worked."""
    norms = next((q for q in made_by(trace, part) if q.local == "factor_norms"), None)
    if norms is not None:
        title = called(
            part, "The norm of the gradient's factor at each step" + cut_of(norms, "times")
        )
        rises = bool((norms.values > 0).all())  # what is 0 has no logarithm
        yield Curves(
            title, "time", norms.rows.words[:MOST_POINTS], series_of(norms), logarithmic=rises
        )


def heat_maps(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[HeatMaps]:
    """Yields one picture for each attention, with a map for each head."""
    place = part.place
    assert isinstance(place, AttentionPlace)
    heads = place.attention.heads
    if isinstance(place, HeadPlace) != (heads == 1):
        return
    named = (
        (path, below(path, "weights")) for path in map(place.attention.head_path, range(heads))
    )
    maps = tuple(
        (_label(path), matrix_block(trace.quantities[name], selection, place.attention.path))
        for path, name in named
        if name in trace
    )
    if maps:
        title = "Weights of attention, a map for each head" if heads > 1 else "Weights of attention"
        yield HeatMaps(called(part, title), maps)


def shares(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[HeatMaps]:
    """Yields a map of each softmax in equations of a scenario's own, of several rows."""
    for quantity in made_by(trace, part):
        operation = quantity.definition and quantity.definition.operation
        if is_a(operation, DivideByRow) and quantity.matrix.shape[0] > 1:
            table = matrix_block(quantity, selection, part.path)
            title = Word(called(part, f"{part.place.here(quantity.name)} as a map"))
            yield HeatMaps(title, ((table.name, table),))


def _label(path: Name) -> str:
    return place_in_words(path.alone) if path.local == "heads" else ""


LONGEST = 12
"""Longer words have no picture."""


def lattice(trace: Trace, part: PlannedStep, _: Selection) -> Iterator[Diagram]:
    """Yields the lattice of a word: a box for each place that pieces reach, with its best total; an
    arrow for each piece."""
    place = part.place
    points = table_of(place)
    if not isinstance(place, CutPlace) or not points or len(place.word) > LONGEST:
        return
    boxes = [Box("p0", "start", "", 0, 0, True)]
    way = _way(part)
    for point in points:
        best = trace[place.name("best", point.end)].number(0, 0)
        reached = any(e.start == point.end for e in way) or point.end == len(place.word)
        label = Word(place.word[: point.end])
        boxes.append(Box(f"p{point.end}", label, plain(best), point.end, 0, reached))
    pieces = sorted((e.start, point.end, e) for point in points for e in point.candidates)
    links = tuple(
        Link(f"p{start}", f"p{end}", _piece_label(trace, part, e), e in way)
        for start, end, e in pieces
    )
    title = Word(called(part, f"All ways to cut {place.word}, and the best path"))
    yield Diagram(title, tuple(boxes), links)


def _way(part: PlannedStep) -> list[PieceEnding]:
    """Lists the pieces of the best path, from the end back."""
    places = {point.end: point for point in table_of(part.place)}
    end, way = max(places, default=0), list[PieceEnding]()
    while end:
        way.append(places[end].best)
        end = way[-1].start
    return way


def _piece_label(trace: Trace, part: PlannedStep, piece: PieceEnding) -> Word:
    """Writes a piece with its log-probability."""
    place = part.place
    if not piece.known:
        return Word(f"{piece.token} {plain(trace[place.name('unknown')].number(0, 0))}")
    end = piece.start + len(piece.token)
    definition = trace[place.name("totals", end)].definition
    assert definition is not None
    log_p = trace[definition.operands[0]]
    return Word(f"{piece.token} {plain(log_p.number(log_p.rows.names.index(piece.token), 0))}")


_MOST_WORDS = 6


class _Merge(NamedTuple):
    """A merge of two parts of a word."""

    piece: str
    """The piece that it made."""
    left: int
    """The place where the left part begins."""
    right: int
    """The place where the right part begins."""
    below: str = ""
    """What is said of it."""


class _Merging(NamedTuple):
    """A sequence of merges of a word."""

    symbols: tuple[str, ...]
    """The symbols that the word begins with."""
    merges: tuple[_Merge, ...]
    """The merges in their order."""


def merge_trees(trace: Trace, part: PlannedStep, _: Selection) -> Iterator[Diagram]:
    """Yields a tree for each word that takes a merge, each word once."""
    text = part.place.text
    if text.tokenizing is None or text.sentence is None or not text.cut:
        return
    title, merging = _told_by(trace, part)
    words = [*dict.fromkeys(text.tokenizing.tokenizer.words(text.sentence))]
    texts = [word for word in words if len(word) <= LONGEST_TOLD][:_MOST_WORDS]
    left_out = cut(len(texts), len(words), "words").replace(" the", " one of the")
    for word in texts:
        found = merging(word)
        if found.merges:
            yield _tree(Word(title.format(word) + left_out), found)


def _told_by(trace: Trace, part: PlannedStep) -> tuple[str, Callable[[str], _Merging]]:
    """Returns what a tree is called, and a function that tells the merges of a word. Pieces that
    are looked up, the longest first, came to be by merges of the corpus."""
    text = part.place.text
    model = text.tokenizing.tokenizer.model if text.tokenizing else None
    learned = text.learned_as(MergeTraining)
    if isinstance(model, MergeModel):
        return "The merges of {}", partial(_merged, model)
    if isinstance(model, LongestMatch) and learned is not None:
        rounds = {merge.piece: merge for merge in reversed(learned.rounds)}
        scores = scores_of_merged(trace)
        return "How the pieces of {} were learned", partial(_learned, model, rounds, scores)
    return "", lambda _: _Merging((), ())


def _merged(model: MergeModel, word: str) -> _Merging:
    """Returns the merges that cut a word."""
    start, *steps = model.trace(word)
    places, before = [*range(len(start.symbols))], start.symbols
    merges = []
    for step in steps:
        both = zip(before, step.symbols, strict=False)
        k = next(k for k, (old, new) in enumerate(both) if old != new)
        merges.append(_Merge(step.symbols[k], places[k], places.pop(k + 1)))
        before = step.symbols
    return _Merging(start.symbols, tuple(merges))


def _learned(
    model: LongestMatch, rounds: Mapping[str, LearnedMerge], scores: Mapping[int, str], word: str
) -> _Merging:
    """Returns the merges that made a word's pieces when they were learned, each with its score."""
    symbols: list[str] = []
    merges: list[tuple[int, _Merge]] = []

    def take(piece: str) -> int:
        """Adds what a piece was made of, and returns the place where it begins."""
        entry = rounds.get(piece)
        if entry is None:
            symbols.append(piece)
            return len(symbols) - 1
        left, right = map(take, entry.pair)
        score = scores.get(entry.number)
        merges.append((entry.number, _Merge(piece, left, right, f"score {score}" if score else "")))
        return left

    for piece in model.pieces(word):
        take(piece.token)
    return _Merging(tuple(symbols), tuple(merge for _, merge in sorted(merges)))


def _tree(title: Word, merging: _Merging) -> Diagram:
    """Draws symbols in a row; below them each merge in a row of its own, under the first of its
    parts."""
    boxes = [Box(f"s{k}", Word(text), "", k, 0) for k, text in enumerate(merging.symbols)]
    links: list[Link] = []
    now = dict(enumerate(boxes))
    for row, merge in enumerate(merging.merges, start=1):
        made = Box(f"m{row}", Word(merge.piece), merge.below, merge.left, row)
        links += [Link(now[merge.left].id, made.id), Link(now.pop(merge.right).id, made.id)]
        now[merge.left] = made
        boxes.append(made)
    ends = {box.id for box in now.values()}
    chosen = tuple(box._replace(chosen=box.id in ends) for box in boxes)
    return Diagram(title, chosen, tuple(links), across=False)


_MOST_ARROWS = 12
_PLANE = 2
_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "embed": "The embeddings",
        "scores": "Queries and keys",
        "weighted_sum": "What attention makes of the values",
    }
)


def planes(trace: Trace, part: PlannedStep, _: Selection) -> Iterator[Plane]:
    """Yields the vectors that a part takes and makes, as far as these have two dimensions."""
    shown = [v for v in _vectors(trace, part) if v.matrix.shape[1] == _PLANE]
    if shown:
        groups = tuple(ArrowGroup(*_name(part, q), tuple(_arrows(q))) for q in shown)
        longest = max(q.matrix.shape[0] for q in shown)
        title = _TITLES[part.step] + cut(_MOST_ARROWS, longest, "tokens")
        yield Plane(called(part, title), groups)


def _vectors(trace: Trace, part: PlannedStep) -> Sequence[Quantity]:
    if part.step == "embed":
        return made_by(trace, part)[-1:]
    place = part.place
    assert isinstance(place, AttentionPlace)
    if part.step == "scores":
        return operands_of(trace, part)
    values = trace.quantities.get(place.latest("V"))
    return [*([] if values is None else [values]), *made_by(trace, part)]


def _name(part: PlannedStep, quantity: Quantity) -> tuple[str, str]:
    """Returns what a quantity is called here, and the name of its ink."""
    role = quantity.local.removeprefix("rotated_").removeprefix("normed_").removesuffix("_new")
    return part.place.here(quantity.name), role if role in ("Q", "K", "V") else ""


def _arrows(quantity: Quantity) -> Iterator[Arrow]:
    for i, word in enumerate(quantity.rows.words[:_MOST_ARROWS]):
        yield Arrow(word, (quantity.number(i, 0), quantity.number(i, 1)))


def pixels(trace: Trace, part: PlannedStep, _: Selection) -> Iterator[Pixels]:
    """Yields the picture of patches that are square and make a square."""
    patches = trace.quantities.get(part.place.name("patches"))
    if patches is None or any(isqrt(n) ** 2 != n or n == 1 for n in patches.matrix.shape):
        return
    count, size = patches.matrix.shape
    each = tuple(
        Series(patches.rows.words[i], tuple(patches.number(i, j) for j in range(size)))
        for i in range(count)
    )
    yield Pixels(called(part, f"The picture in its {count} patches"), each)


MOST_BARS = 12
"""So many labels have bars, those of the largest shares."""


def softmax_bars(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Bars]:
    """Yields the bars of the row that is worked: its powers of e, which are never below 0 as scores
    may be, and their shares. Under a causal mask the last row is the one that sees every key."""
    made = softmax_of(trace, part)
    if made is None:
        return
    exp, shares = trace[made[0].name], trace[made[-1].name]
    i = _told_row(trace, shares, selection)
    places = largest(shares, i)
    pairs = [(part.place.here(q.name), q) for q in (exp, shares)]
    series = tuple(Series(name, tuple(q.number(i, j) for j in places)) for name, q in pairs)
    about = "The softmax of {}: powers of e, and their shares" + cut_of_bars(shares)
    title = called_by(part, about, trace[made[0].operands[0]], i)
    yield Bars(title, tuple(shares.columns.words[j] for j in places), series)


def softmax_of(trace: Trace, part: PlannedStep) -> tuple[Definition, ...] | None:
    """Returns the definitions of the exponentials, their sums and the shares that a part made; None
    where it is no softmax."""
    made = {d.name.local: d for d in definitions_of(trace, part)}
    result = made.get("weights") or made.get("probabilities")
    if "exp" not in made or "exp_sum" not in made or result is None:
        return None
    return made["exp"], made["exp_sum"], result


def _told_row(trace: Trace, shares: Quantity, selection: Selection) -> int:
    asked, rows = row_asked_for(trace), selection.rows(shares)
    is_told = asked is not None and asked.tokens.names == shares.rows.names and asked.row in rows
    return asked.row if asked is not None and is_told else rows[-1]


def cut_of_bars(shares: Quantity) -> str:
    """Says in a title what has no bars."""
    return cut(MOST_BARS, shares.matrix.shape[1], "shares", "largest")


def largest(shares: Quantity, i: int) -> Sequence[int]:
    """Finds the places of a row's largest shares, in the order of the row."""
    row = shares.values[i]
    return sorted(np.argsort(-row, kind="stable")[:MOST_BARS].tolist())


def states(trace: Trace, part: PlannedStep, _: Selection) -> Iterator[Curves]:
    """Yields the curves of the states that the layer hands on, and of the cell states of an
    LSTM."""
    states, place = made_by(trace, part)[-1], part.place
    assert isinstance(place, WayPlace)
    cells = [trace.quantities.get(place.name("c").at(time + 1)) for time in range(place.times)]
    known = [cell for cell in cells[:MOST_POINTS] if cell is not None]
    columns = range(min(states.matrix.shape[1], MOST_PARTS) if known else 0)
    inner = (Series(str(k + 1), tuple(c.number(k, 0) for c in known)) for k in columns)
    for what, series in (("state", series_of(states)), ("cell state", tuple(inner))):
        title = f"The {what} after each token, a curve for each dimension"
        if series:
            names = states.rows.words[:MOST_POINTS]
            yield Curves(called(part, title + cut_of(states, "times")), "time", names, series)


_USUAL = (Decimal("0.5"), Decimal(1), Decimal(2))


def temperatures(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Bars]:
    """Yields the bars of a row at several temperatures, for the softmax that the part is, or that
    follows it."""
    own = _softmax_after(trace, part)
    made = None if own is None else softmax_of(trace, own)
    if own is None or made is None or _pictured_before(trace, part):
        return
    shares = trace[made[-1].name]
    number = _own_temperature(trace, own)
    try:
        worked = {
            n: trace.quantities if n == number else _at(trace, own, made, n)
            for n in sorted({*_USUAL, number})
        }
    except ScenarioError:  # numbers that get too large at a low temperature
        return
    i = _told_row(trace, shares, selection)
    places = largest(shares, i)
    cells = [Location(shares.name, i, j) for j in places]
    series = (
        Series(f"T = {n:f}", tuple(number_among(its, trace, cell) for cell in cells))
        for n, its in worked.items()
    )
    about = "{} at several temperatures T, by which scores are divided" + cut_of_bars(shares)
    title = called_by(own, about, shares, i)
    yield Bars(title, tuple(shares.columns.words[j] for j in places), tuple(series))


def _softmax_after(trace: Trace, part: PlannedStep) -> PlannedStep | None:
    if part.step != "temperature":
        return part
    parts = (step for step in trace.story if step.path == part.path and step.step == "softmax")
    return next(parts, None)


def _pictured_before(trace: Trace, part: PlannedStep) -> bool:
    """Tells whether a step of its own, before this one, has the picture."""
    return part.step == "softmax" and part.place.name("tempered") in trace


def _own_temperature(trace: Trace, part: PlannedStep) -> Decimal:
    place = part.place
    settings = (
        place.attention.config if isinstance(place, HeadPlace) else trace.scenario.prediction.config
    )
    temperature: Decimal | None = settings.values.get("temperature")
    return Decimal(1) if temperature is None else temperature


def _at(
    trace: Trace, part: PlannedStep, made: tuple[Definition, ...], temperature: Decimal
) -> Mapping[str, Quantity]:
    """Works all at a temperature: in the place of the scenario's own, or just before softmax.
    Returns the quantities by name."""
    name = part.place.name("tempered")
    if name in trace:
        return tempered_by(trace, name, temperature, made[-1].name)
    divide = DivideBy(Number.written(temperature))
    first, *others = _from_scores(trace, made)
    x, *more = first.operands
    worked = dict(trace.quantities)
    tempered = Definition(name, divide, (x,), "temperature")
    for definition in (tempered, first._replace(operands=(name, *more)), *others):
        worked[definition.name] = make(trace.scenario, worked, definition)
    return worked


def tempered_by(
    trace: Trace, name: Name, temperature: Decimal, result: Name
) -> Mapping[str, Quantity]:
    """Works what leads to a result, with another temperature in the place of the scenario's own.
    Returns the quantities by name."""
    own = trace[name].definition
    assert own is not None
    divided = own._replace(operation=DivideBy(Number.written(temperature)))
    return trace.leading_to((result,)).remake(divided).quantities


def _from_scores(trace: Trace, made: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Returns the definitions of all that is made of scores that are numbers: what is masked out is
    −∞, and masked again."""
    scores = trace[made[0].operands[0]]
    masked = scores.definition
    is_masked = masked is not None and scores.local in ("masked", "filtered")
    return (masked, *made) if masked is not None and is_masked else made


def waves(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Curves | HeatMaps]:
    """Yields the positional encoding as a map, and before it sines and cosines as curves; learned
    positions have none, as they go up and down as they will."""
    for quantity in made_by(trace, part):
        if not quantity.local.startswith("P"):
            continue
        definition = quantity.definition
        if definition is not None and isinstance(definition.operation, Sinusoids):
            about = "Positional encoding as waves, one for each dimension"
            title = called(part, about + cut_of(quantity, "positions"))
            yield Curves(title, "position", quantity.rows.words[:MOST_POINTS], series_of(quantity))
        table = matrix_block(quantity, selection, part.path)
        yield HeatMaps(called(part, "Positional encoding as a map"), ((table.name, table),), True)


_KINDS: Mapping[str, Callable[[Trace, PlannedStep, Selection], Iterator[Block]]] = {
    entry.__name__: entry
    for entry in (
        attended,
        gradient_norm,
        heat_maps,
        lattice,
        merge_trees,
        pixels,
        planes,
        shares,
        softmax_bars,
        states,
        temperatures,
        waves,
    )
}


def pictures_of(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Block]:
    """Yields the pictures of a part, in the order in which its step names them."""
    results = step_of(part).results
    further = results.further_pictures if selection.pictures is Pictures.ALL else ()
    for kind in (*results.pictures, *further):
        yield from _KINDS[kind](trace, part, selection)
