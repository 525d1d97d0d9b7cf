"""The gradients of a way back as a tree: each once, below what it comes from.

One that adds up several stands below the nearest gradient that all of these go through, its
immediate dominator: where the ways part that meet in it (Lengauer & Tarjan 1979, "A Fast Algorithm
for Finding Dominators in a Flowgraph"). Nothing goes round here, so that one pass finds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import groupby

from attncli.name import TOP, Name
from attncli.tables import Branch
from attncli.telling.parts import WITHIN_A_STEP
from attncli.trace import GRADIENTS, Definition, Trace

Sources = Mapping[Name, Sequence[Name]]
"""Of each quantity with a gradient those whose gradients its own is made of, which come before."""
Tree = dict[Name, Name | None]
"""Below what each stands, which comes before it; None at the top."""

_RUN = 3
"""So many of one kind are told by the first and the last."""
_LONGEST = 36
"""So many characters fit beside the tree."""


def sources_of(trace: Trace, names: Collection[Name]) -> Sources:
    """The quantities whose gradients the gradient of each is made of, by whatever parts."""
    made: dict[Name, Definition] = {one.name: one for one in trace.plan}
    whole = {name.under(GRADIENTS): name for name in names}
    found: dict[Name, Sequence[Name]] = {}
    for gradient, name in whole.items():
        waiting, before = [gradient], dict[Name, None]()
        while waiting:
            one = made.get(waiting.pop(0))
            gradients = () if one is None else (x for x in one.operands if x.inside(GRADIENTS))
            for operand in gradients:
                if operand in whole:
                    before[whole[operand]] = None
                else:
                    waiting.append(operand)
        found[name] = [*before]
    return found


def tree_of(sources: Sources) -> Tree:
    """Each gradient below the one that it comes from, or where these are several, below the nearest
    that all of them go through."""
    above: dict[Name | None, Name | None] = {}
    depth: dict[Name | None, int] = {None: 0}

    def meeting(one: Name | None, other: Name | None) -> Name | None:
        while one != other:
            if depth[one] < depth[other]:
                one, other = other, one
            one = above[one]
        return one

    for name, before in sources.items():
        first: Name | None = before[0] if before else None
        above[name] = reduce(meeting, before[1:], first)
        depth[name] = depth[above[name]] + 1
    return {name: above[name] for name in sources}


def only(tree: Tree, wanted: Collection[Name]) -> Tree:
    """The tree with those that are wanted and those from which ways to several of them part."""
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
    """Those that are in the first or the last layer of a stack, or in none."""
    layers = {name: [x for x in name.places if x.local == "layers"][:1] for name in names}
    stacks: dict[Name, list[Name]] = {}
    for layer in sorted(
        {x for found in layers.values() for x in found}, key=lambda x: x.number or 0
    ):
        stacks.setdefault(layer.path, []).append(layer)
    outer = {one for stack in stacks.values() for one in (stack[0], stack[-1])}
    return [name for name, found in layers.items() if outer.issuperset(found)]


def branches(tree: Tree, sources: Sources) -> Iterator[Branch]:
    """The lines of the tree from the top, with the guides before them."""
    below = _below(tree, sources)
    sizes = _sizes(tree)
    waiting = [(name, "") for name in reversed(below.get(None, []))]
    while waiting:
        name, guides = waiting.pop()
        above = tree[name]
        yield Branch(name, name.seen_from(_place(above)), above, guides)
        children = below.get(name, [])
        marks = _marks([sizes[one] for one in children])
        before = guides.replace("├", "│").replace("└", " ")
        waiting += reversed([(x, before + mark) for x, mark in zip(children, marks, strict=True)])


def _below(tree: Tree, sources: Sources) -> dict[Name | None, list[Name]]:
    """What stands below each: what comes from it alone, the smallest branch first, and then what
    adds up several, in the order in which it is made, so that all of these stand above."""
    sizes = _sizes(tree)
    below: dict[Name | None, list[Name]] = {}
    for name, above in tree.items():
        below.setdefault(above, []).append(name)
    for children in below.values():
        children.sort(key=lambda one: (True, 0) if len(sources[one]) > 1 else (False, sizes[one]))
    return below


def _sizes(tree: Tree) -> dict[Name, int]:
    """How many lines the branch that begins with each has."""
    sizes = dict.fromkeys(tree, 1)
    for name, above in reversed(tree.items()):
        if above is not None:
            sizes[above] += sizes[name]
    return sizes


def _marks(sizes: Sequence[int]) -> list[str]:
    """The guide before each of those that stand below one. The last goes straight on, without any,
    where it is alone or there is more of it than of all others: so a long stack stays on a page."""
    *others, last = sizes or [0]
    straight_on = not others or (last > 1 and last > sum(others))
    return ["├" for _ in others] + ["" if straight_on else "└"] * bool(sizes)


def added_up(sources: Sequence[Name], above: Name | None) -> str:
    """`residual2, norm2`: what a gradient adds up, where that is several; what is inside a step by
    the step, a long row of one kind by its first and its last, and what has no room by how many."""
    if len(sources) < 2:  # noqa: PLR2004  (nothing is added)
        return ""
    place = _place(above)
    steps = (x.path if x.path.local in WITHIN_A_STEP and x.path != place else x for x in sources)
    told = dict.fromkeys(one.seen_from(place) for one in steps)
    runs = (list(run) for _, run in groupby(told, lambda one: [x.local for x in one.places]))
    text = ", ".join(f"{x[0]} … {x[-1]}" if len(x) >= _RUN else ", ".join(x) for x in runs)
    return text if len(text) <= _LONGEST else f"{len(told)} quantities"


def _place(name: Name | None) -> Name:
    return TOP if name is None else name.path
