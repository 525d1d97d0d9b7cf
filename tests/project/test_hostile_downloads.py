"""A model's folder that somebody made to do harm: a line that says what is wrong, and no more than
so much is read, nested, tried and written."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from attncli import load
from attncli.classroom.files.manifest import load_manifest
from attncli.classroom.practice.memory import memory_of
from attncli.classroom.practice.session import read as kept_place
from attncli.errors import UserError
from attncli.models.checkpoints.model_folder import Checkpoint
from attncli.models.checkpoints.modules import as_config
from attncli.models.checkpoints.scenario_of_model import reading_of
from attncli.scenario.file import safetensors_files
from attncli.scenario.file.named_files import DEEPEST, RefusedFileError, bytes_in, parsed_json
from attncli.scenario.file.safetensors_files import size_of
from attncli.tokenizers import saved_steps
from attncli.tokenizers.saved_steps import SavedSteps, SavedStepsError
from tests.conftest import sampled

DEEP = "[" * 100_000
NOT_SO_DEEP = "[" * 400 + "]" * 400
TENSORS = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
TENSORS = len(TENSORS).to_bytes(8, "little") + TENSORS + bytes(8)
FILES = {
    "config.json": b'{"model_type": "gpt2"}',
    "model.safetensors": TENSORS,
    "model.safetensors.index.json": b'{"weight_map": {"w": "model.safetensors"}}',
}


def folder(place: Path, without: str = "") -> Path:
    place.mkdir()
    for name, data in FILES.items():
        if name not in (without, "model.safetensors.index.json"):
            (place / name).write_bytes(data)
    return place


def told(place: Path) -> str:
    with pytest.raises(UserError) as refused:
        Checkpoint.of(str(place))
    return str(refused.value)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("text", [DEEP, NOT_SO_DEEP, "[]", "7", '{"weight_map": []}'])
def test_json_of_other_shapes_is_refused(tmp_path: Path, name: str, text: str) -> None:
    place = folder(tmp_path / "model", "model.safetensors" if "model" in name else name)
    if text == '{"weight_map": []}' and name == "config.json":
        return  # which are settings
    head = len(text).to_bytes(8, "little") if name == "model.safetensors" else b""
    (place / name).write_bytes(head + text.encode())
    assert "it can't be read; save the model anew" in told(place)


@pytest.mark.skipif(sys.platform == "win32", reason="needs pipes and devices")
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("what", ["pipe", "/dev/zero"])
def test_what_is_no_file_is_not_read(tmp_path: Path, name: str, what: str) -> None:
    place = folder(tmp_path / "model", "model.safetensors" if "model" in name else name)
    if what == "pipe":
        os.mkfifo(place / name)
    else:
        (place / name).symlink_to(what)
    assert f'"{name}" is a pipe or a device; give a file' in told(place)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors.index.json"])
def test_a_large_file_is_not_read_as_a_whole(tmp_path: Path, name: str) -> None:
    place = folder(tmp_path / "model", "model.safetensors" if "model" in name else name)
    with (place / name).open("wb") as stream:
        stream.truncate(2**31)
    assert f'"{name}" has more than 32 MiB; give a smaller file' in told(place)


def test_json_is_as_deep_as_it_may_be(tmp_path: Path) -> None:
    assert parsed_json("[" * DEEPEST + "7" + "]" * DEEPEST)
    with pytest.raises(ValueError, match="nested more than 64 deep"):
        parsed_json('{"a":' * (DEEPEST + 2) + "7" + "}" * (DEEPEST + 2))
    (tmp_path / "some").write_bytes(b"12345")
    assert bytes_in(tmp_path / "some", 5) == b"12345"
    with pytest.raises(RefusedFileError):
        bytes_in(tmp_path / "some", 4)


@pytest.mark.parametrize("text", [DEEP, '{"practised": 1, "steps": ' + NOT_SO_DEEP + "}"])
def test_other_files_of_json_are_refused_as_well(tmp_path: Path, text: str) -> None:
    file = tmp_path / "manifest.json"
    file.write_text(text)
    for refuse in (
        lambda: load_manifest(file),
        lambda: as_config(file),
        lambda: memory_of(text, "memory"),
        lambda: kept_place(text, "place", "mark"),
    ):
        with pytest.raises(UserError):
            refuse()


def test_an_index_is_read_once_for_all_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder(tmp_path / "model")
    index = place / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {f"w{k}": "model.safetensors" for k in range(50)}}))
    read: list[Path] = []

    def counted(file: Path) -> bytes:
        read.append(file)
        return file.read_bytes()

    monkeypatch.setattr(safetensors_files, "bytes_in", counted)
    assert size_of(index) == 2
    assert read == [index]


# -- a tokenizer ------------------------------------------------------------------------------------


def tokenizer(
    normalizers: list[Mapping[str, Any]] | None = None, cuts: list[Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    vocabulary = {"<unk>": 0, "a": 1, "b": 2}
    return {
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"},
        "normalizer": {"type": "Sequence", "normalizers": normalizers or []},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": cuts or []},
    }


def split(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def replace(pattern: Mapping[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


def refused(tmp_path: Path, saved: Mapping[str, Any], text: str) -> str:
    """What is told, the same by a scenario and by a model's folder."""
    (tmp_path / "tokenizer.json").write_text(json.dumps(saved))
    with pytest.raises(UserError) as of_folder:
        reading_of("--text", text, tmp_path, tmp_path)
    file = tmp_path / "s.yaml"
    file.write_text(f"sentence: {text}\ntokenizer: {{file: tokenizer.json}}\n")
    with pytest.raises(UserError) as of_scenario:
        load(file)
    (problem,) = of_folder.value.problems
    assert problem.wrong[-20:] in str(of_scenario.value)  # a long one is elided
    return str(of_folder.value)


RETRIES = "Onig: Regex search error: retry-limit-in-match over"
HARD = {
    "nested": (tokenizer(cuts=[split("(a+)+$")]), "a" * 60 + "b"),
    "either": (tokenizer([replace({"Regex": "(a|a)+$"}, "")]), "a" * 60 + "b"),
    "many": (tokenizer(cuts=[split(f"(a+)+[{k}]$") for k in range(9)]), "a" * 40 + "b"),
}


@pytest.mark.parametrize("name", HARD)
def test_an_expression_with_too_many_ways_is_told(
    tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Rust panics, of which nothing is seen."""
    saved, text = HARD[name]
    told = refused(tmp_path, saved, text)
    assert (
        f"is refused by the package tokenizers ({RETRIES}); give another tokenizer, or the tokens"
        in told
    )
    assert capfd.readouterr() == ("", "")


BYTES = {"type": "ByteLevel"}
CUT = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
LARGE = {
    "doubles": tokenizer([replace({"String": "a"}, "aa")] * 60),
    "expression": tokenizer([replace({"Regex": "a"}, "aa")] * 60),
    "bytes": tokenizer([BYTES] * 60),
    "words of bytes": tokenizer(cuts=[CUT] * 60),
    "characters": tokenizer(cuts=[split("."), CUT] * 40),
}


@sampled(3, name=LARGE)
def test_a_text_that_grows_is_given_up(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_steps, "SECONDS", 0.5)
    told = refused(tmp_path, LARGE[name], "à b a")
    assert "takes more than 0.5 seconds, or 2 GiB; give another tokenizer, or the tokens" in told


def test_a_long_text_is_refused(tmp_path: Path) -> None:
    before = tokenizer([{"type": "Prepend", "prepend": "a" * 200_000}])
    told = refused(tmp_path, before, "à b a")
    assert "the text that it cuts has more than 100,000 characters; give a shorter" in told


def test_the_process_has_little_memory() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("the system has other limits")
    with saved_steps.begun() as process:
        limits = Path(f"/proc/{process.pid}/limits").read_text("utf-8")
        process.kill()
    (line,) = (line for line in limits.splitlines() if line.startswith("Max address space"))
    assert line.split()[3:5] == [str(2 << 30)] * 2


def test_the_next_text_is_cut_again(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = tokenizer([replace({"String": "a"}, "aa")] * 60, [split(r"\p{L}+|\s")])
    cut = saved["pre_tokenizer"]
    monkeypatch.setattr(saved_steps, "SECONDS", 0.5)
    with pytest.raises(SavedStepsError, match="takes more than"):
        SavedSteps(saved["normalizer"], cut).normalized(["a"])
    monkeypatch.setattr(saved_steps, "SECONDS", 30)
    assert SavedSteps(None, cut).words("ab é", first=True) == ["ab", " ", "é"]
    with pytest.raises(SavedStepsError, match="surrogates not allowed"):
        SavedSteps(None, cut).words("\ud800", first=True)


def test_all_texts_of_a_tokenizer_share_its_time() -> None:
    steps = SavedSteps(None, split("a"))
    left = steps._left
    assert left < saved_steps.SECONDS
    steps.words("bab", first=True)
    assert steps._left < left
    left = steps._left
    steps.words("bab", first=True)  # is known
    assert steps._left == left


MANY = {
    "deep": ({**tokenizer(), "normalizer": json.loads(NOT_SO_DEEP)}, "this is no tokenizer.json"),
    "brackets": (tokenizer(cuts=[split("(" * 10**5 + "a" + ")" * 10**5)]), "parse depth limit over"),
    "a long mark": (tokenizer(cuts=[{"type": "Metaspace", "replacement": "▁" * 10**6}]), "its pre_tokenizer is refused by the package"),
}  # fmt: skip


@pytest.mark.parametrize("name", MANY)
def test_what_no_tokenizer_has_is_refused_when_it_is_read(tmp_path: Path, name: str) -> None:
    saved, wrong = MANY[name]
    assert wrong in refused(tmp_path, saved, "a b")


def test_a_text_with_many_ways_to_be_cut_is_refused(tmp_path: Path) -> None:
    saved = tokenizer([replace({"String": "b"}, "a" * 3_000)])
    pieces = [["<unk>", 0.0], *(["a" * k, -1.0 * k] for k in range(1, 1500))]
    saved["model"] = {"type": "Unigram", "vocab": pieces, "unk_id": 0}
    assert "all ways to cut a word of" in refused(tmp_path, saved, "a b")


def test_the_process_does_not_outlive_its_question() -> None:
    """Nobody is left who would end it where the asking process is killed."""
    if not hasattr(__import__("signal"), "alarm"):
        pytest.skip("the system has no alarms")
    doubling = json.dumps({
        "version": "1.0",
        "model": tokenizer()["model"],
        "normalizer": tokenizer([replace({"String": "a"}, "aa")] * 60)["normalizer"],
    })  # fmt: skip
    process = saved_steps.begun()
    assert process.stdin is not None
    process.stdin.write(json.dumps([doubling, "normalizer", ["a"], 0.1]) + "\n")
    process.stdin.flush()
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.1)
    assert process.poll() is not None
    process.communicate()


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path: Path, name: str) -> None:
    place = folder(tmp_path / "model", name)
    (place / name).mkdir()
    assert f'"{name}" is a folder' in told(place)


@pytest.mark.parametrize(
    ("name", "digits"),
    [("n_layer", 4), *((name, k) for name in ("n_head", "n_layer") for k in (17, 309, 4000))],
)
def test_a_number_with_too_many_digits_is_no_value(tmp_path: Path, name: str, digits: int) -> None:
    place = folder(tmp_path / "model")
    (place / "config.json").write_text(f'{{"model_type": "gpt2", "{name}": {"9" * digits}}}')
    assert "is no value for it" in told(place)


@pytest.mark.parametrize(
    "shape", ["[Infinity]", "[4.9, 12.9]", '["2"]', "[true]", str([1] * 100_000)]
)
def test_a_shape_is_a_few_whole_numbers(tmp_path: Path, shape: str) -> None:
    place = folder(tmp_path / "model")
    head = f'{{"w": {{"dtype": "F32", "shape": {shape}, "data_offsets": [0, 4]}}}}'.encode()
    data = len(head).to_bytes(8, "little") + head + bytes(4)
    (place / "model.safetensors").write_bytes(data)
    assert "is not a whole .safetensors file" in told(place)
