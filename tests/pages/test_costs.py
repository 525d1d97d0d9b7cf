"""What steps cost, beside PyTorch's counter of flops, its parameters, and formulas of others."""

from __future__ import annotations

import json
import re
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attncli import load, work
from attncli.commands.renderings import page_of
from attncli.formats import RenderOptions, render
from attncli.option_values import Pictures
from attncli.pages.costs import BYTES, costs_of
from attncli.pages.parts.cost_of_steps import StepCost
from attncli.pages.parts.selection import Selection
from attncli.trace import Trace
from tests.auditor import audit
from tests.helpers.marking_cases import run
from tests.helpers.pages import tables_of

N, D, HEADS, D_FF = 5, 8, 4, 12
CONTROL = {"rounding": {"policy": "exact", "decimals": 4}}
LAYER = {
    **{f"W_{x}": (D, D) for x in "QKVO"},
    **{f"b_{x}": (D,) for x in "QKVO"},
}
NETWORK = {"W1": (D, D_FF), "b1": (D_FF,), "W2": (D_FF, D), "b2": (D,)}


def drawn(**shapes: tuple[int, ...]) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    return {name: rng.normal(size=shape).round(2).tolist() for name, shape in shapes.items()}


def costs(tree: dict[str, Any]) -> tuple[Trace, list[StepCost]]:
    trace = work(load({**CONTROL, **tree}))
    return trace, [*costs_of(trace, Selection()).values()]


def counted(run_it: Any, *modules: Any) -> tuple[int, int]:
    """The flops of PyTorch, and the parameters."""
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        run_it()
    return counter.get_total_flops(), sum(p.numel() for m in modules for p in m.parameters())


def same(found: list[StepCost], flops: int, parameters: int) -> None:
    assert 2 * sum(cost.of_matrices for cost in found) == flops
    assert sum(cost.parameters for cost in found) == parameters


@pytest.mark.real("torch")
def test_attention_costs_what_pytorch_counts() -> None:
    torch = pytest.importorskip("torch")
    _, found = costs({"heads": HEADS, **drawn(X=(N, D), **LAYER)})
    module = torch.nn.MultiheadAttention(D, HEADS, batch_first=True)
    x = torch.ones(1, N, D)
    same(found, *counted(lambda: module(x, x, x), module))


@pytest.mark.real("torch")
def test_layers_of_an_encoder_cost_what_pytorch_counts() -> None:
    torch = pytest.importorskip("torch")
    norms = {f"norm{k}": drawn(gamma=(D,), beta=(D,)) for k in (1, 2)}
    layer = {**drawn(**LAYER, **NETWORK), **norms}
    tree = {"block": "encoder", "heads": HEADS, "layers": [layer, layer], **drawn(X=(N, D))}
    _, found = costs(tree)
    of_one = torch.nn.TransformerEncoderLayer(D, HEADS, D_FF, batch_first=True)
    modules = torch.nn.TransformerEncoder(of_one, 2, enable_nested_tensor=False)
    same(found, *counted(lambda: modules(torch.ones(1, N, D)), modules))
    assert all(cost.multiplications >= cost.of_matrices for cost in found)


@pytest.mark.real("torch")
def test_a_decoder_with_shared_heads_and_its_cache() -> None:
    torch = pytest.importorskip("torch")
    kv, d_k, vocabulary = 2, D // HEADS, 7
    narrow = {"W_K": (D, kv * d_k), "W_V": (D, kv * d_k), "W_Q": (D, D), "W_O": (D, D)}
    words = dict(zip("abcdefg", range(vocabulary), strict=True))
    tree = {
        "sentence": "a b c d e", "vocabulary": words, "block": "attention", "heads": HEADS, "kv_heads": kv,
        "mask": "causal", "predict_from": "every", "layers": [drawn(**narrow), drawn(**narrow)],
        **drawn(embeddings=(vocabulary, D), unembedding=(D, vocabulary)),
    }  # fmt: skip
    trace, found = costs(tree)
    linear = [
        torch.nn.Linear(D, width, bias=False)
        for width in (*(D, kv * d_k, kv * d_k, D) * 2, vocabulary)
    ]
    table = torch.nn.Embedding(vocabulary, D)

    def forward() -> None:
        x = table(torch.arange(N))
        for Q, K, V, last in (linear[:4], linear[4:8]):
            q = Q(x).view(N, HEADS, d_k).transpose(0, 1)
            k, v = (
                M(x).view(N, kv, d_k).repeat_interleave(HEADS // kv, 1).transpose(0, 1)
                for M in (K, V)
            )
            x = last((q @ k.transpose(1, 2)).softmax(-1).bmm(v).transpose(0, 1).reshape(N, D))
        linear[-1](x)

    same(found, *counted(forward, *linear, table))
    for floats, size in BYTES.items():
        data = page_of(trace, (), "cost", Pictures.NONE, floats=floats).data.told
        assert data["total"]["kv_cache"] == 2 * 2 * N * kv * d_k * size  # type: ignore[index]


@pytest.mark.real("torch")
def test_an_lstm_costs_what_its_formula_says() -> None:
    """4 h (d + h) products of matrices at each time (Hochreiter & Schmidhuber 1997; Greff et al.
    2017, arXiv:1503.04069), and 3 h of gates; the counter of flops knows none of a cell."""
    torch = pytest.importorskip("torch")
    d, h = 3, 2
    stacked = drawn(W_ih=(4 * h, d), W_hh=(4 * h, h), b_ih=(4 * h,), b_hh=(4 * h,))
    trace, found = costs({"cell": "lstm", "weights_layout": "torch", **drawn(X=(N, d)), **stacked})
    assert sum(cost.of_matrices for cost in found) == N * 4 * h * (d + h)
    assert sum(cost.multiplications for cost in found) == N * (4 * h * (d + h) + 3 * h)
    module = torch.nn.LSTM(d, h)
    assert sum(cost.parameters for cost in found) == sum(p.numel() for p in module.parameters())
    assert "kv_cache" not in page_of(trace, (), "cost", Pictures.NONE).data.told["total"]  # type: ignore[operator]


@pytest.mark.parametrize(
    "name",
    ["i_love_ai", "decoder_block", "yassine_gru", "mixture_of_experts", "adam_by_hand", "picture",
     "learning_to_attend", "next_token"],
)  # fmt: skip
def test_formulas_come_to_what_they_say(name: str) -> None:
    for cost in costs_of(work(load(name)), Selection()).values():
        assert cost.multiplications >= cost.of_matrices >= 0
        assert all(prod(sizes) and times for (_, sizes), times in cost.products.items())
    said = json.loads(run("run", name, "--detail", "cost", "--format", "json").stdout)
    for count in ("multiplications", "parameters", "bytes"):
        assert said["total"][count] == sum(step[count] for step in said["costs"])
    assert run("run", name, "--detail", "cost", "--format", "json", "--values-only").exit_code == 0


def test_the_page_in_all_formats(tmp_path: Path) -> None:
    text = run("run", "three_tokens_two_heads", "--detail", "cost").stdout
    assert "Queries, keys, values │             144          48    336" in text
    assert "Attention scores = 2 × n × d_k × m" in text
    assert "kv_cache = 1 × 3 × 2 × (2 + 2) × 4 =  96" in text
    half = run("run", "three_tokens_two_heads", "--detail", "cost", "--precision", "float16").stdout
    assert "kv_cache = 1 × 3 × 2 × (2 + 2) × 2 =  48" in half
    for suffix in ("md", "tex", "html", "pdf", "xlsx"):
        path = tmp_path / f"cost.{suffix}"
        made = run("run", "decoder_block", "--detail", "cost", "-o", path)
        assert made.exit_code == 0, made.output
    part = run("run", "decoder_block", "--detail", "cost", "--step", "scores").stdout
    assert "Weighted sum" not in part


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
@pytest.mark.parametrize("name", ["decoder_block", "yassine_lstm"])
def test_every_sign_of_the_page_is_true(name: str, form: str) -> None:
    """The steps that lines begin with are no quantities, which the auditor would look up."""
    trace = work(load(name))
    page = render(page_of(trace, (), "cost", Pictures.NONE), form, RenderOptions(80))
    report = audit(page, form, tables_of(trace))
    assert [said for said in report.false if not said.startswith("result:")] == []
    assert report.checked > 3


def test_every_sum_on_a_terminal_is_true() -> None:
    page = run("run", "decoder_block", "--detail", "cost").stdout
    sums = re.findall(r"= ([\d ×+()]+?) += +([\d,]+)$", page, re.MULTILINE)
    assert len(sums) == 12
    for left, right in sums:
        terms = left.replace("×", "*")
        assert eval(terms) == int(right.replace(",", ""))


def test_a_rotation_is_of_two_products_a_number() -> None:
    """x cos − y sin (Su et al. 2021, arXiv:2104.09864), of queries and keys."""
    tree = {
        "sentence": "a b",
        "positions": "rope",
        **drawn(X=(2, 4), W_Q=(4, 4), W_K=(4, 4), W_V=(4, 4)),
    }
    trace = work(load({**CONTROL, **tree}))
    found = costs_of(trace, Selection(steps=("rotate",)))
    assert sum(cost.multiplications for cost in found.values()) == 2 * 2 * (2 * 4)


def test_pieces_that_are_learned_are_no_parameters() -> None:
    """Nor are pairs of each round as many."""
    page = run("run", "bpe", "--detail", "cost").stdout
    assert "Learning pieces = 14 + 13 + 8" in page
    assert "Learning pieces │              35           0" in page


def test_what_is_asked_wrongly() -> None:
    refused = run("run", "i_love_ai", "--detail", "cost", "--precision", "float8")
    assert refused.exit_code == 2
    assert "no such type of floats" in refused.output
    assert run("explain", "i_love_ai", "--detail", "cost").exit_code == 2
