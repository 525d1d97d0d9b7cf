"""`attncli.torch.compare` on modules that run: those of PyTorch, of transformers, of books and of
other packages, right and with a bug, by their own parameters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
import torch

from attncli import Scenario, load, work
from attncli.errors import UserError
from attncli.models.live.comparing import LiveComparison, assert_follows, compare
from attncli.trace import make
from tests.conftest import sampled
from tests.helpers import other_modules

pytestmark = pytest.mark.real("torch")

nn = torch.nn
CAUSAL = torch.ones(5, 5).triu(1).bool()
PADDED = torch.tensor([[0, 0, 0, 0, 0], [0, 0, 0, 1, 1]]).bool()
IDS = torch.tensor([[5, 17, 2, 29, 8]])


def each_of(names: Any) -> Iterator[str]:
    """The names that are said, one by one."""
    for name in names:
        yield from [name] if isinstance(name, str) else each_of(name)


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


@sampled(4, name=cases())
def test_a_right_module_follows_by_its_own_parameters(name: str) -> None:
    """And by what each part was taken for, if that is said."""
    module, inputs, more = cases()[name]
    found = compare(module, *inputs, **more)
    assert found.follows, str(found)
    assert found.first is None
    assert "output" in found.names
    again = compare(module, *inputs, **more, names=found.names)
    assert (again.tensors, again.names) == (found.tensors, found.names)
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


def heads_of(n: int) -> tuple[dict[str, Any], Any]:
    """A scenario of two heads, and its queries [heads, n, d] in full precision."""
    rng = np.random.default_rng(5)
    matrices = {"X": (n, 4), "W_Q": (4, 4), "W_K": (4, 4), "W_V": (4, 4)}
    like = {name: rng.normal(size=shape).tolist() for name, shape in matrices.items()}
    exact = work({**like, "heads": 2, "rounding": {"policy": "exact"}})
    return {**like, "heads": 2}, exact


@sampled(3, n=[2, 3], batch=[None, 0])
def test_queries_of_all_heads_are_no_batch(n: int, batch: int | None) -> None:
    """In either order of heads and rows, also where there are as many of these."""
    like, exact = heads_of(n)
    Q = np.stack([exact[f"heads[{h}].Q"].values for h in (1, 2)])
    for tensor in (Q, Q.transpose(1, 0, 2)):
        for called, names in (
            ("Q", {}),
            ("q_proj", {}),
            ("a", {"a": "Q"}),
            ("a", {"a": "heads[*].Q"}),
        ):
            found = compare({called: tensor}, like=like, names=names, batch=batch)
            assert found.names == {called: "heads[*].Q"}
            assert found.follows, str(found)
        assert compare({"Q": -tensor}, like=like, batch=batch).first == "heads[1].Q"


def test_an_entry_past_the_end_of_a_batch_is_refused() -> None:
    like, exact = heads_of(3)
    P = exact.stacked("weights")
    for arrays, batch in (
        (P, 1),
        (P, 5),
        (P[None], 1),
        (np.stack([P, P]), 2),
        (np.stack([P, P]), -1),
    ):
        with pytest.raises(UserError, match=f"batch={batch}"):
            compare({"weights": arrays}, like=like, batch=batch)
    with pytest.raises(UserError, match="there is 1 entry"):
        compare(other_modules.NanoGpt(), IDS, batch=1)
    with pytest.raises(UserError, match="give one from 0 to 1"):
        compare(nn.GRU(3, 4), x(5, 2, 3), batch=2)


def test_what_stands_side_by_side_is_said_by_its_parts() -> None:
    like, exact = heads_of(3)
    kv = np.concatenate([exact["K"].values, exact["V"].values], axis=1)
    assert compare({"kv": kv[None]}, like=like, names={"kv": ["K", "V"]}).follows
    of_heads = compare({"kv": kv}, like=like, names={"kv": ["heads[*].K", "heads[*].V"]})
    assert of_heads.follows
    assert of_heads.names["kv"] == [f"heads[{h}].{w}" for w in "KV" for h in (1, 2)]
    swapped = compare({"kv": kv}, like=like, names={"kv": ["V", "K"]})
    assert (swapped.first, swapped.bug) == ("K", "K_and_V_swapped")
    narrow = compare({"kv": kv[:, :6]}, like=like, names={"kv": ["K", "V"]})
    assert "[3, 6] instead of [3, 8]" in str(narrow)
    with pytest.raises(UserError, match="did you mean V"):
        compare({"kv": kv}, like=like, names={"kv": ["K", "Vi"]})


class Calling(other_modules.NanoGpt):
    """Arguments by names that nothing knows, and one that changes what comes out."""

    def forward(self, whatever: Any, cut: Any = None, **more: Any) -> Any:  # type: ignore[override]
        assert not {*more} - {"flag", "targets"}
        logits = super().forward(whatever)[0]
        return logits if cut is None else logits[:, : -int(cut)].exp()


def test_nothing_that_is_passed_is_ignored() -> None:
    torch.manual_seed(1)
    module = Calling()
    for more in ({}, {"flag": True}, {"targets": IDS}, {"flag": torch.ones(3)}):
        assert compare(module, IDS, **more).names["lm_head"] == "logits"
    assert compare(module, whatever=IDS, cut=None).follows
    for arguments, more in (
        ((IDS, 1), {}),
        ((IDS,), {"cut": torch.tensor(1)}),
        ((IDS,), {"cut": True}),
    ):
        with pytest.raises(UserError, match="argument cut: it changes what the module gives"):
            compare(module, *arguments, **more)
    assert compare(nn.GRU(3, 4), x(5, 3), torch.zeros(1, 4)).follows


def test_a_model_of_transformers_refuses_what_it_is_not_compared_with() -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=12,
        vocab_size=30, max_position_embeddings=16,
    )  # fmt: skip
    torch.manual_seed(1)
    model = transformers.BertModel(config, add_pooling_layer=False).eval()
    left_out = {"embeddings": ""}
    assert compare(model, IDS, token_type_ids=torch.zeros_like(IDS), names=left_out).follows
    assert compare(model, IDS, output_hidden_states=True, names=left_out).follows
    with pytest.raises(UserError, match="argument token_type_ids"):
        compare(model, IDS, token_type_ids=torch.tensor([[0, 0, 1, 1, 1]]))
    with pytest.raises(UserError, match="argument position_ids"):
        compare(model, IDS, position_ids=torch.arange(5)[None] + 2)
    assert compare(model, IDS, position_ids=torch.arange(5)[None], names=left_out).follows


def test_functions_and_modules_that_are_compiled_are_compared() -> None:
    torch.manual_seed(2)
    module, rows = TwoHeads(), x() * 3
    like = module.like(rows[0])
    traced = torch.jit.trace(module, rows)  # type: ignore[no-untyped-call]
    script = torch.jit.script(nn.Linear(8, 4, bias=False))
    compiled = torch.compile(module, backend="eager")
    for kind in (traced, module.forward, partial(module), compiled):
        found = compare(kind, rows, like=like)
        assert (found.follows, found.names["output"]) == (True, "concat")
    assert set(compare(compiled, rows, like=like).names) == {"query", "key", "value", "output"}
    one = {"X": rows[0], "W_Q": script.weight, "weights_layout": "linear", "until": "project"}
    assert compare(script, rows, like=one, names={"output": "Q"}).follows
    with pytest.raises(UserError, match="no parameters here that say what is right"):
        compare(lambda given: given, rows)
    with pytest.raises(UserError, match="no module, no function and no map"):
        compare("model", rows)  # type: ignore[arg-type]


def test_a_compiled_module_is_judged_by_what_it_returns_itself() -> None:
    class Fast(nn.Module):
        def __init__(self, module: Any) -> None:
            super().__init__()
            self._orig_mod = module

        def forward(self, rows: Any) -> Any:
            return self._orig_mod(rows) * 1.01

    torch.manual_seed(2)
    module, rows = TwoHeads(), x() * 3
    found = compare(Fast(module), rows, like=module.like(rows[0]))
    assert (found.first, found.names["query"]) == ("concat", "Q")


def test_the_report_is_data() -> None:
    found = compare(wrong_gpt(), IDS)
    by_name = {tensor.name: tensor for tensor in found.tensors}
    assert [*by_name] == [c.name for c in found.comparison.compared]
    wrong, right = by_name["layers[1].attention"], by_name["layers[1].norm1.normed"]
    assert (wrong.called, wrong.verdict, wrong.bug) == (
        "transformer.h.0.attn.c_proj", "departs", "not_scaled",
    )  # fmt: skip
    assert wrong.error > 1e-3 > right.error
    assert wrong.place.startswith("layers[1].attention[")
    assert (right.verdict, right.bug) == ("agrees", None)


def test_what_is_asked_for_is_said_as_python_has_it() -> None:
    module = other_modules.NanoGpt()
    for said in (torch.float32, "float32", np.float32, np.dtype("float32")):
        assert "as precision= says" in " ".join(str(compare(module, IDS, precision=said)).split())
    with pytest.raises(UserError, match=r"precision=torch\.int8: no such type of floats"):
        compare(module, IDS, precision=torch.int8)
    near = compare(wrong_gpt(), IDS, rtol=0.0, atol=100.0)
    assert near.follows
    assert "close enough" in str(near)
    assert not compare(wrong_gpt(), IDS, atol=1e-6)
    for name, value in (("rtol", -1.0), ("atol", float("nan"))):
        with pytest.raises(UserError, match=f"{name}=.*no tolerance"):
            compare(module, IDS, **{name: value})  # type: ignore[arg-type]
    half = compare(other_modules.NanoGpt().bfloat16(), IDS, precision=torch.bfloat16)
    wrong = compare({"Q": np.ones((3, 3))}, like=heads_of(3)[0])
    with pytest.raises(UserError) as refused:
        compare({"nothing": np.ones((3, 3))}, like=heads_of(3)[0])
    texts = [*map(str, (half, wrong, refused.value, found_lost()))]
    assert not [text for text in texts if "--" in text or "config.json" in text]
    assert 'names={"NAME": ""}' in " ".join(texts[1].split())


def found_lost() -> UserError:
    with pytest.raises(UserError, match="config: proj_size: 2 isn't known") as refused:
        compare(nn.LSTM(3, 4, proj_size=2), x(5, 3))
    return refused.value


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
        names = {"output": "heads[*].weights"}
        of_batch = compare(Attention(), torch.tensor(X), like=like, names=names, batch=batch)
        assert of_batch.follows
        assert f"entry {batch} of a batch of 2: weights, output" in str(of_batch)
        single = compare(Attention(), torch.tensor(X[batch]), like=like, names=names)
        assert single.follows
        assert "2 heads: weights, output" in str(single)


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
    assert {"layers[1].heads[4].V", "layers[2].V"} & {*each_of(found.names.values())}
    assert compare(model, input_ids=IDS).follows
    again = compare(model, IDS, names=found.names)
    assert again.tensors == found.tensors


def test_of_a_right_model_only_what_it_made_itself_is_worked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The scenario's own numbers, from its tokens on, are worked where a tensor departs."""
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(n_embd=16, n_layer=2, n_head=2, vocab_size=30)
    worked: list[str] = []

    def noted(*arguments: Any) -> Any:
        worked.append(arguments[2].name)
        return make(*arguments)

    monkeypatch.setattr("attncli.trace.on_demand.make", noted)
    model = transformers.GPT2LMHeadModel(config).eval()
    found = compare(model, IDS)
    assert found.follows
    assert "logits" in str(found)
    assert worked == []
    model.transformer.ln_f.eps = 0.1
    wrong = json.loads(compare(model, IDS).page("json"))["first"]
    assert wrong["quantity"] in worked


def test_a_model_without_a_head_ends_before_logits() -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(n_embd=16, n_layer=1, n_head=4, vocab_size=30)
    assert config.tie_word_embeddings
    found = compare(transformers.GPT2Model(config).eval(), IDS)
    assert (found.status, found.names["output"]) == (0, "final_norm.normed")


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


def test_what_comes_out_are_the_logits_of_a_model_that_caps_them(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.Gemma2Config(
        hidden_size=8, intermediate_size=12, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=4, vocab_size=30, final_logit_softcapping=0.5,
        attn_implementation="eager",
    )  # fmt: skip
    torch.manual_seed(1)
    model = transformers.Gemma2ForCausalLM(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    model.save_pretrained(tmp_path)
    right = model(IDS).logits[0].detach().numpy()
    trace = work(Scenario.from_checkpoint(tmp_path, IDS))
    assert np.allclose(trace.output.values, right, atol=1e-5)
    assert not np.allclose(trace["logits"].values, right, atol=1e-2)
    assert compare(model, IDS).names["output"] == "capped_logits"


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


class LectureHead(nn.Module):
    """An attention head as lectures have it, which makes its weights on the way, unseen."""

    def __init__(self) -> None:
        super().__init__()
        self.key, self.query, self.value = (nn.Linear(8, 4, bias=False) for _ in range(3))

    def weights(self, x: Any) -> Any:
        scores = self.query(x) @ self.key(x).transpose(-2, -1)
        return (scores / 2).masked_fill(CAUSAL, float("-inf")).softmax(-1)

    def forward(self, x: Any) -> Any:
        return self.weights(x) @ self.value(x)

    def like(self, rows: Any) -> dict[str, Any]:
        weights = {f"W_{w[0].upper()}": getattr(self, w).weight for w in ("query", "key", "value")}
        return {"X": rows, "mask": "causal", "weights_layout": "linear", **weights}


class UnmaskedHead(LectureHead):
    def weights(self, x: Any) -> Any:
        return (self.query(x) @ self.key(x).transpose(-2, -1)).softmax(-1)


class TwoHeads(LectureHead):
    """Two heads side by side, without W_O."""

    def forward(self, x: Any) -> Any:
        q, k, v = (part(x).unflatten(-1, (2, 2)).transpose(1, 2)
                   for part in (self.query, self.key, self.value))  # fmt: skip
        weights = (q @ k.transpose(-2, -1) / self.scale).masked_fill(CAUSAL, float("-inf"))
        return (weights.softmax(-1) @ v).transpose(1, 2).flatten(2)

    scale = 2**0.5

    def like(self, rows: Any) -> dict[str, Any]:
        return {**super().like(rows), "heads": 2}


class UnscaledHeads(TwoHeads):
    scale = 1


@pytest.mark.parametrize(
    ("right", "wrong", "end"),
    [(LectureHead, UnmaskedHead, "output"), (TwoHeads, UnscaledHeads, "concat")],
)
def test_what_a_module_returns_is_compared_whatever_it_is_called(
    right: Any, wrong: Any, end: str
) -> None:
    torch.manual_seed(2)
    module, bad, rows = right(), wrong(), x() * 3
    bad.load_state_dict(module.state_dict())
    like = module.like(rows[0])
    found = compare(module, rows, like=like)
    assert (found.follows, found.names["output"]) == (True, end)
    assert "Compared: query, key, value, output." in " ".join(str(found).split())
    departs = compare(bad, rows, like=like)
    assert (departs.first, departs.status) == (end, 1)


class Returning(nn.Module):
    """Logits, of which it returns what a function makes."""

    def __init__(self, returned: Any) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.lm_head, self.returned = nn.Linear(8, 6, bias=False), returned

    def forward(self, rows: Any) -> Any:
        return self.returned(self.lm_head(rows))


def of_logits(returned: Any, **more: Any) -> LiveComparison:
    module, rows = Returning(returned), 3 * x()
    like = {"X": rows[0], "predict_from": "every", "weights_layout": "linear", **more}
    return compare(module, rows, like={**like, "unembedding": module.lm_head.weight})


@pytest.mark.parametrize(
    ("returned", "more", "name", "follows"),
    [
        (lambda y: y, {}, "logits", True),
        (lambda y: 2 * (y / 2).tanh(), {"logit_softcap": 2}, "capped_logits", True),
        (lambda y: y, {"logit_softcap": 2}, "capped_logits", False),
        (lambda y: 2 * (y / 2).tanh(), {}, "logits", False),
        (lambda y: y / 2, {"logit_scale": 0.5}, "scaled_logits", True),
        (lambda y: y, {"logit_scale": 0.5}, "scaled_logits", False),
        (lambda y: y.softmax(-1), {}, "probabilities", True),
        (lambda y: y.softmax(-2), {}, "logits", False),
        (lambda y: (y.mean(), y), {}, "logits", True),
        (lambda y: {"loss": y.mean(), "mine": y}, {"logit_softcap": 2}, "capped_logits", False),
    ],
)
def test_of_logits_what_is_returned_is_the_end_of_the_scenario(
    returned: Any, more: Any, name: str, follows: bool
) -> None:
    found = of_logits(returned, **more)
    assert (found.names["output"], found.follows) == (name, follows)
    assert found.first == (None if follows else name)


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (lambda y: y.argmax(-1), "output is no array of floats"),
        (lambda y: y[:, -1], 'output is [1, 6], and what comes out of the scenario is [5, 6]'),
        (lambda y: (y[..., :3], None), "comes out of the scenario is [5, 6]"),
        (lambda _: None, "output is no array of floats"),
    ],
)  # fmt: skip
def test_of_what_cannot_be_compared_nothing_is_told(returned: Any, says: str) -> None:
    """Although all of the module's parts follow."""
    found = of_logits(returned)
    assert (found.status, found.first) == (3, None)
    assert {tensor.verdict for tensor in found.tensors} == {"agrees"}
    assert says in " ".join(str(found).split())


def test_a_test_fails_where_what_is_returned_cannot_be_compared() -> None:
    module, rows = LectureHead(), x()
    like = {**module.like(rows[0]), "until": "scores"}
    with pytest.raises(AssertionError, match="can't be judged") as failed:
        assert_follows(module, rows, like=like)
    assert "What the module returns" in str(failed.value)


def test_what_is_not_the_end_is_said_by_names() -> None:
    class Weights(LectureHead):
        def forward(self, rows: Any) -> Any:
            return self.weights(rows)

    torch.manual_seed(2)
    module, rows = Weights(), x()
    like = module.like(rows[0])
    found = compare(module, rows, like=like)
    assert found.status == 3
    assert 'names={"output": "weights"}' in " ".join(str(found).split())
    assert compare(module, rows, like=like, names={"output": "weights"}).follows
    left = compare(module, rows, like=like, names={"output": ""})
    assert left.follows
    assert "Not compared: output." in " ".join(str(left).split())


def test_what_comes_out_has_one_name() -> None:
    rows = [[1.0, -2.0], [3.0, 0.5]]
    capped = {"X": rows, "unembedding": [[1, 2, 0], [0, 1, 1]], "logit_softcap": 2}
    exact = {**capped, "logit_scale": 0.5, "rounding": {"policy": "exact"}, "predict_from": "every"}
    trace = work(exact)
    right = 2 * np.tanh(0.5 * np.array(rows) @ [[1, 2, 0], [0, 1, 1]] / 2)
    assert np.allclose(trace.output.values, right)
    assert compare({"output": right}, like=exact).names == {"output": "capped_logits"}
    assert not compare({"output": trace["logits"].values}, like=exact)
    with pytest.raises(ValueError, match="nothing comes out"):
        work("i_love_tennis").output  # noqa: B018


def test_the_steps_after_what_comes_out_are_those_of_the_order() -> None:
    from attncli.steps.order import PREDICTION, STORY, TRAINING
    from attncli.trace.trace import AFTER_OUTPUT

    names = [line.step for line in PREDICTION]
    later = {*names[names.index("unembed") + 1 :], *(line.step for line in TRAINING)}
    assert later | {"online", "gradient"} == AFTER_OUTPUT
    assert {*STORY} >= AFTER_OUTPUT


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
    with pytest.raises(UserError, match="proj_size: 2 isn't known"):
        compare(nn.LSTM(3, 4, proj_size=2), x(5, 3))


def test_comparisons_are_of_the_type_that_the_package_gives() -> None:
    from attncli import torch as live

    assert live.compare is compare
    assert isinstance(compare(*((m := cases()["rnn"])[0], *m[1])), LiveComparison)
