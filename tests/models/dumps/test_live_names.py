"""Parts whose names say nothing, or something else; and mistakes of whoever asks."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch isn't installed")

from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

from attncli.errors import UserError  # noqa: E402
from attncli.torch import assert_follows, compare  # noqa: E402

pytestmark = pytest.mark.real("torch")

D, N, HIDDEN = 8, 5, 12


class Mixing(nn.Module):
    """A head whose projections are called for nobody."""

    def __init__(self, *, causal: bool) -> None:
        super().__init__()
        self.a, self.b, self.c, self.d = (nn.Linear(D, D) for _ in range(4))
        self.causal = causal

    def forward(self, x: Any, memory: Any = None) -> Any:
        memory = x if memory is None else memory
        scores = self.a(x) @ self.b(memory).transpose(-2, -1) / math.sqrt(D)
        if self.causal:
            hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(hidden, -math.inf)
        return self.d(scores.softmax(-1) @ self.c(memory))


class Widening(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.out, self.k = nn.Linear(D, HIDDEN), nn.Linear(HIDDEN, D)

    def forward(self, x: Any) -> Any:
        return self.k(functional.relu(self.out(x)))


class Half(nn.Module):
    """An encoder's layer, or a decoder's that reads a memory."""

    def __init__(self, *, causal: bool, reads: bool) -> None:
        super().__init__()
        self.sa, self.ff = Mixing(causal=causal), Widening()
        self.ca = Mixing(causal=False) if reads else None
        self.n = nn.ModuleList(nn.LayerNorm(D) for _ in range(3 if reads else 2))

    def forward(self, x: Any, memory: Any = None) -> Any:
        x = self.n[0](x + self.sa(x))
        if self.ca is not None:
            x = self.n[1](x + self.ca(x, memory))
        return self.n[-1](x + self.ff(x))


class Both(nn.Module):
    def __init__(self, *, sees_all: bool = True) -> None:
        super().__init__()
        self.enc = Half(causal=not sees_all, reads=False)
        self.dec = Half(causal=True, reads=True)

    def forward(self, source: Any, target: Any) -> Any:
        return self.dec(target, self.enc(source))


def attention_of(part: Mixing) -> dict[str, Any]:
    each = zip("QKVO", (part.a, part.b, part.c, part.d), strict=True)
    return {f"{kind}_{x}": value for x, linear in each
            for kind, value in (("W", linear.weight), ("b", linear.bias))}  # fmt: skip


def layer_of(part: Half) -> dict[str, Any]:
    wide = part.ff
    said = {**attention_of(part.sa), "W1": wide.out.weight, "b1": wide.out.bias}
    said |= {"W2": wide.k.weight, "b2": wide.k.bias}
    return said | {f"norm{k}": {"gamma": norm.weight, "beta": norm.bias, "epsilon": 1e-5}
                   for k, norm in enumerate(part.n, start=1)}  # fmt: skip


def both_told(model: Both, source: Any, target: Any) -> dict[str, Any]:
    assert model.dec.ca is not None
    return {
        "X": target[0], "block": "decoder", "norm": "post", "weights_layout": "linear",
        "activation": "relu", **layer_of(model.dec), "cross": attention_of(model.dec.ca),
        "encoder": {"X": source[0], "norm": "post", "block": "encoder", **layer_of(model.enc)},
    }  # fmt: skip


@pytest.mark.parametrize("sees_all", [True, False])
def test_parts_are_known_by_their_weights_whatever_they_are_called(sees_all: bool) -> None:
    torch.manual_seed(3)
    model = Both(sees_all=sees_all).double().eval()
    source, target = torch.randn(1, N + 1, D).double(), torch.randn(1, N, D).double()
    found = compare(model, source, target, like=both_told(model, source, target), seek=0)
    assert found.follows == sees_all, str(found)
    assert found.first == (None if sees_all else "encoder.attention")
    assert found.names["dec.ca.b"] == "cross.K"
    assert found.names["enc.ff.k"] == "encoder.ffn"


class Misnamed(nn.Module):
    """What is called `scores` gives queries, without a weight of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.scores, self.head = nn.Identity(), Mixing(causal=False)

    def forward(self, x: Any) -> Any:
        self.scores(self.head.a(x))
        return self.head(x)


def alone(head: Mixing, x: Any) -> dict[str, Any]:
    return {"X": x[0], "block": "attention", "weights_layout": "linear", "scale": "sqrt_d_k",
            **attention_of(head)}  # fmt: skip


def test_a_part_is_what_its_numbers_are_where_its_name_says_something_else() -> None:
    torch.manual_seed(4)
    model, x = Misnamed().eval(), torch.randn(1, D, D)
    found = compare(model, x, like=alone(model.head, x))
    assert found.follows, str(found)
    assert found.names["scores"] == "Q"
    assert "scores is Q, which its name doesn't say" in " ".join(str(found).split())


class Twice(nn.Module):
    """One layer that runs twice, as ALBERT's."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = Mixing(causal=False)

    def forward(self, x: Any) -> Any:
        return x + self.attention(x + self.attention(x)) + self.attention(x)


class Cell(nn.Module):
    """A recurrent cell that is written out, each of its parts running at each time."""

    def __init__(self) -> None:
        super().__init__()
        self.of_x, self.of_a = nn.Linear(D, HIDDEN), nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.end = nn.Tanh()

    def forward(self, x: Any) -> Any:
        a, states = torch.zeros(x.shape[0], HIDDEN), []
        for t in range(x.shape[1]):
            a = self.end(self.of_x(x[:, t]) + self.of_a(a))
            states.append(a)
        return torch.stack(states, 1)


def test_names_say_each_run_of_a_part() -> None:
    torch.manual_seed(5)
    cell, x = Cell().eval(), torch.randn(1, N, D)
    said = {
        "cell": "rnn", "X": x[0], "weights_layout": "linear",
        "W_ax": cell.of_x.weight, "W_aa": cell.of_a.weight, "b_a": cell.of_x.bias,
    }  # fmt: skip
    found = compare(cell, x, like=said, names={"end": "a[*]"})
    assert found.follows, str(found)
    assert [found.names[f"end (run {t})"] for t in (1, N)] == ["a[1]", f"a[{N}]"]


def test_what_parameters_cant_show_is_told() -> None:
    layer = nn.TransformerEncoderLayer(D, 2, HIDDEN, batch_first=True).eval()
    text = " ".join(str(compare(layer, torch.randn(1, N, D))).split())
    assert "b_Q, b_K, b_V, b_O, norm1.beta, norm2.beta are 0 throughout" in text
    assert "norm1.gamma, norm2.gamma are 1 throughout" in text


def test_which_entry_of_a_batch_follows_is_told() -> None:
    torch.manual_seed(6)
    head, x = Mixing(causal=False).eval(), torch.randn(3, N, D)
    found = compare(head, x, like=alone(head, x[1:]), batch=1)
    assert "of entry 1 of the batch of 3 follow." in " ".join(str(found).split())
    other = compare(head, x, like=alone(head, x[1:]), seek=0)
    assert other.first == "Q"
    assert "x isn't X of the scenario" in str(other)


class Classifying(nn.Module):
    """A row for each of a batch: of all tokens' mean."""

    def __init__(self) -> None:
        super().__init__()
        self.mixing, self.judge = Mixing(causal=False), nn.Linear(D, 3)

    def forward(self, x: Any) -> Any:
        return self.judge(self.mixing(x))[:, 0]


def classified(model: Classifying, x: Any) -> dict[str, Any]:
    said = alone(model.mixing, x)
    return said | {"unembedding": model.judge.weight, "b_U": model.judge.bias,
                   "predict_from": "first"}  # fmt: skip


@pytest.mark.parametrize("entry", [0, 1])
def test_of_a_batch_that_gives_a_row_each_one_is_taken(entry: int) -> None:
    torch.manual_seed(9)
    model, x = Classifying().eval(), torch.randn(2, N, D)
    found = compare(model, x, like=classified(model, x[entry:]), batch=entry)
    assert found.follows, str(found)
    assert found.names["output"] == "logits"


class Softened(Classifying):
    def forward(self, x: Any) -> Any:
        return super().forward(x).softmax(-1)


def test_that_probabilities_are_returned_is_told() -> None:
    torch.manual_seed(10)
    model, x = Softened().eval(), torch.randn(1, N, D)
    text = " ".join(str(compare(model, x, like=classified(model, x))).split())
    assert "What is returned is probabilities, and not logits." in text


class Fused(nn.Module):
    """Queries, keys and values of one weight, and a norm, called for nobody."""

    def __init__(self) -> None:
        super().__init__()
        self.calm, self.three, self.back = nn.LayerNorm(D), nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.wide, self.still = Widening(), nn.LayerNorm(D)
        nn.init.normal_(self.calm.weight)

    def forward(self, x: Any) -> Any:
        q, k, v = self.three(self.calm(x)).chunk(3, -1)
        x = x + self.back((q @ k.transpose(-2, -1) / math.sqrt(D)).softmax(-1) @ v)
        return x + self.wide(self.still(x))


def test_weights_that_stand_in_one_and_norms_are_known_too() -> None:
    torch.manual_seed(11)
    model, x = Fused().eval(), torch.randn(1, N, D)
    weights, biases = model.three.weight.chunk(3), model.three.bias.chunk(3)
    said: dict[str, Any] = {f"W_{x}": weight for x, weight in zip("QKV", weights, strict=True)}
    said |= {f"b_{x}": bias for x, bias in zip("QKV", biases, strict=True)}
    norm = {"gamma": model.calm.weight, "beta": model.calm.bias, "epsilon": 1e-5}
    said |= {"X": x[0], "block": "encoder", "norm": "pre", "weights_layout": "linear"}
    said |= {"W_O": model.back.weight, "b_O": model.back.bias, "norm1": norm, "activation": "relu"}
    said |= {"W1": model.wide.out.weight, "b1": model.wide.out.bias}
    said |= {"W2": model.wide.k.weight, "b2": model.wide.k.bias}
    found = compare(model, x, like=said)
    assert found.follows, str(found)
    assert found.names["three"] == ["Q", "K", "V"]
    assert found.names["calm"] == "norm1.normed"


class Dropping(Mixing):
    runs = 0

    def forward(self, x: Any, memory: Any = None) -> Any:
        self.runs += 1
        return functional.dropout(super().forward(x, memory), 0.4)


def test_what_is_random_when_evaluating_is_told() -> None:
    torch.manual_seed(12)
    model, x = Dropping(causal=False).eval(), torch.randn(1, N, D)
    text = str(compare(model, x, like=alone(model, x), seek=0))
    assert "it gives other numbers each time it runs" in " ".join(text.split())
    assert model.runs == 2  # once with hooks, once more to tell


def test_what_is_missing_in_a_scenario_is_told() -> None:
    head, x = Mixing(causal=False).eval(), torch.randn(1, N, D)
    said = alone(head, x)
    del said["X"]
    assert "Q needs X." in str(compare(head, x, like=said))


@pytest.mark.parametrize("training", [True, False])
def test_a_module_in_training_mode_is_refused_only_where_it_is_random(training: bool) -> None:
    layer = nn.TransformerEncoderLayer(D, 2, HIDDEN, dropout=0.5, batch_first=True)
    x = torch.randn(1, N, D)
    if training:
        with pytest.raises(UserError, match=r"call \.eval\(\) first"):
            compare(layer, x)
    else:
        assert compare(layer.eval(), x).follows
    assert compare(nn.TransformerEncoderLayer(D, 2, HIDDEN, dropout=0.0), x[0]).follows


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"liek": {}}, "did you mean like"),
        ({"names": ["a"]}, "this is no map"),
        ({"names": {"e": "Q"}}, 'Mixing has no "e"'),
    ],
)
def test_what_is_asked_wrongly_is_told(asked: dict[str, Any], says: str) -> None:
    head, x = Mixing(causal=False).eval(), torch.randn(1, N, D)
    with pytest.raises(UserError, match=says):
        compare(head, x, **{"like": alone(head, x), **asked})
    with pytest.raises(UserError, match="this is a class"):
        compare(Mixing, x, like=alone(head, x))


def test_a_part_that_runs_several_times_is_said_by_its_run() -> None:
    torch.manual_seed(7)
    model, x = Twice().eval(), torch.randn(1, N, D)
    with pytest.raises(UserError, match=r"of which “?\"?attention.a \(run 1\)"):
        compare(model, x, like=alone(model.attention, x), names={"attention.a": "Q"})


def test_a_failing_test_shows_the_report_and_no_code_of_ours() -> None:
    torch.manual_seed(8)
    head, x = Mixing(causal=True).eval(), torch.randn(1, N, D)
    with pytest.raises(AssertionError) as raised:
        assert_follows(head, x, like=alone(head, x), seek=0)
    shown = raised.traceback.filter(raised)
    assert [Path(entry.path).name for entry in shown] == ["test_live_names.py"]
