"""Spoils scenarios: their trees, then their texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, NamedTuple

from tests.drawing import Pen, Tree
from tests.fuzzing.schemas import NUMBERS, WORDS, any_key

TreeMutation = Callable[[Pen, Tree], None]
TextMutation = Callable[[Pen, str], str]


class Place(NamedTuple):
    """Where a value stands: in a map by its key, in a list by its number."""

    holder: Any
    key: Any

    @property
    def value(self) -> Any:
        return self.holder[self.key]

    def put(self, value: Any) -> None:
        self.holder[self.key] = value


def places(tree: Any) -> Iterator[Place]:
    """Every value of a tree, the holders before what they hold."""
    keys = list(tree) if isinstance(tree, dict) else range(len(tree))
    for key in keys:
        yield Place(tree, key)
        if isinstance(tree[key], dict | list):
            yield from places(tree[key])


def _somewhere(pen: Pen, tree: Tree) -> Place:
    """Any value; those near the top as often as all of the numbers below."""
    tops = [Place(tree, key) for key in tree]
    chosen: Place = pen.choice(*tops) if pen.coin() else pen.choice(*places(tree))
    return chosen


def drop(pen: Pen, tree: Tree) -> None:
    place = _somewhere(pen, tree)
    del place.holder[place.key]


def rename(pen: Pen, tree: Tree) -> None:
    """A value under another key: of another value, misspelled, or of something else."""
    place = _somewhere(pen, tree)
    value = place.value
    if isinstance(place.holder, dict):
        del place.holder[place.key]
        other = pen.choice(f"{place.key}x", str(place.key).upper(), any_key(pen)[0], *WORDS)
        place.holder[other] = value


def swap(pen: Pen, tree: Tree) -> None:
    """Two values that don't hold each other change their places."""
    entry = _somewhere(pen, tree)
    inside = list(places(entry.value)) if isinstance(entry.value, dict | list) else []
    other = _somewhere(pen, tree)
    held = any(place.holder is other.holder for place in inside)
    holds = isinstance(other.value, dict | list) and any(
        place.holder is entry.holder for place in places(other.value)
    )
    if not held and not holds:
        value = entry.value
        entry.put(other.value)
        other.put(value)


def number(pen: Pen, tree: Tree) -> None:
    _leaf(pen, tree).put(pen.choice(*NUMBERS))


def word(pen: Pen, tree: Tree) -> None:
    _leaf(pen, tree).put(pen.choice(*WORDS))


def word_everywhere(pen: Pen, tree: Tree) -> None:
    """A token by another name, wherever it stands."""
    old, new = _a_word(pen, tree), pen.choice(*WORDS)
    for key in tree:
        tree[key] = _renamed(tree[key], old, new)


def _renamed(value: Any, old: str, new: str) -> Any:
    """A value in which a word is another, as a key or between spaces."""
    if isinstance(value, dict):
        return {new if key == old else key: _renamed(data, old, new) for key, data in value.items()}
    if isinstance(value, list):
        return [_renamed(data, old, new) for data in value]
    return " ".join(new if text == old else text for text in str(value).split(" "))


def retype(pen: Pen, tree: Tree) -> None:
    """Something of another kind: a list for a map, a text for a list, nothing at all."""
    place = _somewhere(pen, tree)
    value = place.value
    place.put(
        pen.choice([], {}, "", "x", "1", [value], {"a": value}, [[value]], [[]], [{}], str(value))
    )


def resize(pen: Pen, tree: Tree) -> None:
    """All numbers below a place become much larger, much smaller, or whole."""
    place = _somewhere(pen, tree)
    change = pen.choice("{}000", "{}e3", "0.000{}", "1{}", "-{}", "26.0", "2", "0", "1.0")
    inside = places(place.value) if isinstance(place.value, dict | list) else [place]
    for leaf in [*inside]:
        if isinstance(leaf.value, str) and leaf.value.replace(".", "").lstrip("-").isdigit():
            leaf.put(change.format(leaf.value.lstrip("-").replace(".", "")))


def nest(pen: Pen, tree: Tree) -> None:
    place = _somewhere(pen, tree)
    value = place.value
    for _ in range(pen.choice(2, 5, 30, 200)):
        value = [value] if pen.coin() else {"layers": value}
    place.put(value)


def lengthen(pen: Pen, tree: Tree) -> None:
    """One more of a list, or a hundred."""
    lists = [place.value for place in places(tree) if isinstance(place.value, list) and place.value]
    if lists:
        chosen = pen.choice(*lists)
        chosen += [deepcopy(chosen[-1]) for _ in range(pen.choice(1, 1, 2, 100))]


def shorten(pen: Pen, tree: Tree) -> None:
    lists = [place.value for place in places(tree) if isinstance(place.value, list) and place.value]
    if lists:
        pen.choice(*lists).pop()


def graft(pen: Pen, tree: Tree) -> None:
    """Any key of the format, at the top or where else there are keys."""
    maps = [place.value for place in places(tree) if isinstance(place.value, dict)]
    key, value = any_key(pen, nearly=pen.coin(5))
    pen.choice(tree, *maps)[key] = value


def count(pen: Pen, tree: Tree) -> None:
    """A number of something, far too large or nearly so."""
    key = pen.choice(
        "heads", "kv_heads", "generate", "d_model", "d_k", "d_v", "d_ff", "vocabulary_size"
    )
    tree[key] = pen.choice("7", "50", "51", "1000", "100000", "1000000000", "1e3", "-1", "0")


def random_matrix(pen: Pen, tree: Tree) -> None:
    """A matrix from elsewhere, of a shape that fits or doesn't."""
    matrices = [p for p in places(tree) if isinstance(p.value, list) and isinstance(p.key, str)]
    if matrices:
        shape = [pen.choice("1", "2", "3", "100", "100000"), pen.choice("2", "3", "4096")]
        drawn = {"random": pen.choice("normal", "uniform"), "seed": pen.choice("7", *NUMBERS)}
        held = {"file": pen.choice("arrays.npz", "arrays.npy", "../x.npz", "s.yaml", "/dev/zero")}
        key = {"key": pen.choice("W", "deep", "text", "nan", "nothing")}
        bounds = {"low": pen.choice("-1", *NUMBERS), "high": "1"}
        chosen = pen.choice(drawn, drawn | {"shape": shape}, drawn | bounds, held, held | key)
        pen.choice(*matrices).put(chosen)


def vary(pen: Pen, tree: Tree) -> None:
    key, value = any_key(pen)
    tree["variants"] = {pen.choice("v", *WORDS): {key: value}, "w": pen.choice({}, deepcopy(tree))}


def _leaf(pen: Pen, tree: Tree) -> Place:
    leaves = [p for p in places(tree) if not isinstance(p.value, dict | list)]
    chosen: Place = pen.choice(*leaves) if leaves else pen.choice(*places(tree))
    return chosen


def _a_word(pen: Pen, tree: Tree) -> str:
    words = str(tree.get("sentence", tree.get("title", "x"))).split()
    return str(pen.choice(*words, "x"))


TREE_MUTATIONS: tuple[TreeMutation, ...] = (
    drop, rename, swap, number, number, number, resize, resize, resize, word, word_everywhere, retype, nest, lengthen,
    shorten, graft, graft, graft, count, random_matrix, vary,
)  # fmt: skip


def spoil(pen: Pen, tree: Tree, times: int) -> Tree:
    """The tree, mutated so many times."""
    tree = deepcopy(tree)
    for _ in range(times):
        if tree:
            pen.choice(*TREE_MUTATIONS)(pen, tree)
    return tree
