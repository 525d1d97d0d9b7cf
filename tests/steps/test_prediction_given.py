"""Logits and probabilities that are given, targets that don't count, and where generation ends."""

from __future__ import annotations

from math import exp, log

import pytest

from attncli import ScenarioError, load, work
from tests import oracle
from tests.auditor import audit
from tests.helpers.pages import page_of, tables_of, trace_of
from tests.helpers.plain import read
from tests.pages.test_audit import check
from tests.steps.test_transformers import agree

PROBABILITIES = "probabilities: [[0.1, 0.2, 0.7], [0.5, 0.25, 0.25], [0.3, 0.3, 0.4]]\n"
LOGITS = (
    "tokens: [I, can, swim]\nvocabulary: {I: 0, can: 1, swim: 2}\n"
    "logits: [[1, 2, 0.5], [0, 1, 2], [3, 0, 1]]\n"
)
MODEL = (
    "tokens: [a, b]\nembeddings: {a: [1, 0], b: [0, 1], end: [1, 1]}\n"
    "unembedding: [[0, 2, 0], [0, 1, 3]]\n"
)
CASES = (
    f"{PROBABILITIES}targets: [2, 1, 0]\n",
    f"{PROBABILITIES}targets: [2, _, 0]\nignored_target: _\n",
    f"{LOGITS}targets: [can, null, I]\nignored_target: null\nnext: {{temperature: 2, top_k: 2}}\n",
    f"{LOGITS}next: {{top_p: 0.8}}\n",
    f"{MODEL}targets: [_, end]\nignored_target: _\n",
)


@pytest.mark.parametrize("policy", ["carry", "exact"])
@pytest.mark.parametrize("text", CASES)
def test_as_the_oracle_has_it(text: str, policy: str) -> None:
    text = f"{text}rounding: {{policy: {policy}}}\n"
    trace = trace_of(text)
    assert trace.unfinished is None
    assert not trace.unused
    agree(oracle.work(read(text)), trace)
    form = ("terminal", "markdown", "latex", "json")[len(text) % 4]
    check(audit(page_of(trace, form, 80, "full"), form, tables_of(trace)), trace, "full")


def test_only_what_counts_is_in_the_mean() -> None:
    trace = trace_of(f"{CASES[1]}rounding: {{policy: exact}}\n")
    mean = -(log(0.7) + log(0.3)) / 2
    assert float(trace["cross_entropy"].values[0, 0]) == pytest.approx(mean, rel=1e-14)
    assert float(trace["perplexity"].values[0, 0]) == pytest.approx(exp(mean), rel=1e-14)
    assert trace["with_target"].rows.names == ("1", "3")
    assert "1 position is left out, whose target is ignored." in " ".join(
        page_of(trace, "terminal").split()
    )


def test_generation_ends_with_its_token() -> None:
    endless = trace_of(f"{MODEL}generate: 4\n")
    assert [endless.likeliest(), *(trace.likeliest() for trace in endless.generated)] == [
        "end", "b", "end", "b",
    ]  # fmt: skip
    ended = trace_of(f"{MODEL}generate: 4\nend_token: end\n")
    assert ended.generated == ()
    assert "It ends with “end”, after which none" in " ".join(page_of(ended, "terminal").split())
    later = trace_of(f"{MODEL}generate: 2\nend_token: a\n")
    assert len(later.generated) == 1
    assert "It ends with" not in page_of(later, "terminal")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (f"{MODEL}generate: 2\nend_token: z\n", '"z" is no token that can be made'),
        (f"{MODEL}end_token: end\n", "nothing is generated"),
        (f"{MODEL}targets: [a, b]\nignored_target: _\n", "not among the targets"),
        (f"{MODEL}targets: [_, _]\nignored_target: _\n", "all targets are ignored"),
        (f"{PROBABILITIES}targets: [2, 1]\n", "the targets are 2, the positions with logits 3"),
        (f"{PROBABILITIES}next: {{top_k: 2}}\n", "next needs logits"),
        (f"{PROBABILITIES}logits: [[1, 2, 3]]\n", "logits beside probabilities"),
        (f"{LOGITS}generate: 2\n", "generate needs logits, and there is no unembedding"),
    ],
)
def test_what_is_wrong(text: str, wrong: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        work(load(read(text)))
    assert wrong in str(caught.value)


CELL = "cell: rnn\nW_ax: [[0.1, 0.2], [0.3, 0.4]]\nW_aa: [[0.5, 0.1], [0.2, 0.3]]\n"
HEAD = "W_Q: [[1, 0], [0, 1]]\nW_K: [[1, 0], [0, 1]]\nW_V: [[1, 0], [0, 1]]\n"


@pytest.mark.parametrize(("layer", "gathers"), [("", False), (CELL, True), (HEAD, True)])
@pytest.mark.parametrize("every", [True, False])
def test_a_vector_has_gathered_only_what_a_layer_brings_it(
    layer: str, gathers: bool, every: bool
) -> None:
    more = "targets: [b, end]\n" if every else ""
    page = " ".join(page_of(trace_of(MODEL + layer + more)).split())
    whose = "each token's vector" if every else "the last token's vector"
    holds = ", with what it has gathered" if gathers else ""
    assert f"To find the next token, the model goes by {whose}{holds}." in page
    assert ("No step here has mixed the tokens." in page) is not gathers
