"""Reading tensors of a `.safetensors` file by its own description, without trusting it.

The file is eight bytes that say how long its header is, the header (JSON: name → type, shape and
place of each tensor), then the bytes (https://github.com/huggingface/safetensors). So bfloat16,
which NumPy hasn't got, is read as well, and one tensor of many is read alone.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.lib import format as npy

from attncli.errors import UserError, listed, quote
from attncli.maths.equations.matrix import BFLOAT16, MANY, Kept, as_floats
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array
from attncli.scenario.file.named_files import (
    LargeFileError,
    RefusedFileError,
    broken,
    bytes_in,
    check_regular,
    ending,
    found,
    parsed_json,
    suffix,
    unreadable,
)
from attncli.scenario.file.problems import ALL_THE_SAME, Diagnostics, nearest, scenario_error
from attncli.scenario.file.sources import MOST_NUMBERS, FileSource

if TYPE_CHECKING:
    from numpy.typing import NDArray


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

    def read(self, file: Path) -> NDArray[Any]:
        """Returns the numbers of the tensor. They stay in the file until they are looked at, which
        may be a part of them, and are copied then anyway."""
        dtype, count = np.dtype(_TYPES[self.kind]), math.prod(self.shape)
        if not count:  # of which there is nothing to map
            return np.empty(self.shape, dtype)
        flat: NDArray[Any] = np.memmap(file, dtype, "r", self.begins, (count,))
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
        head: dict[str, Any] = parsed_json(stream.read(length))
    head.pop("__metadata__", None)
    ends = (value["data_offsets"][1] for value in head.values())
    if 8 + length + max(ends, default=0) != size:
        raise broken(file.name)
    return {name: _head(file, value, 8 + length) for name, value in head.items()}


_MOST_SIDES = 32
"""The most sides of an array that each version of NumPy knows."""


def _head(file: Path, data: Mapping[str, Any], begins: int) -> TensorHead:
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


# --------------------------------------------------------------------------------------------------
# Reading numbers from .npy, .npz and .safetensors files, without trusting them. What a file holds
# is checked from its header before any of it is loaded: a file that somebody was sent can neither
# run code nor fill the memory.

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
    taken: Callable[[NDArray[Any], FileSource], T],
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


def _read_npy(file: Path, source: FileSource, most: int) -> NDArray[Any]:
    if source.key is not None:
        wrong = f"a .npy file holds a single array, and the key {quote(source.key)} is given"
        raise RefusedFileError(wrong, "take the key out")
    return _read_array(lambda: file.open("rb"), file.stat().st_size, source, most)


def _read_npz(file: Path, source: FileSource, most: int) -> NDArray[Any]:
    from zipfile import ZipFile

    with ZipFile(file) as archive:
        members = {m.filename[:-4]: m for m in archive.infolist() if m.filename.endswith(".npy")}
        member = members[_chosen(source, members)]
        return _read_array(lambda: archive.open(member), member.file_size, source, most)


def _read_array(opened: Opened, size: int, source: FileSource, most: int) -> NDArray[Any]:
    """Reads the array of `size` bytes in NumPy's format, if it is one of numbers. Raises
    RefusedFileError.

    It is opened once more for the numbers, since going back in a zip file would end the checking of
    its checksum. The size has to fit exactly, for the checksum is checked at the end.
    """
    shape, _, dtype, begins = _npy_header(opened)
    _check_kind(dtype, source)
    _check_shape(shape, source, most)
    if begins + math.prod(shape) * dtype.itemsize != size:
        raise broken(source.path)
    with opened() as stream:
        array: NDArray[Any] = npy.read_array(stream, allow_pickle=False)
    return array


def _npy_header(
    opened: Opened,
) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Reads the header of an array in NumPy's format: its shape, whether columns come first, its
    type, and where its numbers begin."""
    with opened() as stream:
        head = BytesIO(stream.read(LARGEST_HEADER))
    first = npy.read_magic(head) == (1, 0)
    read_header = npy.read_array_header_1_0 if first else npy.read_array_header_2_0
    return *read_header(head), head.tell()


def _read_safetensors(file: Path, source: FileSource, most: int) -> NDArray[Any]:
    heads = tensors_in(file)
    head = heads[_chosen(source, heads)]
    check_type(head, _named(source))
    _check_shape(head.shape, source, most)
    return head.read(file)


def _read_sharded(file: Path, source: FileSource, most: int) -> NDArray[Any]:
    """Reads a tensor of several files, by the index that says which of them holds it."""
    shard, names = shard_of(file, source.key or "")
    _chosen(source, names)
    check_is_there(shard, file)
    return _read_safetensors(shard, source, most)


_READERS: Mapping[str, Callable[[Path, FileSource, int], NDArray[Any]]] = {
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


def _check_kind(dtype: np.dtype[Any], source: FileSource) -> None:
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


def _left_or_numbers(array: NDArray[Any], source: FileSource) -> Array | Kept:
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


def _numbers(array: NDArray[Any], source: FileSource) -> Array:
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
    shape, fortran, dtype, begins = _npy_header(opened)
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


def _as_floats64(array: NDArray[Any]) -> Array:
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


def _tensor(name: str, value: Any) -> Tensor:  # noqa: ANN401
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


def _most_digits(value: Any) -> int:  # noqa: ANN401
    if isinstance(value, list):
        return max(map(_most_digits, value), default=0)
    return value.digits if isinstance(value, _Written) else 0


_DUMPS: Mapping[str, Callable[[Path], Mapping[str, Dumped]]] = {
    ".npz": _npz_dump,
    ".safetensors": _safetensors_dump,
    ".json": _read_json,
}
