"""Mistakes that people ask about in public, each made by the oracle: marking names each of them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import numpy as np
import pytest

from attncli import load, work
from attncli.judging.judging import Judge
from attncli.judging.verdicts import Given
from attncli.maths.equations.tree import Location
from tests.classroom.planted.counting import found
from tests.classroom.planted.papers import paper_with
from tests.classroom.planted.sheet import Array, rounded
from tests.classroom.planted.shipped import paper
from tests.conftest import sampled
from tests.helpers.plain import read

PLANTED = [
    "cosine_of_next_exponent", "other_base", "angle_multiplied", "heads_not_split",
    "over_all_heads", "computed_from_Q", "reset_after_product", "reset_before_product",
]  # fmt: skip


@sampled(8, cause=PLANTED, seed=range(4))
def test_a_planted_mistake_is_named_first(cause: str, seed: int) -> None:
    finding = found(paper_with(cause, seed))
    assert finding.first == cause
    assert not finding.loose


def named(judge: Judge, written: Mapping[str, Array], places: int = 3) -> set[tuple[str, str]]:
    """The quantities that are found wrong, each with what it is called."""
    numbers = {
        Location(name, i, j): Given(f"{value:.{places}f}", Decimal(f"{value:.{places}f}"), places)
        for name, table in written.items()
        for (i, j), value in np.ndenumerate(table)
    }
    wrong = (
        v for v in judge.verdicts(numbers) if v.judgement not in ("correct", "carried forward")
    )
    return {(str(v.cell.quantity), v.cause.name if v.cause else v.judgement) for v in wrong}


# -- keys and values that are made of what the queries are made of ------------------------------

CROSS = """\
tokens: [a, b]
X: [[1, 0.5, -1], [0.3, -0.7, 0.8]]
memory: {p: [0.2, 1, 0.4], q: [-0.6, 0.3, 0.9]}
block: decoder
norms: {epsilon: 0.1}
W_Q: [[1, 0.4, 0.2], [0.3, 1, -0.5], [0.1, 0.6, 1]]
W_K: [[0.5, -0.4, 1], [1, 0.2, 0.3], [-0.7, 1, 0.1]]
W_V: [[1, 0.1, -0.3], [0.4, 0.8, 1], [0.2, -1, 0.5]]
cross:
  W_Q: [[0.9, 0.4, 0.2], [0.3, 1, -0.6], [0.1, 0.5, 1]]
  W_K: [[0.5, -0.4, 0.8], [1, 0.3, 0.3], [-0.7, 0.9, 0.1]]
  W_V: [[0.8, 0.1, -0.3], [0.4, 0.7, 1], [0.2, -0.9, 0.5]]
"""


def test_keys_and_values_of_the_memory_are_not_made_of_the_tokens() -> None:
    data = read(CROSS)
    trace = work(load(data))
    judge = Judge(trace)
    x = trace[next(d for d in trace.plan if str(d.name) == "cross.Q").operands[0]].values
    W = {name: np.array(data["cross"][f"W_{name}"], dtype=float) for name in "QKV"}
    Q, K, V = (rounded(x @ W[name]) for name in "QKV")
    scores = rounded(Q @ K.T)
    written = {"cross.Q": Q, "cross.K": K, "cross.V": V, "cross.scores": scores}
    assert named(judge, written) == {("cross.K", "memory_not_used")}  # of which V is a part
    # and where neither is asked
    assert named(judge, {"cross.Q": Q, "cross.scores": scores}) == {
        ("cross.scores", "memory_not_used")
    }


# -- a reset gate at the other side of the product ------------------------------------------------


@pytest.mark.parametrize("reset", ["before", "after"])
@pytest.mark.parametrize("asked", ["all", "states"])
def test_a_reset_gate_at_the_other_side_is_no_exchanged_update_gate(reset: str, asked: str) -> None:
    judge = Judge(work(load("yassine_gru", [f"reset={reset}"])))
    other = "after" if reset == "before" else "before"
    right, wrong = paper("yassine_gru", reset=reset), paper("yassine_gru", reset=other)
    written = {name: x for name, x in wrong.items() if name in right}
    if asked == "states":
        written = {name: x for name, x in written.items() if name[:2] == "a["}
    called = {cause for _, cause in named(judge, written)}
    assert called == {f"reset_{other}_product"}


# -- pairs that overlap ----------------------------------------------------------------------------

PAIRS = """\
tokenizer: bpe
corpus: {aaaa: 2, aaab: 1, baaa: 3, ab: 2}
vocabulary_size: 4
sentence: ab
"""


def test_a_pair_counts_wherever_it_stands() -> None:
    """aaaa holds a + a three times, as the trainers of Sennrich et al. and of Hugging Face count;
    whoever counts those that can be merged finds two."""
    trace = work(load(read(PAIRS)))
    name = next(str(name) for name in trace if str(name).endswith("counts") and "[1]" in str(name))
    pairs = [*trace[name].rows.names]
    right = {"a a": 3 * 2 + 2 * 1 + 2 * 3, "a b": 1 + 2, "b a": 3}
    assert dict(zip(pairs, trace[name].values[:, 0], strict=True)) == right
    judge = Judge(trace)
    apart = {**right, "a a": 2 * 2 + 1 * 1 + 1 * 3}
    for counts, called in ((right, set[str]()), (apart, {"overlapping_once"})):
        table = np.array([[float(counts[pair])] for pair in pairs])
        assert {cause for _, cause in named(judge, {name: table}, places=0)} == called


# -- positions whose waves are others ------------------------------------------------------------

WAVES = """\
tokens: [a, b, c]
embeddings: {a: [1, 0.5, -1, 0.2], b: [0.3, -0.7, 0.8, 1], c: [0.6, 0.1, 0.4, -0.5]}
positions: sinusoidal
projection: none
"""


@pytest.mark.parametrize(
    ("name", "angles"),
    [
        ("cosine_of_next_exponent", lambda pos, j: pos / 10000 ** (j / 4)),
        ("other_base", lambda pos, j: pos / 1000 ** ((j - j % 2) / 4)),
        ("angle_multiplied", lambda pos, j: pos * 10000 ** ((j - j % 2) / 4)),
        ("", lambda pos, j: pos / 10000 ** ((j - j % 2) / 4)),
    ],
)
def test_other_waves_are_named(name: str, angles: object) -> None:
    assert callable(angles)
    judge = Judge(work(load(read(WAVES))))
    j = np.arange(4)
    made = angles(np.arange(3)[:, None], j)
    P = rounded(np.where(j % 2, np.cos(made), np.sin(made)))
    assert {cause for _, cause in named(judge, {"P": P})} == ({name} if name else set())
