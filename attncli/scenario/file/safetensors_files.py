"""Tensors of a `.safetensors` file, read by its own description, without trusting it.

The file is eight bytes that say how long its header is, the header (JSON: name → type, shape and
place of each tensor), then the bytes (https://github.com/huggingface/safetensors). So bfloat16,
which NumPy hasn't got, is read as well, and one tensor of many is read alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.errors import listed, quote
from attncli.maths.equations.stored_matrix import BFLOAT16
from attncli.scenario.file.named_files import (
    JsonObject,
    RefusedFileError,
    broken,
    bytes_in,
    check_regular,
    parsed_json,
)

if TYPE_CHECKING:
    from attncli.maths.numbers.rounding import AnyArray


LARGEST_DESCRIPTION = 2**23
INDEX = ".safetensors.index.json"
"""The ending of a file that says which of several files holds which tensor."""
_TYPES: Mapping[str, str] = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "BOOL": "?",
    **{f"{sign}{8 * size}": f"<{sign.lower()}{size}" for sign in "IU" for size in (1, 2, 4, 8)},
}  # fmt: skip


class TensorHead(NamedTuple):
    """A tensor as the header of a file describes it: its type, its shape, and where its bytes
    begin."""

    kind: str
    shape: tuple[int, ...]
    begins: int

    @property
    def type(self) -> str:
        """Returns the type as NumPy and PyTorch call it: `float32`, `bfloat16`."""
        return "bfloat16" if self.kind == "BF16" else np.dtype(_TYPES[self.kind]).name

    def read(self, file: Path) -> AnyArray:
        """Returns the numbers of the tensor. They stay in the file until they are looked at, which
        may be a part of them, and are copied then anyway."""
        dtype, count = np.dtype(_TYPES[self.kind]), math.prod(self.shape)
        if not count:  # of which there is nothing to map
            return np.empty(self.shape, dtype)
        flat: AnyArray = np.memmap(file, dtype, "r", self.begins, (count,))
        return (flat.view(BFLOAT16) if self.kind == "BF16" else flat).reshape(self.shape)


def tensors_in(file: Path) -> Mapping[str, TensorHead]:
    """Reads what a file says of its tensors, by their names. Raises RefusedFileError."""
    state = file.stat()
    check_regular(file.name, state)
    return _tensors_in(file, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=8)
def _tensors_in(file: Path, size: int, _: int) -> Mapping[str, TensorHead]:
    """Reads the heads of a file of this size and time of change, once: a scenario asks for each of
    its tensors."""
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if length > min(size, LARGEST_DESCRIPTION):
            raise broken(file.name)
        head: dict[str, JsonObject] = parsed_json(stream.read(length))
    head.pop("__metadata__", None)
    ends = (value["data_offsets"][1] for value in head.values())
    if 8 + length + max(ends, default=0) != size:
        raise broken(file.name)
    return {name: _head(file, value, 8 + length) for name, value in head.items()}


_MOST_SIDES = 32
"""The most sides of an array that each version of NumPy knows."""


def _head(file: Path, data: JsonObject, begins: int) -> TensorHead:
    kind, shape = data["dtype"], tuple(data["shape"])
    if len(shape) > _MOST_SIDES or any(type(extent) is not int for extent in shape):
        raise broken(file.name)
    start, end = data["data_offsets"]
    if kind not in _TYPES:
        return TensorHead(kind, shape, -1)  # which nobody may want
    length = math.prod(shape) * np.dtype(_TYPES[kind]).itemsize
    if min(shape, default=0) < 0 or start < 0 or end - start != length:
        raise broken(file.name)
    return TensorHead(kind, shape, begins + start)


def check_type(head: TensorHead, name: str) -> None:
    """Raises RefusedFileError for numbers of a type that can't be read."""
    if head.kind not in _TYPES:
        wrong = f"{name} holds numbers of the type {quote(head.kind)}"
        raise RefusedFileError(wrong, f"save it as one of {listed(_TYPES)}")


def names_in_index(index: Path) -> Mapping[str, str]:
    """Returns the names of all tensors that an index knows, each with its file."""
    places: Mapping[str, str] = parsed_json(bytes_in(index))["weight_map"]
    return places


def shard_of(index: Path, key: str) -> tuple[Path, tuple[str, ...]]:
    """Returns the file beside an index that holds a tensor, and the names of all tensors."""
    places = names_in_index(index)
    return _beside(index, places.get(key, "")), tuple(places)


def _beside(index: Path, shard: str) -> Path:
    """Returns the path of a file that an index names. Raises RefusedFileError for one outside the
    index's folder."""
    if Path(shard).name != shard:
        wrong = f"{quote(index.name)} leads out of its folder, to {quote(shard)}"
        raise RefusedFileError(wrong, "keep all files of a model in one folder")
    return index.parent / shard


def check_is_there(shard: Path, index: Path) -> None:
    """Raises RefusedFileError where a file that an index names is missing."""
    if not shard.is_file():
        wrong = f"{quote(index.name)} needs {quote(shard.name)}, which isn't there"
        raise RefusedFileError(wrong, "put it beside the index")


def size_of(file: Path) -> int:
    """Counts the numbers in a file, or in all files that an index names. Raises
    RefusedFileError."""
    files = {file}
    if file.name.endswith(INDEX):
        files = {_beside(file, shard) for shard in {*names_in_index(file).values()}}
    for path in files:
        check_is_there(path, file)
    return sum(math.prod(head.shape) for path in files for head in tensors_in(path).values())
