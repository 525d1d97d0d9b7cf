"""Numbers read from .npy, .npz and .safetensors files, without trusting them.

What a file holds is checked from its header before any of it is loaded: a file that somebody was
sent can neither run code nor fill the memory.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, TypeVar

import numpy as np
from numpy.lib import format as npy

from attncli.errors import listed, quote
from attncli.maths.equations.stored_matrix import BFLOAT16, MANY, Kept, as_floats
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import AnyArray, Array
from attncli.scenario.file.named_files import (
    LargeFileError,
    RefusedFileError,
    broken,
    ending,
    found,
    unreadable,
)
from attncli.scenario.file.problems import ALL_THE_SAME, Diagnostics, nearest, scenario_error
from attncli.scenario.file.safetensors_files import (
    INDEX,
    check_is_there,
    check_type,
    shard_of,
    tensors_in,
)
from attncli.scenario.file.sources import MOST_NUMBERS, FileSource

LARGEST_HEADER = 2**16
T = TypeVar("T")
Opened = Callable[[], IO[bytes]]


def read(
    source: FileSource,
    folder: Path | None,
    outside: bool,
    problems: Diagnostics,
    most: int = MOST_NUMBERS,
) -> Array | None:
    """Reads numbers [r, c], or [1, c] where one row belongs. Returns None once it has reported what
    is wrong.

    The path starts from `folder`, or from the current directory, and may lead out of there only if
    `outside`. At most `most` numbers are read. Raises ScenarioError for more, since the same would
    be said of every array that follows.
    """
    return _read(source, folder, outside, problems, most, _numbers)


def read_in_place(
    source: FileSource, folder: Path | None, outside: bool, problems: Diagnostics, most: int
) -> Array | Kept | None:
    """Reads numbers as `read` does, but leaves large arrays of floats in their file."""
    return _read(source, folder, outside, problems, most, _left_or_numbers)


def _read(
    source: FileSource,
    folder: Path | None,
    outside: bool,
    problems: Diagnostics,
    most: int,
    taken: Callable[[AnyArray, FileSource], T],
) -> T | None:
    try:
        file = found(source.path, folder or Path(), outside, _READERS)
        with as_refused_file(source.path):
            reader = _READERS[ending(source.path, _READERS) or ""]
            return taken(source.part.of(reader(file, source, most)), source)
    except RefusedFileError as refused:
        problems.add(source.where, refused.wrong, refused.right)
        if isinstance(refused, LargeFileError):
            problems.stop_if_any()
        return None


@contextmanager
def as_refused_file(path: str) -> Iterator[None]:
    """Turns whatever goes wrong with a file's bytes into a RefusedFileError. NumPy's warnings are
    dropped.

    Broken bytes raise a dozen unrelated exceptions: BadZipFile, EOFError, zlib.error,
    SafetensorError, SyntaxError, tokenize.TokenError, RuntimeError for a password, …
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    except RefusedFileError:
        raise
    except OSError as error:
        raise unreadable(path, error) from error
    except MemoryError as error:
        wrong = f"{quote(path)} doesn't fit into the memory"
        raise RefusedFileError(wrong, "give a smaller array") from error
    except Exception as error:
        raise broken(path) from error


def _read_npy(file: Path, source: FileSource, most: int) -> AnyArray:
    if source.key is not None:
        wrong = f"a .npy file holds a single array, and the key {quote(source.key)} is given"
        raise RefusedFileError(wrong, "take the key out")
    return _read_array(lambda: file.open("rb"), file.stat().st_size, source, most)


def _read_npz(file: Path, source: FileSource, most: int) -> AnyArray:
    from zipfile import ZipFile

    with ZipFile(file) as archive:
        members = {m.filename[:-4]: m for m in archive.infolist() if m.filename.endswith(".npy")}
        member = members[_chosen(source, members)]
        return _read_array(lambda: archive.open(member), member.file_size, source, most)


def _read_array(opened: Opened, size: int, source: FileSource, most: int) -> AnyArray:
    """Reads the array of `size` bytes in NumPy's format, if it is one of numbers. Raises
    RefusedFileError.

    It is opened once more for the numbers, since going back in a zip file would end the checking of
    its checksum. The size has to fit exactly, for the checksum is checked at the end.
    """
    shape, _, dtype, begins = npy_header(opened)
    _check_kind(dtype, source)
    _check_shape(shape, source, most)
    if begins + math.prod(shape) * dtype.itemsize != size:
        raise broken(source.path)
    with opened() as stream:
        array: AnyArray = npy.read_array(stream, allow_pickle=False)
    return array


def npy_header(
    opened: Opened,
) -> tuple[tuple[int, ...], bool, np.dtype[np.generic], int]:
    """Reads the header of an array in NumPy's format: its shape, whether columns come first, its
    type, and where its numbers begin."""
    with opened() as stream:
        head = BytesIO(stream.read(LARGEST_HEADER))
    first = npy.read_magic(head) == (1, 0)
    read_header = npy.read_array_header_1_0 if first else npy.read_array_header_2_0
    return *read_header(head), head.tell()


def _read_safetensors(file: Path, source: FileSource, most: int) -> AnyArray:
    heads = tensors_in(file)
    head = heads[_chosen(source, heads)]
    check_type(head, _named(source))
    _check_shape(head.shape, source, most)
    return head.read(file)


def _read_sharded(file: Path, source: FileSource, most: int) -> AnyArray:
    """Reads a tensor of several files, by the index that says which of them holds it."""
    shard, names = shard_of(file, source.key or "")
    _chosen(source, names)
    check_is_there(shard, file)
    return _read_safetensors(shard, source, most)


_READERS: Mapping[str, Callable[[Path, FileSource, int], AnyArray]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
    INDEX: _read_sharded,
}


KINDS = tuple(_READERS)
"""The endings of these files."""


def _chosen(source: FileSource, keys: Iterable[str]) -> str:
    """Returns the key of the array that is meant: the one asked for, or the only one. Raises
    RefusedFileError where none or several could be meant."""
    names = sorted(keys)
    if not names:
        raise RefusedFileError(f"{quote(source.path)} holds no arrays", "give a file with some")
    if source.key is None and len(names) == 1:
        return names[0]
    if source.key is None:
        wrong = f"{quote(source.path)} holds {len(names)} arrays, and no key says which"
        raise RefusedFileError(wrong, f"add a key, known: {listed(names)}")
    if source.key not in names:
        wrong = f"{quote(source.path)} holds no array {quote(source.key)}"
        raise RefusedFileError(wrong, nearest(source.key, names))
    return source.key


_NO_NUMBERS = {
    "O": "Python objects, which are never unpickled",
    "S": "texts",
    "U": "texts",
    "V": "records",
    "c": "complex numbers",
    "M": "dates",
    "m": "spans of time",
}
_WIDEST = 8


def _check_kind(dtype: np.dtype[np.generic], source: FileSource) -> None:
    if dtype.kind not in "biuf" or dtype.itemsize > _WIDEST:
        kind = _NO_NUMBERS.get(dtype.kind, f"numbers of the kind {dtype.name}")
        right = "save it as float32 or float64 (float16, whole numbers and bool will do, too)"
        raise RefusedFileError(f"{_named(source)} holds {kind}", right)


def _named(source: FileSource) -> str:
    return quote(source.description())


def _check_shape(shape: tuple[int, ...], source: FileSource, most: int) -> None:
    text = f"{_named(source)} has the shape {shape}"
    if any(length < 0 for length in shape):
        raise broken(source.path)
    shape = source.part.shape(shape)
    row = len(shape) == 1 or (len(shape) == 2 and shape[0] == 1)  # noqa: PLR2004
    if source.dimensions == 1 and not row:
        raise RefusedFileError(f"{text}, where one row belongs", "save a single row of numbers")
    if source.dimensions != 1 and len(shape) != 2:  # noqa: PLR2004
        wrong = f"{text}, where rows and columns belong"
        raise RefusedFileError(wrong, "save an array of two dimensions")
    if not math.prod(shape):
        raise RefusedFileError(f"{text}: it is empty", "save an array with numbers in it")
    if math.prod(shape) > MOST_NUMBERS:
        wrong = f"{text}, more than {MOST_NUMBERS} numbers"
        raise RefusedFileError(wrong, "save a smaller array")
    if math.prod(shape) > most:
        left = f"and {most:,} numbers may be read yet"
        wrong = f"{text}, {left}: {math.prod(shape):,} numbers are too much at once"
        raise LargeFileError(wrong, f"save a smaller array, or give {ALL_THE_SAME}")


def _left_or_numbers(array: AnyArray, source: FileSource) -> Array | Kept:
    """Returns a large array of floats as it is in its file, any other array as numbers. Both report
    numbers that can't be worked with."""
    is_float = array.dtype.kind == "f" or array.dtype == BFLOAT16
    if array.ndim == 2 and array.size >= MANY and is_float:  # noqa: PLR2004

        def refuse() -> None:
            try:
                _numbers(array, source)
            except RefusedFileError as refused:
                raise scenario_error(source.where, refused.wrong, refused.right) from None

        return Kept(array, refuse)
    return _numbers(array, source)


def _numbers(array: AnyArray, source: FileSource) -> Array:
    """Returns the array as rows and columns of float64. Raises RefusedFileError for numbers that
    can't be worked with."""
    numbers = np.atleast_2d(np.array(as_floats(array), dtype=np.float64, order="C"))
    numbers.flags.writeable = False
    largest = float(decimals.LARGEST)
    if not (numbers.max() <= largest and numbers.min() >= -largest):  # which NaN isn't, too
        i, j = np.argwhere(~(np.abs(numbers) <= largest))[0]
        number = float(numbers[i, j])
        what = "beyond 1e300" if math.isfinite(number) else "not a finite number"
        wrong = f"row {i + 1}, column {j + 1} of {_named(source)} is {number!r}, {what}"
        raise RefusedFileError(wrong, "save finite numbers only, none beyond 1e300")
    return numbers
