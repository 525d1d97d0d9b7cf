"""Which quantities somebody's tensors are: by what modules and hooks are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.dumps.floats import Grain, fills, tells_apart
from attncli.dumps.shapes import as_matrix, distance, heads_apart, of_each, side_by_side
from attncli.errors import Problem, UserError, listed, quote
from attncli.file.array_files import ROUNDOFFS, Dumped
from attncli.file.problems import nearest
from attncli.marking.honest_paths import Flags
from attncli.names import GRADIENTS, Name, below
from attncli.numbers.rounding import Array
from attncli.scenario.model import Attention, Layer, Stack
from attncli.trace import Trace

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
    "project_in": _PROJECTED_IN,
    "project_out": "project_out",
    "X": "x input inputs embeddings emb_out hidden_states.0 embed_sum drop encoder_input"
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
    " hook_attn_out attention.output self_attn self_attention attn mha o output_proj",
    "residual1": "resid1 residual1 resid_mid add1 after_attn post_attn h1 res1 hook_resid_mid"
    " attn_residual self_attention",
    "residual3": "resid3 residual3 add3 res3 h3",
    "norm1_after": "post_attention_layernorm post_attn_norm",
    "norm2_after": "post_feedforward_layernorm post_ffn_norm",
    "norm2": "ln2 ln_2 norm2 layernorm2 layer_norm2 post_attention_layernorm ffn_norm mlp_norm"
    " layernorm_after norm_2 sublayer2.norm mlp_ln final_layer_norm output.layernorm"
    " pre_feedforward_layernorm post_feedforward_layernorm addnorm2.ln 1.0.0",
    "norm1": "ln1 ln_1 norm1 layernorm1 layer_norm1 input_layernorm attention_norm attn_norm"
    " self_attn_layer_norm layernorm_before norm_1 sublayer1.norm attn_ln"
    " attention.output.layernorm attention attention.output post_attention_layernorm"
    " addnorm1.ln 0.0.0",
    "norm3": "ln3 ln_3 norm3 layernorm3 layer_norm3 norm_3",
    "final_norm": "ln_f lnf ln_final final_ln final_norm norm_f final_layernorm norm"
    " encoder.norm decoder.norm ln",
    "embedding_norm": "emb_norm embedding_norm embed_norm embeddings.layernorm",
    "hidden": "fc1 c_fc linear1 lin1 up dense1 w1 hidden intermediate.dense dense_h_to_4h hook_pre"
    " mlp.0 ffn.0 ff.0 ff.0.0 feed_forward.0 net.0 gate_proj mlp.w1",
    "up": "up_proj w3 hook_pre_linear mlp.w3",
    "activated": "act activation activated act_fn gelu relu silu hook_post intermediate mlp.1"
    " ffn.1 ff.1 ff.0.1 net.1",
    "gated": "gated gate_up swiglu geglu",
    "ffn": "fc2 linear2 lin2 down down_proj dense2 w2 ffn mlp ff feed_forward feedforward"
    " mlp.c_proj dense_4h_to_h mlp.2 ffn.2 ff.2 net.2 hook_mlp_out mlp_out ffn_out mlp.w2"
    " mlp.proj",
    "mixture": "mlp block_sparse_moe",
    "states": "rnn lstm gru",
    "residual2": "resid2 residual2 add2 after_ffn res2 h2 ffn_residual mlp",
    "logits": "lm_head embed_out logits unembed output_projection head proj_out generator"
    " hook_logits",
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

_LAYERS = ("layers", "layer", "blocks", "block", "h")
_LAYER_WORDS = frozenset([*_LAYERS, "encoder_layers", "decoder_layers"])
_HEAD_WORDS = frozenset(["heads", "head"])
_STACKS = frozenset(["encoder", "decoder"])
_CROSS = ("cross", "cross_attn", "crossattention", "cross_attention", "src_attn")
CROSS = frozenset([*_CROSS, "encoder_attn", "multihead_attn", "encoder_decoder_attention"])
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
_IN_HEADS = frozenset([*_PROJECTED, "scores", "scaled", "masked", "weights", "output"])


class Meant(NamedTuple):
    """What a tensor may be: a quantity, or those of all heads, of each its number from 0; whether
    it is kept the other way round, as nn.Linear keeps its weight. Heads may share keys and values
    in some `groups`; None where that isn't known. Where a tensor is several beside each other,
    `blocks` are which columns, as blocks of them, each is."""

    names: tuple[Name, ...]
    heads: bool = False
    is_parameter: bool = False
    groups: int | None = None
    blocks: tuple[int, ...] = ()


class _Read(NamedTuple):
    """The name of a module, read: where it stands, counted from 0, and the words that are left."""

    words: tuple[str, ...] = ()
    layer: int | None = None
    head: int | None = None
    stack: str = ""
    cross: bool = False
    parameter: str = ""


OUTPUT = "output"
"""What comes out of a model is called in a dump, unless a quantity of the scenario is called so."""


def meant_by(theirs: str, trace: Trace) -> Iterator[Meant]:
    """What a tensor of some name may be, the likeliest first."""
    if theirs in trace:
        yield from _named(trace[theirs].name, trace)
    if theirs in (OUTPUT, ""):  # the whole has no name among a module's parts
        yield from outputs_of(trace)
    if theirs in trace or theirs in (OUTPUT, ""):
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
    """What a model may return: what comes out at its end, of all heads where these stay apart, or
    the probabilities that are made of that."""
    try:
        end = trace.output
    except ValueError:
        return
    yield _together(end.name, trace)
    for name in ("probabilities", "next.renormalized"):
        if name in trace and trace[name].matrix.shape == end.matrix.shape:
            yield Meant((trace[name].name,))


def _together(name: Name, trace: Trace) -> Meant:
    """A quantity, or that of all heads where it is one of several."""
    of_heads = _each_head(f"{name.path.path}.heads[*].{name.local}".lstrip("."), trace)
    return _of_heads(of_heads, trace) if name in of_heads else Meant((name,))


def _named(name: Name, trace: Trace) -> Iterator[Meant]:
    """A quantity by its name, or what each head has of it: `Q` may be `[heads, n, d]`."""
    yield Meant((name,))
    of_heads = _each_head(f"{name.path}.heads[*].{name.local}".lstrip("."), trace)
    if of_heads:
        yield _of_heads(of_heads, trace)


def _of_heads(names: tuple[Name, ...], trace: Trace) -> Meant:
    return Meant(names, heads=True, groups=_groups(names, trace))


def _gradients(of: str, trace: Trace) -> Iterator[Meant]:
    """The gradients of what a tensor may be, which are kept as that is: `fc1.weight.grad` is the
    gradient of `fc1.weight`."""
    for meant in meant_by(of, trace):
        names = tuple(name.under(GRADIENTS) for name in meant.names)
        if all(name in trace for name in names):
            yield meant._replace(names=names)


def _read(theirs: str) -> _Read:
    """`blocks.0.attn.hook_q` is hook_q of attn in the first layer."""
    read, before = _Read(), ""
    words: list[str] = []
    for part in re.findall(r"[^./\[\]\s]+", theirs):
        word, counted = part.lower(), re.fullmatch(r"([a-z_]+?)_?(\d+)", part.lower())
        kind = before
        if counted and counted[1] in _LAYER_WORDS | _HEAD_WORDS:
            kind, word = counted[1], counted[2]
        if word.isdigit() and kind in _LAYER_WORDS:
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


def _placed(read: _Read, word: str) -> _Read:
    if word in CROSS:
        return read._replace(cross=True)
    return read._replace(stack=word) if word in _STACKS else read


def _locals(words: tuple[str, ...]) -> Iterator[str]:
    """What the last words may mean, those of several words first; then without what only says that
    it is an output."""
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
    """The layer that is meant; where none is named, the only one."""
    if read.layer is None:
        return stack.layers if len(stack.layers) == 1 else ()
    return stack.layers[read.layer : read.layer + 1]


def _in_layer(local: str, read: _Read, layer: Layer, trace: Trace) -> Iterator[Meant]:
    attention = layer.cross if read.cross and layer.cross is not None else layer.attention
    if local == "block":
        yield from _there(trace, *_last_of(layer, trace))
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
    """Queries, keys and values of all heads beside each other: first all queries, or head by head,
    or group by group; what is multiplied in a feed-forward network, or latent, likewise."""
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


def _last_of(layer: Layer, trace: Trace) -> list[Name]:
    """What the last step of a layer makes."""
    inside = [d.name for d in trace.plan if d.name.inside(layer.path)]
    if not layer.path:
        inside = [name for name in inside if not _later(name)]
    return inside[-1:]


def _later(name: Name) -> bool:
    """Whether a name at the top is of what comes after the layers."""
    return name.local in ("last", "logits") or name.places[0] in (
        "next",
        "final_norm",
        *_PROJECTIONS,
    )


def _name(path: Name, local: str) -> Name:
    full = below(path, local)
    return below(full, _MADE[local]) if local in _MADE else full


def _there(trace: Trace, *names: Name) -> Iterator[Meant]:
    for name in names:
        if name in trace:
            yield Meant((trace[name].name,))


def _parameters(local: str, read: _Read, stack: Stack, trace: Trace) -> Iterator[Meant]:
    """The weight or the bias of the module that makes a quantity."""
    own = _PARAMETERS.get(local, ("", ""))[read.parameter == "bias"]
    paths = [stack.path, *(layer.path for layer in _layers(stack, read))]
    attentions = (layer.cross if read.cross else layer.attention for layer in _layers(stack, read))
    paths += [attention.path for attention in attentions if attention is not None]
    for path in reversed(dict.fromkeys(paths)):
        known: Mapping[str, Name] = {f"{path}.{own}".lstrip("."): path}
        for name in known:
            if own and name in trace:
                yield Meant((trace[name].name,), is_parameter=True)


# --------------------------------------------------------------------------------------------------
# Tensors of a dump as the quantities that they are: batches and heads are taken apart.

_EXACT_DIGITS = 12
"""Decimals from which on a written number is taken to be in full."""


_NEAR = 0.1
"""The share of what tells numbers apart by which near ones may differ, and of those that may."""


Ours = str | Sequence[str | Sequence[str]]
"""Which quantity a tensor is: its name, `heads[*].Q` of those of all heads, nothing where it is to
be left out; or the names of what stands side by side in it, of several that share a part together.
"""


class Mapped(NamedTuple):
    """What is said of a dump's tensors: which quantity some are, and which of them the module
    itself returned."""

    names: Mapping[str, Ours]
    whole: str | None = None

    def meant(self, called: str, trace: Trace) -> tuple[Meant, ...]:
        """What a tensor may be, the likeliest first."""
        ours = self.names.get(called)
        if ours is not None:
            return tuple(_said(ours, called, trace)) if ours else ()
        return tuple(outputs_of(trace) if called == self.whole else meant_by(called, trace))


class Theirs(NamedTuple):
    """A tensor, or the part of it, that is a quantity; what they call it."""

    called: str
    values: Array


class Misshapen(NamedTuple):
    """A tensor that hasn't the shape of the quantity that its name says."""

    name: Name
    called: str
    shape: tuple[int, ...]
    right: tuple[int, ...]


class Unjudged(NamedTuple):
    """What a module itself returns, where that can't be compared with what comes out of the
    scenario: its shape, None where it is no array of floats, and that which it should have.
    `likely` are the names of quantities that have its shape, the last ones first, before these what
    a part is that makes the same."""

    called: str
    shape: tuple[int, ...] | None
    right: tuple[int, ...]
    likely: tuple[str, ...] = ()


class Dump(NamedTuple):
    """What of a dump is which quantity; the names of what is none; what has another shape; of
    what is a quantity that another tensor is already, with other numbers, that tensor's name; how
    finely all was worked, whether that was said, and in which types of floats it is kept. `taken`
    is which quantity each tensor was taken for, as it may be said, `unjudged` what a module
    returned that can't be compared; `sides` says what the first side of tensors was taken for, each
    with their names."""

    tensors: Mapping[str, Theirs]
    unknown: tuple[str, ...]
    repeated: Mapping[str, str]
    misshapen: tuple[Misshapen, ...]
    grain: Grain
    is_stated: bool
    kept: tuple[str, ...]
    taken: Mapping[str, Ours] = MappingProxyType({})
    unjudged: Unjudged | None = None
    sides: Mapping[str, Sequence[str]] = MappingProxyType({})


def taken_apart(
    dump: Mapping[str, Dumped],
    trace: Trace,
    mapped: Mapping[str, Ours],
    source: str,
    kind: str | None = None,
    whole: str | None = None,
) -> Dump:
    """The quantities in a dump; `mapped` says of some tensors what they are, `kind` in which type
    of floats all were worked, `whole` how that is called which the module itself returned: it is
    compared whatever other tensor is the same quantity. Raises UserError where nothing is told by
    its name, or what is mapped isn't there or doesn't fit."""
    _check_map(dump, trace, mapped, source)
    said = Mapped(mapped, whole)
    known = {called: _Called.of(called, dump[called], trace, said) for called in dump}
    habits = {c.habit: near for c in known.values() if (near := c.nearest(trace))}
    chosen = {c: pieces for c, e in known.items() if (pieces := e.pieces(habits.get(e.habit)))}
    found, repeated = _found(chosen, whole)
    unjudged = None if whole in mapped else _unjudged(dump, chosen, whole, trace)
    misshapen = [
        _misshapen(called, dump[called], entry.meant[0], trace)
        for called, entry in known.items()
        if entry.meant and not entry.fitting and (unjudged is None or called != whole)
    ]
    misshapen = [m for m in misshapen if m.name not in found]
    if not found and not misshapen and unjudged is None:
        wrong = f"no tensor has a name that is known here: {listed(dump)}"
        raise UserError.of(source, wrong, "say which is which, like --map attn.q=Q")
    order = [name for name in trace if name in found]
    used = [dump[called] for called in dict.fromkeys(found[name].called for name in order)]
    return Dump(
        {name: found[name] for name in order},
        tuple(called for called, entry in known.items() if not entry.meant),
        repeated,
        tuple(misshapen),
        _grain(used, kind),
        kind is not None,
        tuple(dict.fromkeys(t.type for t in used if t.type in ROUNDOFFS)),
        {called: _as_said(pieces.meant, trace) for called, pieces in chosen.items()},
        unjudged,
    )


def _found(
    chosen: Mapping[str, _Pieces], whole: str | None
) -> tuple[dict[str, Theirs], dict[str, str]]:
    """Which tensor is compared as each quantity: the first that is one, or that which the module
    itself returned; and which others are one with other numbers, each with that tensor's name."""
    found: dict[str, Theirs] = {}
    repeated: dict[str, str] = {}
    for called, pieces in chosen.items():
        for name, values in pieces.values.items():
            first = found.setdefault(name, Theirs(called, values))
            if np.array_equal(first.values, values, equal_nan=True):
                continue
            if called == whole:
                found[name] = Theirs(called, values)
                repeated[first.called] = called
            else:
                repeated[called] = first.called
    return found, repeated


_MOST_LIKELY = 3


def _unjudged(
    dump: Mapping[str, Dumped], chosen: Mapping[str, _Pieces], whole: str | None, trace: Trace
) -> Unjudged | None:
    """What the module itself returned, if that can't be compared."""
    if whole is None or whole in chosen:
        return None
    ends = [*outputs_of(trace)]
    right = _shape_of(ends[0], trace) if ends else ()
    if whole not in dump:
        return Unjudged(whole, None, right)
    tensor = dump[whole]
    same = [called for called in chosen if np.array_equal(dump[called].values, tensor.values)]
    likely = [_as_said(chosen[called].meant, trace) for called in same]
    for definition in reversed(trace.plan):
        if definition.name in trace and not definition.name.inside(GRADIENTS):
            meant = _together(definition.name, trace)
            likely += [_as_said(meant, trace)] if _fits(tensor.shape, meant, trace) else []
    names = dict.fromkeys(name for name in likely if isinstance(name, str))
    return Unjudged(whole, tensor.shape, right, tuple(names)[:_MOST_LIKELY])


def heads_in(called: str, tensor: Dumped, trace: Trace, said: Mapped) -> int | None:
    """How many quantities a tensor is by its name, or by what is said that it is, as those of all
    heads; None where it has the shape of nothing that it may be."""
    if any(not _is_there(name, trace) for name in _each(said.names.get(called) or ())):
        return None
    fitting = _Called.of(called, tensor, trace, said).fitting
    return len(fitting[0].values) if fitting else None


def _check_map(
    dump: Mapping[str, Dumped], trace: Trace, mapped: Mapping[str, Ours], source: str
) -> None:
    wrong: list[Problem] = []
    for theirs, ours in mapped.items():
        option = f"--map {theirs}={','.join(_each(ours))}"
        if theirs not in dump:
            text = f"{source} has no {quote(theirs)}"
            wrong.append(Problem.of(option, text, nearest(theirs, sorted(dump))))
        for name in _each(ours):
            if not _is_there(name, trace):
                text = f"the scenario has no {quote(name)}"
                wrong.append(Problem.of(option, text, nearest(name, list(trace))))
    if wrong:
        raise UserError(wrong)


def _each(ours: Ours) -> list[str]:
    """The names that are said of a tensor."""
    if isinstance(ours, str):
        return [ours] if ours else []
    return [name for part in ours for name in _each(part)]


def _is_there(ours: str, trace: Trace) -> bool:
    return ours in trace or bool(_each_head(ours, trace))


def _each_head(ours: str, trace: Trace) -> tuple[Name, ...]:
    """`heads[*].Q` means those of all heads."""
    if "[*]" not in ours:
        return ()
    names: list[Name] = []
    while ours.replace("[*]", f"[{len(names) + 1}]") in trace:
        names.append(trace[ours.replace("[*]", f"[{len(names) + 1}]")].name)
    return tuple(names)


class _Called(NamedTuple):
    """A tensor, what it may be by its name, and those of these whose shape it has, taken apart."""

    called: str
    meant: tuple[Meant, ...]
    fitting: tuple[_Pieces, ...]

    @classmethod
    def of(cls, called: str, tensor: Dumped, trace: Trace, said: Mapped) -> _Called:
        meant = said.meant(called, trace)
        each = ((entry, _fitting(tensor.values, entry, trace))
                for entry in meant if _fits(tensor.shape, entry, trace))  # fmt: skip
        fitting = tuple(_pieces(entry, found) for entry, found in each if found is not None)
        return cls(called, meant, fitting)

    @property
    def habit(self) -> str:
        """Its name in any layer."""
        return re.sub(r"\d+", "*", self.called)

    def nearest(self, trace: Trace) -> tuple[str, tuple[int, ...]] | None:
        """What modules of its name give, where several things are called so: the first that it is
        near to."""
        if len(self.fitting) == 1:
            return None
        return next((a.kind for a in self.fitting if _is_near(a.values, trace)), None)

    def pieces(self, habit: tuple[str, tuple[int, ...]] | None) -> _Pieces | None:
        """The quantities that it is; where several fit, what others of its name are."""
        likely = (a for a in self.fitting if a.kind == habit)
        return next(likely, self.fitting[0] if self.fitting else None)


class _Pieces(NamedTuple):
    """The quantities that a tensor is, what it is meant by then, and what they are in whichever
    layer: `norm1.normed`; with the order in which they stand."""

    values: Mapping[Name, Array]
    meant: Meant
    kind: tuple[str, tuple[int, ...]]


def _pieces(meant: Meant, each: Sequence[Array]) -> _Pieces:
    local = re.sub(r"\b\w+\[\d+\]\.", "", meant.names[0])
    return _Pieces(dict(zip(meant.names, each, strict=True)), meant, (local, meant.blocks))


def _is_near(pieces: Mapping[Name, Array], trace: Trace) -> bool:
    """Whether nearly all numbers are the trace's own, rather than others."""
    near: list[Flags] = []
    for name, values in pieces.items():
        right = trace[name].values
        with np.errstate(invalid="ignore"):
            apart = np.abs(values - right) <= _NEAR * tells_apart(right)
        near.append(apart | (values == right))
    return bool(np.concatenate(near).mean() >= 1 - _NEAR)


def _misshapen(called: str, tensor: Dumped, meant: Meant, trace: Trace) -> Misshapen:
    """A tensor beside the shape that it should have."""
    return Misshapen(meant.names[0], called, tensor.shape, _shape_of(meant, trace))


def _shape_of(meant: Meant, trace: Trace) -> tuple[int, ...]:
    """That of all heads together where it is of them, or of all that stands side by side."""
    rows, columns = trace[meant.names[0]].matrix.shape
    if meant.heads:
        return (len(meant.names), rows, columns)
    if not meant.blocks:
        return (rows, columns)
    shapes = [trace[name].matrix.shape for name in meant.names]
    return (rows, sum(dict(zip(meant.blocks, (m for _, m in shapes), strict=True)).values()))


def _said(ours: Ours, called: str, trace: Trace) -> Iterator[Meant]:
    """What a tensor is that is said to be something."""
    if not isinstance(ours, str):
        parts = [[*_names_of(part, trace)] for part in _side_by_side(ours, trace)]
        names = tuple(name for part in parts for name in part)
        yield Meant(names, blocks=tuple(k for k, part in enumerate(parts) for _ in part))
    elif each := _each_head(ours, trace):
        yield _of_heads(each, trace)
    else:
        is_parameter = bool(_read(called).parameter)
        yield from (m._replace(is_parameter=is_parameter) for m in _named(trace[ours].name, trace))


def _side_by_side(ours: Sequence[str | Sequence[str]], trace: Trace) -> Iterator[Sequence[str]]:
    """The parts of a tensor, each with the names that share it: `heads[*].Q` is one a head."""
    for part in ours:
        if isinstance(part, str):
            yield from ([name] for name in _names_of([part], trace))
        else:
            yield part


def _names_of(texts: Sequence[str], trace: Trace) -> Iterator[Name]:
    for text in texts:
        yield from _each_head(text, trace) or (trace[text].name,)


def _groups(names: tuple[Name, ...], trace: Trace) -> int | None:
    """How many groups of heads have keys and values of their own, where these are of heads."""
    for stack in trace.scenario.stacks:
        for layer in stack.layers:
            for attention in (layer.attention, layer.cross):
                if attention is not None and attention.head_path(0) == names[0].path:
                    shares = names[0].local.endswith(("K", "V"))
                    return attention.kv_heads if shares else len(names)
    return None


def _as_said(meant: Meant, trace: Trace) -> Ours:
    """What a tensor was taken for, as it may be said."""
    if meant.blocks:
        parts: dict[int, list[str]] = {}
        for block, name in sorted(zip(meant.blocks, meant.names, strict=True)):
            parts.setdefault(block, []).append(str(name))
        return [part[0] if len(part) == 1 else part for part in parts.values()]
    first = str(meant.names[0])
    if not meant.heads:
        return first
    starts = (found.start() for found in re.finditer(r"\[1\]", first))
    texts = (f"{first[:start]}[*]{first[start + 3 :]}" for start in starts)
    return next((text for text in texts if _each_head(text, trace) == meant.names), first)


def _fits(shape: tuple[int, ...], meant: Meant, trace: Trace) -> bool:
    """Whether a tensor of such a shape has the parts, whatever its numbers are: those of what has
    another shape aren't read."""
    return _fitting(np.broadcast_to(np.float64(0), shape), meant, trace) is not None


def _fitting(values: Array, meant: Meant, trace: Trace) -> list[Array] | None:
    """The parts of a tensor that have the shapes of the quantities; None where it hasn't them."""
    shapes = [trace[name].matrix.shape for name in meant.names]
    if meant.blocks:
        return side_by_side(values, shapes, meant.blocks)
    if not meant.heads:
        whole = as_matrix(values, shapes[0])
        if whole is None and meant.is_parameter:
            whole = as_matrix(values.T, shapes[0])
        if whole is not None and meant.is_parameter and shapes[0][0] == shapes[0][1]:
            ours = trace[meant.names[0]].values
            far = [np.abs(array - ours).sum() for array in (whole, whole.T)]
            whole = whole.T if far[1] < far[0] else whole
        return None if whole is None else [whole]
    if all(trace[name].is_list for name in meant.names):
        whole = as_matrix(values, (len(shapes), shapes[0][0]))
        return None if whole is None else [row[:, np.newaxis] for row in whole]
    each = heads_apart(values, shapes)
    if each is None or (meant.groups not in (None, len(each)) and len(each) != len(shapes)):
        return None
    parts = of_each(each, len(shapes))
    if each.shape[0] != each.shape[1]:
        return parts
    right = [trace[name].values for name in meant.names]
    turned = of_each(each.transpose(1, 0, 2), len(shapes))
    return min(parts, turned, key=lambda some: distance(some, right))  # as many heads as rows


def _grain(tensors: list[Dumped], kind: str | None) -> Grain:
    """How finely tensors are kept: the coarsest of their types of floats; a finer type whose
    numbers are all such as a coarser one has was worked in that."""
    floats = [t for t in tensors if t.type in ROUNDOFFS]
    kinds = {t.type for t in floats}
    coarsest = kind or max(kinds, key=lambda text: ROUNDOFFS[text], default="float64")
    if kind is None and floats:
        fits = (k for k in reversed([*ROUNDOFFS]) if ROUNDOFFS[k] >= ROUNDOFFS[coarsest])
        coarsest = next((k for k in fits if fills(k, *(t.values for t in floats))), coarsest)
    digits = [t.digits for t in floats if t.digits is not None]
    most = max(digits, default=_EXACT_DIGITS)
    half = 0.5 * 10.0**-most if 0 < most < _EXACT_DIGITS else 0.0
    return Grain.of(coarsest, half)
