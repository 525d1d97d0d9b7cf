"""Tensors that somebody dumped, in files of several kinds, read without trusting them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.errors import UserError, quote
from attncli.maths.equations.stored_matrix import BFLOAT16, as_floats
from attncli.maths.numbers.rounding import AnyArray, Array
from attncli.scenario.file.array_files import Opened, as_refused_file, npy_header
from attncli.scenario.file.named_files import (
    RefusedFileError,
    broken,
    found,
    parsed_json,
    suffix,
)
from attncli.scenario.file.problems import ALL_THE_SAME
from attncli.scenario.file.safetensors_files import (
    TensorHead,
    check_type,
    tensors_in,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


ROUNDOFFS: Mapping[str, float] = {
    "float64": 2.0**-53,
    "float32": 2.0**-24,
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
}
"""The types of floats, and by how much of its size each rounds a number."""


class Tensor(NamedTuple):
    """A tensor of any shape, nan and infinities among its numbers."""

    values: NDArray[np.float64]
    type: str
    """The type that the numbers were kept in."""
    digits: int | None = None
    """The decimals that the numbers are written with, where they are written."""

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape


class UnreadTensor:
    """A tensor of a file whose numbers are read when they are first asked for. That raises
    UserError where they can't be read."""

    def __init__(self, shape: tuple[int, ...], kind: str, read: Callable[[], Array]) -> None:
        self.shape, self.type, self._read = shape, kind, read
        self.digits: int | None = None

    @cached_property
    def values(self) -> NDArray[np.float64]:
        return self._read()


Dumped = Tensor | UnreadTensor


def read_dump(path: str, *, large: bool = False) -> Mapping[str, Dumped]:
    """Returns the tensors of a file by their names, in its order. Where the file has headers,
    numbers are only read when they are asked for. Raises UserError."""
    try:
        file = found(path, Path(), True, _DUMPS)
        with as_refused_file(path):
            _check_text(file, large=large)
            tensors = _DUMPS[suffix(path)](file)
    except RefusedFileError as refused:
        raise UserError.of(path, refused.wrong, refused.right) from None
    if not tensors:
        raise UserError.of(path, "it holds no tensors", "dump some, by the names of modules")
    return tensors


MOST_TEXT = 2**25
"""The most bytes of JSON, which take some four seconds to be read."""


def _check_text(file: Path, *, large: bool) -> None:
    """Raises RefusedFileError for a larger file of JSON than is read without `large`."""
    size = file.stat().st_size
    if suffix(str(file)) == ".json" and size > MOST_TEXT and not large:
        wrong = f"{size / 2**20:,.0f} MB of JSON are too much at once"
        raise RefusedFileError(
            wrong, f"dump .safetensors or .npz, of which only what is needed is read, or give"
            f" {ALL_THE_SAME}",
        )  # fmt: skip


def _npz_dump(file: Path) -> Mapping[str, Dumped]:
    from zipfile import ZipFile

    with ZipFile(file) as archive:
        members = [m for m in archive.infolist() if m.filename.endswith(".npy")]
        return {
            m.filename[:-4]: _from_npy(file, m.filename, partial(archive.open, m), m.file_size)
            for m in members
        }


def _from_npy(file: Path, name: str, opened: Opened, size: int) -> UnreadTensor:
    shape, fortran, dtype, begins = npy_header(opened)
    if begins + math.prod(shape) * dtype.itemsize != size or min(shape, default=0) < 0:
        raise broken(str(file))
    is_bfloat16 = dtype.str == "|V2"  # as NumPy keeps the bfloat16 of ml_dtypes
    if not is_bfloat16 and (dtype.kind not in "biuf" or dtype.itemsize > 8):  # noqa: PLR2004
        raise RefusedFileError(f"it holds {dtype.name}", "dump tensors of numbers only")

    def read() -> Array:
        from zipfile import ZipFile

        with ZipFile(file) as archive, archive.open(name) as stream:
            stream.read(begins)
            data = stream.read()
        flat = np.frombuffer(data, BFLOAT16 if is_bfloat16 else dtype)
        return _as_floats64(flat).reshape(shape, order="F" if fortran else "C")

    return UnreadTensor(shape, "bfloat16" if is_bfloat16 else dtype.name, _refusing(file, read))


def _safetensors_dump(file: Path) -> Mapping[str, Dumped]:
    heads = tensors_in(file)
    for name, head in heads.items():
        check_type(head, f"its {quote(name)}")

    def read(head: TensorHead) -> Array:
        return _as_floats64(head.read(file))

    return {
        name: UnreadTensor(head.shape, head.type, _refusing(file, partial(read, head)))
        for name, head in heads.items()
    }


def _refusing(file: Path, read: Callable[[], Array]) -> Callable[[], Array]:
    """Wraps the reading of numbers so that it raises UserError for broken ones."""

    def refusing() -> Array:
        try:
            with as_refused_file(str(file)):
                return read()
        except RefusedFileError as refused:
            raise UserError.of(str(file), refused.wrong, refused.right) from None

    return refusing


def _as_floats64(array: AnyArray) -> Array:
    return as_floats(array).astype(np.float64)


def _read_json(file: Path) -> Mapping[str, Dumped]:
    with file.open(encoding="utf-8-sig") as stream:
        data = parsed_json(stream.read(), parse_float=_Written)
    if not isinstance(data, dict):
        raise RefusedFileError("it holds no names", 'write {"name": [[…], …], …}')
    return {name: _tensor(name, value) for name, value in data.items()}


class _Written(float):
    """A number of a text that keeps its count of decimals."""

    __slots__ = ("digits",)
    digits: int

    def __new__(cls, text: str) -> _Written:
        self = super().__new__(cls, text)
        mantissa, _, exponent = text.lower().partition("e")
        self.digits = max(0, len(mantissa.partition(".")[2]) - int(exponent or 0))
        return self


def _tensor(name: str, value: object) -> Tensor:
    kind = "float64"
    if isinstance(value, dict) and "data" in value:
        kind = str(value.get("dtype", kind)).removeprefix("torch.")
        value = value["data"]
    try:
        values = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        right = "give lists of numbers, each row as long as the others"
        raise RefusedFileError(f"{quote(name)} is no tensor of numbers", right) from None
    return Tensor(values, kind, _most_digits(value))


def _most_digits(value: object) -> int:
    if isinstance(value, list):
        return max(map(_most_digits, value), default=0)
    return value.digits if isinstance(value, _Written) else 0


_DUMPS: Mapping[str, Callable[[Path], Mapping[str, Dumped]]] = {
    ".npz": _npz_dump,
    ".safetensors": _safetensors_dump,
    ".json": _read_json,
}
