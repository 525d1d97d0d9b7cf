"""The parts of a scenario that readers of a page can change: numbers, rounding, scale, mask, the
sentence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice, product, zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from attncli.document.blocks import Interactive
from attncli.document.changing import (
    ITSELF,
    VARIANT,
    Changeable,
    GenerationPass,
    OtherPage,
    ScenarioChoice,
)
from attncli.errors import UserError
from attncli.maths.equations.tree import Location
from attncli.pages.parts.constants import constants_in, told_with_constants, with_constants
from attncli.pages.parts.working import Workings
from attncli.pipeline.given_matrices import by_names
from attncli.pipeline.trees import FileText
from attncli.scenario.file.changes import Change, array_name
from attncli.scenario.file.editing import edited, splice_of, tree_in
from attncli.scenario.file.nodes import Items, Map, Node, Scalar, data_of
from attncli.scenario.file.problems import Diagnostics, ScenarioError
from attncli.steps.schema import SCENARIO

if TYPE_CHECKING:
    from attncli.document.blocks import Document
    from attncli.trace import Quantity, Trace

_DECIMALS = range(7)
_WORDS: Mapping[str, tuple[str, ...]] = {
    "scale": ("sqrt_d_k", "none"),
    "mask": ("none", "causal"),
}
"""Words that change what is worked, the usual one first."""
_MOST_WORKED, _MOST_WITH_OTHERS = 20_000, 2_000
"""Numbers of a scenario whose page is worked again in a moment; and of one whose page carries those
with another scale or mask."""
_SENTENCE, _FEWEST_SENTENCES, _MOST_SENTENCES = "sentence", 2, 6
"""The key of the sentence; and how many others a page carries: each takes a quarter of a second
where there are few tokens."""

Told = Callable[[Sequence[str]], "Document"]
"""The page of a scenario with changes. Raises ScenarioError."""


def changeable(
    trace: Trace,
    file: FileText,
    changes: Sequence[str | Change],
    told: Told | None = None,
    variants: Mapping[str, Document] = MappingProxyType({}),
) -> Changeable | None:
    """Finds what can be changed in the page of a trace, which was worked from a file with changes.

    Returns None where that is nothing, or where there are too many numbers. `told` makes the page
    with other words; without it there are none of these, and no other pages. `variants` has the
    pages of the trace's variants by their names.
    """
    if not _follows(trace) or _size(trace) > _MOST_WORKED:
        return None
    try:
        text = edited(file.text, changes, SCENARIO.known)
    except ScenarioError:
        return None
    tree = tree_in(text, Diagnostics())
    numbers = {**dict(_numbers(trace, tree)), **dict(constants_in(trace))}
    if not numbers:
        return None
    chosen = [*_rounding(trace), *_words(trace, tree)]
    keys = (*numbers.values(), *(choice.key for choice in chosen), _SENTENCE)
    places = {key: place for key in keys if (place := splice_of(text, key)) is not None}
    choices = [choice for choice in chosen if choice.key in places]
    sentence = _sentence(trace) if _SENTENCE in places else None
    if told is None:  # a server works any
        choices += [] if sentence is None else [sentence._replace(values=())]
        return Changeable(text, file.path.name, numbers, tuple(choices), places)
    others = dict(_otherwise(choices, told, numbers))
    if sentence is not None and sentence.values:
        pages = dict(islice(_with_sentences(sentence, text, told, numbers), _sentences(trace)))
        values = (sentence.value, *pages)
        _add(choices, others, sentence._replace(values=values), pages)
    varied = {name: page for name, page in variants.items() if name in trace.variants}
    if varied and _size(trace) * (1 + len(varied)) <= _MOST_WITH_OTHERS:
        pages = {
            name: OtherPage(
                told_with_constants(page, trace.variants[name]),
                _located(trace.variants[name], tree, numbers.values()),
            )
            for name, page in varied.items()
        }
        _add(choices, others, ScenarioChoice(VARIANT, "Variant", (ITSELF, *varied), ITSELF), pages)
    passes = tuple(_passes(trace, tree, numbers.values()))
    made = Changeable(text, file.path.name, numbers, tuple(choices), places, others)
    return made._replace(passes=passes)


def _add(
    choices: list[ScenarioChoice],
    others: dict[tuple[str, ...], OtherPage],
    choice: ScenarioChoice,
    pages: Mapping[str, OtherPage],
) -> None:
    """Adds a choice, and the pages of its other values: with the usual words, as those with other
    words are of its usual value."""
    if not pages:
        return
    usual = tuple(f"{own.key}={own.value}" for own in choices if not own.key.startswith("rounding"))
    for words in [*others]:
        others[*words, f"{choice.key}={choice.value}"] = others.pop(words)
    for value, page in pages.items():
        others[*usual, f"{choice.key}={value}"] = page
    choices.append(choice)


def _sentence(trace: Trace) -> ScenarioChoice | None:
    """Returns the sentence as a choice, where its tokens are cut from it. Its values are others,
    with two words exchanged, or another word that has an embedding in the place of one; none where
    words aren't the tokens."""
    text = trace.scenario.text
    if text.sentence is None or not text.cut:
        return None
    words = text.sentence.split()
    if words != [*text.tokens] or not {*words} <= text.table.rows.keys():
        return ScenarioChoice(_SENTENCE, "Sentence", (), text.sentence)
    exchanged = ({i: words[j], j: words[i]} for i, j in combinations(range(len(words)), 2))
    others = sorted(text.table.rows, key=words.__contains__)  # first those that aren't there yet
    replaced = ({i: other} for i in reversed(range(len(words))) for other in others)
    in_turn = chain.from_iterable(zip_longest(exchanged, replaced, fillvalue={}))
    made = (" ".join(put.get(k, word) for k, word in enumerate(words)) for put in in_turn)
    values = dict.fromkeys(sentence for sentence in made if sentence != text.sentence)
    return ScenarioChoice(_SENTENCE, "Sentence", tuple(values), text.sentence)


def _sentences(trace: Trace) -> int:
    """Returns how many other sentences the page of a trace carries."""
    if _size(trace) > _MOST_WITH_OTHERS:
        return 0
    others = _MOST_WITH_OTHERS // _size(trace) - 1 - len(trace.variants)
    return min(_MOST_SENTENCES, max(others, _FEWEST_SENTENCES))


def _with_sentences(
    sentence: ScenarioChoice, text: str, told: Told, numbers: Mapping[Location, str]
) -> Iterator[tuple[str, OtherPage]]:
    """Yields the pages with other sentences, where these can be worked, and be put into the text as
    they are."""
    place = splice_of(text, sentence.key)
    assert place is not None
    for value in sentence.values:
        change = f"{sentence.key}={value}"
        put = f"{text[: place.start]}{place.before}{value}{place.after}{text[place.end :]}"
        try:
            if edited(text, [change], SCENARIO.known) == put:
                yield value, OtherPage(told([change]), numbers)
        except UserError:  # such as a token that is asked for and isn't there
            continue


def _follows(trace: Trace) -> bool:
    """Tells whether a page can say what its numbers lead to: not by draws, beams or a cache, where
    other numbers give another story."""
    generation = trace.scenario.prediction.generation
    return not trace.generated or not (
        generation.beams or generation.cache_bytes is not None or trace.drawn
    )


def _passes(trace: Trace, tree: Map, keys: Collection[str]) -> Iterator[GenerationPass]:
    """Yields the passes that a page tells in a table, each with the token that it chose."""
    if not trace.generated:
        return
    for its in (trace, *trace.generated):
        shares, word = its.next_token, its.next_word()
        if shares is None or word is None:
            return
        own = its is trace
        chosen_by = Location(shares.name, shares.matrix.shape[0] - 1, 0)
        workings = {} if own else with_constants(Interactive(workings=Workings(its)), its).workings
        yield GenerationPass(
            workings,
            {} if own else _located(its, tree, keys),
            chosen_by,
            shares.columns.names,
            word,
        )


def _located(trace: Trace, tree: Map, keys: Collection[str]) -> dict[Location, str]:
    """Finds the cells of a trace whose numbers a text gives by some keys, and their keys."""
    found = {**dict(_numbers(trace, tree)), **dict(constants_in(trace))}
    return {cell: key for cell, key in found.items() if key in keys}


def _size(trace: Trace) -> int:
    return sum(quantity.matrix.size for quantity in trace.quantities.values())


def _numbers(trace: Trace, tree: Map) -> Iterator[tuple[Location, str]]:
    """Yields each number that is given, and its key."""
    for name, key, node in by_names(tree):
        quantity = trace.quantities.get(name)
        if quantity is None or not quantity.given or quantity.matrix.written is None:
            continue
        cells = [*_cells(quantity, key, node)]
        if len(cells) == quantity.matrix.size:
            yield from cells
    given = tree.get("given")
    for own, node in given.entries if isinstance(given, Map) else ():
        array = array_name(own.text)
        several = node.items if isinstance(node, Items) and array not in trace.quantities else ()
        each = [(f"{array}[{k}]", matrix) for k, matrix in enumerate(several, start=1)]
        for called, numbers in each or [(array, node)]:
            quantity = trace.quantities.get(called)
            if quantity is not None and quantity.given and quantity.matrix.written is not None:
                yield from _own_cells(quantity, numbers)


def _own_cells(quantity: Quantity, node: Node) -> Iterator[tuple[Location, str]]:
    """Yields the cells of what is given to equations, with their keys."""
    if isinstance(node, Scalar):
        yield Location(quantity.name, 0, 0), quantity.name
        return
    cells = [*_cells(quantity, quantity.name, node)]
    if len(cells) == quantity.matrix.size:
        yield from cells


def _cells(quantity: Quantity, key: str, node: Node) -> Iterator[tuple[Location, str]]:
    """Yields the cells of a quantity with their keys, where the node has just their numbers."""
    for i, (index, row) in enumerate(_rows(data_of(node))):
        for j, entry in enumerate(row):
            place = (j, 0) if quantity.is_list and not index else (i, j)
            if _says(entry, quantity, place):
                at = ",".join((*index, str(j + 1)))
                yield Location(quantity.name, *place), f"{key}[{at}]"


def _says(entry: object, quantity: Quantity, place: tuple[int, int]) -> bool:
    """Tells whether an entry of a file is the number of a cell."""
    rows, columns = quantity.matrix.shape
    if not isinstance(entry, str) or place[0] >= rows or place[1] >= columns:
        return False
    return str(quantity.number(*place).full) == entry.removeprefix("+")


def _rows(data: Any) -> Sequence[tuple[tuple[str, ...], Sequence[object]]]:  # noqa: ANN401
    """Returns the rows of numbers in a map or a list, each with its index, which is empty for
    numbers that stand alone."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data, start=1)
    rows = [((str(index),), row) for index, row in pairs if isinstance(row, list)]
    return rows or [((), [*data])]


def _rounding(trace: Trace) -> Iterator[ScenarioChoice]:
    policy, decimals = trace.rounding.policy, trace.rounding.decimals
    yield ScenarioChoice("rounding.policy", "Rounding", ("carry", "exact"), policy)
    counts = tuple(map(str, sorted({*_DECIMALS, decimals})))
    yield ScenarioChoice("rounding.decimals", "Decimals", counts, str(decimals))


def _words(trace: Trace, tree: Map) -> Iterator[ScenarioChoice]:
    """Yields the scale and the mask as choices, for a scenario that attends and is small enough."""
    is_own = trace.scenario.plan.written.alone
    attends = not is_own and any(q.local == "scores" for q in trace.quantities.values())
    if _size(trace) > _MOST_WITH_OTHERS or not attends:
        return
    for key, values in _WORDS.items():
        node = tree.get(key)
        if not (node is None or isinstance(node, Scalar)):
            continue
        masked = key == "mask" and any(q.local == key for q in trace.quantities.values())
        usual = "causal" if masked else values[0]  # as in a decoder
        value = usual if node is None else node.text
        offered = sorted(dict.fromkeys((*values, value)), key="none".__ne__)
        yield ScenarioChoice(key, key.capitalize(), tuple(offered), value)


def _otherwise(
    choices: Sequence[ScenarioChoice], told: Told, numbers: Mapping[Location, str]
) -> Iterator[tuple[tuple[str, ...], OtherPage]]:
    """Yields the pages with other words, each after the words, where these can be worked."""
    words = [choice for choice in choices if choice.key in _WORDS]
    own = tuple(choice.value for choice in words)
    for values in product(*(choice.values for choice in words)):
        if values != own:
            pairs = [*zip(words, values, strict=True)]
            chosen = [f"{choice.key}={value}" for choice, value in pairs]
            changed = [f"{c.key}={value}" for c, value in pairs if value != c.value]
            try:
                page = told(changed)
            except ScenarioError:
                continue
            yield tuple(chosen), OtherPage(page, numbers)
