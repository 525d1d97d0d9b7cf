"""A draft that is verified: against plain NumPy, and against the function of transformers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work
from tests.auditor import audit
from tests.helpers.pages import page_of, tables_of, trace_of

_TEXT = """\
tokens: [a, b, c, a]
vocabulary: {a: 0, b: 1, c: 2}
logits: [[1, 2, 0.5], [0, 1, 2], [3, 0, 1], [0.5, 0.25, 1]]
"""
_DRAFT = "draft: {q: [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.4, 0.3, 0.3]], r: %s, draw: %s}\n"


def _by_numpy(p: Any, q: Any, tokens: list[int], r: list[float], u: float) -> tuple[int, int]:
    """How many are accepted, and which token comes next (Leviathan et al., algorithm 1)."""
    count = 0
    while count < len(r) and r[count] < min(1, p[count, tokens[count]] / q[count, tokens[count]]):
        count += 1
    rest = p[count] if count == len(r) else np.maximum(p[count] - q[count], 0)
    return count, int((np.cumsum(rest / rest.sum()) > u).argmax())


@pytest.mark.parametrize("seed", range(4))
def test_it_is_what_numpy_makes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    logits, drafts = rng.normal(size=(6, 5)), rng.dirichlet(np.ones(5), size=4)
    tokens, r, u = rng.integers(0, 5, size=6), rng.uniform(size=4) ** (1 + seed), rng.uniform()
    trace = work(
        load(
            {
                "tokens": [f"t{k}" for k in tokens],
                "vocabulary": {f"t{k}": k for k in range(5)},
                "logits": logits,
                "draft": {"q": drafts, "r": r.tolist(), "draw": float(u)},
                "rounding": {"policy": "exact"},
            }
        )
    )
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    count, token = _by_numpy(p[1:], drafts, tokens[2:].tolist(), r.tolist(), float(u))
    assert trace["draft.accepted"].values.sum() == count
    assert trace["draft.drawn"].values[0].argmax() == token
    assert not trace.unused


@pytest.mark.parametrize(
    ("r", "policy"), [("[0.1, 0.1, 0.1]", "carry"), ("[0.3, 0.9, 0.1]", "exact")]
)
def test_every_page_is_true(r: str, policy: str) -> None:
    trace = trace_of(f"{_TEXT}{_DRAFT % (r, '0.6')}rounding: {{policy: {policy}}}\n")
    for form in ("terminal", "latex", "json"):
        assert audit(page_of(trace, form, 80, "full"), form, tables_of(trace)).false == [], form


def test_after_an_accepted_draft_the_token_is_drawn_from_p() -> None:
    trace = trace_of(f"{_TEXT}{_DRAFT % ('[0, 0, 0]', '0.6')}")
    assert trace["draft.excess"].values.tolist() == trace["draft.p"].values[-1:].tolist()
    page = " ".join(page_of(trace, "terminal").split())
    assert "▸ All 3 drafted tokens are accepted: the number 0.6 draws “" in page


def test_what_is_refused_says_why() -> None:
    page = " ".join(page_of(trace_of(f"{_TEXT}{_DRAFT % ('[0.1, 0.9, 0.1]', '0.6')}")).split())
    refused = "▸ “c” is refused, as 0.9 is not below 0.831: the number 0.6 draws “b”."
    assert refused in page


def test_its_distribution_is_that_of_the_target() -> None:
    """All pairs of numbers to accept and to draw by, on a grid: what comes out is p."""
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.5, 0.3])
    rows = np.log(p).tolist()
    made, grid = np.zeros(3), (np.arange(15) + 0.5) / 15
    for token, share in enumerate(q):
        for r in grid:
            data = {
                "tokens": ["t0", f"t{token}"],
                "vocabulary": {"t0": 0, "t1": 1, "t2": 2},
                "logits": [rows, rows],
                "draft": {"q": [q.tolist()], "r": [float(r)], "draw": 0.5},
                "rounding": {"policy": "exact"},
            }
            trace = work(load(data))
            taken = trace["draft.accepted"].values[0, 0]
            new = np.eye(3)[token] if taken else trace["draft.adjusted"].values[0]
            made += share * new / len(grid)
    np.testing.assert_allclose(made, p, atol=1e-12)


@pytest.mark.real("torch", "transformers")
def test_transformers_accepts_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="there is nothing to compare with")
    utils = pytest.importorskip("transformers.generation.utils")
    rng = np.random.default_rng(5)
    counts = []
    for _ in range(8):
        logits, drafted = rng.normal(size=(4, 5)), rng.normal(size=(3, 5))
        tokens, r = rng.integers(0, 5, size=4), rng.uniform(size=3)
        r = np.round(r, 3)
        monkeypatch.setattr(torch, "rand_like", lambda _, r=r: torch.tensor(r))
        theirs = utils._speculative_sampling(
            torch.tensor(tokens)[None], torch.tensor(drafted)[None], 3,
            torch.tensor(logits)[None],
        )  # fmt: skip
        q = np.exp(drafted) / np.exp(drafted).sum(axis=1, keepdims=True)
        trace = work(
            load(
                {
                    "tokens": [f"t{k}" for k in tokens],
                    "vocabulary": {f"t{k}": k for k in range(5)},
                    "logits": logits,
                    "draft": {"q": q, "r": r.tolist(), "draw": 0.5},
                    "rounding": {"policy": "exact"},
                }
            )
        )
        counts.append(int(trace["draft.accepted"].values.sum()))
        assert counts[-1] == int(theirs[1])
    assert len({*counts}) > 1


@pytest.mark.parametrize(
    ("draft", "wrong"),
    [
        (_DRAFT % ("[0.1, 0.2]", "0.5"), "3 rows of probabilities, and 2 numbers to accept"),
        ("draft: {q: [[0.2, 0.5, 0.3]], r: [0.1]}\n", "draft without draw"),
        (
            "draft: {q: [[1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]], r: [0, 0, 0, 0], draw: 0}\n",
            "4 tokens, and the last 4 are drafted",
        ),
        (
            "draft: {q: [[0, 1, 0]], r: [0.1], draw: 0.5}\n",
            "a drafted token has the probability 0",
        ),
    ],
)
def test_what_is_wrong(draft: str, wrong: str) -> None:
    with pytest.raises(ScenarioError, match=wrong):
        trace_of(_TEXT + draft)
