"""How fast it is, as ratios within one run: `python tests/benchmarks/speed.py`.

Start-up, a large trace through the Python API, lines of working, forms of an exercise, marking papers,
the learning of tokenizers. Each ratio is of the best of several interleaved tries; the number after it is what
we want to stay below.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from attncli import Scenario, load, work
from attncli.cli.processes import cores
from attncli.render import Page, render, stream_of
from attncli.telling.cells import cells_page, find_cells
from attncli.telling.selection import Selection
from attncli.telling.walkthrough import walkthrough
from attncli.trace import Trace

ROOT = Path(__file__).resolve().parents[2]
SIZE = 512
STARTED = {
    "run i_love_ai": 1.3,
    "run next_token": 1.8,
    "explain i_love_ai --step softmax": 1.3,
    "list": 1.3,
    "validate i_love_ai": 1.2,
    "lint i_love_ai": 1.5,
    "exercise i_love_ai": 1.5,
    "new - --force": 1.0,
    "--help": 0.7,
    "--version": 0.7,
}
"""Commands, and what is wanted of each: at most so many times as long as the imports take."""


def best(tries: int, *tasks: Callable[[], object]) -> list[float]:
    """The least wall time of each task in seconds, the tasks taking turns."""
    times = [float("inf")] * len(tasks)
    for _ in range(tries):
        for k, task in enumerate(tasks):
            start = time.perf_counter()
            task()
            times[k] = min(times[k], time.perf_counter() - start)
    return times


def say(what: str, value: float, wanted: str) -> None:
    print(f"{what:<66} {value:8.2f}   {wanted}")


def process(*arguments: str, check: bool = True) -> Callable[[], object]:
    """A run of this Python, its byte code cached as an installed program's is; which has to end
    well, unless it isn't checked."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def run() -> object:
        return subprocess.run(
            [sys.executable, *arguments],
            stdout=subprocess.DEVNULL,
            check=check,
            cwd=ROOT,
            env=environment,
        )

    return run


def start_up() -> None:
    """Whole commands beside the bare imports of the packages that they stand on."""
    commands = [process("-m", "attncli", *command.split()) for command in STARTED]
    tasks = [process("-c", "import typer, rich, numpy, yaml"), *commands]
    best(1, *tasks)  # warms the caches
    imports, *times = best(15, *tasks)
    for (command, wanted), seconds in zip(STARTED.items(), times, strict=True):
        what = f"attn {command} / importing typer, rich, numpy, yaml"
        say(what, seconds / imports, f"at most {wanted}")


def matrices() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    weights = ("W_Q", "W_K", "W_V", "W1", "W2")
    X = {"X": rng.normal(size=(SIZE, SIZE))}
    return X | {name: rng.normal(size=(SIZE, SIZE)) / np.sqrt(SIZE) for name in weights}


def bare(m: dict[str, np.ndarray], keep: Callable[[np.ndarray], np.ndarray]) -> list[np.ndarray]:
    """The same sums in bare NumPy; `keep` is what is done to every result."""
    Q, K, V = (keep(m["X"] @ m[name]) for name in ("W_Q", "W_K", "W_V"))
    scores = keep(Q @ K.T)
    scaled = keep(scores / np.sqrt(SIZE))
    exp = keep(np.exp(scaled))
    exp_sum = keep(exp.sum(axis=1, keepdims=True))
    weights = keep(exp / exp_sum)
    output = keep(weights @ V)
    hidden = keep(output @ m["W1"])
    activated = keep(np.maximum(hidden, 0))
    ffn = keep(activated @ m["W2"])
    return [Q, K, V, scores, scaled, exp, exp_sum, weights, output, hidden, activated, ffn]


def peak(task: Callable[[], object]) -> int:
    """The peak of the memory that a task takes, in bytes."""
    tracemalloc.start()
    kept = task()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del kept
    return most


def large_traces() -> None:
    m = matrices()
    for policy, keep, wanted in (
        ("exact", lambda x: x, ("at most 1.10", "at most 1.3")),
        ("carry", lambda x: np.round(x, 3), ("np.round at each step", "")),
    ):
        scenario = load({**m, "rounding": {"policy": policy, "decimals": 3}})
        given = {name: matrix.values for name, matrix in scenario.given.items()}
        tasks = (lambda g=given, k=keep: bare(g, k), lambda s=scenario: work(s))
        times, memory = best(15, *tasks), [peak(task) for task in tasks]
        what = f"a trace of {SIZE} × {SIZE}, {policy}, / the same sums in bare NumPy"
        say(f"{what}, time", times[1] / times[0], wanted[0])
        say(f"{what}, memory", memory[1] / memory[0], wanted[1])


TOKENS, D_MODEL, HEADS, D_FF = 1024, 768, 12, 3072


def layer_matrices() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2)
    shapes = {
        **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), (D_MODEL, D_MODEL)),
        "W1": (D_MODEL, D_FF),
        "W2": (D_FF, D_MODEL),
        "b1": (D_FF,),
        "b2": (D_MODEL,),
    }
    X = {"X": rng.normal(size=(TOKENS, D_MODEL))}
    return X | {name: rng.normal(size=shape) / 28 for name, shape in shapes.items()}


def bare_layer(m: dict[str, np.ndarray]) -> list[np.ndarray]:
    """A layer of several heads in bare NumPy, every result kept."""
    Q, K, V = (m["X"] @ m[name] for name in ("W_Q", "W_K", "W_V"))
    kept = [Q, K, V]
    outputs = []
    for q, k, v in zip(*(np.split(x, HEADS, axis=1) for x in (Q, K, V)), strict=True):
        scores = q @ k.T
        scaled = scores / np.sqrt(D_MODEL // HEADS)
        exp = np.exp(scaled)
        exp_sum = exp.sum(axis=1, keepdims=True)
        weights = exp / exp_sum
        outputs.append(weights @ v)
        kept += [scores, scaled, exp, exp_sum, weights]
    concat = np.concatenate(outputs, axis=1)
    attention = concat @ m["W_O"]
    hidden = attention @ m["W1"] + m["b1"]
    activated = np.maximum(hidden, 0)
    ffn = activated @ m["W2"] + m["b2"]
    return [*kept, *outputs, concat, attention, hidden, activated, ffn]


def transformer_layer() -> None:
    m = layer_matrices()
    scenario = load({**m, "heads": HEADS, "rounding": {"policy": "exact"}})
    trace = work(scenario)
    wanted = find_cells(trace, ["heads[7].weights[3, 5]", "ffn[1000, 700]"], [])

    def cell() -> object:
        return render(cells_page(trace, wanted), "terminal", Page(80))

    layer, ours, one = best(7, lambda: bare_layer(m), lambda: work(scenario), cell)
    memory = [peak(task) for task in (lambda: bare_layer(m), lambda: work(scenario))]
    what = f"{TOKENS} × {D_MODEL}, {HEADS} heads, d_ff {D_FF} / the same in bare NumPy"
    say(f"{what}, time", ours / layer, "at most 1.10")
    say(f"{what}, memory", memory[1] / memory[0], "at most 1.3")
    say("two cells of it as a page / computing it", one / ours, "at most 1")


def lines_of_working() -> None:
    rng = np.random.default_rng(1)
    scenario: Scenario = load(
        {
            **{name: rng.normal(size=(8, 8)) for name in ("X", "W_Q", "W_K", "W_V", "W1", "W2")},
            "rounding": {"decimals": 3},
        }
    )
    trace = work(scenario)
    page = render(walkthrough(trace, Selection()), "json", Page())
    lines = page.count('"cell":')
    seconds, *_ = best(5, lambda: render(walkthrough(trace, Selection()), "terminal", Page(100)))
    say("thousands of worked lines a second, as text", lines / seconds / 1000, "thousands")


def json_of_a_large_trace() -> None:
    """Values and texts of all quantities, beside what Python takes for the values alone."""
    names = ("X", "W_Q", "W_K", "W_V")
    given = {name: matrix for name, matrix in matrices().items() if name in names}
    for policy in ("exact", "carry"):
        trace = work(load({**given, "rounding": {"policy": policy, "decimals": 3}}))
        made = [one.values.tolist() for one in trace.quantities.values() if not one.given]
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:

            def ours(trace: Trace = trace, file: TextIO = nowhere) -> None:
                page = walkthrough(trace, Selection())
                file.writelines(stream_of(page, "json", Page()))  # type: ignore[arg-type]

            def theirs(made: object = made, file: TextIO = nowhere) -> None:
                json.dump(made, file)

            mine, dumped = best(3, ours, theirs)
        what = f"JSON of a trace of {SIZE} × {SIZE}, {policy}"
        say(f"{what}, / json.dump of its numbers", mine / dumped, "at most 1.5")
        page = walkthrough(trace, Selection())
        memory = peak(partial(deque, stream_of(page, "json", Page()), 0))
        say(f"{what}, memory beside the page, MB", memory / 1e6, "a few")


FORMS = 1000


def forms() -> None:
    """Forms with keys, made by all cores there are; both take turns, as elsewhere, the cold runs
    some at a time, since they are short. The files go to memory where there is some: a disk keeps
    away from what was just deleted, and takes up to a third longer then for so many."""
    run = process("-m", "attncli", "run", "i_love_ai")
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        for what, steps in (("all steps", ()), ("--step softmax", ("--step", "softmax"))):
            words = ("exercise", "i_love_ai", *steps, "--forms", str(FORMS), "--seed", "7")
            many = one = float("inf")
            for k in range(3):
                place = ("--format", "markdown", "-o", f"{folder}/{len(steps)}{k}")
                one = min(one, *best(4, run))
                many = min(many, *best(1, process("-m", "attncli", *words, *place)))
            say(
                f"{FORMS:,} forms with keys, {what}, {cores()} cores / a cold attn run",
                many / one,
                "at most 40",
            )


PAPERS = 1000


def papers() -> None:
    """Papers with one wrong number each, told as the table of a class, in one process."""
    run = process("-m", "attncli", "run", "i_love_ai")
    with tempfile.TemporaryDirectory() as folder:
        words = ("exercise", "i_love_ai", "--format", "yaml", "--key", "separate", "-o", folder)
        process("-m", "attncli", *words)()
        (key,) = Path(folder).glob("*_key.yaml")
        right = key.read_text("utf-8").splitlines()
        class_ = Path(folder) / "class"
        class_.mkdir()
        for k in range(PAPERS):
            (class_ / f"{k}.yaml").write_text(_with_a_slip(right, k), "utf-8")
        table = f"{folder}/table.csv"
        marking = ("grade", "i_love_ai", str(class_), "-o", table, "--force")
        grade = process("-m", "attncli", *marking, check=False)  # something is wrong in them
        one, many = best(5, run)[0], best(1, grade)[0]
    say(f"{PAPERS:,} papers with one wrong number / a cold attn run", many / one, "at most 60")


def _with_a_slip(right: Sequence[str], k: int) -> str:
    """An answers file in which the k-th number, as often as it takes, is another one."""
    told = [i for i, line in enumerate(right) if line.startswith('  "')]
    i = told[k % len(told)]
    name, _, number = right[i].rpartition(": ")
    wrong = float(number) + 0.01 * (1 + k // len(told))
    return "\n".join([*right[:i], f"{name}: {wrong:.3f}", *right[i + 1 :]]) + "\n"


CORPUS, MERGES = 10**6, 1000


def corpus() -> str:
    """A text of so many characters, its words as frequent as words are (Zipf)."""
    rng = np.random.RandomState(4)
    letters = np.array(list("etaoinshrdlucmfwypvbgkqjxz"))
    shares = 1 / np.arange(2, len(letters) + 2)
    words = [
        "".join(rng.choice(letters, size=rng.randint(2, 11), p=shares / shares.sum()))
        for _ in range(20_000)
    ]
    ranks = np.minimum(rng.zipf(1.3, size=CORPUS // 5), len(words)) - 1
    return " ".join(words[rank] for rank in ranks)[:CORPUS]


def learning() -> None:
    """Tokenizers learned from a megabyte, beside the package that is written for it in Rust."""
    from tokenizers import models, trainers

    text = corpus()
    size = len(set(text) - {" "}) + MERGES
    bpe = trainers.BpeTrainer(vocab_size=size, show_progress=False)
    _learned("merges", text, size, "bpe", lambda: (models.BPE(), bpe))
    unigram = trainers.UnigramTrainer(vocab_size=size, show_progress=False, unk_token="<unk>")
    said = {"kind": "unigram", "training": "expected"}
    _learned("Unigram pieces", text, size, said, lambda: (models.Unigram(), unigram))


def _learned(
    what: str, text: str, size: int, said: object, package: Callable[[], tuple[Any, Any]]
) -> None:
    from tokenizers import Tokenizer, pre_tokenizers

    settings = {"tokenizer": said, "corpus": text, "vocabulary_size": size, "sentence": "the rest"}

    def theirs() -> None:
        model, trainer = package()
        tokenizer = Tokenizer(model)
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer.train_from_iterator([text], trainer)

    def ours() -> None:
        load(settings, large=True)

    mine, rust = best(3, ours, theirs)
    say(f"{MERGES:,} {what} of a megabyte, seconds (with the scenario read)", mine, "a few")
    say(f"{MERGES:,} {what} of a megabyte / the tokenizers package", mine / rust, "")


def main(chosen: Sequence[str]) -> None:
    for measure in (
        start_up,
        large_traces,
        transformer_layer,
        lines_of_working,
        json_of_a_large_trace,
        forms,
        papers,
        learning,
    ):
        if not chosen or measure.__name__ in chosen:
            measure()


if __name__ == "__main__":
    main(sys.argv[1:])
