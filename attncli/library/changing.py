"""What of a scenario a reader can change in a page: the numbers that its file has, how it rounds,
its scale and its mask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from attncli.building.given_matrices import by_names
from attncli.document.changing import Changeable, ScenarioChoice, TextPlace
from attncli.equations.tree import Location
from attncli.errors import Where
from attncli.file import shipped
from attncli.file.changes import Change
from attncli.file.editing import edited, splice_of
from attncli.file.nodes import Map, Node, Scalar, data_of
from attncli.file.problems import Diagnostics, ScenarioError
from attncli.file.reading import read_value
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

Told = Callable[[Sequence[str]], "Document"]
"""The page of a scenario with changes. Raises ScenarioError."""


def changeable(
    trace: Trace, file: str, changes: Sequence[str | Change], told: Told | None = None
) -> Changeable | None:
    """What can be changed in the page of a trace, which was worked from a file with changes; None
    where that is nothing, or there are too many numbers. Its pages with other words are those
    `told`, if any."""
    if _size(trace) > _MOST_WORKED:
        return None
    path = shipped.find(file)
    try:
        text = edited(path.read_bytes().decode("utf-8-sig"), changes, SCENARIO.known)
    except ScenarioError:
        return None
    tree = read_value(text, Where(path.name, 1, 1), Diagnostics())
    if not isinstance(tree, Map) or trace.generated:  # whose tokens follow from the numbers
        return None
    numbers = dict(_numbers(trace, tree, text))
    if not numbers:
        return None
    words = [*_words(trace, tree, text)]
    choices = (*_rounding(trace, text), *words)
    others = {} if told is None else dict(_otherwise(words, told))
    return Changeable(text, path.name, numbers, choices, others)


def _size(trace: Trace) -> int:
    return sum(quantity.matrix.size for quantity in trace.quantities.values())


def _numbers(trace: Trace, tree: Map, text: str) -> Iterator[tuple[Location, TextPlace]]:
    """Where the text has each number that is given."""
    for name, key, node in by_names(tree):
        quantity = trace.quantities.get(name)
        if quantity is None or not quantity.given or quantity.matrix.written is None:
            continue
        cells = [*_cells(quantity, key, node)]
        if len(cells) == quantity.matrix.size:
            for i, j, cell in cells:
                place = _place(text, cell)
                if place is not None:
                    yield Location(name, i, j), place


def _cells(quantity: Quantity, key: str, node: Node) -> Iterator[tuple[int, int, str]]:
    """The cells of a quantity with their keys, where the node has just their numbers."""
    for i, (index, row) in enumerate(_rows(data_of(node))):
        for j, entry in enumerate(row):
            place = (j, 0) if quantity.is_list and not index else (i, j)
            if _says(entry, quantity, place):
                yield (*place, f"{key}[{','.join((*index, str(j + 1)))}]")


def _says(entry: object, quantity: Quantity, place: tuple[int, int]) -> bool:
    """Whether a number of a file is that of a cell."""
    rows, columns = quantity.matrix.shape
    if not isinstance(entry, str) or place[0] >= rows or place[1] >= columns:
        return False
    return str(quantity.number(*place).full) == entry.removeprefix("+")


def _rows(data: Any) -> Sequence[tuple[tuple[str, ...], Sequence[object]]]:  # noqa: ANN401
    """The rows of numbers in a map or a list, each with its index, none of one that is alone."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data, start=1)
    rows = [((str(index),), row) for index, row in pairs if isinstance(row, list)]
    return rows or [((), [*data])]


def _place(text: str, key: str) -> TextPlace | None:
    splice = splice_of(text, key)
    return None if splice is None else TextPlace(key, *splice)


def _rounding(trace: Trace, text: str) -> Iterator[ScenarioChoice]:
    rounding = trace.rounding
    decimals = sorted({*_DECIMALS, rounding.decimals})
    for key, name, values, value in (
        ("rounding.policy", "Rounding", ("carry", "exact"), rounding.policy),
        ("rounding.decimals", "Decimals", tuple(map(str, decimals)), str(rounding.decimals)),
    ):
        place = _place(text, key)
        if place is not None:
            yield ScenarioChoice(place, name, values, value)


def _words(trace: Trace, tree: Map, text: str) -> Iterator[ScenarioChoice]:
    """The scale and the mask of a scenario that attends and is small enough."""
    attends = any(quantity.local == "scores" for quantity in trace.quantities.values())
    if _size(trace) > _MOST_WITH_OTHERS or not attends:
        return
    for key, values in _WORDS.items():
        node, place = tree.get(key), _place(text, key)
        if place is None or not (node is None or isinstance(node, Scalar)):
            continue
        masked = key == "mask" and any(q.local == key for q in trace.quantities.values())
        usual = "causal" if masked else values[0]  # as in a decoder
        value = usual if node is None else node.text
        yield ScenarioChoice(place, key.capitalize(), tuple(dict.fromkeys((*values, value))), value)


def _otherwise(
    words: Sequence[ScenarioChoice], told: Told
) -> Iterator[tuple[tuple[str, ...], Document]]:
    """The pages with other words, where these can be worked."""
    own = tuple(choice.value for choice in words)
    for values in product(*(choice.values for choice in words)):
        if values != own:
            pairs = [*zip(words, values, strict=True)]
            chosen = [f"{choice.place.key}={value}" for choice, value in pairs]
            changed = [f"{c.place.key}={value}" for c, value in pairs if value != c.value]
            try:
                page = told(changed)
            except ScenarioError:
                continue
            yield tuple(chosen), page
