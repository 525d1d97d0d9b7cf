"""Parts of an array in a file: some of its rows or columns, or one of equal parts."""

import math
import re
from typing import Annotated, NamedTuple

from attncli.maths.numbers.rounding import AnyArray
from attncli.scenario.file.keys import COUNT, Flag, Schema, WholeNumber
from attncli.scenario.file.named_files import RefusedFileError
from attncli.scenario.file.nodes import Items, Node, Scalar, describe
from attncli.scenario.file.problems import Diagnostics

_RANGE = r"(\d{0,9}):(\d{0,9})(?::([1-9]\d{0,8}))?"


class _RangeKind:
    """A range: `0:64` is from 0 up to but without 64, `0::2` every other one."""

    def read(self, node: Node, problems: Diagnostics) -> slice | None:
        match = re.fullmatch(_RANGE, node.text) if isinstance(node, Scalar) else None
        numbers = match.groups() if match else ("0", "0", "")
        start, stop, step = (int(number) if number else None for number in numbers)
        if stop is not None and (start or 0) >= stop:
            wrong = f"{describe(node)}, where a range belongs"
            problems.add(node.where, wrong, "say from where to where, counted from 0, like 0:64")
            return None
        return slice(start, stop, step)

    def schema(self) -> Schema:
        return {"type": "string", "pattern": f"^{_RANGE}$"}


class Split(NamedTuple):
    """A choice of some of `parts` equal parts: those from the `first` to the `last`, counted from
    1."""

    parts: int = 1
    first: int = 1
    last: int = 1


class _SplitKind:
    """A choice of equal parts: `[3, 1]` is the first of three, `[6, 1, 4]` are the first four of
    six."""

    def read(self, node: Node, problems: Diagnostics) -> Split | None:
        items = node.items if isinstance(node, Items) else ()
        read = [COUNT.read(item, problems) for item in items]
        numbers = [number for number in read if number is not None]
        if len(items) in (2, 3) and len(numbers) < len(items):  # which is said already
            return None
        parts, *some = numbers or [0]
        if len(items) not in (2, 3) or sorted(some) != some or some[-1] > parts:
            wrong = f"{describe(node)}, where parts belong"
            problems.add(node.where, wrong, "say how many, and which, like [3, 1]")
            return None
        return Split(parts, some[0], some[-1])

    def schema(self) -> Schema:
        return {"type": "array", "items": COUNT.schema(), "minItems": 2, "maxItems": 3}


class ArrayPart(NamedTuple):
    """A part that is taken of an array [r, c] or [n]. In this order: an entry of the first of more
    than two sides; entries flattened to rows, or a picture cut into patches; transposed; ranges of
    rows and columns; some of equal parts of the longer side, in each head if `heads` lie
    together."""

    entry: Annotated[
        int | None,
        WholeNumber(0, 10**6),
        "of an array with more sides than two: the entry of its first side that is meant, from 0",
    ] = None
    transposed: Annotated[bool, Flag(), "whether it is to be transposed first"] = False
    rows: Annotated[
        slice,
        _RangeKind(),
        "some of its rows: `0:64` (from 0, without 64), `2:` (from 2 on), `0::2` (every other one)",
    ] = slice(None)
    columns: Annotated[slice, _RangeKind(), "some of its columns, likewise"] = slice(None)
    split: Annotated[
        Split,
        _SplitKind(),
        "one of equal parts along its longer side: `[3, 1]` is the first of three; or several that"
        " follow each other: `[6, 1, 4]` are the first four of six",
    ] = Split()
    heads: Annotated[
        int,
        COUNT,
        "with `split`, where the parts of each head lie together: how many heads there are",
    ] = 1
    flat: Annotated[
        bool,
        Flag(),
        "of an array with more sides than two: whether each entry of the first is a row",
    ] = False
    patches: Annotated[
        int,
        COUNT,
        "of a picture, [channels, height, width] or [height, width]: its patches of so many pixels"
        " a side, a row each, from the upper left on",
    ] = 0

    def shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the rows and columns that an array is read as, before anything is taken of it.
        Raises RefusedFileError for a picture that can't be cut, and for an entry that isn't
        there."""
        if self.entry is not None:
            shape = _entry(shape, self.entry)
        if self.patches:
            channels, height, width = _picture(shape, self.patches)
            side = self.patches
            return (height // side) * (width // side), channels * side * side
        if self.flat and len(shape) > 1:
            return shape[0], math.prod(shape[1:])
        while len(shape) > 2 and shape[0] == 1:  # noqa: PLR2004
            shape = shape[1:]
        return shape

    def of(self, array: AnyArray) -> AnyArray:
        """Takes the part of an array. Raises RefusedFileError where the array doesn't have it."""
        shape = self.shape(array.shape)
        array = array if self.entry is None else array[self.entry]
        array = (self._cut(array) if self.patches else array).reshape(shape)
        if self == WHOLE or array.ndim not in (1, 2):
            return array
        taken = array.T if self.transposed else array
        if array.ndim == 1:
            return self._split(_ranged(_ranged(taken, self.rows), self.columns))
        return self._split(_ranged(_ranged(taken, self.rows).T, self.columns).T)

    def _cut(self, picture: AnyArray) -> AnyArray:
        """Cuts a picture into patches, [rows, columns, channels, height, width]."""
        channels, height, width = _picture(picture.shape, self.patches)
        side = self.patches
        cut = picture.reshape(channels, height // side, side, width // side, side)
        return cut.transpose(1, 3, 0, 2, 4)

    def _split(self, array: AnyArray) -> AnyArray:
        parts, first, last = self.split
        if parts == 1:
            return array
        if array.ndim > 1 and array.shape[1] > array.shape[0]:
            return self._split(array.T).T
        length = len(array)
        if length % (parts * self.heads):
            heads = f" of each of {self.heads} heads" if self.heads > 1 else ""
            wrong = f"{length} rows or columns don't come in {parts} equal parts{heads}"
            raise RefusedFileError(wrong, "give other parts, or say them by rows: 0:64")
        cut = array.reshape(self.heads, parts, -1, *array.shape[1:])
        return cut[:, first - 1 : last].reshape(-1, *array.shape[1:])

    def description(self) -> str:
        """Describes the part in words: `, rows 0:64, part 1 of 3`."""
        texts = [] if self.entry is None else [f"entry {self.entry}"]
        texts += ["each entry flattened"] if self.flat else []
        texts += [f"patches of {self.patches} × {self.patches} pixels"] if self.patches else []
        texts += ["transposed"] if self.transposed else []
        for name, some in (("rows", self.rows), ("columns", self.columns)):
            if some != slice(None):
                step = "" if some.step is None else f":{some.step}"
                texts.append(f"{name} {_bound(some.start)}:{_bound(some.stop)}{step}")
        parts, first, last = self.split
        if parts > 1:
            each = f" of each of {self.heads} heads" if self.heads > 1 else ""
            which = f"part {first}" if first == last else f"parts {first} to {last}"
            texts.append(f"{which} of {parts}{each}")
        return "".join(f", {text}" for text in texts)


WHOLE = ArrayPart()


def _entry(shape: tuple[int, ...], index: int) -> tuple[int, ...]:
    """Returns the shape of an entry of an array. Raises RefusedFileError where there is none."""
    if len(shape) < 2:  # noqa: PLR2004
        wrong = f"entry {index} of an array of the shape {shape} is a single number"
        raise RefusedFileError(wrong, "leave entry out")
    if index >= shape[0]:
        wrong = f"entry {index} of an array that has {shape[0]}"
        raise RefusedFileError(wrong, f"they are counted from 0: give one of 0 to {shape[0] - 1}")
    return shape[1:]


def _picture(shape: tuple[int, ...], side: int) -> tuple[int, int, int]:
    """Returns the channels, height and width of a picture, or of the only one of a batch. Raises
    RefusedFileError where patches of this side don't cover it."""
    sides = shape[1:] if len(shape) == 4 and shape[0] == 1 else shape  # noqa: PLR2004
    if len(sides) not in (2, 3):
        wrong = f"the shape {shape} is not that of a picture"
        raise RefusedFileError(wrong, "give [channels, height, width], or [height, width]")
    channels, height, width = (1, *sides)[-3:]
    if height % side or width % side:
        wrong = f"a picture of {height} × {width} pixels doesn't come in patches of {side} × {side}"
        raise RefusedFileError(wrong, "give patches of another size")
    return channels, height, width


def _bound(end: int | None) -> str:
    return "" if end is None else str(end)


def _ranged(array: AnyArray, some: slice) -> AnyArray:
    if (some.stop or 0) > len(array) or (some.start or 0) >= len(array):
        wrong = f"{_bound(some.start)}:{_bound(some.stop)} of {len(array)} rows or columns"
        raise RefusedFileError(wrong, f"they are counted from 0: give some of 0:{len(array)}")
    return array[some]
