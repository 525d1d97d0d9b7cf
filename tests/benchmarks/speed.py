"""How fast it is, as ratios within one run: `python tests/benchmarks/speed.py`.

Start-up, large traces through the Python API (`at_scale` prints a table by tokens, layers, decimals
and formats; measures are chosen by their names: `speed.py at_scale`), a checkpoint of GPT-2, the
same beside PyTorch (`live`), `compare` beside it (`comparing`), the way back, lines of working,
forms of an exercise, marking papers, the learning of tokenizers. Each ratio is of the best of
several interleaved tries; the number after it is what we want to stay below. Products of matrices take as many threads as NumPy's BLAS has,
`OPENBLAS_NUM_THREADS=1` one; what is beside them takes one in any case, so that ratios are the
larger, the more threads there are.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

import numpy as np

from attncli import Scenario, load, work
from attncli.formats import RenderOptions, render, stream_of
from attncli.pages.explain import cells_page, find_cells
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from attncli.trace import Trace, make

ROOT = Path(__file__).resolve().parents[2]
SIZE = 512
STARTED = {
    "run i_love_ai": 1.5,
    "run next_token": 2.0,
    "explain i_love_ai --step softmax": 1.5,
    "list": 1.5,
    "validate i_love_ai": 1.4,
    "lint i_love_ai": 1.7,
    "exercise i_love_ai": 1.7,
    "new - --force": 1.0,
    "--help": 0.7,
    "--version": 0.7,
}
"""Commands, and what is wanted of each: at most so many times as long as the imports take."""


def best(
    tries: int, *tasks: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The least time of each task in seconds, the tasks taking turns."""
    times = [float("inf")] * len(tasks)
    for _ in range(tries):
        for k, task in enumerate(tasks):
            start = clock()
            task()
            times[k] = min(times[k], clock() - start)
    return times


def say(what: str, value: float, wanted: str) -> None:
    print(f"{what:<66} {value:8.2f}   {wanted}")


def process(
    *arguments: str, check: bool = True, more: Mapping[str, str] = MappingProxyType({})
) -> Callable[[], object]:
    """A run of this Python, its byte code cached as an installed program's is; which has to end
    well, unless it isn't checked. `more` is what else its environment says."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def run() -> object:
        return subprocess.run(
            [sys.executable, *arguments],
            stdout=subprocess.DEVNULL,
            check=check,
            cwd=ROOT,
            env={**environment, **more},
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
        ("exact", lambda x: x, ("at most 1.5", "at most 1.5")),
        ("carry", lambda x: np.round(x, 3), ("np.round at each step", "")),
    ):
        scenario = load({**m, "rounding": {"policy": policy, "decimals": 3}})
        given = {name: matrix.values for name, matrix in scenario.given.matrices.items()}
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
        return render(cells_page(trace, wanted), "terminal", RenderOptions(80))

    layer, ours, number = best(7, lambda: bare_layer(m), lambda: work(scenario), cell)
    memory = [peak(task) for task in (lambda: bare_layer(m), lambda: work(scenario))]
    what = f"{TOKENS} × {D_MODEL}, {HEADS} heads, d_ff {D_FF} / the same in bare NumPy"
    say(f"{what}, time", ours / layer, "at most 1.5")
    say(f"{what}, memory", memory[1] / memory[0], "at most 1.5")
    say("two cells of it as a page / computing it", number / ours, "at most 1")


def lines_of_working() -> None:
    rng = np.random.default_rng(1)
    scenario: Scenario = load(
        {
            **{name: rng.normal(size=(8, 8)) for name in ("X", "W_Q", "W_K", "W_V", "W1", "W2")},
            "rounding": {"decimals": 3},
        }
    )
    trace = work(scenario)
    page = render(walkthrough(trace, Selection()), "json", RenderOptions())
    lines = page.count('"cell":')
    seconds, *_ = best(
        5, lambda: render(walkthrough(trace, Selection()), "terminal", RenderOptions(100))
    )
    say("thousands of worked lines a second, as text", lines / seconds / 1000, "thousands")


def json_of_a_large_trace() -> None:
    """Values and texts of all quantities, beside what Python takes for the values alone."""
    names = ("X", "W_Q", "W_K", "W_V")
    given = {name: matrix for name, matrix in matrices().items() if name in names}
    for policy in ("exact", "carry"):
        trace = work(load({**given, "rounding": {"policy": policy, "decimals": 3}}))
        made = [q.values.tolist() for q in trace.quantities.values() if not q.given]
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:

            def ours(trace: Trace = trace, file: TextIO = nowhere) -> None:
                page = walkthrough(trace, Selection())
                file.writelines(stream_of(page, "json", RenderOptions()))  # type: ignore[arg-type]

            def theirs(made: object = made, file: TextIO = nowhere) -> None:
                json.dump(made, file)

            mine, dumped = best(3, ours, theirs)
            whole = best(3, _whole_command(given, policy), theirs)
        what = f"JSON of a trace of {SIZE} × {SIZE}, {policy}"
        say(f"{what}, / json.dump of its numbers", mine / dumped, "at most 8")
        say(f"{what}, the whole command / json.dump", whole[0] / whole[1], "at most 8")
        page = walkthrough(trace, Selection())
        memory = peak(partial(deque, stream_of(page, "json", RenderOptions()), 0))
        say(f"{what}, memory beside the page, MB", memory / 1e6, "a few")


def _whole_command(given: dict[str, np.ndarray], policy: str) -> Callable[[], object]:
    """`attn run --format json` of a file with these matrices."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    np.savez(folder / "m.npz", allow_pickle=False, **given)
    lines = [f"{name}: {{file: m.npz, key: {name}}}" for name in given]
    lines.append(f"rounding: {{policy: {policy}, decimals: 3}}")
    file = folder / "large.yaml"
    file.write_text("\n".join(lines), "utf-8")
    output = ("--format", "json", "-o", str(folder / "large.json"), "--force")
    return process("-m", "attncli", "run", str(file), *output)


WIDTH, LAYER_TOKENS = 256, 256


def stack_of(tokens: int, layers: int, activation: str, decimals: int = 0) -> dict[str, Any]:
    """Layers of one head with norms before and residuals; `carry` where there are decimals."""
    rng = np.random.default_rng(3)
    d_ff = 4 * WIDTH
    shapes = {
        **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), (WIDTH, WIDTH)),
        "W1": (WIDTH, d_ff),
        "W2": (d_ff, WIDTH),
    }
    settings = {"norm": "pre", "residuals": True, "activation": activation}
    entries = [
        {name: rng.normal(size=shape) / shape[0] ** 0.5 for name, shape in shapes.items()}
        for _ in range(layers)
    ]
    rounding = {"policy": "carry", "decimals": decimals} if decimals else {"policy": "exact"}
    X = rng.normal(size=(tokens, WIDTH))
    return {"X": X, "layers": [{**data, **settings} for data in entries], "rounding": rounding}


erf = np.vectorize(math.erf, otypes=[np.float64])  # NumPy has none of its own
ACTIVATED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * (1 + erf(x / 2**0.5)) / 2,
}


def bare_stack(source: dict[str, Any], activation: str) -> list[np.ndarray]:
    """The same layers in bare NumPy, every result kept."""
    x, kept = source["X"], []

    def keep(array: np.ndarray) -> np.ndarray:
        kept.append(array)
        return array

    def norm(x: np.ndarray) -> np.ndarray:
        centered = keep(x - keep(x.mean(axis=1, keepdims=True)))
        variance = keep((centered**2).mean(axis=1, keepdims=True))
        return keep(centered / keep(np.sqrt(variance + 1e-5)))

    for m in source["layers"]:
        y = norm(x)
        Q, K, V = (keep(y @ m[name]) for name in ("W_Q", "W_K", "W_V"))
        exp = keep(np.exp(keep(keep(Q @ K.T) / WIDTH**0.5)))
        weights = keep(exp / keep(exp.sum(axis=1, keepdims=True)))
        x = keep(x + keep(keep(weights @ V) @ m["W_O"]))
        hidden = keep(norm(x) @ m["W1"])
        x = keep(x + keep(keep(ACTIVATED[activation](hidden)) @ m["W2"]))
    return kept


def _beside_numpy(what: str, tokens: int, layers: int, activation: str, wanted: str = "") -> None:
    source = stack_of(tokens, layers, activation)
    scenario = load(source, large=True)
    theirs, mine = best(3, lambda: bare_stack(source, activation), lambda: work(scenario))
    say(f"{what} / the same in bare NumPy", mine / theirs, wanted)


def with_backward(source: dict[str, Any]) -> dict[str, Any]:
    """The same with targets, and the way back from them."""
    targets = np.random.default_rng(9).normal(size=source["X"].shape)
    return {**source, "targets": targets, "backward": True}


def back() -> None:
    """The way forth and back through one block, and through a stack."""
    sys.path.append(str(ROOT))  # of a script that is only where the script is
    from tests.benchmarks import backward

    source = with_backward({**matrices(), "rounding": {"policy": "exact"}})
    what = f"forth and back, {SIZE} × {SIZE}"
    _back(what, source, lambda: backward.one_block(source))
    for activation in ACTIVATED:
        source = with_backward(stack_of(LAYER_TOKENS, 12, activation))
        what = f"forth and back, {LAYER_TOKENS} tokens × {WIDTH}, 12 layers, {activation}"
        _back(what, source, partial(backward.stack, source, activation))


def _back(what: str, source: dict[str, Any], bare: Callable[[], object]) -> None:
    scenario = load(source, large=True)
    theirs, mine = best(7, bare, lambda: work(scenario))
    say(f"{what} / the same in bare NumPy", mine / theirs, "at most 2.5")


def at_scale() -> None:
    """Traces of many tokens, layers and decimals, and what it takes to write them."""
    for tokens in (64, 256, 1024, 2048):
        _beside_numpy(f"{tokens:,} tokens × {WIDTH}, 1 layer", tokens, 1, "relu")
    for layers in (1, 6, 12, 24):
        for activation in ACTIVATED:
            what = f"{LAYER_TOKENS} tokens × {WIDTH}, {layers} layers, {activation}"
            wanted = "at most 2.5" if layers == 12 else ""
            _beside_numpy(what, LAYER_TOKENS, layers, activation, wanted)
    attention = {name: matrix[:, :64] for name, matrix in matrices().items()}
    for tokens in (64, 128, 256, 512):
        given = {name: attention[name][:tokens] for name in ("X",)}
        given |= {name: attention[name][:64] for name in ("W_Q", "W_K", "W_V")}
        before = float("inf")
        for decimals in range(1, 11):
            rounding = {"policy": "carry", "decimals": decimals}
            scenario = load({**given, "rounding": rounding}, large=True)
            sums = partial(bare_attention, given)
            theirs, mine = best(max(3, 1600 // tokens), sums, partial(work, scenario))
            what = f"attention of {tokens} tokens × 64, carry, {decimals} decimals"
            wanted = f"at most 60 and {4 * before:.0f}"  # no cliff between neighbours
            before = mine / theirs
            say(f"{what} / the bare sums", before, wanted)
    _formats()


def bare_attention(m: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Attention without any rounding, every result kept."""
    Q, K, V = (m["X"] @ m[name] for name in ("W_Q", "W_K", "W_V"))
    scores = Q @ K.T
    scaled = scores / np.sqrt(Q.shape[1])
    exp = np.exp(scaled)
    exp_sum = exp.sum(axis=1, keepdims=True)
    weights = exp / exp_sum
    return [Q, K, V, scores, scaled, exp, exp_sum, weights, weights @ V]


def _formats() -> None:
    """A page of each format beside the working of its trace."""
    scenario = load(stack_of(64, 1, "gelu"), large=True)
    trace = work(scenario)
    for name in ("terminal", "markdown", "html", "latex", "json"):
        page = partial(_page, trace, name)
        number, worked = best(2, page, partial(work, scenario))
        say(f"64 tokens × {WIDTH}, 1 layer, as {name} / working it", number / worked, "")


def _page(trace: Trace, name: str) -> object:
    return render(walkthrough(trace, Selection()), name, RenderOptions(100))


def checkpoint() -> None:
    """A GPT-2 of 124 million parameters on 16 tokens, whole commands beside NumPy alone, which reads
    and computes the same; by the time of the processor, of one thread each, since threads that wait
    for each other count as well."""
    sys.path.append(str(ROOT))  # of a script that is only where the script is
    from tests.benchmarks import checkpoint as bare

    with tempfile.TemporaryDirectory() as folder:
        bare.save(Path(folder))
        ids, file = [*map(str, bare.IDS)], f"{folder}/m.yaml"
        process("-m", "attncli", "new", file, "--from", folder, "--tokens", ",".join(ids))()
        alone = process(bare.__file__, folder, *ids, more=_ONE_THREAD)
        run = ("-m", "attncli", "run", file, "--large")
        parts = {"--detail": "summary", "--cell": "layers[2].heads[1].weights[3, 2]"}
        tasks = [process(*run, *part, more=_ONE_THREAD) for part in parts.items()]
        theirs, *times = best(7, alone, *tasks, clock=_time_of_children)
    say("GPT-2 of 124 M, 16 tokens, read and computed by NumPy, seconds", theirs, "")
    for (option, value), mine in zip(parts.items(), times, strict=True):
        text = f"{option} {value}" if option == "--detail" else option
        say(f"attn run {text} of it / NumPy alone", mine / theirs, "at most 3")


def live() -> None:
    """The same model read and worked in Python on 128 tokens, beside PyTorch's forward with a hook
    that keeps what each module gives, and beside the numbers of its story alone; float64 beside
    float32."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    model, ids = GPT2LMHeadModel(GPT2Config()), torch.arange(128)[None]
    model.train(mode=False)
    kept: dict[str, object] = {}
    for name, module in model.named_modules():
        module.register_forward_hook(lambda _, __, made, name=name: kept.update({name: made}))

    def forward() -> None:
        with torch.no_grad():
            model(ids)

    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)

        def read() -> Scenario:
            return Scenario.from_checkpoint(folder, ids, changes="rounding.policy=exact")

        known = work(read())

        def numbers() -> None:
            made: dict[Any, Any] = {name: known[name] for name in known.scenario.given.matrices}
            for definition in known.plan:
                made[definition.name] = make(known.scenario, made, definition)

        theirs, bare, mine = best(5, forward, numbers, lambda: work(read()))
    say("GPT-2 of 124 M, 128 tokens, by PyTorch with all hooks, seconds", theirs, "")
    say("Scenario.from_checkpoint and work of it / PyTorch", mine / theirs, "at most 5")
    say("Scenario.from_checkpoint and work of it / the trace alone", mine / bare, "at most 1.2")


def comparing() -> None:
    """`attncli.torch.compare` of a right GPT-2 on 128 tokens beside PyTorch's forward with a hook on
    each module, with and without logits."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, GPT2Model

    from attncli.torch import compare

    for kind in (GPT2Model, GPT2LMHeadModel):
        model, ids = kind(GPT2Config()), torch.arange(128)[None]
        model.train(mode=False)
        kept: dict[str, object] = {}

        def forward(model: Any = model, ids: Any = ids, kept: dict[str, object] = kept) -> None:
            handles = [
                module.register_forward_hook(
                    lambda _, __, made, name=name: kept.update({name: made})
                )
                for name, module in model.named_modules()
            ]
            with torch.no_grad():
                model(ids)
            for handle in handles:
                handle.remove()

        def compared(model: Any = model, ids: Any = ids) -> None:
            if not compare(model, ids).follows:
                raise ValueError("a right model doesn't follow")

        theirs, mine = best(3, forward, compared)
        say(f"{kind.__name__} of 124 M, 128 tokens, by PyTorch with all hooks, seconds", theirs, "")
        say("compare of it / PyTorch", mine / theirs, "at most 5")


_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def _time_of_children() -> float:
    """What the processor spent on processes that have ended, in seconds."""
    spent = os.times()
    return spent.children_user + spent.children_system


FORMS = 1000


def forms() -> None:
    """Forms with keys; both take turns, as elsewhere, the cold runs
    some at a time, since they are short. The files go to memory where there is some: a disk keeps
    away from what was just deleted, and takes up to a third longer then for so many."""
    run = process("-m", "attncli", "run", "i_love_ai")
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        for what, steps in (("all steps", ()), ("--step softmax", ("--step", "softmax"))):
            words = ("exercise", "i_love_ai", *steps, "--forms", str(FORMS), "--seed", "7")
            many = number = float("inf")
            for k in range(3):
                place = ("--format", "markdown", "-o", f"{folder}/{len(steps)}{k}")
                number = min(number, *best(4, run))
                many = min(many, *best(1, process("-m", "attncli", *words, *place)))
            say(
                f"{FORMS:,} forms with keys, {what} / a cold attn run",
                many / number,
                "at most 100",
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
        number, many = best(5, run)[0], best(1, grade)[0]
    say(f"{PAPERS:,} papers with one wrong number / a cold attn run", many / number, "at most 60")


def _with_a_slip(right: Sequence[str], k: int) -> str:
    """An answers file in which the k-th number, as often as it takes, is another one."""
    numbers = [i for i, line in enumerate(right) if line.startswith('  "')]
    i = numbers[k % len(numbers)]
    name, _, number = right[i].rpartition(": ")
    wrong = float(number) + 0.01 * (1 + k // len(numbers))
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
    by_name = {"kind": "unigram", "training": "expected"}
    _learned("Unigram pieces", text, size, by_name, lambda: (models.Unigram(), unigram))


def _learned(
    what: str, text: str, size: int, value: object, package: Callable[[], tuple[Any, Any]]
) -> None:
    from tokenizers import Tokenizer, pre_tokenizers

    settings = {"tokenizer": value, "corpus": text, "vocabulary_size": size, "sentence": "the rest"}

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
        at_scale,
        checkpoint,
        live,
        comparing,
        back,
        forms,
        papers,
        learning,
    ):
        if not chosen or measure.__name__ in chosen:
            measure()


if __name__ == "__main__":
    main(sys.argv[1:])
