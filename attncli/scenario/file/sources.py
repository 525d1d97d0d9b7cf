"""Matrices that nobody wrote out: drawn from a seeded generator, or read from a file."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from attncli.errors import Where
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array
from attncli.scenario.file.array_parts import WHOLE, ArrayPart
from attncli.scenario.file.keys import (
    Choice,
    Key,
    KeyValues,
    NumberKind,
    Record,
    Schema,
    TextKind,
    WholeNumber,
    keys_of_fields,
    typed,
)
from attncli.scenario.file.nodes import Items, Map, Node, Scalar, describe
from attncli.scenario.file.problems import Diagnostics

Shape = tuple[int, int]

MOST_NUMBERS = 2**28
_DEVIATIONS = 13
"""RandomState draws no normal number further from the mean: its uniform ones have 53 bits."""

DISTRIBUTIONS: Mapping[str, Mapping[str, Decimal | None]] = {
    "normal": {"mean": Decimal(0), "std": Decimal("0.02")},
    "uniform": {"low": None, "high": None},
}
"""The distributions by name, with their two numbers; None for those without a default."""


class RandomSource(NamedTuple):
    """Numbers that are drawn from a seeded generator."""

    kind: str
    seed: int
    shape: Shape | None
    where: Where
    written: tuple[Decimal, Decimal]
    """The mean and the standard deviation, or the low and the high end, as the author wrote
    them."""

    def draw(self, shape: Shape) -> Array:
        """Draws the numbers [r, c], the same on every machine and with every NumPy.

        They come from NumPy's old generator, `RandomState`, because NumPy promises that its streams
        never change; those of `default_rng` may, from one version to the next.
        """
        generator = np.random.RandomState(self.seed)
        drawn = generator.normal if self.kind == "normal" else generator.uniform
        first, second = map(float, self.written)
        return drawn(first, second, shape)

    def description(self) -> str:
        """Describes the source in words: `normal, seed 7, mean 0, std 0.02`."""
        names = DISTRIBUTIONS[self.kind]
        numbers = zip(names, self.written, strict=True)
        texts = (f"{name} {decimals.text(number)}" for name, number in numbers)
        return ", ".join((self.kind, f"seed {self.seed}", *texts))


class FileSource(NamedTuple):
    """Numbers in a .npy, .npz or .safetensors file."""

    path: str
    key: str | None
    """The name of the array, where the file has several."""
    where: Where
    dimensions: int = 2
    part: ArrayPart = WHOLE
    """The part of the array that is taken."""

    def description(self) -> str:
        """Describes the source in words: `weights.npz, W_Q`."""
        return (
            self.path if self.key is None else f"{self.path}, {self.key}"
        ) + self.part.description()


class _Shape(NamedTuple):
    """The shape of a matrix: two whole numbers, of which the first is 1 for one row."""

    dimensions: int

    def read(self, node: Node, problems: Diagnostics) -> Shape | None:
        if not isinstance(node, Items) or len(node.items) != 2:  # noqa: PLR2004
            wrong = f"{describe(node)}, where a shape belongs"
            problems.add(node.where, wrong, "give its rows and columns, like [2, 3]")
            return None
        whole = WholeNumber(1, MOST_NUMBERS)
        rows, columns = (whole.read(item, problems) for item in node.items)
        if rows is None or columns is None:
            return None
        if rows * columns > MOST_NUMBERS:
            wrong = f"{rows} × {columns} are more than {MOST_NUMBERS} numbers"
            problems.add(node.where, wrong, "give a smaller shape")
            return None
        if self.dimensions == 1 and rows != 1:
            wrong = f"a shape of {rows} rows, where one row belongs"
            problems.add(node.where, wrong, f"give [1, {columns}]")
            return None
        return rows, columns

    def schema(self) -> Schema:
        whole = WholeNumber(1, MOST_NUMBERS).schema()
        return {"type": "array", "items": whole, "minItems": 2, "maxItems": 2}


def is_source(node: Node) -> bool:
    """Tells whether a node is meant as a source of numbers. `{random: [1, 0]}` is a row with that
    name."""
    return isinstance(node, Map) and any(
        isinstance(node.get(key), Scalar) for key in ("random", "file")
    )


class SourceKind(NamedTuple):
    """A source of a matrix, or with `dimensions` 1 of a row: random numbers, or a file."""

    dimensions: int = 2

    def read(self, node: Node, problems: Diagnostics) -> RandomSource | FileSource | None:
        right = "give one, like {random: normal, seed: 7} or {file: weights.npz, key: W_Q}"
        if not isinstance(node, Map):
            wrong = f"{describe(node)}, where random numbers or a file belong"
            problems.add(node.where, wrong, right)
            return None
        named = {name.text: name for name, _ in node.entries if name.text in {"random", "file"}}
        if not named:
            problems.add(node.where, "this map says neither `random` nor `file`", right)
            return None
        if len(named) > 1:
            later = max(named.values(), key=lambda name: name.where)
            problems.add(later.where, "both `random` and `file` are given", "take one of them out")
            return None
        reading = self._random if "random" in named else self._file
        return reading(node, problems)

    def schema(self) -> Schema:
        return {
            "anyOf": [
                *({**_random(k, self.dimensions).schema(), "required": _needed(k)} for k in _KINDS),
                {**_FILE.schema(), "required": ["file"]},
            ]
        }

    def _random(self, node: Map, problems: Diagnostics) -> RandomSource | None:
        kind = Choice(_KINDS).read(node.get("random") or node, problems)
        if kind is None:
            return None
        node, fits = _without_strays(kind, node, problems)
        values = _values(_random(kind, self.dimensions), node, problems)
        whole = _has_all(_needed(kind), node, problems)
        if values is None or not whole or not fits:
            return None
        defaults: KeyValues = DISTRIBUTIONS[kind]
        first, second = (values.get(name, default) for name, default in defaults.items())
        if not _can_be_drawn(kind, (first, second), node, problems):
            return None
        shape = values.get("shape")
        return RandomSource(kind, values["seed"], shape, node.where, (first, second))

    def _file(self, node: Map, problems: Diagnostics) -> FileSource | None:
        values = _values(_FILE, node, problems)
        if values is None:
            return None
        part = typed(ArrayPart, values)
        return FileSource(values["file"], values.get("key"), node.where, self.dimensions, part)


_KINDS = tuple(DISTRIBUTIONS)
_NUMBERS = {
    "mean": Key("mean", NumberKind(), "the mean, 0 by default"),
    "std": Key("std", NumberKind(positive=True), "the standard deviation, 0.02 by default"),
    "low": Key("low", NumberKind(), "the least number"),
    "high": Key("high", NumberKind(), "what every number is below"),
}
_FILE = Record.of(
    Key(
        "file",
        TextKind("a path"),
        "a .npy, .npz or .safetensors file, from this folder, or the .safetensors.index.json of"
        " several",
    ),
    Key("key", TextKind("a key"), "which of the file's arrays it is"),
    *keys_of_fields(ArrayPart),
)


def _random(kind: str, dimensions: int) -> Record:
    return Record.of(
        Key("random", Choice((kind,)), "the distribution that numbers are drawn from"),
        Key("seed", WholeNumber(0, 2**32 - 1), "the seed of NumPy's RandomState"),
        *(_NUMBERS[name] for name in DISTRIBUTIONS[kind]),
        Key("shape", _Shape(dimensions), "rows and columns, where nothing else says them"),
    )


def _needed(kind: str) -> list[str]:
    numbers = DISTRIBUTIONS[kind].items()
    return ["random", "seed", *(name for name, default in numbers if default is None)]


def _without_strays(kind: str, node: Map, problems: Diagnostics) -> tuple[Map, bool]:
    """Returns the map without the numbers of other distributions, and whether it had none of
    them."""
    own = DISTRIBUTIONS[kind]
    strays = [name for name, _ in node.entries if name.text in _NUMBERS.keys() - own.keys()]
    for name in strays:
        wrong = f"{kind} numbers have no `{name.text}`"
        problems.add(name.where, wrong, f"theirs are {' and '.join(own)}")
    return node.without(*(name.text for name in strays)), not strays


def _values(record: Record, node: Map, problems: Diagnostics) -> KeyValues | None:
    """Returns the values of a record, or None where one of its keys is unknown or wrong."""
    values = record.read(node, problems)
    whole = values is not None and all(name.text in values for name, _ in node.entries)
    return values if whole else None


def _has_all(names: Sequence[str], node: Map, problems: Diagnostics) -> bool:
    missing = [name for name in names if node.get(name) is None]
    for name in missing:
        example = {"seed": 7, "low": -1, "high": 1}[name]
        problems.add(node.where, f"random numbers without `{name}`", f"add `{name}: {example}`")
    return not missing


def _can_be_drawn(
    kind: str, numbers: tuple[Decimal, Decimal], node: Map, problems: Diagnostics
) -> bool:
    first, second = numbers
    if kind == "uniform" and first >= second:
        wrong = f"low is {decimals.text(first)}, and high is {decimals.text(second)}"
        problems.add((node.get("high") or node).where, wrong, "give a high above low")
        return False
    if kind == "normal" and abs(first) + _DEVIATIONS * second > decimals.LARGEST:
        wrong = "this mean and std can give numbers beyond 1e300"
        problems.add(node.where, wrong, "give smaller ones")
        return False
    return True
