"""The parts of a trace that are told, numbers that lead nowhere, and tokens of experts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from attncli.document.blocks import Section, Spans
from attncli.errors import Problem, UserError, listed
from attncli.maths.equations.elision import MOST_PARTS, elided_rows
from attncli.maths.equations.tree import Symbol
from attncli.maths.operations.rearranging import JoinRows, Same
from attncli.names import Name, WordedText, below
from attncli.option_values import DETAILS, Pictures
from attncli.pages.parts.sentences import called_as, tied
from attncli.scenario.file.address import LAST, AddressError, Index, parse_address
from attncli.scenario.file.problems import ALL_THE_SAME, nearest
from attncli.scenario.model import CONVOLUTIONS, ENCODER, TokenizedText
from attncli.scenario.scenario import MOST_LINES
from attncli.steps.order import STORY, step_of
from attncli.steps.schema import nearest_step
from attncli.trace import (
    GRADIENTS,
    AttentionPlace,
    Axis,
    Definition,
    HeadPlace,
    LayerPlace,
    PlannedStep,
    Quantity,
    RoundPlace,
    Trace,
    UpdatePlace,
)
from attncli.trace.answer import said_answer
from attncli.trace.axes import LABELS
from attncli.trace.quantity import distinct_tokens
from attncli.trace.trace import parts_of

_PLACES = {
    "encoder": "Encoder",
    "layers": "Layer",
    "heads": "Head",
    "cross": "Cross-attention",
    "experts": "Expert",
    "shared_expert": "Shared expert",
    "forward": "Forward",
    "backward": "Backward",
    "train": "After update",
    "batches": "Further micro-batch",
}
NORMS = (
    "norm1", "norm2", "norm3", "norm1_after", "norm2_after", "norm3_after", "embedding_norm",
    "final_norm",
)  # fmt: skip
WITHIN_A_STEP = (
    *NORMS, *CONVOLUTIONS, "project_in", "project_out", "next", "draft", "head", "norm", "classes",
    "gates", "router", "rounds", "words", "positions",
)  # fmt: skip
"""Paths of single steps rather than of places."""


@lru_cache(maxsize=8)
def shown_parts(trace: Trace) -> tuple[PlannedStep, ...]:
    """Returns the parts that the page tells of those that the trace gets through, in order; found
    once for a trace. Of many rounds of learning some are left out, and experts that no token goes
    to."""
    return tuple(shown_of(trace, parts_of(trace)))


def shown_of(trace: Trace, parts: Iterable[PlannedStep]) -> Iterator[PlannedStep]:
    """Keeps those of some parts that the page tells."""
    return (part for part in parts if _is_shown(trace, part))


def _is_shown(trace: Trace, part: PlannedStep) -> bool:
    if part.path.local == "experts":
        return not is_idle(trace, part)
    return not isinstance(part.place, RoundPlace) or part.place.shown


def made_by(trace: Trace, part: PlannedStep) -> list[Quantity]:
    """Lists the quantities that a part made."""
    made = (trace.quantities.get(definition.name) for definition in part.definitions)
    return [q for q in made if q is not None and q.definition and not q.definition.operation.untold]


def definitions_of(trace: Trace, part: PlannedStep) -> tuple[Definition, ...]:
    """Returns the definitions of what a part made."""
    return tuple(q.definition for q in made_by(trace, part) if q.definition is not None)


def operands_of(trace: Trace, part: PlannedStep) -> list[Quantity]:
    """Lists the quantities that a part starts from."""
    definitions = definitions_of(trace, part)
    names = [name for definition in definitions for name in definition.operands]
    own = {definition.name for definition in part.definitions}
    return [
        trace[name] for name in dict.fromkeys(names) if name not in own and _is_told(trace[name])
    ]


def _is_told(quantity: Quantity) -> bool:
    return quantity.definition is None or not quantity.definition.operation.untold


def copied_in(trace: Trace, part: PlannedStep) -> Quantity | None:
    """Finds the one matrix that all that a part made are other names of; None where they aren't."""
    made = definitions_of(trace, part)
    sources = {name for d in made for name in d.operands}
    only_names = all(isinstance(d.operation, Same) for d in made)
    return trace[sources.pop()] if only_names and len(sources) == 1 else None


def only_joins(part: PlannedStep) -> bool:
    """Tells whether a step of a scenario's own only puts together what it made for each time."""
    return bool(part.place.called) and all(
        isinstance(definition.operation, JoinRows) for definition in part.definitions
    )


def only_for_sizes(trace: Trace, part: PlannedStep) -> set[str]:
    """Finds the quantities that a part needs for their shapes, and not for their numbers."""
    sized = (d for d in definitions_of(trace, part) if d.operation.takes_only_sizes)
    return {name for d in sized for name in d.operands}


def title_of(part: PlannedStep) -> WordedText:
    """Returns what a part is called: its step's title there."""
    return step_of(part).title_at(part.place)


def place_in_words(path: Name) -> str:
    """Writes a path in words: `Layer 1 · Head 2` of `layers[1].heads[2]`; nothing for the top."""
    places = (p for p in path.places if p.local not in WITHIN_A_STEP and p != "train")
    return " · ".join(map(_in_words, places))


def _in_words(place: Name) -> str:
    word = _PLACES.get(place.local, place.local)
    return word if place.number is None else f"{word} {place.number}"


def is_structured(trace: Trace) -> bool:
    """Tells whether there is more to a trace than one attention with one head, or one time of a
    cell."""
    if any((part.time or 0) > 1 for part in trace.story):
        return True
    places = {place.local for part in trace.story for place in part.path.places}
    return not places.isdisjoint(("layers", "heads", "experts", *NORMS))


def routed_rows(trace: Trace) -> Mapping[Name, tuple[int, ...]]:
    """Finds the rows, from 0, of the tokens that go to each expert, by its place."""
    places = (part.place for part in trace.story if part.step == "route")
    paths = (
        p for place in places if isinstance(place, LayerPlace) for p in place.layer.expert_paths
    )
    return {path: _rows(trace, path) for path in paths if below(path, "share") in trace}


def _rows(trace: Trace, path: Name) -> tuple[int, ...]:
    share = trace[below(path, "share")].values[:, 0]
    return tuple(int(i) for i in share.nonzero()[0])


def is_idle(trace: Trace, part: PlannedStep) -> bool:
    """Tells whether a part is of an expert that no token goes to."""
    if part.path.local != "experts" or below(part.path, "share") not in trace:
        return False
    return not _rows(trace, part.path)


def idle_before(trace: Trace, part: PlannedStep) -> list[PlannedStep]:
    """Lists the parts of experts that no token goes to, before the step that puts experts
    together."""
    if part.step != "mix" or not isinstance(part.place, LayerPlace):
        return []
    paths = part.place.layer.expert_paths
    return [step for step in trace.story if step.path in paths and is_idle(trace, step)]


def who_goes_there(trace: Trace, part: PlannedStep) -> Spans:
    """Says which tokens go to the expert that a part is of; nothing of any other part."""
    if part.path.local != "experts" or below(part.path, "share") not in trace:
        return ()
    share = trace[below(part.path, "share")]
    rows = _rows(trace, part.path)
    if len(rows) == len(share.rows.names):
        return ("All tokens go to this expert.",)
    named = tied([called_as(share.rows.names, i) for i in rows])
    return ("Only ", *named, f" go{'es' * (len(rows) == 1)} to this expert.")


def is_aside(trace: Trace, quantity: Quantity) -> bool:
    """Tells whether nothing is made of a number on a page that goes back from its loss."""
    if not trace.scenario.goes_back or not quantity.is_number or quantity.given:
        return False
    if quantity.name.inside(GRADIENTS) or quantity.local == trace.scenario.prediction.loss.name:
        return False
    part = trace.part_of(quantity.name)
    if part is None or isinstance(part.place, UpdatePlace):
        return False
    return all(quantity.name not in d.operands for d in trace.plan)


def without_asides(trace: Trace, part: PlannedStep, section: Section) -> Section:
    """Returns a section without the formulas of numbers of which nothing is made."""
    asides = {part.place.here(q.name) for q in made_by(trace, part) if is_aside(trace, q)}
    if not asides:
        return section
    kept = (
        f for f in section.formulas if not (isinstance(f.left, Symbol) and f.left.name in asides)
    )
    return section._replace(formulas=tuple(kept))


T = TypeVar("T")


_HIDDEN = ("[MASK]", "<mask>")
"""What stands in the place of a word that is to be found, in BERT's texts and in RoBERTa's."""
_MANY = 9
"""So many digits mean no layer or head."""


class SelectionError(UserError):
    """A step, a token, a layer, a head, a time or a cell that isn't there."""


_OF_QUERIES = ("Q", "token", LABELS)
"""What rows may be that are those of tokens; in a scenario of equations alone a side's names."""


class Sides(NamedTuple):
    """The rows and columns that alone are wanted of each table; all where none is named."""

    rows: tuple[Index, ...] = ()
    columns: tuple[Index, ...] = ()

    @property
    def said(self) -> bool:
        """Tells whether any are named."""
        return bool(self.rows or self.columns)

    def cells(self, quantity: Quantity) -> list[tuple[int, int]]:
        """Lists the cells, from 0, of a quantity that are in the rows and columns; none of a
        quantity that has no such row or column."""
        n, m = quantity.shape
        rows = _places(quantity.rows, self.rows) if self.rows else range(n)
        columns = _places(quantity.columns, self.columns) if self.columns else range(m)
        return [(i, j) for i in rows for j in columns]


def _places(axis: Axis, indices: Sequence[Index]) -> list[int]:
    """Lists the places along a side, from 0, that some indices mean, as far as they are there."""
    found: set[int] = set()
    for index in indices if axis.names not in ((), ("",)) else ():
        try:
            found.update(axis.places(index, ""))
        except AddressError:
            continue
    return sorted(found)


class Manner(NamedTuple):
    """A manner in which a page is made, whatever is told on it."""

    as_fits: bool = False
    """Whether it is told as closely as it stays readable."""
    undrawn: bool = False
    """Whether the scenario wants no pictures, as long as not all are asked for."""
    on_paper: bool = False
    """Whether it is printed: it tells nobody what to type, and has the tables of all heads."""


class Selection(NamedTuple):
    """A selection of what a page tells of a trace."""

    steps: tuple[str, ...] = ()
    """The steps that are told; all where none is named."""
    queries: tuple[int, ...] = ()
    """The places of the queries whose rows are told, from 0; all where there are none."""
    axis: tuple[str, ...] = ()
    """The names of all tokens that the queries are chosen from."""
    detail: str = "full"
    """How closely it is told: `full`, `rows` or `summary`."""
    layer: Name | None = None
    """The path of the only layer that is told."""
    head: int | None = None
    """The only head that is told, from 1."""
    time: int | None = None
    """The only time step of a recurrent cell that is told, from 1."""
    sides: Sides = Sides()
    """The rows and columns that alone are wanted of each table."""
    pictures: Pictures = Pictures.NONE
    """Which pictures a page of its format has."""
    manner: Manner = Manner()
    """How the page is made that it is told on."""
    parts: tuple[PlannedStep, ...] = ()
    """The parts that are told; all where none is named."""
    routed: Mapping[Name, tuple[int, ...]] = MappingProxyType({})
    """The rows of tokens that go to an expert, by its place."""

    def along(self, rows: Sequence[str], columns: Sequence[str]) -> Selection:
        """Returns the same selection of some rows and columns of each table alone."""
        indices = (tuple(map(_index_of_token, names)) for names in (rows, columns))
        return self._replace(sides=Sides(*indices))

    @property
    def partial(self) -> bool:
        """Tells whether only some of the sections are told."""
        one = (self.layer, self.head, self.time)
        return bool(self.steps or self.parts) or any(place is not None for place in one)

    @property
    def whole(self) -> bool:
        """Tells whether all is told that there is to tell, as somebody asked for it."""
        return self.partial or (self.detail == "full" and not self.manner.as_fits)

    @property
    def pictured(self) -> bool:
        """Tells whether pictures are drawn."""
        return self.has_place_for_pictures and not (
            self.manner.undrawn and self.pictures < Pictures.ALL
        )

    @property
    def has_place_for_pictures(self) -> bool:
        """Tells whether pages of its format have pictures, if a scenario doesn't say otherwise."""
        return self.pictures > Pictures.NONE

    def illustrated(self, pictures: Pictures) -> Selection:
        """Returns the same selection with these pictures, or with those that it has, if these are
        more."""
        return self._replace(pictures=max(self.pictures, pictures))

    def includes(self, part: PlannedStep) -> bool:
        """Tells whether a part is told."""
        head = part.place.head if isinstance(part.place, HeadPlace) else None
        return (
            (not self.steps or part.is_named(self.steps))
            and (not self.parts or any(part is step for step in self.parts))
            and (not self.queries or part.time is None or part.time - 1 in self.queries)
            and (self.layer is None or _is_inside(part, self.layer))
            and (self.head is None or head == self.head - 1)
            and (self.time is None or part.time == self.time)
            and (not self.queries or self._goes_to(part.path, self.queries))
        )

    def _goes_to(self, path: Name, rows: Sequence[int]) -> bool:
        """Tells whether one of the rows goes to an expert; all do to what is none."""
        return path not in self.routed or not set(rows).isdisjoint(self.routed[path])

    def rows(self, quantity: Quantity) -> tuple[int, ...]:
        """Returns the rows of a quantity that are shown: those of some queries, or all; of what an
        expert makes those of the tokens that go there."""
        rows = self.rows_asked_for(quantity)
        made = quantity.definition
        if made is None or made.step != "ffn" or quantity.name.path not in self.routed:
            return rows
        return tuple(i for i in rows if i in self.routed[quantity.name.path])

    @property
    def tells_less(self) -> bool:
        """Tells whether a page to be read goes without tables that its working does without; one
        with pictures, whose numbers can be pointed at, has all."""
        return not (self.whole or self.has_place_for_pictures)

    @property
    def only_one_row(self) -> bool:
        """Tells whether a page to be read goes without the tables of numbers of which only those of
        one row are used on it."""
        return self.tells_less and self.detail == "rows"

    def rows_asked_for(self, quantity: Quantity) -> tuple[int, ...]:
        """Returns the rows of a quantity of some queries, or all."""
        return self.queries if self.picks(quantity) else tuple(range(quantity.matrix.shape[0]))

    def worked_rows(self, quantity: Quantity) -> list[int | None]:
        """Lists the rows whose working is shown; None for those left out."""
        if self.picks(quantity):
            return list(self.rows(quantity))
        others = quantity.rows.role not in (*_OF_QUERIES, "")
        if self.queries and others and not quantity.is_timed:
            return []
        rows = self.rows(quantity)
        places = elided_rows(len(rows), of_list=quantity.is_list)
        return [None if k is None else rows[k] for k in places]

    def tells(self, quantity: Quantity) -> bool:
        """Tells whether a quantity is about the queries: it has their rows, or is of a time, of
        which only theirs are told."""
        return self.picks(quantity) or quantity.is_timed

    def picks(self, quantity: Quantity) -> bool:
        """Tells whether only the rows of some queries are shown of a quantity."""
        rows = quantity.rows
        return bool(self.queries) and rows.role in _OF_QUERIES and rows.names == self.axis


def _is_inside(part: PlannedStep, layer: Name) -> bool:
    path = part.path
    if not layer:  # a single layer has no path of its own
        return path != ENCODER and not path.inside(ENCODER)
    return path == layer or path.inside(layer)


def select(  # noqa: PLR0913 - the parts that there are of a page
    trace: Trace,
    steps: Sequence[str] = (),
    token: str | None = None,
    detail: str = "full",
    *,
    layer: str | None = None,
    head: str | None = None,
    time: str | None = None,
) -> Selection:
    """Returns the selection that options ask for; without a token, the queries that the scenario
    shows. Raises SelectionError."""
    axis = _queries(trace)
    wanted = trace.scenario.page.show.queries if token is None else (token,)
    wrong: list[Problem] = []
    found = tried(partial(_find_query, axis), wanted, wrong)
    paths = tried(partial(find_layer, trace), () if layer is None else (layer,), wrong)
    heads = tried(partial(find_head, trace), () if head is None else (head,), wrong)
    times = tried(partial(find_time, trace), () if time is None else (time,), wrong)
    if wrong:
        raise SelectionError(wrong)
    path, number = next(iter(paths), None), next(iter(heads), None)
    queries = tuple(dict.fromkeys(found))
    wanted_pictures = trace.scenario.page.show.pictures
    selected = Selection(tuple(steps), queries, axis.names, detail, path, number)
    return with_routing(
        trace,
        selected._replace(
            time=next(iter(times), None),
            pictures=Pictures.ALL if wanted_pictures else Pictures.NONE,
            manner=Manner(undrawn=wanted_pictures is False),
        ),
    )


def with_routing(trace: Trace, selection: Selection) -> Selection:
    """Returns a selection that knows which tokens of a trace go to which experts."""
    if all(part.step != "route" for part in trace.story):
        return selection
    return selection._replace(routed=routed_rows(trace))


def tried(find: Callable[[str], T], texts: Sequence[str], wrong: list[Problem]) -> list[T]:
    """Lists what is found for each text; why something isn't goes to `wrong`."""
    found: list[T] = []
    for text in texts:
        try:
            found.append(find(text))
        except SelectionError as error:
            wrong += error.problems
    return found


def own_steps(*traces: Trace) -> tuple[str, ...]:
    """Returns the names of the steps that scenarios write themselves."""
    names = (own.name for trace in traces for own in trace.scenario.plan.written.steps)
    return tuple(dict.fromkeys(names))


def check_steps(steps: Sequence[str], own: Sequence[str] = ()) -> None:
    """Raises SelectionError, naming all of them, for steps that are none of the story, nor a
    scenario's `own`."""
    wrong = [
        Problem.of(f"--step {step}", "no such step", nearest_step(step, own))
        for step in steps
        if step not in STORY and step not in own
    ]
    if wrong:
        raise SelectionError(wrong)


def check_detail(detail: str) -> None:
    """Raises SelectionError for a detail that is none."""
    if detail not in DETAILS:
        raise SelectionError.of(f"--detail {detail}", "no such detail", nearest(detail, DETAILS))


def find_layer(trace: Trace, text: str) -> Name:
    """Finds the path of the layer that `--layer` names: `2`, or `encoder.1`. Raises
    SelectionError."""
    known: dict[str, Name] = {
        below(stack.path, str(k)): layer.path
        for stack in reversed(trace.scenario.stacks)
        for k, layer in enumerate(stack.layers, start=1)
    }
    if text in known:
        return known[text]
    raise SelectionError.of(f"--layer {text}", "no such layer", f"known: {listed(known)}")


def find_head(trace: Trace, text: str) -> int:
    """Returns the head that `--head` names, from 1. Raises SelectionError."""
    places = (part.place for part in trace.story)
    most = max((at.attention.heads for at in places if isinstance(at, AttentionPlace)), default=1)
    if text.isascii() and text.isdigit() and len(text) < _MANY and 1 <= int(text) <= most:
        return int(text)
    raise SelectionError.of(f"--head {text}", "no such head", f"count from 1 to {most}")


def find_time(trace: Trace, text: str) -> int:
    """Returns the time step of a recurrent cell that `--time` names, from 1, or the `last`. Raises
    SelectionError."""
    times = sorted({part.time for part in trace.story if part.time is not None})
    if text == LAST and times:
        return times[-1]
    if text.isascii() and text.isdigit() and len(text) < _MANY and int(text) in times:
        return int(text)
    right = f"count from {times[0]} to {times[-1]}" if times else "only recurrent cells have times"
    raise SelectionError.of(f"--time {text}", "no such time", right)


def cells_along(trace: Trace, selection: Selection) -> list[tuple[Quantity, int, int]]:
    """Lists the cells, from 0, in the rows and columns of what a selection tells. Raises
    SelectionError where there are none."""
    parts = [part for part in shown_parts(trace) if selection.includes(part)]
    made = [quantity for part in parts for quantity in made_by(trace, part)]
    found = [
        (quantity, i, j)
        for quantity in made
        for i, j in selection.sides.cells(quantity)
        if not selection.picks(quantity) or i in selection.queries
    ]
    if not found:
        rows, columns = selection.sides
        said = [("--rows", rows), ("--columns", columns)]
        option = " ".join(f"{o} {', '.join(i.text for i in own)}" for o, own in said if own)
        names = _names_along(made, columns=bool(columns))
        others = _names_along(made, columns=not columns)
        alone = f"{'rows' if columns else 'columns'} alone: "
        right = f"they have {listed(names) if names else f'{alone}{listed(others)}'}"
        raise SelectionError.of(option, "no table that is asked for has it", right)
    return found


def _names_along(made: Iterable[Quantity], *, columns: bool) -> list[str]:
    """Lists the names of the rows, or of the columns, of some quantities."""
    axes = (q.columns if columns else q.rows for q in made)
    return [*dict.fromkeys(name for axis in axes for name in axis.names if name)]


def _find_query(axis: Axis, token: str) -> int:
    """Finds the place, from 0, of the query that `--token` names: a token, or else a position, or
    the `last`. Raises SelectionError."""
    try:
        return axis.find(_index_of_token(token), "the sentence")
    except AddressError as error:
        raise SelectionError.of(f"--token {token}", error.wrong, error.right) from None


def _index_of_token(token: str) -> Index:
    """Reads a token as in the address of a cell: `2` is a position and `"2"` a name."""
    try:
        (index,) = parse_address(f"token[{token}]").indices
    except (AddressError, ValueError):
        return Index(token)
    return index


@lru_cache(maxsize=8)
class RowAskedFor(NamedTuple):
    """The row that a page is about."""

    tokens: Axis
    row: int
    """Which of the tokens it is of, from 0."""


def row_asked_for(trace: Trace) -> RowAskedFor | None:
    """Returns the tokens, and which of them the page is about, from 0: the one that the scenario
    names, that its answer is of, or that a prediction is about, which is the first where its vector
    is taken, the last with a target where some have none, or a hidden word. None where none is."""
    prediction, texts = trace.scenario.prediction, trace.scenario.text.tokens
    named = trace.scenario.page.show.token
    asked = [k for k, text in enumerate(texts) if text in _HIDDEN] if prediction.every else []
    if prediction.first:
        asked = [0]
    elif len(prediction.loss.counted) < len(prediction.loss.targets):
        asked = [*prediction.loss.counted]
    said = said_answer(trace)
    if not asked and not named and said is None:
        return None
    tokens = _queries(trace)
    if said is not None and trace[said.quantity].rows.names == tokens.names:
        asked = [said.row]
    if named:
        asked = [_find_query(tokens, named)]
    if not asked:
        return None
    return RowAskedFor(tokens, asked[-1]) if asked[-1] < len(tokens.names) else None


def _queries(trace: Trace) -> Axis:
    """Returns the rows of queries: the first that there are, so that nothing after them is
    worked."""
    text = sentence_axis(trace.scenario.text)
    for role in ("Q",) if text.names else ("Q", "token"):
        main = (q for q in trace.quantities.values() if not q.name.inside(ENCODER))
        axis = next((quantity.rows for quantity in main if quantity.rows.role == role), None)
        if axis is not None:
            return axis
    return text


def sentence_axis(text: TokenizedText) -> Axis:
    """Returns the tokens of the sentence as names."""
    return Axis(distinct_tokens(text.tokens), "Q")


def check_on_page(trace: Trace, selection: Selection) -> None:
    """Raises SelectionError for steps asked for that the trace doesn't go through."""
    parts = shown_parts(trace)
    texts = list(dict.fromkeys(part.called for part in parts))
    missing = [step for step in selection.steps if not any(p.is_named((step,)) for p in parts)]
    if missing:
        through = f"it goes through {listed(texts)}" if texts else "it goes through none"
        wrong = "this scenario has no such step"
        raise SelectionError(Problem.of(f"--step {step}", wrong, through) for step in missing)
    if parts and not any(selection.includes(part) for part in parts):
        options = "--step, --layer, --head, --time, --token"
        raise SelectionError.of(options, "together they leave nothing of the page", "drop one")
    check_lines(trace, [part for part in parts if selection.includes(part)])


def check_lines(trace: Trace, parts: Sequence[PlannedStep]) -> None:
    """Raises SelectionError for more lines of working than are told without being asked for."""
    made = (quantity for part in parts for quantity in made_by(trace, part))
    lines = sum(math.prod(min(extent, MOST_PARTS) for extent in q.matrix.shape) for q in made)
    if lines > MOST_LINES and not trace.scenario.file.large:
        less = f"ask for less, by --step, --layer or --token, or give {ALL_THE_SAME}"
        raise SelectionError.of("the page", f"{lines:,} lines of working are too many", less)
