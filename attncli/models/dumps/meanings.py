"""The quantities that a tensor may be, by the names of modules and hooks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from attncli.names import GRADIENTS, Name, below
from attncli.scenario.model import Attention, Layer, Stack
from attncli.trace import LayerPlace, Place, Trace
from attncli.trace.place import NormPlace

_Q = "q query queries q_proj query_proj q_lin wq w_q to_q linear_q hook_q proj_q"
_K = "k key keys k_proj key_proj k_lin wk w_k to_k linear_k hook_k proj_k"
_V = "v value values v_proj value_proj v_lin wv w_v to_v linear_v hook_v proj_v"
_E = (
    "e embed embedding embed_tokens tok_emb tok_embeddings token_embedding word_embeddings"
    " token_embeddings wte hook_embed shared"
)
_PROJECTED_IN = "project_in embeddings_project embedding_hidden_mapping_in"
_ALIASES = {
    "E": _E,
    "scaled_E": _E,
    "project_in": _PROJECTED_IN,
    "project_out": "project_out",
    "X": "x input inputs embeddings emb_out hidden_states.0 embed_sum drop encoder_input"
    " embeddings.layernorm layernorm_embedding"
    f" {_E} {_PROJECTED_IN}",
    "P": "p pos pe wpe pos_emb pos_embed position_embeddings positional_encoding pos_encoding"
    " position_embedding embed_positions hook_pos_embed",
    "Q": _Q,
    "K": _K,
    "V": _V,
    "QKV": "qkv qkv_proj c_attn query_key_value wqkv to_qkv attn.in_proj",
    "gate_up": "gate_up_proj gate_up fc1_gate_up",
    "c_Q": "q_a_proj",
    "normed_c_Q": "q_a_layernorm q_a_norm",
    "normed_c_KV": "kv_a_layernorm kv_a_norm",
    "kv_a": "kv_a_proj_with_mqa kv_a_proj",
    "q_b": "q_b_proj q_proj",
    "kv_b": "kv_b_proj",
    "K_new": _K,
    "V_new": _V,
    "rotated_Q": "q_rot rot_q q_rotated q_rope q_embed rotated_q hook_rot_q rope_q rotary_q",
    "rotated_K": "k_rot rot_k k_rotated k_rope k_embed rotated_k hook_rot_k rope_k rotary_k",
    "normed_Q": "q_norm q_layernorm query_norm",
    "normed_K": "k_norm k_layernorm key_norm",
    "scores": "scores raw_scores qk qkt q_k dots energy attn_scores attention_scores sim"
    " hook_attn_scores logits_raw",
    "scaled": "scaled scaled_scores attn_logits scores_scaled scaled_dots",
    "masked": "masked masked_scores scores_masked masked_fill",
    "weights": "weights attn_weights attention_weights attn_probs attention_probs pattern probs"
    " softmax attn_w hook_pattern attn attentions alpha attn_softmax",
    "output": "z head_out head_output head_outputs per_head context ctx hook_z attn_vec sdpa heads"
    " weighted attn_values",
    "concat": "concat context_layer attention.self merged joined cat combined concatenated"
    " heads_concat",
    "attention": "attention attn_out attn_output attention_output o_proj out_proj wo w_o to_out"
    " attn.c_proj attention.c_proj attn.proj attention.dense attention.output.dense out_lin"
    " hook_attn_out attention.output self_attn self_attention attn mha o output_proj"
    " selfattention encdecattention encoder_attn",
    "residual1": "resid1 residual1 resid_mid add1 after_attn post_attn h1 res1 hook_resid_mid"
    " attn_residual self_attention layer.0",
    "residual3": "resid3 residual3 add3 res3 h3 layer.2",
    "norm1_after": "post_attention_layernorm post_attn_norm",
    "norm2_after": "post_feedforward_layernorm post_ffn_norm",
    "norm3": "ln3 ln_3 norm3 layernorm3 layer_norm3 norm_3 final_layer_norm layer.2.layer_norm",
    "norm2": "ln2 ln_2 norm2 layernorm2 layer_norm2 post_attention_layernorm ffn_norm mlp_norm"
    " layernorm_after norm_2 sublayer2.norm mlp_ln final_layer_norm output.layernorm"
    " pre_feedforward_layernorm post_feedforward_layernorm addnorm2.ln 1.0.0"
    " encoder_attn_layer_norm layer.1.layer_norm",
    "norm1": "ln1 ln_1 norm1 layernorm1 layer_norm1 input_layernorm attention_norm attn_norm"
    " self_attn_layer_norm layernorm_before norm_1 sublayer1.norm attn_ln"
    " attention.output.layernorm attention attention.output post_attention_layernorm"
    " addnorm1.ln 0.0.0 layer.0.layer_norm",
    "final_norm": "ln_f lnf ln_final final_ln final_norm norm_f final_layernorm norm"
    " encoder.norm decoder.norm ln encoder.final_layer_norm decoder.final_layer_norm"
    " encoder.layer_norm decoder.layer_norm",
    "embedding_norm": "emb_norm embedding_norm embed_norm embeddings.layernorm embeddings"
    " layernorm_embedding",
    "hidden": "fc1 c_fc linear1 lin1 up dense1 w1 hidden intermediate.dense dense_h_to_4h hook_pre"
    " mlp.0 ffn.0 ff.0 ff.0.0 feed_forward.0 net.0 gate_proj mlp.w1"
    " wi wi_0",
    "up": "up_proj w3 hook_pre_linear mlp.w3 wi_1",
    "activated": "act activation activated act_fn gelu relu silu hook_post intermediate mlp.1"
    " activation_fn ffn.1 ff.1 ff.0.1 net.1",
    "gated": "gated gate_up swiglu geglu",
    "ffn": "fc2 linear2 lin2 down down_proj dense2 w2 ffn mlp ff feed_forward feedforward"
    " mlp.c_proj dense_4h_to_h mlp.2 ffn.2 ff.2 net.2 hook_mlp_out mlp_out ffn_out mlp.w2"
    " mlp.proj densereludense densereludense.wo",
    "mixture": "mlp block_sparse_moe",
    "states": "rnn lstm gru",
    "residual2": "resid2 residual2 add2 after_ffn res2 h2 ffn_residual mlp layer.1",
    "logits": "lm_head embed_out logits unembed output_projection head proj_out generator"
    " hook_logits",
    "scaled_logits": "lm_head logits",
    "probabilities": "probs probabilities next_probs softmax",
    "block": "hook_resid_post resid_post block_out layer_out out output block layer",
}  # fmt: skip


def _inverted() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for ours, names in _ALIASES.items():
        for theirs in (ours.lower(), *names.split()):
            if ours not in found.get(theirs, ()):
                found[theirs] = (*found.get(theirs, ()), ours)
    return MappingProxyType(found)


_OURS: Mapping[str, tuple[str, ...]] = _inverted()
"""Our names of what the last parts of a module's name mean, the likeliest first: where there are
several, a tensor is the one that its numbers are near to. A norm stands for
what it makes, `block` for what the last step of a layer makes."""

_PARAMETERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "Q": ("W_Q", "b_Q"), "K": ("W_K", "b_K"), "V": ("W_V", "b_V"),
        "c_Q": ("latent.W_DQ", "latent.b_DQ"), "normed_c_Q": ("latent.gamma_Q", ""),
        "normed_c_KV": ("latent.gamma_KV", ""),
        "attention": ("W_O", "b_O"), "hidden": ("W1", "b1"), "ffn": ("W2", "b2"),
        "up": ("W3", "b3"), "logits": ("unembedding", "b_U"), "E": ("embeddings", ""),
        "P": ("positions", ""),
        **{f"{x}": (f"{x}.gamma", f"{x}.beta")
           for x in ("norm1", "norm2", "norm3", "norm1_after", "norm2_after", "final_norm",
                     "embedding_norm")},
        **{f"{x}": (f"{x}.W", f"{x}.b") for x in ("project_in", "project_out")},
    }
)  # fmt: skip
"""The weight and the bias of the module that makes a quantity."""

_MAKES: Mapping[str, str] = MappingProxyType(
    {weight: makes for makes, (weight, _) in _PARAMETERS.items()}
)
"""What the module makes that has a weight."""

_LAYERS = ("layers", "layer", "blocks", "block", "h")
_LAYER_WORDS = frozenset([*_LAYERS, "encoder_layers", "decoder_layers"])
_HEAD_WORDS = frozenset(["heads", "head"])
_STACKS = frozenset(["encoder", "decoder"])
_CROSS = ("cross", "cross_attn", "crossattention", "cross_attention", "src_attn")
CROSS = frozenset(
    [*_CROSS, "encoder_attn", "multihead_attn", "encoder_decoder_attention", "encdecattention"]
)
"""Parts of names that say where in the model something stands."""
_ENDINGS = ("_output", "_out", "_result")


_NORMS = (
    "norm1", "norm2", "norm3", "norm1_after", "norm2_after", "norm3_after", "final_norm",
    "embedding_norm",
)  # fmt: skip
_PROJECTIONS = ("project_in", "project_out")
_MADE = {**dict.fromkeys(_NORMS, "normed"), **dict.fromkeys(_PROJECTIONS, "projected")}
"""What is made by parts whose names stand for it."""
_PROJECTED = ("Q", "K", "V", "rotated_Q", "rotated_K", "normed_Q", "normed_K")
_IN_TURN = {
    "gate_up": ("layer", ("hidden", "up")),
    "kv_a": ("attention", ("c_KV", "K_R")),
    "q_b": ("head", ("Q", "Q_R")),
    "kv_b": ("head", ("K", "V")),
}
"""What stands side by side, in a layer, in an attention, or in each of its heads in turn."""
_PACKED = ("QKV", *_IN_TURN)
_BEHIND_A_CACHE = frozenset(["K", "V", "QKV", "normed_K", "rotated_K"])
"""What has more rows than a module makes, where keys of earlier tokens come before these."""
_IN_HEADS = frozenset([*_PROJECTED, "scores", "scaled", "masked", "weights", "output"])


class Meant(NamedTuple):
    """A guess at what a tensor is: a quantity, that of all heads, or several side by side."""

    names: tuple[Name, ...]
    """The quantities, in the order of the heads if there are several."""
    heads: bool = False
    """Whether the tensor holds the quantity of all heads."""
    is_parameter: bool = False
    """Whether it may be kept transposed, as nn.Linear keeps its weight."""
    groups: int | None = None
    """In how many groups heads share keys and values, and None where that isn't known."""
    blocks: tuple[int, ...] = ()
    """At which place each quantity stands, as a block of columns, where several stand side by
    side."""


class _Read(NamedTuple):
    """A module's name as it was read: the place that it says, counted from 0, and the words that
    are left."""

    words: tuple[str, ...] = ()
    layer: int | None = None
    head: int | None = None
    stack: str = ""
    cross: bool = False
    parameter: str = ""


OUTPUT = "output"
"""What comes out of a model is called in a dump, unless a quantity of the scenario is called so."""


def meant_by(theirs: str, trace: Trace) -> Iterator[Meant]:
    """Yields what a tensor of some name may be, the likeliest first. One that has the name of
    something given may also be what a module of that name makes: `embeddings` isn't always the
    table."""
    if theirs in trace:
        yield from named(trace[theirs].name, trace)
    is_whole = theirs in (OUTPUT, "")  # the whole has no name among a module's parts
    if is_whole:
        yield from outputs_of(trace)
    if is_whole or (theirs in trace and not trace[theirs].given):
        return
    of = theirs.removeprefix("grad.").removesuffix(".grad")
    if of != theirs:
        yield from _gradients(of, trace)
        return
    read = _read(theirs)
    if read.words in ((), ("output",)) and read.layer is not None and not read.parameter:
        yield from _of_local("block", read, trace)
    for local in _locals(read.words):
        yield from _of_local(local, read, trace)


def outputs_of(trace: Trace) -> Iterator[Meant]:
    """Yields what a model may return: its output, of all heads where these stay apart, or the
    probabilities that are made of that."""
    try:
        end = trace.output
    except ValueError:
        return
    yield together(end.name, trace)
    for name in ("probabilities", "next.renormalized"):
        if name in trace and trace[name].shape == end.shape:
            yield Meant((trace[name].name,))


def together(name: Name, trace: Trace) -> Meant:
    """Returns a quantity, together with that of all other heads where it belongs to one."""
    of_each = each_head(f"{name.path.path}.heads[*].{name.local}".lstrip("."), trace)
    return of_heads(of_each, trace) if name in of_each else Meant((name,))


def named(name: Name, trace: Trace) -> Iterator[Meant]:
    """Yields a quantity by its name, and what each head has of it: `Q` may be `[heads, n, d]`."""
    yield Meant((name,))
    of_each = each_head(f"{name.path}.heads[*].{name.local}".lstrip("."), trace)
    if of_each:
        yield of_heads(of_each, trace)


def of_heads(names: tuple[Name, ...], trace: Trace) -> Meant:
    return Meant(names, heads=True, groups=_groups(names, trace))


def made_with(key: str, layer: int | None, trace: Trace) -> Iterator[Meant]:
    """Yields what the module makes whose parameter a scenario knows by a key, `encoder.cross.W_Q`,
    in a layer from 0, or in each layer if that is None."""
    own = key.removeprefix("encoder.")
    read = _Read(stack="decoder" if own == key else "encoder", cross=own.startswith("cross."))
    local = _MAKES.get(own.removeprefix("cross."))
    for meant in _anywhere(local, read._replace(layer=layer), trace) if local else ():
        yield meant
        yield from _scaled(meant, trace)


def _scaled(meant: Meant, trace: Trace) -> Iterator[Meant]:
    """Yields embeddings that are scaled, as some modules make what they look up."""
    for name in meant.names if meant.names[0].local == "E" else ():
        for local in ("scaled_E", "X"):
            scaled = Name(local, name.path)
            definition = trace[scaled].definition if scaled in trace else None
            if definition is not None and definition.operands == (name,):
                yield Meant((scaled,))


def made_by(weight: Name, trace: Trace) -> Iterator[Meant]:
    """Yields what the module makes that has a weight."""
    local = _MAKES.get(weight.local)
    if local is not None:
        yield from _there(trace, _name(weight.path, local))
    elif weight.local == "gamma":  # of the norm at its path
        yield from _there(trace, below(weight.path, _MADE[_NORMS[0]]))


def meant_by_any_layer(theirs: str, trace: Trace) -> Iterator[Meant]:
    """Yields what a tensor of some name may be, in any layer and stack where none is named."""
    read = _read(theirs)
    if read.words in ((), ("output",)) and read.layer is not None:
        yield from _of_local("block", read, trace)
    for local in _locals(read.words) if not read.parameter else ():
        yield from _anywhere(local, read, trace)


def _anywhere(local: str, read: _Read, trace: Trace) -> Iterator[Meant]:
    yield from _of_local(local, read, trace)
    if read.layer is None:
        for stack in _stacks(trace, read):
            for layer in stack.layers:
                yield from _in_layer(local, read, layer, trace)


def _gradients(of: str, trace: Trace) -> Iterator[Meant]:
    """Yields the gradients of what a tensor may be, which have its shape: `fc1.weight.grad` is the
    gradient of `fc1.weight`."""
    for meant in meant_by(of, trace):
        names = tuple(name.under(GRADIENTS) for name in meant.names)
        if all(name in trace for name in names):
            yield meant._replace(names=names)


def _read(theirs: str) -> _Read:
    """Reads a module's name: `blocks.0.attn.hook_q` is hook_q of attn in the first layer, and
    `block.0.layer.1` is the second part of that layer, not another layer."""
    read, before = _Read(), ""
    words: list[str] = []
    for part in re.findall(r"[^./\[\]\s]+", theirs):
        word, counted = part.lower(), re.fullmatch(r"([a-z_]+?)_?(\d+)", part.lower())
        kind = before
        if counted and counted[1] in _LAYER_WORDS | _HEAD_WORDS:
            kind, word = counted[1], counted[2]
        if word.isdigit() and kind in _LAYER_WORDS and read.layer is None:
            read, words = read._replace(layer=int(word)), []
        elif word.isdigit() and kind in _HEAD_WORDS:
            read = read._replace(head=int(word))
            words = [entry for entry in words if entry != kind]
        elif word in ("weight", "bias"):
            read = read._replace(parameter=word)
        else:
            read = _placed(read, word)
            words.append(word)
        before = word
    return read._replace(words=tuple(words))


def is_parameter_called(theirs: str) -> bool:
    """Tells whether a name is that of a weight or a bias."""
    return bool(_read(theirs).parameter)


def _placed(read: _Read, word: str) -> _Read:
    if word in CROSS:
        return read._replace(cross=True)
    return read._replace(stack=word) if word in _STACKS else read


def _locals(words: tuple[str, ...]) -> Iterator[str]:
    """Yields what the last words may mean, those of several words first, and then without an ending
    that only says that it is an output."""
    for start in range(max(0, len(words) - 3), len(words)):
        yield from _OURS.get(".".join(words[start:]), ())
    if not words:
        return
    last = words[-1]
    shorter = next((last.removesuffix(end) for end in _ENDINGS if last.endswith(end)), None)
    if shorter:
        yield from _locals((*words[:-1], shorter))
    elif last in ("output", "out", "0") and len(words) > 1:
        yield from _locals(words[:-1])


def _of_local(local: str, read: _Read, trace: Trace) -> Iterator[Meant]:
    for stack in _stacks(trace, read):
        if read.parameter:
            yield from _parameters(local, read, stack, trace)
            continue
        layers = _layers(stack, read)
        for layer in layers:
            yield from _in_layer(local, read, layer, trace)
        if read.layer is None:
            yield from _there(trace, _name(stack.path, local))


def _stacks(trace: Trace, read: _Read) -> tuple[Stack, ...]:
    scenario = trace.scenario
    if read.stack == "encoder" and scenario.encoder is not None:
        return (scenario.encoder,)
    return (scenario.stack,) if read.stack or scenario.encoder is None else scenario.stacks


def _layers(stack: Stack, read: _Read) -> tuple[Layer, ...]:
    """Returns the layer that is named, and the only one if none is. Returns nothing where that is
    unclear."""
    if read.layer is None:
        return stack.layers if len(stack.layers) == 1 else ()
    return stack.layers[read.layer : read.layer + 1]


def _in_layer(local: str, read: _Read, layer: Layer, trace: Trace) -> Iterator[Meant]:
    attention = layer.cross if read.cross and layer.cross is not None else layer.attention
    if local == "block":
        yield from _there(trace, *_last_of(layer, trace))
        return
    if attention.cached is not None and local in _BEHIND_A_CACHE:
        return
    if read.head is None:
        yield from _there(trace, _name(attention.path, local))
    if local in _IN_HEADS:
        yield from _in_heads(local, read, attention, trace)
    if local in _PACKED:
        yield from _packed(local, layer, attention, trace)
    if attention.path != layer.path:
        yield from _there(trace, _name(layer.path, local))


def _in_heads(local: str, read: _Read, attention: Attention, trace: Trace) -> Iterator[Meant]:
    if attention.heads == 1:
        return
    paths = [attention.head_path(head) for head in range(attention.heads)]
    if read.head is not None:
        yield from _there(trace, *(below(path, local) for path in paths[read.head : read.head + 1]))
        return
    names = tuple(below(path, local) for path in paths)
    if all(name in trace for name in names):
        groups = attention.kv_heads if local.endswith(("K", "V")) else len(names)
        yield Meant(names, heads=True, groups=groups)


def _packed(local: str, layer: Layer, attention: Attention, trace: Trace) -> Iterator[Meant]:
    """Yields queries, keys and values of all heads side by side: first all queries, or group by
    group. Yields likewise what is multiplied in a feed-forward network, or latent."""
    heads, groups = range(attention.heads), attention.kv_heads
    paths = [attention.head_path(h) for h in heads] if len(heads) > 1 else [attention.path]
    if local != "QKV":
        part, locals_ = _IN_TURN[local]
        around = {"layer": [layer.path], "attention": [attention.path], "head": paths}[part]
        names = tuple(below(path, name) for path in around for name in locals_)
        if all(name in trace for name in names):
            yield Meant(names, blocks=tuple(range(len(names))))
        return
    made = tuple(below(path, letter) for letter in "QKV" for path in paths)
    if all(name in trace for name in made):
        each = len(heads) // groups
        first = [*heads, *(len(heads) + k * groups + h // each for k in (0, 1) for h in heads)]
        begins = [h // each * (each + 2) for h in heads]
        by_head = [b + h % each for h, b in zip(heads, begins, strict=True)]
        by_head += [b + each + k for k in (0, 1) for b in begins]
        yield from (Meant(made, blocks=tuple(blocks)) for blocks in (first, by_head))


_ENDS = re.compile(r"residual\d|norm\d(_after)?\.normed")
"""What a layer may end with."""


def _last_of(layer: Layer, trace: Trace) -> list[Name]:
    """Returns what the last step of a layer makes, and nothing that comes after the layers."""
    start = f"{layer.path}." if layer.path else ""
    made = [
        definition.name
        for part in trace.story
        if not part.is_again and _is_in(layer, part.place)
        for definition in part.definitions
        if definition.name in trace and definition.name.inside(layer.path)
    ]
    ends = [name for name in made if _ENDS.fullmatch(name.removeprefix(start))]
    return (ends or [name for name in made if not name.places[0].endswith("norm")])[-1:]


def _is_in(layer: Layer, place: Place) -> bool:
    """Tells whether a place may be in a layer. Norms don't say in which they are."""
    return isinstance(place, NormPlace) or (isinstance(place, LayerPlace) and place.layer is layer)


def _name(path: Name, local: str) -> Name:
    full = below(path, local)
    return below(full, _MADE[local]) if local in _MADE else full


def _there(trace: Trace, *names: Name) -> Iterator[Meant]:
    for name in names:
        if name in trace:
            yield Meant((trace[name].name,))


def _parameters(local: str, read: _Read, stack: Stack, trace: Trace) -> Iterator[Meant]:
    """Yields the weight or the bias of the module that makes a quantity."""
    own = _PARAMETERS.get(local, ("", ""))[read.parameter == "bias"]
    paths = [stack.path, *(layer.path for layer in _layers(stack, read))]
    attentions = (layer.cross if read.cross else layer.attention for layer in _layers(stack, read))
    paths += [attention.path for attention in attentions if attention is not None]
    for path in reversed(dict.fromkeys(paths)):
        known: Mapping[str, Name] = {f"{path}.{own}".lstrip("."): path}
        for name in known:
            if own and name in trace:
                yield Meant((trace[name].name,), is_parameter=True)


def each_head(ours: str, trace: Trace) -> tuple[Name, ...]:
    """Returns the quantities that `heads[*].Q` means, one of each head, and nothing for a name
    without `[*]`."""
    if "[*]" not in ours:
        return ()
    names: list[Name] = []
    while ours.replace("[*]", f"[{len(names) + 1}]") in trace:
        names.append(trace[ours.replace("[*]", f"[{len(names) + 1}]")].name)
    return tuple(names)


def _groups(names: tuple[Name, ...], trace: Trace) -> int | None:
    """Returns how many groups of heads have keys and values of their own, for quantities of heads,
    and None for any others."""
    for stack in trace.scenario.stacks:
        for layer in stack.layers:
            for attention in (layer.attention, layer.cross):
                if attention is not None and attention.head_path(0) == names[0].path:
                    shares = names[0].local.endswith(("K", "V"))
                    return attention.kv_heads if shares else len(names)
    return None
