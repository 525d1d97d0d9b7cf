"""The way back at a glance: the source and size of each gradient, over times or layers.

A gradient's size is its norm, the root of the sum of all squares. In the tree of gradients, one
that adds up several stands below the nearest gradient that all of these go through, its immediate
dominator: where the ways part that meet in it (Lengauer & Tarjan 1979, "A Fast Algorithm for
Finding Dominators in a Flowgraph"). Nothing goes round here, so that one pass finds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import groupby, pairwise
from typing import NamedTuple

from attncli.document.blocks import (
    Block,
    Callout,
    Paragraph,
    Subheading,
    Table,
)
from attncli.document.pictures import Curves, Series
from attncli.document.tables import Branch, DataTable
from attncli.maths.equations.elision import MOST_PARTS
from attncli.maths.equations.tree import Number, Omitted
from attncli.maths.numbers import decimals
from attncli.maths.operations.recurrent import FrobeniusNorm
from attncli.names import TOP, Name, Word
from attncli.pages.parts.blocks import Row, table, variant_block
from attncli.pages.parts.pictures import MOST_POINTS
from attncli.pages.parts.recurrent import on_its_way
from attncli.pages.parts.selection import (
    WITHIN_A_STEP,
    Selection,
    place_in_words,
)
from attncli.scenario.model import pass_of
from attncli.trace import (
    GRADIENTS,
    CellPlace,
    Definition,
    LayerPlace,
    ResidualPlace,
    Trace,
)
from attncli.trace.slopes import gradients_of

Sources = Mapping[Name, Sequence[Name]]
"""Of each quantity with a gradient those whose gradients its own is made of, which come before."""
Tree = dict[Name, Name | None]
"""Below what each stands, which comes before it; None at the top."""

_RUN = 3
"""So many of one kind are told by the first and the last."""
_LONGEST = 36
"""So many characters fit beside the tree."""


def sources_of(trace: Trace, names: Collection[Name]) -> Sources:
    """Finds for each quantity those whose gradients its own gradient is made of, through whatever
    parts."""
    made: dict[Name, Definition] = {d.name: d for d in trace.plan}
    whole = {name.under(GRADIENTS): name for name in names}
    found: dict[Name, Sequence[Name]] = {}
    for gradient, name in whole.items():
        waiting, before = [gradient], dict[Name, None]()
        while waiting:
            definition = made.get(waiting.pop(0))
            gradients = (
                ()
                if definition is None
                else (x for x in definition.operands if x.inside(GRADIENTS))
            )
            for operand in gradients:
                if operand in whole:
                    before[whole[operand]] = None
                else:
                    waiting.append(operand)
        found[name] = [*before]
    return found


def tree_of(sources: Sources) -> Tree:
    """Puts each gradient below the one that it comes from, or where these are several, below the
    nearest that all of them go through."""
    above: dict[Name | None, Name | None] = {}
    depth: dict[Name | None, int] = {None: 0}

    def meeting(below: Name | None, other: Name | None) -> Name | None:
        while below != other:
            if depth[below] < depth[other]:
                below, other = other, below
            below = above[below]
        return below

    for name, before in sources.items():
        first: Name | None = before[0] if before else None
        above[name] = reduce(meeting, before[1:], first)
        depth[name] = depth[above[name]] + 1
    return {name: above[name] for name in sources}


def only(tree: Tree, wanted: Collection[Name]) -> Tree:
    """Cuts the tree down to those that are wanted and those from which ways to several of them
    part."""
    ways = dict.fromkeys(tree, 0)
    for name, above in reversed(tree.items()):
        if above is not None and (name in wanted or ways[name]):
            ways[above] += 1
    nearest: dict[Name | None, Name | None] = {None: None}
    for name, above in tree.items():
        kept = name in wanted or above is None or ways[name] > 1
        nearest[name] = name if kept else nearest[above]
    return {name: nearest[above] for name, above in tree.items() if nearest[name] == name}


def in_outer_layers(names: Iterable[Name]) -> list[Name]:
    """Keeps the names that are in the first or the last layer of a stack, or in none."""
    layers = {name: [x for x in name.places if x.local == "layers"][:1] for name in names}
    stacks: dict[Name, list[Name]] = {}
    for layer in sorted(
        {x for found in layers.values() for x in found}, key=lambda x: x.number or 0
    ):
        stacks.setdefault(layer.path, []).append(layer)
    outer = {entry for stack in stacks.values() for entry in (stack[0], stack[-1])}
    return [name for name, found in layers.items() if outer.issuperset(found)]


def branches(tree: Tree, sources: Sources) -> Iterator[Branch]:
    """Yields the lines of the tree from the top, with the guides before them."""
    below = _below(tree, sources)
    sizes = _lines_below(tree)
    waiting = [(name, "") for name in reversed(below.get(None, []))]
    while waiting:
        name, guides = waiting.pop()
        above = tree[name]
        yield Branch(name, name.seen_from(_place(above)), above, guides)
        children = below.get(name, [])
        marks = _marks([sizes[entry] for entry in children])
        before = guides.replace("├", "│").replace("└", " ")
        waiting += reversed([(x, before + mark) for x, mark in zip(children, marks, strict=True)])


def _below(tree: Tree, sources: Sources) -> dict[Name | None, list[Name]]:
    """Lists what stands below each: what comes from it alone, the smallest branch first, and then
    what adds up several, in the order in which it is made, so that all of these stand above."""
    sizes = _lines_below(tree)
    below: dict[Name | None, list[Name]] = {}
    for name, above in tree.items():
        below.setdefault(above, []).append(name)
    for children in below.values():
        children.sort(
            key=lambda entry: (True, 0) if len(sources[entry]) > 1 else (False, sizes[entry])
        )
    return below


def _lines_below(tree: Tree) -> dict[Name, int]:
    """Counts the lines of the branch that begins with each."""
    sizes = dict.fromkeys(tree, 1)
    for name, above in reversed(tree.items()):
        if above is not None:
            sizes[above] += sizes[name]
    return sizes


def _marks(sizes: Sequence[int]) -> list[str]:
    """Returns the guide before each of those that stand below one. The last goes straight on,
    without any, where it is alone or there is more of it than of all others: so a long stack stays
    on a page."""
    *others, last = sizes or [0]
    straight_on = not others or (last > 1 and last > sum(others))
    return ["├" for _ in others] + ["" if straight_on else "└"] * bool(sizes)


def added_up(sources: Sequence[Name], above: Name | None) -> str:
    """Names what a gradient adds up, `residual2, norm2`, where that is several: what is inside a
    step by the step, a long row of one kind by its first and its last, and what has no room by how
    many."""
    if len(sources) < 2:  # noqa: PLR2004  (nothing is added)
        return ""
    place = _place(above)
    steps = (x.path if x.path.local in WITHIN_A_STEP and x.path != place else x for x in sources)
    data = dict.fromkeys(step.seen_from(place) for step in steps)
    runs = (list(run) for _, run in groupby(data, lambda name: [x.local for x in name.places]))
    text = ", ".join(f"{x[0]} … {x[-1]}" if len(x) >= _RUN else ", ".join(x) for x in runs)
    return text if len(text) <= _LONGEST else f"{len(data)} quantities"


def _place(name: Name | None) -> Name:
    return TOP if name is None else name.path


_MOST = 2 * MOST_PARTS
"""So many times or layers are told."""
_MOST_BRANCHES = 4 * MOST_PARTS
"""So many gradients are told one by one; of more only those of what is given."""


class GradientSize(NamedTuple):
    """A size of a gradient."""

    of: Name
    """The quantity that it is the gradient of."""
    norm: Number
    """The norm of the gradient."""
    shape: tuple[int, int]
    """Its rows and columns."""


def chain_of(trace: Trace, selection: Selection) -> list[Block]:
    """Returns all that is told of a way back at its end; nothing where there is none."""
    sizes = {g.of: g for g in _sizes(trace)}
    if not sizes:
        return []
    return [
        Subheading(("The way back at a glance",)),
        *_whole(trace, sizes),
        *_by_time(trace, sizes, selection),
        *_of_variants(trace, selection),
        *_by_layer(trace, sizes, selection),
    ]


_SIZE = "The size of a gradient is its norm, the root of the sum of the squares of all its numbers."


def _sizes(trace: Trace) -> Iterator[GradientSize]:
    for name in gradients_of(trace):
        matrix = trace.quantities[name.under(GRADIENTS)].matrix
        norm = FrobeniusNorm().make(trace.rounding, "update", matrix).number(0, 0)
        yield GradientSize(name, norm, matrix.shape)


def _whole(trace: Trace, sizes: Mapping[Name, GradientSize]) -> Iterator[Block]:
    """Yields the gradients as a tree; of many those of what is given, and those where their ways
    part."""
    sources = sources_of(trace, sizes)
    tree = tree_of(sources)
    shown, left_out = _some(trace, tree)
    lines = _fitting([*branches(shown, sources)])
    rows = [
        (Omitted(),) * 4 if line is None else _row_of_branch(line, sizes, sources) for line in lines
    ]
    several = any(row[-1] for row in rows if isinstance(row[-1], str))
    yield Paragraph((" ".join([*_chain_in_words(shown, several=several), *left_out, _SIZE]),))
    headings = ("Gradient of", "Shape", "Size", "Adds up those of")
    columns = 4 if several else 3
    yield Table(headings[:columns], tuple(row[:columns] for row in rows))


def _row_of_branch(line: Branch, sizes: Mapping[Name, GradientSize], sources: Sources) -> Row:
    gradient = sizes[line.name]
    return line, _shape(gradient), _text(gradient.norm), added_up(sources[line.name], line.above)


def _some(trace: Trace, tree: Tree) -> tuple[Tree, list[str]]:
    """Returns the tree of the gradients that a page has room for, and what is said of this where
    these aren't all."""
    if len(tree) <= _MOST_BRANCHES:
        return tree, []
    given = [name for name in tree if trace.quantities[name].given] or [*tree]
    by_name = only(tree, given)
    where = ""
    if len(by_name) > _MOST_BRANCHES and len(outer := in_outer_layers(given)) < len(given):
        by_name, where = only(tree, outer), " in the last and the first layer of a stack"
    says = f"Of so many, only those of what is given{where} are here, and those where their ways"
    return by_name, [f"{says} part."]


def _fitting(lines: Sequence[Branch]) -> list[Branch | None]:
    """Returns the lines of a tree that there is room for, None for those left out, and the last
    one, by its full name where what it stands below isn't told."""
    if len(lines) <= _MOST_BRANCHES:
        return [*lines]
    *shown, last = (*lines[: _MOST_BRANCHES - 2], lines[-1])
    is_told = any(b.name == last.above for b in shown)
    return [*shown, None, last if is_told else last._replace(text=last.name)]


def _chain_in_words(tree: Tree, *, several: bool) -> Iterator[str]:
    """Says how the tree is read."""
    if len({*tree.values()}) < len(tree):
        yield (
            "Each gradient comes from the next one above it in its column. A gradient that begins"
            " a branch comes from the one that it branches off."
        )
    else:
        yield "Each gradient comes from the one above it."
    if several:
        yield "A gradient that adds up several others stands where their ways part."


def _shape(gradient: GradientSize) -> str:
    return f"{gradient.shape[0]} × {gradient.shape[1]}"


class _Link(NamedTuple):
    """One of the sizes that follow each other on the way back: what it is called, and of what."""

    called: str
    of: Name


def _by_time(
    trace: Trace, sizes: Mapping[Name, GradientSize], selection: Selection
) -> Iterator[Block]:
    """Yields the states of each way of a recurrent layer, the one that the way ends with first,
    with the norm of the factor that leads there from the end, where that is worked."""
    for path, places in _ways(trace, sizes).items():
        links = [_Link(str(place.time), place.timed("a")) for place in reversed(places)]
        factors = [_factor(trace, place) for place in reversed(places)]
        title = _titled("The gradients of the states through time", path)
        yield from _links(sizes, title, "Step", links, factors)
        if selection.pictured and len(links) > 1:
            yield _curves(sizes, title, "time", links[::-1])


def _ways(trace: Trace, sizes: Mapping[Name, GradientSize]) -> dict[Name, list[CellPlace]]:
    """Lists the cells of each way of a recurrent layer whose states have gradients, in the order in
    which they are taken."""
    ways: dict[Name, list[CellPlace]] = {}
    for part in trace.story:
        place = part.place
        first = part.step == "state" and not pass_of(part.path)
        if first and isinstance(place, CellPlace) and place.timed("a") in sizes:
            ways.setdefault(place.path, []).append(place)
    return ways


def _of_variants(trace: Trace, selection: Selection) -> Iterator[Block]:
    """Says what becomes of the gradients of states in the scenario's variants."""
    for name, other in trace.variants.items():
        sizes = {g.of: g for g in _sizes(other)}
        for places in _ways(other, sizes).values():
            states = [place.timed("a") for place in reversed(places)]
            norms = [sizes[state].norm for state in states]
            if len(norms) > 1:
                what = ", on its way back the size of the gradient"
                yield Callout(("In the variant ", Word(name), *on_its_way(norms, what)))
                gradients = (other.quantities[state.under(GRADIENTS)] for state in states)
                yield from (DataTable(variant_block(name, g, selection)) for g in gradients)


def _factor(trace: Trace, place: CellPlace) -> str:
    """Writes what a gradient at the end is multiplied by on its way to the state before this time;
    nothing where that isn't worked."""
    norm = trace.quantities.get(place.timed("factor_norm"))
    return "" if norm is None else _text(norm.number(0, 0))


def _by_layer(
    trace: Trace, sizes: Mapping[Name, GradientSize], selection: Selection
) -> Iterator[Block]:
    """Yields for each stack the gradients of what goes into its layers, the last one first."""
    stacks: dict[Name, dict[Name, Name]] = {}
    for part in trace.story:
        place = part.place
        if isinstance(place, LayerPlace) and not pass_of(place.path):
            layers = stacks.setdefault(place.stack.path, {})
            layers.setdefault(place.layer.path, place.x)
            if isinstance(place, ResidualPlace) and place.number == 1:  # before any norm
                layers[place.layer.path] = place.skipped
    for path, layers in stacks.items():
        known = {k: x for k, x in layers.items() if x in sizes}
        if len(known) > 1:
            links = [_Link(str(k.number), x) for k, x in reversed(known.items())]
            title = _titled("The gradients of what goes into each layer", path)
            yield from _links(sizes, title, "Layer", links, [])
            if selection.pictured:
                yield _curves(sizes, title, "layer", links[::-1])


def _titled(title: str, path: Name) -> str:
    place = place_in_words(path)
    return f"{place}: {title[0].lower()}{title[1:]}" if place else title


def _links(
    sizes: Mapping[Name, GradientSize],
    title: str,
    heading: str,
    links: Sequence[_Link],
    factors: Sequence[str],
) -> Iterator[Block]:
    if len(links) < 2:  # noqa: PLR2004  (one goes nowhere)
        return
    norms = [sizes[entry.of].norm for entry in links]
    headings: tuple[str, ...] = (heading, "Gradient of", "Size", "Times the row above")
    rows: list[tuple[str, ...]] = [
        (link.called, str(link.of), _text(norm), ratio)
        for link, norm, ratio in zip(links, norms, _ratios(norms), strict=True)
    ]
    if any(factors):
        headings = (*headings, "Factor from the end")
        rows = [(*row, factor) for row, factor in zip(rows, factors, strict=True)]
    yield Subheading((title,))
    yield table(headings, rows, _MOST)
    yield Callout(on_its_way(norms, "On its way back the size of the gradient"))


def _ratios(norms: Sequence[Number]) -> Iterator[str]:
    """Yields each norm as a share of the one before it on the way back; nothing for the first one,
    nor after a 0."""
    yield ""
    for before, after in pairwise(norms):
        share = after.shown / before.shown if before.shown else None
        yield "" if share is None else f"× {share:.3f}"


def _curves(
    sizes: Mapping[Name, GradientSize], title: str, axis: str, links: Sequence[_Link]
) -> Curves:
    numbers = tuple(sizes[link.of].norm for link in links[:MOST_POINTS])
    above = all(n.shown > 0 for n in numbers)  # what is 0 has no logarithm
    labels = tuple(link.called for link in links[:MOST_POINTS])
    return Curves(title, axis, labels, (Series("size", numbers),), logarithmic=above)


def _text(number: Number) -> str:
    return decimals.text(number.shown).replace("-", "−")
