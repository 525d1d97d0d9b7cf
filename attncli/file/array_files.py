"""Reading numbers from .npy, .npz and .safetensors files, without trusting them.

What a file holds is checked from its header before any of it is loaded: a file that somebody
was sent can neither run code nor fill the memory.
"""

from __future__ import annotations

import math
import os
import stat
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from attncli.arithmetic import decimals
from attncli.file.problems import ALL_THE_SAME, Problems, nearest
from attncli.file.sources import MOST_NUMBERS, Array, FileSource
from attncli.refusals import listed, quote

LARGEST_FILE = 4 * 2**30
_LARGEST_HEADER = 2**16


def read(
    source: FileSource,
    folder: Path | None,
    outside: bool,
    problems: Problems,
    most: int = MOST_NUMBERS,
) -> Array | None:
    """The numbers [r, c], or [1, c] where one row belongs; None having said what is wrong.

    The path goes from `folder`, or from the current directory; it may lead out of there only
    where `outside` says so. At most so many numbers are read.
    """
    try:
        file = _found(source.path, folder or Path(), outside)
        with _troubles_told(source.path):
            return _numbers(_READERS[_suffix(source.path)](file, source, most), source)
    except _RefusedError as refused:
        problems.add(source.where, refused.wrong, refused.right)
        return None


class _RefusedError(Exception):
    """A file that can't be used: what is wrong with it, and what would be right."""

    def __init__(self, wrong: str, right: str) -> None:
        self.wrong, self.right = wrong, right
        super().__init__(wrong)


def _suffix(path: str) -> str:
    return Path(path).suffix.lower()


def _found(path: str, folder: Path, outside: bool) -> Path:
    """The file that a path of a scenario leads to, every link followed."""
    if _suffix(path) not in _READERS:
        wrong = f"{quote(path)} is not of a kind of file that can be read"
        raise _RefusedError(wrong, f"known: {', '.join(_READERS)}")
    try:
        file = Path(os.path.realpath(folder / path))
        if not outside and not file.is_relative_to(os.path.realpath(folder)):
            wrong = f"{quote(path)} leads out of the scenario's folder"
            raise _RefusedError(wrong, "move it there, or allow it with the option --files-outside")
        _check_file(path, file.stat())
        file.open("rb").close()  # safetensors would say that it isn't there
    except FileNotFoundError:
        right = "give a path that goes from the scenario's folder"
        wrong = f"there is no file {quote(path)} in {folder.absolute()}"
        raise _RefusedError(wrong, right) from None
    except OSError as error:
        raise _unreadable(path, error) from None
    except ValueError:  # a NUL, or half a surrogate pair
        wrong = f"{quote(path)} has characters that no path can have"
        raise _RefusedError(wrong, "take them out") from None
    return file


def _check_file(path: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise _RefusedError(f"{quote(path)} is a folder", "give a file in it")
    if not stat.S_ISREG(status.st_mode):  # a pipe could keep us waiting for ever
        raise _RefusedError(f"{quote(path)} is a pipe or a device", "give a file")
    if status.st_size > LARGEST_FILE:
        wrong = f"{quote(path)} is larger than {LARGEST_FILE // 2**30} GiB"
        raise _RefusedError(wrong, "give a smaller file, with just the arrays that are needed")


def _unreadable(path: str, error: OSError) -> _RefusedError:
    wrong = f"{quote(path)} can't be read ({error.strerror or error})"
    return _RefusedError(wrong, "give a file that can be read")


@contextmanager
def _troubles_told(path: str) -> Iterator[None]:
    """Tells whatever goes wrong with a file's bytes as a refusal; NumPy's warnings are dropped.

    Broken bytes raise a dozen unrelated exceptions: BadZipFile, EOFError, zlib.error,
    SafetensorError, SyntaxError, tokenize.TokenError, RuntimeError for a password, …
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    except _RefusedError:
        raise
    except OSError as error:
        raise _unreadable(path, error) from error
    except MemoryError as error:
        wrong = f"{quote(path)} doesn't fit into the memory"
        raise _RefusedError(wrong, "give a smaller array") from error
    except Exception as error:
        raise _broken(path) from error


def _broken(path: str) -> _RefusedError:
    wrong = f"{quote(path)} is not a whole {_suffix(path)} file: it is broken or cut short"
    return _RefusedError(wrong, "save it anew")


def _read_npy(file: Path, source: FileSource, most: int) -> NDArray[Any]:
    if source.key is not None:
        wrong = f"a .npy file holds a single array, and the key {quote(source.key)} is given"
        raise _RefusedError(wrong, "take the key out")
    return _read_array(lambda: file.open("rb"), file.stat().st_size, source, most)


def _read_npz(file: Path, source: FileSource, most: int) -> NDArray[Any]:
    from zipfile import ZipFile

    with ZipFile(file) as archive:
        members = {m.filename[:-4]: m for m in archive.infolist() if m.filename.endswith(".npy")}
        member = members[_chosen(source, members)]
        return _read_array(lambda: archive.open(member), member.file_size, source, most)


def _read_array(
    opened: Callable[[], IO[bytes]], size: int, source: FileSource, most: int
) -> NDArray[Any]:
    """The array of `size` bytes in NumPy's format, if it's one of numbers.

    It's opened once more for the numbers, since going back in a zip file would end the
    checking of its sum; and the size has to be just right, for the sum is checked at the end.
    """
    with opened() as stream:
        head = BytesIO(stream.read(_LARGEST_HEADER))
    first = npy.read_magic(head) == (1, 0)
    read_header = npy.read_array_header_1_0 if first else npy.read_array_header_2_0
    shape, _, dtype = read_header(head)
    _check_kind(dtype, source)
    _check_shape(shape, source, most)
    if head.tell() + math.prod(shape) * dtype.itemsize != size:
        raise _broken(source.path)
    with opened() as stream:
        array: NDArray[Any] = npy.read_array(stream, allow_pickle=False)
    return array


def _read_safetensors(file: Path, source: FileSource, most: int) -> NDArray[Any]:
    try:
        from safetensors import safe_open
    except ImportError:
        wrong = f"{quote(source.path)} needs the package safetensors, which is not installed"
        raise _RefusedError(wrong, "pip install 'attncli[safetensors]'") from None
    with safe_open(file, framework="numpy") as archive:
        key = _chosen(source, archive.keys())
        head = archive.get_slice(key)
        _check_tensor_kind(head.get_dtype(), source)
        _check_shape(tuple(head.get_shape()), source, most)
        array: NDArray[Any] = archive.get_tensor(key)
        return array


_READERS: Mapping[str, Callable[[Path, FileSource, int], NDArray[Any]]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
}


def _chosen(source: FileSource, keys: Iterable[str]) -> str:
    """The key of the array that is meant: the one asked for, or the only one."""
    names = sorted(keys)
    if not names:
        raise _RefusedError(f"{quote(source.path)} holds no arrays", "give a file with some")
    if source.key is None and len(names) == 1:
        return names[0]
    if source.key is None:
        wrong = f"{quote(source.path)} holds {len(names)} arrays, and no key says which"
        raise _RefusedError(wrong, f"add a key, known: {listed(names)}")
    if source.key not in names:
        wrong = f"{quote(source.path)} holds no array {quote(source.key)}"
        raise _RefusedError(wrong, nearest(source.key, names))
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
_SAFE_KINDS = {"BOOL", "F16", "F32", "F64"} | {f"{s}{n}" for s in "IU" for n in (8, 16, 32, 64)}
_WIDEST = 8


def _check_kind(dtype: np.dtype[Any], source: FileSource) -> None:
    if dtype.kind not in "biuf" or dtype.itemsize > _WIDEST:
        kind = _NO_NUMBERS.get(dtype.kind, f"numbers of the kind {dtype.name}")
        raise _no_numbers(kind, source)


def _check_tensor_kind(name: str, source: FileSource) -> None:
    if name not in _SAFE_KINDS:
        known = {"BF16": "bfloat16 numbers, which NumPy doesn't know", "C64": _NO_NUMBERS["c"]}
        raise _no_numbers(known.get(name, f"numbers of the kind {name}"), source)


def _no_numbers(kind: str, source: FileSource) -> _RefusedError:
    right = "save it as float32 or float64 (float16, whole numbers and bool will do, too)"
    return _RefusedError(f"{_named(source)} holds {kind}", right)


def _named(source: FileSource) -> str:
    return quote(source.told())


def _check_shape(shape: tuple[int, ...], source: FileSource, most: int) -> None:
    told = f"{_named(source)} has the shape {shape}"
    row = len(shape) == 1 or (len(shape) == 2 and shape[0] == 1)  # noqa: PLR2004
    if source.dimensions == 1 and not row:
        raise _RefusedError(f"{told}, where one row belongs", "save a single row of numbers")
    if source.dimensions != 1 and len(shape) != 2:  # noqa: PLR2004
        wrong = f"{told}, where rows and columns belong"
        raise _RefusedError(wrong, "save an array of two dimensions")
    if any(length < 0 for length in shape):
        raise _broken(source.path)
    if not math.prod(shape):
        raise _RefusedError(f"{told}: it is empty", "save an array with numbers in it")
    if math.prod(shape) > MOST_NUMBERS:
        wrong = f"{told}, more than {MOST_NUMBERS} numbers"
        raise _RefusedError(wrong, "save a smaller array")
    if math.prod(shape) > most:
        wrong = f"{told}: {math.prod(shape):,} numbers are too much at once"
        raise _RefusedError(wrong, f"save a smaller array, or give {ALL_THE_SAME}")


def _numbers(array: NDArray[Any], source: FileSource) -> Array:
    """The array as rows and columns of native float64, every number one to work with."""
    numbers = np.atleast_2d(np.array(array, dtype=np.float64, order="C"))
    largest = float(decimals.LARGEST)
    unfit = ~((numbers <= largest) & (numbers >= -largest))  # which NaN is, too
    if unfit.any():
        i, j = np.argwhere(unfit)[0]
        number = float(numbers[i, j])
        what = "beyond 1e300" if math.isfinite(number) else "not a finite number"
        wrong = f"row {i + 1}, column {j + 1} of {_named(source)} is {number!r}, {what}"
        raise _RefusedError(wrong, "save finite numbers only, none beyond 1e300")
    return numbers
