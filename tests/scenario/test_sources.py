"""Random numbers and files of numbers: NumPy's own streams, and no file that does harm."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from numpy.lib import format as npy
from numpy.typing import NDArray

from attncli.errors import Where
from attncli.scenario.file import array_files
from attncli.scenario.file.array_parts import ArrayPart, Split
from attncli.scenario.file.named_files import RefusedFileError
from attncli.scenario.file.nodes import Node, Numbers
from attncli.scenario.file.problems import Diagnostics
from attncli.scenario.file.reading import read_value
from attncli.scenario.file.sources import FileSource, RandomSource, SourceKind, is_source
from tests.conftest import share

HERE = Where("s.yaml", 4, 6)
Write = Callable[[Path], object]


def node(text: str) -> Node:
    found = read_value(text, Where("s.yaml", 1, 1), Diagnostics())
    assert found is not None
    return found


def read(text: str, dimensions: int = 2) -> RandomSource | FileSource:
    problems = Diagnostics()
    source = SourceKind(dimensions).read(node(text), problems)
    assert not problems.found
    assert source is not None
    return source


def random(text: str) -> RandomSource:
    source = read(text)
    assert isinstance(source, RandomSource)
    return source


def wrongs(text: str, dimensions: int = 2) -> list[str]:
    """All that is wrong with a source, without the file's name."""
    problems = Diagnostics()
    assert SourceKind(dimensions).read(node(text), problems) is None
    return [str(problem).removeprefix("s.yaml:") for problem in problems.found]


def numbers(folder: Path | None, path: str, key: str | None = None, dimensions: int = 2) -> Any:
    problems = Diagnostics()
    array = array_files.read(FileSource(path, key, HERE, dimensions), folder, False, problems)
    assert not problems.found
    assert array is not None
    assert array.dtype == np.float64
    assert array.dtype.isnative
    assert array.flags.c_contiguous
    assert array.ndim == 2
    return array.tolist()


def refusal(
    folder: Path | None,
    path: str,
    key: str | None = None,
    dimensions: int = 2,
    outside: bool = False,
) -> str:
    """The one problem of a file, at its place."""
    problems = Diagnostics()
    source = FileSource(path, key, HERE, dimensions)
    assert array_files.read(source, folder, outside, problems) is None
    (problem,) = problems.found
    assert problem.where == HERE
    assert problem.right
    return f"{problem.wrong}; {problem.right}"


def zipped(path: Path, **members: bytes) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)


def npy_bytes(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def npy_header(descr: str, shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    npy.write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def tensors(path: Path, data: bytes, **arrays: tuple[str, list[int], tuple[int, int]]) -> None:
    """A .safetensors file, written by hand."""
    names = ("dtype", "shape", "data_offsets")
    header = {key: dict(zip(names, array, strict=True)) for key, array in arrays.items()}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


# Random numbers


def test_normal_numbers_are_those_of_random_state() -> None:
    source = random("{random: normal, seed: 7, mean: 0.5, std: 0.1}")
    expected = np.random.RandomState(7).normal(0.5, 0.1, (3, 2))
    assert source.draw((3, 2)).tolist() == expected.tolist()
    assert (source.kind, source.seed, *map(float, source.written)) == ("normal", 7, 0.5, 0.1)
    assert source.where == Where("s.yaml", 1, 1)
    assert source.shape is None


def test_uniform_numbers_are_those_of_random_state() -> None:
    source = random("{random: uniform, seed: 4294967295, low: -1, high: 1.50, shape: [2, 3]}")
    expected = np.random.RandomState(2**32 - 1).uniform(-1, 1.5, (2, 3))
    assert source.draw((2, 3)).tolist() == expected.tolist()
    assert (*map(float, source.written), source.shape) == (-1, 1.5, (2, 3))


def test_normal_numbers_have_defaults() -> None:
    source = random("{random: normal, seed: 0}")
    assert source.draw((1, 4)).tolist() == np.random.RandomState(0).normal(0, 0.02, (1, 4)).tolist()


def test_a_stream_as_it_has_always_been() -> None:
    drawn = random("{random: normal, seed: 7, std: 1}").draw((1, 2))
    assert drawn.tolist() == [[1.690525703800356, -0.4659373705408328]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{random: normal, seed: 7}", "normal, seed 7, mean 0, std 0.02"),
        ("{random: normal, seed: 7, std: 1.0}", "normal, seed 7, mean 0, std 1.0"),
        (
            "{random: uniform, seed: 1, low: -1, high: 1, shape: [2, 2]}",
            "uniform, seed 1, low -1, high 1",
        ),
        ("{file: weights.npz, key: W_Q}", "weights.npz, W_Q"),
        ("{file: data/W_Q.npy}", "data/W_Q.npy"),
    ],
)
def test_told(text: str, told: str) -> None:
    assert read(text).description() == told


def test_a_file_is_read_with_its_place() -> None:
    assert read("{file: w.npz, key: W}", 1) == FileSource("w.npz", "W", Where("s.yaml", 1, 1), 1)
    assert read("{file: w.npy}") == FileSource("w.npy", None, Where("s.yaml", 1, 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{random: normal, seed: 7}", True),
        ("{seed: 7, random: uniform}", True),
        ("{random: wrong}", True),
        ("{file: w.npy}", True),
        ("{random: normal, file: w.npy}", True),
        ("{random: [1, 0], file: [0, 1]}", False),
        ("{love: [1, 0]}", False),
        ("{kind: normal, seed: 7}", False),
        ("[[1, 0]]", False),
        ("random", False),
    ],
)
def test_sources_are_told_from_rows_by_name(text: str, expected: bool) -> None:
    assert is_source(node(text)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1]", "1:1: a list, where random numbers or a file belong; give one, like {random:"),
        ("{seed: 7}", "1:1: this map says neither `random` nor `file`; give one, like"),
        ("{random: normal, seed: 7, file: w.npy}", "1:27: both `random` and `file` are given; "),
        ("{random: norml, seed: 7}", '1:10: the text "norml" is not a choice here; did you mean'),
        ("{random: [1], seed: 7}", "1:10: a list is not a choice here; known: normal, uniform"),
        ("{random: normal}", "1:1: random numbers without `seed`; add `seed: 7`"),
        ("{random: normal, sed: 7, seed: 7}", '1:18: unknown key "sed"; did you mean seed?'),
        ("{random: normal, seed: -1}", '1:24: the text "-1" is not a whole number from 0 to 4294'),
        ("{random: normal, seed: 4294967296}", '1:24: the text "4294967296" is not a whole'),
        ("{random: normal, seed: 1.5}", '1:24: the text "1.5" is not a whole number'),
        ("{random: normal, seed: 1, std: 0}", "1:32: 0 is not above zero; give a number above"),
        ("{random: normal, seed: 1, std: -2}", "1:32: -2 is not above zero"),
        ("{random: normal, seed: 1, std: nan}", '1:32: the text "nan" is not a finite number'),
        ("{random: normal, seed: 1, mean: [0]}", "1:33: a list where a number belongs"),
        ("{random: normal, seed: 1, std: 1e299}", "1:1: this mean and std can give numbers bey"),
        ("{random: normal, seed: 1, low: 0}", "1:27: normal numbers have no `low`; theirs are m"),
        ("{random: uniform, seed: 1, low: 1, high: 1}", "1:42: low is 1, and high is 1; give a"),
        ("{random: uniform, seed: 1, low: 1, high: -1}", "1:42: low is 1, and high is -1; give"),
        ("{random: uniform, seed: 1, low: 1}", "1:1: random numbers without `high`; add `high: 1"),
        ("{random: normal, seed: 1, shape: 3}", '1:34: the text "3", where a shape belongs; giv'),
        ("{random: normal, seed: 1, shape: [3]}", "1:34: a list, where a shape belongs; give its"),
        ("{random: normal, seed: 1, shape: [1, 2, 3]}", "1:34: a list, where a shape belongs"),
        ("{random: normal, seed: 1, shape: [0, 2]}", '1:35: the text "0" is not a whole number'),
        ("{random: normal, seed: 1, shape: [2, 2.5]}", '1:38: the text "2.5" is not a whole'),
        ("{random: normal, seed: 1, shape: [99999, 99999]}", "1:34: 99999 × 99999 are more than"),
        ("{file: }", "1:8: a path is wanted here, and this is empty"),
        ("{file: [w.npy]}", "1:8: a path is wanted here, and this is a list"),
        ("{file: w.npz, key: ''}", "1:20: a key is wanted here, and this is empty"),
        ("{file: w.npz, kee: W}", '1:15: unknown key "kee"; did you mean key?'),
        ("{file: w.npz, seed: 7}", '1:15: unknown key "seed"; known: file, key'),
    ],
)
def test_what_is_wrong_with_a_source(text: str, expected: str) -> None:
    (wrong,) = wrongs(text)
    assert wrong.startswith(expected)


def test_all_that_is_wrong_is_said() -> None:
    found = wrongs("{random: uniform, std: 1, sead: 7, low: x, shape: [0, x]}")
    places = ["1:19", "1:27", "1:41", "1:52", "1:55", "1:1", "1:1"]
    assert [wrong.split(": ")[0] for wrong in found] == places


def test_the_shape_of_a_row() -> None:
    text = "{random: normal, seed: 1, shape: [2, 3]}"
    assert wrongs(text, 1) == ["1:34: a shape of 2 rows, where one row belongs; give [1, 3]"]
    source = read("{random: normal, seed: 1, shape: [1, 3]}", 1)
    assert isinstance(source, RandomSource)
    assert source.shape == (1, 3)


def test_an_array_is_no_shape() -> None:
    problems = Diagnostics()
    kind = SourceKind(2)
    assert kind.read(Numbers(np.ones((2, 2)), HERE), problems) is None
    assert problems.found[0].wrong.startswith("an array of 2 × 2, where random numbers")


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ({"random": "normal", "seed": 7}, True),
        ({"random": "normal", "seed": 7, "std": 0.1, "mean": 1, "shape": [2, 3]}, True),
        ({"random": "uniform", "seed": 7, "low": -1, "high": 1}, True),
        ({"file": "w.npz", "key": "W"}, True),
        ({"file": "w.npy"}, True),
        ({"random": "normal"}, False),
        ({"random": "uniform", "seed": 7}, False),
        ({"random": "normal", "seed": 7, "low": 0}, False),
        ({"random": "normal", "seed": 7, "std": 0}, False),
        ({"random": "normal", "seed": 7, "shape": [2]}, False),
        ({"key": "W"}, False),
        ({"random": "normal", "seed": 7, "file": "w.npy"}, False),
    ],
)
def test_schema(value: dict[str, Any], valid: bool) -> None:
    schema = SourceKind(2).schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert jsonschema.Draft202012Validator(schema).is_valid(value) is valid


# Files with good numbers


@pytest.mark.parametrize(
    "dtype", ["f2", "f4", "f8", ">f4", ">f8", "i1", ">i2", "i4", "i8", "u1", ">u8", "?"]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_kinds_and_orders_of_numbers(tmp_path: Path, dtype: str, order: Any) -> None:
    array = np.array([[0, 1, 1], [1, 0, 1]], dtype=dtype, order=order)
    np.save(tmp_path / "w.npy", array)
    np.savez(tmp_path / "w.npz", a=array * 0, W_Q=array)
    np.savez_compressed(tmp_path / "z.NPZ", W_Q=array)
    (tmp_path / "z.NPZ.npz").rename(tmp_path / "z.NPZ")
    expected = [[0, 1, 1], [1, 0, 1]]
    assert numbers(tmp_path, "w.npy") == expected
    assert numbers(tmp_path, "w.npz", "W_Q") == expected
    assert numbers(tmp_path, "z.NPZ") == expected


def test_versions_of_numpys_format(tmp_path: Path) -> None:
    for version in ((1, 0), (2, 0), (3, 0)):
        with (tmp_path / "w.npy").open("wb") as stream:
            npy.write_array(stream, np.array([[0.5, 2]]), version)
        assert numbers(tmp_path, "w.npy") == [[0.5, 2]]


def test_a_header_of_python_2(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    data = npy_bytes(np.ones((2, 1))).replace(b"(2, 1), }  ", b"(2L, 1L), }")
    (tmp_path / "w.npy").write_bytes(data)
    assert numbers(tmp_path, "w.npy") == [[1], [1]]
    assert not recwarn.list


def test_a_large_array_in_a_zip(tmp_path: Path) -> None:
    array = np.arange(100_000.0).reshape(100, 1000)
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "w.npz", W=array)
        assert numbers(tmp_path, "w.npz", "W") == array.tolist()


def test_rows(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", flat=np.array([1, 2, 3]), row=np.array([[1, 2, 3]]))
    assert numbers(tmp_path, "w.npz", "flat", dimensions=1) == [[1, 2, 3]]
    assert numbers(tmp_path, "w.npz", "row", dimensions=1) == [[1, 2, 3]]
    assert numbers(tmp_path, "w.npz", "row") == [[1, 2, 3]]


def test_a_mapping_reads_from_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner").mkdir()
    np.save(tmp_path / "inner" / "w.npy", [[1.5]])
    np.save(tmp_path / "w.npy", [[2.5]])
    monkeypatch.chdir(tmp_path / "inner")
    assert numbers(None, "w.npy") == [[1.5]]
    assert numbers(Path(), "./w.npy") == [[1.5]]
    assert "leads out of the scenario's folder" in refusal(None, "../w.npy")


def test_the_numbers_are_nobody_elses(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", [[1.0]])
    array = array_files.read(FileSource("w.npy", None, HERE), tmp_path, False, Diagnostics())
    assert array is not None
    assert array.flags.owndata
    assert not array.flags.writeable  # a trace has them without a copy


def test_largest_numbers(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", [[1e300, -1e300]])
    assert numbers(tmp_path, "w.npy") == [[1e300, -1e300]]


# Paths


def test_paths_that_stay_in_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "scenarios"
    (folder / "data").mkdir(parents=True)
    np.save(folder / "data" / "w.npy", [[1.0]])
    (folder / "link.npy").symlink_to("data/w.npy")
    (tmp_path / "other").symlink_to(folder)
    for path in ("data/w.npy", "data/../data/w.npy", "../scenarios/data/w.npy", "link.npy"):
        assert numbers(folder, path) == [[1]]
        assert numbers(tmp_path / "other", path) == [[1]]
    assert numbers(folder, str(folder / "data" / "w.npy")) == [[1]]


def test_paths_that_leave_the_folder(tmp_path: Path) -> None:
    folder, sibling = tmp_path / "a", tmp_path / "ab"
    folder.mkdir()
    sibling.mkdir()
    np.save(sibling / "w.npy", [[1.0]])
    (folder / "file.npy").symlink_to(sibling / "w.npy")
    (folder / "data").symlink_to(sibling)
    (folder / "hop.npy").symlink_to("file.npy")
    paths = ("../ab/w.npy", str(sibling / "w.npy"), "file.npy", "data/w.npy", "hop.npy")
    for path in paths:
        text = refusal(folder, path)
        assert "leads out of the scenario's folder" in text
        assert "--files-outside" in text
        found = array_files.read(FileSource(path, None, HERE), folder, True, Diagnostics())
        assert found is not None
        assert found.tolist() == [[1]]
    # whether something is there outside isn't told, either
    assert "leads out" in refusal(folder, "../ab/none.npy")
    assert "there is no file" in refusal(folder, "../ab/none.npy", outside=True)


def test_no_file(tmp_path: Path) -> None:
    (tmp_path / "w.npy").write_bytes(b"")
    text = f'there is no file "v.npy" in {tmp_path}; give a path that goes from the scenario\'s'
    assert refusal(tmp_path, "v.npy").startswith(text)
    assert "can't be read (Not a directory)" in refusal(tmp_path, "w.npy/v.npy")


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "w.npz").mkdir()
    assert refusal(tmp_path, "w.npz") == '"w.npz" is a folder; give a file in it'


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "w.npy")
    assert "is a pipe or a device" in refusal(tmp_path, "w.npy")


def test_a_ring_of_links(tmp_path: Path) -> None:
    (tmp_path / "a.npy").symlink_to("b.npy")
    (tmp_path / "b.npy").symlink_to("a.npy")
    assert "can't be read (Too many levels" in refusal(tmp_path, "a.npy")


def test_no_path_at_all(tmp_path: Path) -> None:
    assert "has characters that no path can have" in refusal(tmp_path, "w\0.npy")
    assert "has characters that no path can have" in refusal(tmp_path, "w\ud800.npy")
    assert "can't be read (File name too long)" in refusal(tmp_path, "w" * 5000 + ".npy")


@pytest.mark.parametrize("path", ["w.pt", "w", "w.npy.gz", ".npy", "w.pkl", ".."])
def test_suffixes(tmp_path: Path, path: str) -> None:
    text = refusal(tmp_path, path)
    assert text.endswith(
        "is not of a kind of file that can be read; known: .npy, .npz, .safetensors, "
        ".safetensors.index.json"
    )


def test_a_huge_file(tmp_path: Path) -> None:
    with (tmp_path / "w.npy").open("wb") as stream:
        stream.truncate(4 * 2**30 + 1)
    assert '"w.npy" is larger than 4 GiB; give a smaller' in refusal(tmp_path, "w.npy")


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors"])
def test_a_file_that_may_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    def denied(file: Path, source: FileSource, most: int) -> None:  # noqa: ARG001
        raise PermissionError(13, "Permission denied", str(file), source)

    (tmp_path / f"w{suffix}").write_bytes(b"")
    monkeypatch.setattr(array_files, "_READERS", {suffix: denied})
    text = f'"w{suffix}" can\'t be read (Permission denied); give a file that can be read'
    assert refusal(tmp_path, f"w{suffix}") == text


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors"])
def test_permissions(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"w{suffix}").touch(0o000)
    assert "can't be read (Permission denied)" in refusal(tmp_path, f"w{suffix}")


def test_a_memory_that_is_too_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    np.save(tmp_path / "w.npy", [[1.0]])
    monkeypatch.setattr(npy, "read_array", full)
    assert '"w.npy" doesn\'t fit into the memory' in refusal(tmp_path, "w.npy")


# Keys


def test_keys(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", [[1.0]])
    np.savez(tmp_path / "w.npz", W_Q=[[1.0]], W_K=[[2.0]])
    np.savez(tmp_path / "none.npz")
    assert "a .npy file holds a single array, and the key" in refusal(tmp_path, "w.npy", "W")
    text = '"w.npz" holds 2 arrays, and no key says which; add a key, known: W_K, W_Q'
    assert refusal(tmp_path, "w.npz") == text
    text = '"w.npz" holds no array "W_Z"; did you mean W_'
    assert refusal(tmp_path, "w.npz", "W_Z").startswith(text)
    text = '"w.npz" holds no array "bias"; known: W_K, W_Q'
    assert refusal(tmp_path, "w.npz", "bias") == text
    assert refusal(tmp_path, "w.npz", "W_Q.npy").endswith("did you mean W_Q?")
    assert '"none.npz" holds no arrays' in refusal(tmp_path, "none.npz")


def test_a_long_list_of_keys_is_cut(tmp_path: Path) -> None:
    zipped(tmp_path / "w.npz", **{f"layer{i}": npy_bytes([[1.0]]) for i in range(500)})
    for key in (None, "xyz"):
        text = refusal(tmp_path, "w.npz", key)
        assert len(text) < 400
        assert text.endswith("…")


# Broken files


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors"])
@pytest.mark.parametrize(
    "data", [b"", b"\x93", b"\x93NUMPY", b"PK\x03\x04", b"hello" * 100, b"\0" * 8]
)
def test_bytes_of_something_else(tmp_path: Path, suffix: str, data: bytes) -> None:
    if suffix == ".safetensors":
        pytest.importorskip("safetensors")
    (tmp_path / f"w{suffix}").write_bytes(data)
    text = f'"w{suffix}" is not a whole {suffix} file: it is broken or cut short; save it anew'
    assert refusal(tmp_path, f"w{suffix}") == text


def save_tensors(path: Path) -> None:
    save_file = pytest.importorskip("safetensors.numpy").save_file
    save_file({"W": np.arange(12.0).reshape(3, 4)}, path)


SAVES: dict[str, Write] = {
    ".npy": lambda path: np.save(path, np.arange(12.0).reshape(3, 4)),
    ".npz": lambda path: np.savez(path, W=np.arange(12.0).reshape(3, 4)),
    ".safetensors": save_tensors,
}


@pytest.mark.parametrize("suffix", SAVES)
def test_cut_at_any_byte(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"w{suffix}"
    SAVES[suffix](path)
    whole = path.read_bytes()
    assert numbers(tmp_path, path.name) == np.arange(12.0).reshape(3, 4).tolist()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert "it is broken or cut short" in refusal(tmp_path, path.name)
    path.write_bytes(whole + b"\0" * 8)
    if suffix != ".npz":
        assert "it is broken or cut short" in refusal(tmp_path, path.name)


@pytest.mark.parametrize("suffix", SAVES)
def test_any_byte_changed_is_told_as_one_problem(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"w{suffix}"
    SAVES[suffix](path)
    whole = path.read_bytes()
    for place in share(2, range(len(whole)), of=suffix):
        for flip in (0x01, 0x80, 0xFF):
            changed = bytearray(whole)
            changed[place] ^= flip
            path.write_bytes(changed)
            problems = Diagnostics()
            array = array_files.read(FileSource(path.name, None, HERE), tmp_path, False, problems)
            assert len(problems.found) == (array is None)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("rows", [10, 20_000])
def test_the_sum_of_a_zip_is_checked(tmp_path: Path, save: Any, rows: int) -> None:
    array = np.random.RandomState(1).normal(size=(rows, 8))
    save(tmp_path / "w.npz", W=array)
    changed = bytearray((tmp_path / "w.npz").read_bytes())
    changed[-300] ^= 1  # the lowest bit of a number near the end
    (tmp_path / "w.npz").write_bytes(changed)
    assert "it is broken or cut short" in refusal(tmp_path, "w.npz", "W")


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -2)}",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2.5)}",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': 2}",
        b"{'descr': '<f8', 'fortran_order': 1, 'shape': (1, 2)}",
        b"{'descr': '<q8', 'fortran_order': False, 'shape': (1, 2)}",
        b"{'descr': '<f8', 'shape': (1, 2)}",
        b"__import__('os').abort()",
        b"[1, 2]",
        b"(" * 5000,
        b"'''",
        b" x\n  y\n z",
        b"\xff\xfe",
        b"1" * 9000,
        b"[" * 90 + b"]" * 90,
    ],
)
@pytest.mark.parametrize("version", [1, 2, 3, 9])
def test_headers_of_nonsense(tmp_path: Path, header: bytes, version: int) -> None:
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    data = b"\x93NUMPY" + bytes([version, 0]) + length + header + b"\0" * 16
    (tmp_path / "w.npy").write_bytes(data)
    zipped(tmp_path / "w.npz", W=data)
    assert "it is broken or cut short" in refusal(tmp_path, "w.npy")
    assert "it is broken or cut short" in refusal(tmp_path, "w.npz")


def test_a_locked_zip(tmp_path: Path) -> None:
    zipped(tmp_path / "w.npz", W=npy_bytes([[1.0]]))
    data = bytearray((tmp_path / "w.npz").read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "w.npz").write_bytes(data)
    assert "it is broken or cut short" in refusal(tmp_path, "w.npz")


# Files that mean harm


class Bomb:
    """Unpickled, it would leave a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


def test_pickled_objects_never_run(tmp_path: Path) -> None:
    mark = tmp_path / "it_ran"
    bomb = np.empty((2, 2), dtype=object)
    bomb[:] = [[Bomb(mark), 1], [2, 3]]
    np.save(tmp_path / "w.npy", bomb, allow_pickle=True)
    np.savez(tmp_path / "w.npz", W=bomb)
    assert '"w.npy" holds Python objects, which are never unpickled' in refusal(tmp_path, "w.npy")
    text = '"w.npz, W" holds Python objects, which are never unpickled; save it as float32'
    assert refusal(tmp_path, "w.npz", "W").startswith(text)
    assert not mark.exists()
    np.load(tmp_path / "w.npz", allow_pickle=True)["W"]
    assert mark.exists()


def test_a_bare_pickle_never_runs(tmp_path: Path) -> None:
    import pickle

    for suffix in (".npy", ".npz"):
        (tmp_path / f"w{suffix}").write_bytes(pickle.dumps(Bomb(tmp_path / "it_ran")))
        assert "it is broken or cut short" in refusal(tmp_path, f"w{suffix}")
    assert not (tmp_path / "it_ran").exists()


def test_more_numbers_than_can_be_are_never_loaded(tmp_path: Path) -> None:
    data = npy_header("<f8", (2**20, 2**20))
    (tmp_path / "w.npy").write_bytes(data)
    zipped(tmp_path / "w.npz", W=data)
    assert "more than 268435456 numbers" in refusal(tmp_path, "w.npy")
    assert "more than 268435456 numbers" in refusal(tmp_path, "w.npz")
    (tmp_path / "w.npy").write_bytes(npy_header("<f8", (10**20, 10**20)))
    assert "more than 268435456 numbers" in refusal(tmp_path, "w.npy")


def test_a_header_that_promises_too_much(tmp_path: Path) -> None:
    data = npy_header("<f8", (2**14, 2**14)) + b"\0" * 64
    (tmp_path / "w.npy").write_bytes(data)
    zipped(tmp_path / "w.npz", W=data)
    assert "it is broken or cut short" in refusal(tmp_path, "w.npy")
    assert "it is broken or cut short" in refusal(tmp_path, "w.npz")


def test_a_long_header_is_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    read_once = zipfile.ZipExtFile.read

    def counted(self: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        data = read_once(self, n)
        reads.append(len(data))
        return data

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    length = 50 * 2**20
    zipped(tmp_path / "w.npz", W=b"\x93NUMPY\x02\0" + struct.pack("<I", length) + b" " * length)
    assert "it is broken or cut short" in refusal(tmp_path, "w.npz")
    assert sum(reads) <= 2**16


# Arrays that are no numbers


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (np.array([["a", "b"]]), "texts"),
        (np.array([[b"a", b"b"]]), "texts"),
        (np.array([[1j, 2]]), "complex numbers"),
        (np.zeros((2, 2), dtype=[("a", "f8"), ("b", "i4")]), "records"),
        (np.zeros((2, 2), dtype=[("ä語", "f8")]), "records"),
        (np.zeros((2, 2), dtype="V8"), "records"),
        (np.zeros((2, 2), dtype="M8[s]"), "dates"),
        (np.zeros((2, 2), dtype="m8[s]"), "spans of time"),
    ],
)
@pytest.mark.filterwarnings("ignore:Stored array in format")
def test_kinds_that_are_no_numbers(tmp_path: Path, array: Any, kind: str) -> None:
    np.save(tmp_path / "w.npy", array)
    np.savez(tmp_path / "w.npz", W=array)
    right = "; save it as float32 or float64 (float16, whole numbers and bool will do, too)"
    assert refusal(tmp_path, "w.npy") == f'"w.npy" holds {kind}{right}'
    assert refusal(tmp_path, "w.npz", "W") == f'"w.npz, W" holds {kind}{right}'


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="no wider float here")
def test_wide_floats(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.ones((2, 2), dtype=np.longdouble))
    assert f"numbers of the kind {np.dtype(np.longdouble).name}" in refusal(tmp_path, "w.npy")


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite(tmp_path: Path, number: float) -> None:
    array = np.ones((3, 4), dtype=">f2", order="F")
    array[1, 2] = number
    np.save(tmp_path / "w.npy", array)
    text = f'row 2, column 3 of "w.npy" is {number}, not a finite number; save finite numbers only'
    assert refusal(tmp_path, "w.npy").startswith(text)


def test_numbers_too_large(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", [1.0, -2e300])
    text = 'row 1, column 2 of "w.npy" is -2e+300, beyond 1e300; save finite'
    assert refusal(tmp_path, "w.npy", dimensions=1).startswith(text)


@pytest.mark.parametrize(
    ("shape", "dimensions", "told"),
    [
        ((), 2, "has the shape (), where rows and columns belong"),
        ((), 1, "has the shape (), where one row belongs"),
        ((3,), 2, "has the shape (3,), where rows and columns belong; save an array of two dim"),
        ((2, 2, 3), 2, "has the shape (2, 2, 3), where rows and columns belong"),
        ((2, 1, 3), 1, "has the shape (2, 1, 3), where one row belongs"),
        ((2, 3), 1, "has the shape (2, 3), where one row belongs; save a single row"),
        ((3, 1), 1, "has the shape (3, 1), where one row belongs"),
        ((0, 3), 2, "has the shape (0, 3): it is empty; save an array with numbers in it"),
        ((3, 0), 2, "has the shape (3, 0): it is empty"),
        ((0,), 1, "has the shape (0,): it is empty"),
    ],
)
def test_shapes(tmp_path: Path, shape: tuple[int, ...], dimensions: int, told: str) -> None:
    np.save(tmp_path / "w.npy", np.ones(shape))
    np.savez(tmp_path / "w.npz", W=np.ones(shape))
    assert refusal(tmp_path, "w.npy", None, dimensions).startswith(f'"w.npy" {told}')
    assert refusal(tmp_path, "w.npz", "W", dimensions).startswith(f'"w.npz, W" {told}')


# safetensors


def test_safetensors(tmp_path: Path) -> None:
    save_file = pytest.importorskip("safetensors.numpy").save_file
    arrays = {
        dtype: np.array([[0, 1], [1, 0], [1, 1]], dtype=dtype)
        for dtype in ("f2", "f4", "f8", "i1", "i8", "u4", "?")
    }
    save_file({**arrays, "row": np.array([1.0, 2.0])}, tmp_path / "w.safetensors")
    for dtype in arrays:
        assert numbers(tmp_path, "w.safetensors", dtype) == [[0, 1], [1, 0], [1, 1]]
    assert numbers(tmp_path, "w.safetensors", "row", dimensions=1) == [[1, 2]]
    assert "has the shape (2,), where rows" in refusal(tmp_path, "w.safetensors", "row")
    assert "did you mean row?" in refusal(tmp_path, "w.safetensors", "Row")
    assert "holds 8 arrays, and no key says which" in refusal(tmp_path, "w.safetensors")


@pytest.mark.parametrize(
    ("dtype", "size", "told"),
    [
        ("F8_E4M3", 1, 'numbers of the type "F8_E4M3"; save it as one of F64, F32, F16, BF16'),
        ("C64", 8, 'numbers of the type "C64"; save it as one of F64'),
    ],
)
def test_tensors_that_numpy_cannot_hold(tmp_path: Path, dtype: str, size: int, told: str) -> None:
    pytest.importorskip("safetensors")
    tensors(tmp_path / "w.safetensors", b"\0" * 2 * size, W=(dtype, [1, 2], (0, 2 * size)))
    assert refusal(tmp_path, "w.safetensors", "W").startswith(f'"w.safetensors, W" holds {told}')


def test_tensors_of_nonsense(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    path = tmp_path / "w.safetensors"
    tensors(path, b"\0" * 4, W=("F32", [2**40, 2**40], (0, 4)))
    assert "it is broken or cut short" in refusal(tmp_path, path.name)
    tensors(path, b"\0" * 4, W=("F32", [1, 2], (0, 4)))
    assert "it is broken or cut short" in refusal(tmp_path, path.name)
    tensors(path, b"", W=("F32", [0, 2], (0, 0)))
    assert "it is empty" in refusal(tmp_path, path.name)
    tensors(path, b"")
    assert "holds no arrays" in refusal(tmp_path, path.name)
    tensors(path, np.array([np.nan], "<f4").tobytes(), W=("F32", [1, 1], (0, 4)))
    assert "row 1, column 1" in refusal(tmp_path, path.name)


def test_bfloat16(tmp_path: Path) -> None:
    kept = (np.array([[1.0, -2.5], [0.15625, 3e5]], np.float32).view(np.uint32) >> 16).astype("<u2")
    tensors(tmp_path / "w.safetensors", kept.tobytes(), W=("BF16", [2, 2], (0, 8)))
    assert numbers(tmp_path, "w.safetensors", "W") == [[1.0, -2.5], [0.15625, 299008.0]]


def test_shards(tmp_path: Path) -> None:
    save = pytest.importorskip("safetensors.numpy").save_file
    save({"a": np.eye(2)}, tmp_path / "m-1.safetensors")
    save({"b": 2 * np.eye(2)}, tmp_path / "m-2.safetensors")
    index = tmp_path / "m.safetensors.index.json"
    places = {"a": "m-1.safetensors", "b": "m-2.safetensors", "c": "m-3.safetensors"}
    index.write_text(json.dumps({"weight_map": {**places, "d": "../m-1.safetensors"}}))
    assert numbers(tmp_path, index.name, "b") == [[2, 0], [0, 2]]
    assert "m-3.safetensors\", which isn't there" in refusal(tmp_path, index.name, "c")
    assert "leads out of its folder" in refusal(tmp_path, index.name, "d")
    assert "did you mean" in refusal(tmp_path, index.name, "bb")


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"columns": slice(1, 3)}, np.arange(24.0).reshape(6, 4)[:, 1:3]),
        ({"rows": slice(2, None)}, np.arange(24.0).reshape(6, 4)[2:]),
        ({"transposed": True, "rows": slice(None, 1)}, np.arange(24.0).reshape(6, 4).T[:1]),
        ({"split": Split(3, 2, 2)}, np.arange(24.0).reshape(6, 4)[2:4]),
        ({"split": Split(3, 2, 2), "transposed": True}, np.arange(24.0).reshape(6, 4).T[:, 2:4]),
        ({"split": Split(3, 3, 3), "heads": 2}, np.arange(24.0).reshape(6, 4)[[2, 5]]),
        ({"split": Split(3, 1, 2), "heads": 2}, np.arange(24.0).reshape(6, 4)[[0, 1, 3, 4]]),
    ],
)
def test_parts_of_arrays(part: dict[str, Any], expected: NDArray[np.float64]) -> None:
    whole = np.arange(24.0).reshape(6, 4)
    assert ArrayPart(**part).of(whole).tolist() == expected.tolist()


@pytest.mark.real("torch")
def test_patches_of_a_picture() -> None:
    torch = pytest.importorskip("torch")

    picture = np.arange(3 * 4 * 6.0).reshape(3, 4, 6)
    unfolded = torch.nn.functional.unfold(torch.tensor(picture)[None], 2, stride=2)[0].T
    for given in (picture, picture[None]):
        assert ArrayPart(patches=2).of(given).tolist() == unfolded.tolist()
    assert ArrayPart(patches=2).of(picture[0]).tolist()[1] == [2, 3, 8, 9]
    for shape in ((3, 4, 5), (5, 4), (4,), (2, 3, 4, 4)):
        with pytest.raises(RefusedFileError, match="picture"):
            ArrayPart(patches=2).of(np.ones(shape))


def test_arrays_of_many_sides(tmp_path: Path) -> None:
    kernel = np.arange(24.0).reshape(4, 1, 2, 3)
    assert ArrayPart(flat=True).of(kernel).tolist() == kernel.reshape(4, 6).tolist()
    assert ArrayPart(rows=slice(1, 2)).of(kernel[None, 0, 0]).tolist() == [[3, 4, 5]]
    np.save(tmp_path / "k.npy", kernel[None, 0, 0])
    assert numbers(tmp_path, "k.npy") == [[0, 1, 2], [3, 4, 5]]
    stacked = np.arange(24.0).reshape(2, 3, 4)
    turned = ArrayPart(entry=1, transposed=True, rows=slice(0, 2))
    assert turned.of(stacked).tolist() == stacked[1].T[:2].tolist()
    assert ArrayPart(entry=1).of(stacked[0]).tolist() == stacked[0, 1].tolist()
    for wrong, array in (("single number", np.ones(3)), ("of 0 to 1", stacked)):
        with pytest.raises(RefusedFileError) as refused:
            ArrayPart(entry=2).of(array)
        assert wrong in f"{refused.value.wrong} {refused.value.right}"


def test_parts_that_are_not_there() -> None:
    for part in (
        ArrayPart(split=Split(5, 1, 1)),
        ArrayPart(rows=slice(2, 9)),
        ArrayPart(split=Split(3, 1, 1), heads=4),
        ArrayPart(entry=6),
    ):
        with pytest.raises(RefusedFileError):
            part.of(np.ones((6, 4)))
