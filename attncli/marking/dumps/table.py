"""What PyTorch modules and their hooks call what a scenario calls otherwise: data."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_Q = "q query queries q_proj query_proj q_lin wq w_q to_q linear_q hook_q proj_q"
_K = "k key keys k_proj key_proj k_lin wk w_k to_k linear_k hook_k proj_k"
_V = "v value values v_proj value_proj v_lin wv w_v to_v linear_v hook_v proj_v"
_E = (
    "e embed embedding embed_tokens tok_emb tok_embeddings token_embedding word_embeddings"
    " token_embeddings wte hook_embed shared"
)
_PROJECTED = "project_in embeddings_project embedding_hidden_mapping_in"
_ALIASES = {
    "E": _E,
    "project_in": _PROJECTED,
    "project_out": "project_out",
    "X": "x input inputs embeddings emb_out hidden_states.0 embed_sum drop encoder_input"
    f" {_E} {_PROJECTED}",
    "P": "p pos pe wpe pos_emb pos_embed position_embeddings positional_encoding pos_encoding"
    " position_embedding embed_positions hook_pos_embed",
    "Q": _Q,
    "K": _K,
    "V": _V,
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
    " hook_attn_out attention.output self_attn self_attention attn mha o",
    "residual1": "resid1 residual1 resid_mid add1 after_attn post_attn h1 res1 hook_resid_mid"
    " attn_residual self_attention",
    "residual3": "resid3 residual3 add3 res3 h3",
    "norm1_after": "post_attention_layernorm post_attn_norm",
    "norm2_after": "post_feedforward_layernorm post_ffn_norm",
    "norm2": "ln2 ln_2 norm2 layernorm2 layer_norm2 post_attention_layernorm ffn_norm mlp_norm"
    " layernorm_after norm_2 sublayer2.norm mlp_ln final_layer_norm output.layernorm"
    " pre_feedforward_layernorm post_feedforward_layernorm",
    "norm1": "ln1 ln_1 norm1 layernorm1 layer_norm1 input_layernorm attention_norm attn_norm"
    " self_attn_layer_norm layernorm_before norm_1 sublayer1.norm attn_ln"
    " attention.output.layernorm attention attention.output post_attention_layernorm",
    "norm3": "ln3 ln_3 norm3 layernorm3 layer_norm3 norm_3",
    "final_norm": "ln_f lnf ln_final final_ln final_norm norm_f final_layernorm norm"
    " encoder.norm decoder.norm ln",
    "embedding_norm": "emb_norm embedding_norm embed_norm embeddings.layernorm",
    "hidden": "fc1 c_fc linear1 lin1 up dense1 w1 hidden intermediate.dense dense_h_to_4h hook_pre"
    " mlp.0 ffn.0 ff.0 feed_forward.0 net.0 gate_proj mlp.w1",
    "up": "up_proj w3 hook_pre_linear mlp.w3",
    "activated": "act activation activated act_fn gelu relu silu hook_post intermediate mlp.1"
    " ffn.1 ff.1 net.1",
    "gated": "gated gate_up swiglu geglu",
    "ffn": "fc2 linear2 lin2 down down_proj dense2 w2 ffn mlp ff feed_forward feedforward"
    " mlp.c_proj dense_4h_to_h mlp.2 ffn.2 ff.2 net.2 hook_mlp_out mlp_out ffn_out mlp.w2"
    " mlp.proj",
    "states": "rnn lstm gru",
    "residual2": "resid2 residual2 add2 after_ffn res2 h2 ffn_residual mlp",
    "logits": "lm_head logits unembed output_projection head proj_out generator hook_logits",
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


OURS: Mapping[str, tuple[str, ...]] = _inverted()
"""Our names of what the last parts of a module's name mean, the likeliest first: where there are
several, a tensor is the one that its numbers are near to. A norm stands for
what it makes, `block` for what the last step of a layer makes."""

PARAMETERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "Q": ("W_Q", "b_Q"), "K": ("W_K", "b_K"), "V": ("W_V", "b_V"),
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
LAYER_WORDS = frozenset([*_LAYERS, "encoder_layers", "decoder_layers"])
HEAD_WORDS = frozenset(["heads", "head"])
STACKS = frozenset(["encoder", "decoder"])
_CROSS = ("cross", "cross_attn", "crossattention", "cross_attention", "src_attn")
CROSS = frozenset([*_CROSS, "encoder_attn", "multihead_attn", "encoder_decoder_attention"])
"""Parts of names that say where in the model something stands."""
ENDINGS = ("_output", "_out", "_result")
