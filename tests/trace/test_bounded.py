"""A scenario ends in little time and memory, or says what is too much of it."""

from __future__ import annotations

import random
import resource
import subprocess
from collections.abc import Callable
from cProfile import Profile
from pathlib import Path

import numpy as np
import pytest
import yaml

from attncli import ScenarioError, load, work
from attncli.cli import app
from attncli.maths.operations.activations import ACTIVATIONS
from attncli.names import Name
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from tests.conftest import THOROUGH, sampled
from tests.helpers import processes
from tests.helpers.growing import GROWING

SMALL = {
    "layers": 8,
    "times": 4,
    "gates": 2,
    "vocabulary": 500,
    "characters": 1500,
    "letters, bpe": 125,
    "letters, wordpiece": 250,
}
"""Where what is done is as much as the scenario is long, a length that takes a while."""

LONGER, MORE = (8, 12) if THOROUGH else (4, 6)
"""Something that is linear takes about 8 (4) times as many calls then, something quadratic 64 (16)."""


def calls(action: Callable[[], object]) -> int:
    """The calls of functions that something takes: as many on any machine."""
    profile = Profile(subcalls=False)
    profile.runcall(action)
    return sum(g.callcount for g in profile.getstats())


def calls_of(text: str, file: Path) -> int:
    """The calls from a file to what is told of it."""
    file.write_text(text)
    return calls(lambda: walkthrough(work(load(file)), Selection()))


@sampled(3, kind=SMALL)
def test_what_is_longer_costs_in_proportion(kind: str, tmp_path: Path) -> None:
    file, grown = tmp_path / "scenario.yaml", GROWING[kind]
    length = SMALL[kind] * (4 if THOROUGH else 1)
    calls_of(grown(4), file)  # imports what it needs
    small = calls_of(grown(length), file)
    assert calls_of(grown(LONGER * length), file) < MORE * small


GIGABYTE = 2**30
PATIENCE = 300
"""Seconds that only something without bounds takes, on a slow and busy machine too."""

TOO_MUCH = {
    "equal tokens": 20_000,
    "layers": 1000,
    "times": 4200,
    "generated tokens": 50,
    "variants": 7000,
    "letters of a piece": 20_000,
    "ways to cut a word": 60_000,
}


def attn(*words: str) -> subprocess.CompletedProcess[str]:
    """A command in little memory and time."""
    return processes.attn(
        *words,
        text=True,
        timeout=PATIENCE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (GIGABYTE, GIGABYTE)),
    )


def check_refused(*words: str) -> None:
    told = attn(*words)
    assert told.returncode == 2, told.stderr[-500:]
    assert "too much at once; " in told.stderr
    assert "--large" in told.stderr


@sampled(3, kind=TOO_MUCH)
def test_what_is_too_much_is_said_before_it_is_done(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(GROWING[kind](TOO_MUCH[kind]))
    check_refused("validate", str(file))


@pytest.mark.wing("classroom")
@sampled(2, command=["explain", "exercise", "lint"])
def test_every_command_refuses_what_is_too_much(command: str, tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(GROWING["equal tokens"](20_000))
    check_refused(command, str(file))


SOURCES = {
    "a random matrix": "X: {random: normal, seed: 7, shape: [16384, 16384]}",
    "a table by ID": "sentence: a\nvocabulary: {a: 100000000}\nd_model: 4\n"
    "embeddings: {random: normal, seed: 1}",
    "a width": "sentence: a\nvocabulary: {a: 0}\nd_model: 1000000\n"
    "embeddings: {random: normal, seed: 1}\nW_Q: {random: normal, seed: 2}",
    "one_hot": f"vocabulary: {{{', '.join(f't{i}: {i}' for i in range(9000))}}}\n"
    "sentence: t1\nembeddings: one_hot",
    "a sparse file": "X: {file: sparse.npy}",
    "a packed file": "X: {file: packed.npz}",
}


@sampled(3, source=SOURCES)
def test_numbers_are_counted_before_they_are_there(source: str, tmp_path: Path) -> None:
    header = {"descr": "<f8", "fortran_order": False, "shape": (11_000, 11_000)}
    with (tmp_path / "sparse.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        file.truncate(file.tell() + 11_000**2 * 8)
    np.savez_compressed(tmp_path / "packed.npz", X=np.zeros((5000, 4000), dtype=np.int8))
    (tmp_path / "scenario.yaml").write_text(SOURCES[source])
    check_refused("validate", str(tmp_path / "scenario.yaml"))


@sampled(3, kind=sorted({*ACTIVATIONS} - {"relu", "relu2", "sigmoid", "tanh"}))
def test_numbers_that_floats_cannot_round_are_counted(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them is worked by itself, which takes a while, and more are refused. ReLU is exact, its
    square too long, and what lies between −1 and 1 is rounded by floats."""
    W1 = "W1: {random: uniform, low: -999, high: 999, seed: 1, shape: [1, 4000]}"
    rest = "W2: {random: normal, std: 0.001, seed: 2, shape: [4000, 1]}"
    wide = f"X: [[0.9]]\nprojection: none\n{W1}\n{rest}\nactivation: {kind}\n{LONG}"
    work(load(yaml.safe_load(wide)))
    monkeypatch.setattr("attncli.pipeline.builder.MOST_SETTLED", 20)
    with pytest.raises(ScenarioError, match=r"row 1: .* too long for floats .*--large"):
        work(load(yaml.safe_load(wide)))


LONG = "rounding: {decimals: 12}\n"


@sampled(2, command=["run", "explain"])
def test_too_many_lines_are_not_told(command: str, tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(GROWING["times"](600))
    told = attn(command, str(file))
    assert told.returncode == 2
    assert "lines of working are too many; " in told.stderr


LEARNED = {
    "bpe": (20_000, 5000),
    "wordpiece": (10_000, 5000),
    "unigram": (2000, 60),
    "expected": (90_000, 200),
}
"""Letters of one word, and a size, for which learning would take long."""


def learned(kind: str, corpus: str, size: int) -> dict[str, object]:
    by_name = {"kind": "unigram", "training": kind} if kind == "expected" else kind
    return {"tokenizer": by_name, "corpus": corpus, "vocabulary_size": size, "sentence": "the"}


@pytest.mark.parametrize("kind", LEARNED)
def test_learning_is_counted_before_it_is_done(kind: str) -> None:
    letters, size = LEARNED[kind]
    corpus = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=letters))

    def refused() -> None:
        wrong = r"^corpus: .* at once; give a smaller corpus.*--large"
        with pytest.raises(ScenarioError, match=wrong):
            load(learned(kind, corpus, size))

    assert calls(refused) < 1_000_000  # so many before it begins, to count the letters


@pytest.mark.parametrize("kind", LEARNED)
def test_learning_from_ordinary_text_is_not_too_much(kind: str) -> None:
    chance = random.Random(2)
    words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 9))) for _ in range(300)]
    corpus = " ".join(chance.choices(words, weights=[1 / (k + 1) for k in range(300)], k=2000))
    tokens = load(learned(kind, corpus, 100)).text.tokens
    assert tokens


def test_what_would_do_is_said_of_what_is_too_much(tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(GROWING["generated tokens"](50))
    with pytest.raises(ScenarioError, match="too much at once; generate fewer tokens"):
        load(file)


def test_the_end_of_the_memory_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing_left(*_: object, **__: object) -> None:
        raise MemoryError

    for module in ("attncli.pipeline.work", "attncli.commands.renderings.as_it_fits"):
        with monkeypatch.context() as patched:
            patched.setattr(module, nothing_left)
            with pytest.raises(SystemExit) as ended:
                app(["run", "i_love_ai"], prog_name="attn")
        assert ended.value.code == 2
        assert "there is not enough memory for it; " in capsys.readouterr().err


def test_large_lets_it_through() -> None:
    much = {"tokens": [f"t{i}" for i in range(2100)], "embeddings": "one_hot"}
    with pytest.raises(ScenarioError, match="2,100 × 2,100 numbers of one_hot"):
        load(much)
    assert load(much, large=True).given.matrices[Name("embeddings")].shape == (2100, 2100)


def test_a_layer_as_large_as_real_ones_is_not_too_much() -> None:
    tokens, width, heads = 1024, 768, 12
    matrix = {"random": "normal", "seed": 1, "shape": [width, width]}
    inner = {"random": "normal", "seed": 1, "shape": [width, 4 * width]}
    outer = {"random": "normal", "seed": 1, "shape": [4 * width, width]}
    weights = dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), matrix)
    X = np.zeros((tokens, width))
    scenario = load({"X": X, **weights, "W1": inner, "W2": outer, "heads": heads})
    assert scenario.plan.shapes["heads[12].weights"] == (tokens, tokens)
