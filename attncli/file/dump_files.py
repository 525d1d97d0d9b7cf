"""Reading the tensors that a program dumped, of any shape and type, without trusting them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy

from attncli.file.array_files import LARGEST_HEADER, broken, troubles_told
from attncli.file.files import RefusedFileError, found, suffix
from attncli.file.safetensors_files import check_type, tensors_in
from attncli.file.sources import MOST_NUMBERS
from attncli.refusals import Refusal, quote

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
    """A tensor of any shape: its numbers, nan and infinities among them, and the type that they
    were kept in. `digits` are the decimals that it is written with, where it is written."""

    values: NDArray[np.float64]
    type: str
    digits: int | None = None


def read_dump(path: str) -> Mapping[str, Tensor]:
    """The tensors of a file by their names, in its order. Raises Refusal."""
    try:
        file = found(path, Path(), True, _READERS)
        with troubles_told(path):
            tensors = _READERS[suffix(path)](file)
    except RefusedFileError as refused:
        raise Refusal.of(path, refused.wrong, refused.right) from None
    if not tensors:
        raise Refusal.of(path, "it holds no tensors", "dump some, by the names of modules")
    return tensors


def _read_npz(file: Path) -> Mapping[str, Tensor]:
    from zipfile import ZipFile

    with ZipFile(file) as archive:
        members = [one for one in archive.infolist() if one.filename.endswith(".npy")]
        return {
            one.filename[:-4]: _from_npy(partial(archive.open, one), one.file_size, file)
            for one in members
        }


def _from_npy(opened: Callable[[], IO[bytes]], size: int, file: Path) -> Tensor:
    with opened() as stream:
        head = stream.read(LARGEST_HEADER)
    start = BytesIO(head)
    first = npy.read_magic(start) == (1, 0)
    shape, fortran, dtype = (npy.read_array_header_1_0 if first else npy.read_array_header_2_0)(
        start
    )
    _check_size(shape, file)
    if start.tell() + math.prod(shape) * dtype.itemsize != size:
        raise broken(str(file))
    with opened() as stream:
        stream.read(start.tell())
        data = stream.read()
    if dtype.str == "|V2":  # as NumPy keeps the bfloat16 of ml_dtypes
        return _tensor(np.frombuffer(data, "<u2"), shape, "bfloat16", fortran)
    if dtype.kind not in "biuf" or dtype.itemsize > 8:  # noqa: PLR2004
        raise RefusedFileError(f"it holds {dtype.name}", "dump tensors of numbers only")
    return _tensor(np.frombuffer(data, dtype), shape, dtype.name, fortran)


def _read_safetensors(file: Path) -> Mapping[str, Tensor]:
    heads = tensors_in(file)
    for name, head in heads.items():
        check_type(head, f"its {quote(name)}")
        _check_size(head.shape, file)
    return {
        name: Tensor(head.read(file).astype(np.float64), head.type) for name, head in heads.items()
    }


def _tensor(flat: NDArray[Any], shape: tuple[int, ...], kind: str, fortran: bool = False) -> Tensor:
    if kind == "bfloat16":
        flat = (flat.astype(np.uint32) << 16).view(np.float32)
    values = flat.astype(np.float64).reshape(shape, order="F" if fortran else "C")
    return Tensor(values, kind)


def _read_json(file: Path) -> Mapping[str, Tensor]:
    with file.open(encoding="utf-8-sig") as stream:
        data = json.load(stream, parse_float=_Written)
    if not isinstance(data, dict):
        raise RefusedFileError("it holds no names", 'write {"name": [[…], …], …}')
    return {name: _written(name, one) for name, one in data.items()}


class _Written(float):
    """A number of a text, which knows its decimals."""

    digits: int

    def __new__(cls, text: str) -> _Written:
        self = super().__new__(cls, text)
        mantissa, _, exponent = text.lower().partition("e")
        self.digits = max(0, len(mantissa.partition(".")[2]) - int(exponent or 0))
        return self


def _written(name: str, said: Any) -> Tensor:  # noqa: ANN401
    kind = "float64"
    if isinstance(said, dict) and "data" in said:
        kind = str(said.get("dtype", kind)).removeprefix("torch.")
        said = said["data"]
    try:
        values = np.array(said, dtype=np.float64)
    except (TypeError, ValueError):
        right = "give lists of numbers, each row as long as the others"
        raise RefusedFileError(f"{quote(name)} is no tensor of numbers", right) from None
    digits = max((one.digits for one in _leaves(said)), default=0)
    return Tensor(values, kind, digits)


def _leaves(said: Any) -> list[_Written]:  # noqa: ANN401
    if isinstance(said, list):
        return [leaf for one in said for leaf in _leaves(one)]
    return [said] if isinstance(said, _Written) else []


def _check_size(shape: tuple[int, ...], file: Path) -> None:
    if any(length < 0 for length in shape):
        raise broken(str(file))
    if math.prod(shape) > MOST_NUMBERS:
        wrong = f"a tensor of the shape {shape} has more than {MOST_NUMBERS} numbers"
        raise RefusedFileError(wrong, "dump a smaller model")


_READERS: Mapping[str, Callable[[Path], Mapping[str, Tensor]]] = {
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
    ".json": _read_json,
}
