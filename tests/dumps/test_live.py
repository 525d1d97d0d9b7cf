"""`attncli.torch.compare` on modules that run: those of PyTorch, of transformers, of books and of
other packages, right and with a bug, by their own parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
import torch

from attncli import Scenario, load, work
from attncli.errors import UserError
from attncli.library.live import LiveComparison, assert_follows, compare
from tests.helpers import other_modules

nn = torch.nn
CAUSAL = torch.ones(5, 5).triu(1).bool()
PADDED = torch.tensor([[0, 0, 0, 0, 0], [0, 0, 0, 1, 1]]).bool()
IDS = torch.tensor([[5, 17, 2, 29, 8]])


def x(*shape: int) -> Any:
    return torch.randn(*(shape or (1, 5, 8)), generator=torch.Generator().manual_seed(3))


def layer(kind: str = "Encoder", **more: Any) -> Any:
    return getattr(nn, f"Transformer{kind}Layer")(8, 2, 16, 0.0, batch_first=True, **more)


Case = tuple[Any, tuple[Any, ...], dict[str, Any]]


def cases() -> dict[str, Case]:
    """Modules that are right, what goes into them."""
    torch.manual_seed(4)
    same, memory = x(), x(1, 3, 8)
    return {
        "attention": (nn.MultiheadAttention(8, 2, batch_first=True), (same, same, same), {}),
        "attention of others": (nn.MultiheadAttention(8, 2), (x(5, 1, 8), x(3, 1, 8), x(3, 1, 8)), {}),
        "attention of other widths": (
            nn.MultiheadAttention(8, 2, kdim=6, vdim=4, bias=False, batch_first=True),
            (same, x(1, 3, 6), x(1, 3, 4)),
            {},
        ),
        "encoder layer": (layer(), (same,), {}),
        "encoder layer, norm first": (layer(norm_first=True, activation="gelu"), (same,), {}),
        "encoder": (nn.TransformerEncoder(layer(), 2, nn.LayerNorm(8)), (same,), {}),
        "encoder, masked": (nn.TransformerEncoder(layer(), 2), (same,), {"mask": CAUSAL}),
        "encoder, padded": (
            nn.TransformerEncoder(layer(), 2), (x(2, 5, 8),), {"src_key_padding_mask": PADDED, "batch": 1},
        ),
        "decoder layer": (layer("Decoder"), (same, memory), {}),
        "decoder": (nn.TransformerDecoder(layer("Decoder"), 2), (same, memory), {"tgt_mask": CAUSAL}),
        "lstm": (nn.LSTM(3, 4, batch_first=True), (x(1, 5, 3),), {}),
        "gru": (nn.GRU(3, 4), (x(5, 2, 3),), {"batch": 1}),
        "rnn": (nn.RNN(3, 4, nonlinearity="relu", bias=False), (x(5, 3),), {}),
        "nanogpt": (other_modules.NanoGpt(), (IDS,), {}),
        "d2l attention": (other_modules.D2lAttention(8, 2), (same, same, same), {}),
        "d2l encoder": (other_modules.D2lEncoder(), (IDS, None), {}),
        "cs336 block": (other_modules.Cs336Block(), (same,), {}),
        "cs336 model": (other_modules.Cs336Model(), (IDS,), {}),
    }  # fmt: skip


@pytest.mark.parametrize("name", cases())
def test_a_right_module_follows_by_its_own_parameters(name: str) -> None:
    module, inputs, more = cases()[name]
    found = compare(module, *inputs, **more)
    assert found.follows, str(found)
    assert found.first is None
    assert found.names
    assert not any(part._forward_hooks for part in module.modules())


def saved_by_hand(module: Any, *inputs: Any) -> dict[str, Any]:
    """What a module makes by its own hooks, as arrays of NumPy."""
    made: dict[str, Any] = {}
    for name, part in module.named_modules():
        part.register_forward_hook(lambda _m, _i, out, name=name: made.update({name: out}))
    module(*inputs)
    return {name: y.detach().numpy() for name, y in made.items() if hasattr(y, "detach")}


class NotScaled(other_modules.NanoAttention):
    def scores(self, q: Any, k: Any) -> Any:
        return q @ k.transpose(-2, -1)


class WrongBlock(other_modules.NanoBlock):
    attention = NotScaled


class WrongGpt(other_modules.NanoGpt):
    block = WrongBlock


def wrong_gpt() -> Any:
    torch.manual_seed(5)
    module = WrongGpt()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(3)
    return module


def test_a_bug_is_told_where_it_is_and_by_its_name() -> None:
    found = compare(wrong_gpt(), IDS)
    assert not found
    assert (found.first, found.bug) == ("layers[1].attention", "not_scaled")
    assert found.names["transformer.h.0.attn.c_proj"] == "layers[1].attention"
    assert "Forgetting to scale" in found._repr_html_()


class HalvesTurn(other_modules.Cs336Attention):
    pairs = "half"


class WrongBlock336(other_modules.Cs336Block):
    attention = HalvesTurn


class Reshaped(other_modules.D2lAttention):
    def forward(self, queries: Any, keys: Any, values: Any, valid_lens: Any = None) -> Any:  # noqa: ARG002
        q, k, v = map(self.split, (self.W_q(queries), self.W_k(keys), self.W_v(values)))
        made = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1) @ v
        return self.W_o(made.reshape(made.shape[0], made.shape[2], -1))


@pytest.mark.parametrize(
    ("kind", "inputs", "first", "bug"),
    [
        (WrongBlock336, 1, "attention", "other_pairs"),
        (lambda: Reshaped(8, 2), 3, "attention", "merged_without_transpose"),
    ],
)
def test_what_the_whole_gives_is_the_last_thing(
    kind: Any, inputs: int, first: str, bug: str
) -> None:
    """And no head's output, which it has the shape of, whatever is wrong with it."""
    torch.manual_seed(2)
    found = compare(kind(), *[x()] * inputs)
    assert (found.first, found.bug) == (first, bug)


def test_a_test_fails_with_the_report() -> None:
    with pytest.raises(AssertionError, match=r"layers\[1\].attention departs first"):
        assert_follows(wrong_gpt(), IDS)
    assert assert_follows(other_modules.NanoGpt(), IDS).follows


def test_hooks_are_taken_away_where_a_module_fails() -> None:
    module = other_modules.NanoGpt()
    with pytest.raises(IndexError):
        compare(module, IDS + 100)
    assert not any(part._forward_hooks for part in module.modules())


def test_a_scenario_says_what_is_right_and_names_what_parts_are() -> None:
    class Mine(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)

        def forward(self, rows: Any) -> Any:
            return self.a(rows) @ self.b(rows).T

    data = {
        "X": [[1.0, 0.5], [0.4, 1.1]],
        "W_Q": [[0.8, 0.3], [-0.4, 1.1]],
        "W_K": [[0.7, -0.6], [0.5, 0.9]],
    }
    module = Mine()
    module.a.weight.data, module.b.weight.data = (torch.tensor(data[k]).T for k in ("W_Q", "W_K"))
    right = {**data, "W_V": [[1, 0], [0, 1]], "until": "scores"}
    names = {"a": "Q", "b": "K", "output": "scores"}
    found = compare(module, torch.tensor(data["X"]), like=right, names=names)
    assert found.follows, str(found)
    assert found.names == names
    module.b.weight.data += 0.1
    assert compare(module, torch.tensor(data["X"]), like=right, names=names).first == "K"
    with pytest.raises(UserError, match="the scenario has no"):
        compare(module, torch.tensor(data["X"]), like=right, names={"a": "Qu"})


def test_arrays_by_their_names_need_no_module() -> None:
    module, inputs, _ = cases()["d2l attention"]
    arrays = saved_by_hand(module, *inputs)
    weights = {f"W_{k.upper()}": getattr(module, f"W_{k}").weight.detach().numpy() for k in "qkvo"}
    right = {"X": inputs[0][0].numpy(), **weights, "heads": 2, "weights_layout": "linear"}
    assert compare(arrays, like=right).follows
    assert compare({**arrays, "W_k": np.flip(arrays["W_k"], 1)}, like=right).first == "K"


def weights_of_heads() -> tuple[dict[str, Any], Any]:
    """A scenario of two heads and three tokens, and its weights [heads, n, n] by NumPy alone."""
    rng = np.random.default_rng(3)
    X, Q, K, V = (rng.integers(-2, 3, shape) for shape in ((3, 4), (4, 4), (4, 4), (4, 4)))
    split = [(X @ W).reshape(3, 2, 2).transpose(1, 0, 2) for W in (Q, K)]
    exp = np.exp(split[0] @ split[1].transpose(0, 2, 1) / np.sqrt(2))
    given = {"X": X.tolist(), "W_Q": Q.tolist(), "W_K": K.tolist(), "W_V": V.tolist()}
    return {**given, "heads": 2}, exp / exp.sum(axis=2, keepdims=True)


def test_a_side_is_a_batch_only_where_the_shapes_leave_nothing_else() -> None:
    right, P = weights_of_heads()
    of_heads = compare({"weights": P}, like=right)
    assert of_heads.follows
    assert "First side  2 heads: weights" in str(of_heads)
    assert compare({"a": P}, like=right, names={"a": "heads[*].weights"}).follows
    exchanged = compare({"weights": P[::-1]}, like=right)
    assert exchanged.first == "heads[1].weights"
    several = {"weights": np.stack([P, P[::-1]])}
    in_batch = compare(several, like=right)
    assert in_batch.follows
    assert "First side  entry 0 of a batch of 2: weights" in str(in_batch)
    assert not compare(several, like=right, batch=1).follows
    alone = {key: value for key, value in right.items() if key != "heads"}
    exact = work(load({**alone, "rounding": {"policy": "exact"}}))["weights"].values
    one = compare({"weights": np.stack([exact, exact])}, like=alone)
    assert one.follows
    assert "First side  entry 0 of a batch of 2: weights" in str(one)
    assert "First side" not in str(compare({"weights": exact[None]}, like=alone))
    assert "First side" not in str(compare({"Q": np.ones((1, 3, 4))}, like=right))


def test_of_a_module_what_goes_in_says_whether_it_is_a_batch() -> None:
    """As many heads as there are sentences: the first side is that of the batch."""

    class Attention(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weights = torch.nn.Softmax(-1)

        def forward(self, x: Any) -> Any:
            q = x.unflatten(-1, (2, 2)).transpose(-3, -2)
            return self.weights(q @ q.transpose(-2, -1) / 2**0.5)

    rng = np.random.default_rng(4)
    X = rng.integers(-2, 3, (2, 3, 4)).astype(float)
    like = {"X": X[0].tolist(), "heads": 2, "projection": "none", "V": X[0].tolist()}
    for batch in (0, 1):
        like = {**like, "X": X[batch].tolist(), "V": X[batch].tolist()}
        of_batch = compare(Attention(), torch.tensor(X), like=like, batch=batch)
        assert of_batch.follows
        assert f"entry {batch} of a batch of 2: weights" in str(of_batch)
        single = compare(Attention(), torch.tensor(X[batch]), like=like)
        assert single.follows
        assert "2 heads: weights" in str(single)


@pytest.mark.parametrize("family", ["llama", "gpt_neox", "phi3"])
def test_a_model_of_transformers_needs_no_scenario(family: str) -> None:
    transformers = pytest.importorskip("transformers")
    sizes = {
        "hidden_size": 16, "intermediate_size": 24, "vocab_size": 30, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "pad_token_id": 0,
    }  # fmt: skip
    config = transformers.AutoConfig.for_model(family, **sizes)
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    found = compare(model.eval(), IDS)
    assert found.follows, str(found)
    assert {"layers[1].heads[4].V", "layers[2].V"} & {*found.names.values()}
    assert compare(model, input_ids=IDS).follows


def test_a_scenario_is_made_of_a_state_or_of_a_folder(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(n_embd=16, n_layer=2, n_head=4, vocab_size=30)
    torch.manual_seed(1)
    model = transformers.GPT2LMHeadModel(config).eval()
    model.save_pretrained(tmp_path)
    right = model(IDS).logits[0].detach().numpy()
    for source, more in ((tmp_path, {}), (model.state_dict(), {"config": config})):
        scenario = Scenario.from_checkpoint(source, IDS, **more)
        assert np.allclose(work(scenario)["logits"].values, right, atol=1e-6)
    nano = other_modules.NanoGpt()
    scenario = Scenario.from_checkpoint(nano.state_dict(), [5, 17], config={"n_head": 2})
    assert np.allclose(work(scenario)["logits"].values, nano(IDS[:, :2])[0][0].detach(), atol=1e-6)


def picogpt(nano: Any) -> dict[str, Any]:
    """The parameters of nanoGPT as picoGPT has them: maps of maps and lists, × out."""
    state = {name: value.numpy() for name, value in nano.state_dict().items()}

    def linear(name: str) -> dict[str, Any]:
        return {"w": state[f"{name}.weight"].T, "b": state[f"{name}.bias"]}

    def norm(name: str) -> dict[str, Any]:
        return {"g": state[f"{name}.weight"], "b": state[f"{name}.bias"]}

    blocks = [
        {
            "ln_1": norm(f"{h}.ln_1"), "ln_2": norm(f"{h}.ln_2"),
            "attn": {"c_attn": linear(f"{h}.attn.c_attn"), "c_proj": linear(f"{h}.attn.c_proj")},
            "mlp": {"c_fc": linear(f"{h}.mlp.c_fc"), "c_proj": linear(f"{h}.mlp.c_proj")},
        }
        for h in ("transformer.h.0", "transformer.h.1")
    ]  # fmt: skip
    tables = {name: state[f"transformer.{name}.weight"] for name in ("wte", "wpe")}
    return {**tables, "blocks": blocks, "ln_f": norm("transformer.ln_f")}


def test_the_parameters_of_picogpt_make_a_scenario() -> None:
    nano: Any = other_modules.NanoGpt()
    for block in nano.transformer["h"]:
        block.mlp.gelu = nn.GELU(approximate="tanh")
    scenario = Scenario.from_checkpoint(picogpt(nano), [5, 17, 2], config={"n_head": 2})
    right = nano(IDS[:, :3])[0][0].detach()
    assert np.allclose(work(scenario)["logits"].values, right, atol=1e-6)


def test_x_transformers() -> None:
    other = pytest.importorskip("x_transformers")
    layers = other.Decoder(dim=16, depth=2, heads=2, attn_dim_head=8)
    model = other.TransformerWrapper(num_tokens=30, max_seq_len=16, attn_layers=layers)
    found = compare(model.eval(), IDS)
    assert found.follows, str(found)
    assert found.names["attn_layers.layers.3.1.ff.0.0"] == "layers[2].hidden"


@pytest.mark.parametrize(
    "option", ["attn_softclamp_logits", "attn_qk_norm", "attn_sparse_topk", "alibi_pos_bias"]
)
def test_an_option_without_parameters_is_not_taken_as_off(option: str) -> None:
    other = pytest.importorskip("x_transformers")
    layers = other.Decoder(dim=16, depth=2, heads=2, attn_dim_head=8, **{option: 1})
    model = other.TransformerWrapper(num_tokens=30, max_seq_len=16, attn_layers=layers)
    with pytest.raises(UserError, match="isn't known"):
        compare(model.eval(), IDS)


def test_what_is_not_known_is_said() -> None:
    with pytest.raises(UserError, match="Linear: this isn't of a kind that is known"):
        compare(nn.Linear(8, 8), x())
    with pytest.raises(UserError, match="num_layers: 2 isn't known"):
        compare(nn.LSTM(3, 4, num_layers=2), x(5, 3))


def test_comparisons_are_of_the_type_that_the_package_gives() -> None:
    from attncli import torch as live

    assert live.compare is compare
    assert isinstance(compare(*((m := cases()["rnn"])[0], *m[1])), LiveComparison)
