"""Queries, keys and values made of a few numbers a token: multi-head latent attention.

MLA: DeepSeek-V2, arXiv:2405.04434, 2.1.

The paper's W_UQ, W_UK and W_UV are W_Q, W_K and W_V here: they are multiplied by what is compressed
instead of x.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncli.names import Name, below
from attncli.scenario.file.keys import Key, Record
from attncli.scenario.file.matrices import MATRIX, VECTOR
from attncli.scenario.file.problems import Objections
from attncli.scenario.model import Settings
from attncli.steps.attention.projections import input_of, is_decoupled, latent_of
from attncli.steps.block.norms import EPSILON, Normalizing, norm_in_words
from attncli.steps.linear import MISTAKES_BACK, bias_left_out, layer_of, rows_for_columns
from attncli.steps.mistakes import left_out, operand, wrong
from attncli.steps.step import (
    Backward,
    Example,
    Formulas,
    Mistake,
    Prominence,
    Results,
    Step,
    Wording,
)
from attncli.trace import AttentionPlace, Definition

_LATENT = {"Q": "c_Q", "K": "c_KV"}
LATENT = Key(
    "latent",
    Record.of(
        Key(
            "W_DKV",
            MATRIX,
            "makes c_KV of x, [d_model, r_KV], for keys and values",
        ),
        Key("b_DKV", VECTOR, "its bias"),
        Key("gamma_KV", VECTOR, "γ of an RMS norm of c_KV, which isn't normalized without it"),
        Key("W_DQ", MATRIX, "makes c_Q of x, [d_model, r_Q]; without it queries are of x"),
        Key("b_DQ", VECTOR, "its bias"),
        Key("gamma_Q", VECTOR, "γ of an RMS norm of c_Q"),
        Key("W_QR", MATRIX, "makes what turns of the queries, of c_Q (or x), [r_Q, heads · d_R]"),
        Key("W_KR", MATRIX, "makes what turns of the keys, of x, [d_model, d_R], for all heads"),
        Key("b_KR", VECTOR, "its bias"),
        EPSILON,
    ),
    "multi-head latent attention (MLA): keys and values are computed from a latent vector c_KV,"
    " which W_K and W_V, the paper's W_UK and W_UV, are multiplied by: `{W_DKV: …, W_DQ: …, W_QR:"
    " …, W_KR: …}`. With `positions: rope` only what W_QR and W_KR make is turned",
    shared=True,
)


def _gives(place: AttentionPlace, local: str) -> bool:
    return place.scenario.gives(below(place.attention.latent, local))


def _check_latent(place: AttentionPlace) -> Objections:
    where = place.attention.latent
    if not _gives(place, "W_DKV"):
        yield where, "latent without W_DKV, which makes c_KV", "give one, like W_DKV: [[1], [0]]"
    if _gives(place, "W_QR") != is_decoupled(place):
        yield where, "one of W_QR and W_KR, which make what turns", "give both, or none"
    elif is_decoupled(place) and place.attention.positions.rotated is None:
        wrong = "W_QR and W_KR make what turns, and nothing turns it"
        yield where, wrong, "add positions: rope, or leave them out"
    kept = place.scenario.prediction.generation.cache_bytes is not None
    if kept or place.attention.cached is not None:
        wrong = "a cache of keys and values, and latent attention caches c_KV and K_R"
        yield Name("generate.cache") if kept else place.name("cache"), wrong, "leave cache out"


def _normalizing(place: AttentionPlace, c: str) -> Normalizing:
    path, of = place.attention.latent, c[2:]
    said = place.attention.config.get(LATENT)
    return Normalizing(
        Settings(path, {**said, "kind": "rms"}),
        place.name(c),
        lambda local: place.name(f"{c}_{local}"),
        place.name(f"normed_{c}"),
        (("gamma", below(path, f"gamma_{of}")),),
        path,
        f"r_{of}",
    )


def _made(place: AttentionPlace, made: str, x: Name, of: str) -> Definition:
    W, b = (below(place.attention.latent, f"{letter}_{of}") for letter in "Wb")
    operation, operands = layer_of(place, x, W, b, out_in=place.attention.config.linear)
    return Definition(place.name(made), operation, operands, role="Q" if "Q" in made else "K")


def _plan(place: AttentionPlace) -> Iterator[Definition]:
    for name in ("Q", "K"):
        x, latent, c = input_of(place, name), latent_of(place, name), _LATENT[name]
        if latent is not None:
            yield _made(place, c, x, f"D{c[2:]}")
        if latent not in (None, place.name(c)):
            yield from _normalizing(place, c).definitions()
        if is_decoupled(place):
            of = latent if name == "Q" and latent is not None else x
            yield _made(place, f"{name}_R", of, f"{name}R")


def _happens(place: AttentionPlace) -> str:
    both = latent_of(place, "Q") is not None
    text = "Each token's vector is multiplied by W_DKV, which makes few numbers of it: c_KV"
    text += ", and by W_DQ for its query: c_Q." if both else "."
    if _gives(place, "gamma_KV"):
        text += f" {norm_in_words(_normalizing(place, 'c_KV'))}"
    if is_decoupled(place):
        text += " Q_R and K_R are what will be turned by positions; all heads share K_R."
    return text


COMPRESS_STEP = Step(
    name="compress",
    at=AttentionPlace,
    keys=(LATENT,),
    check=_check_latent,
    words=Wording(
        title="Latent vectors",
        does="makes few numbers of each token, for keys and values",
        shapes="x [n, d_model] → c_Q [n, r_Q], c_KV [n, r_KV], Q_R [n, h · d_R], K_R [n, d_R]",
        happens=_happens,
        why=(
            "A cache keeps the r_KV + d_R numbers of c_KV and K_R of each token, not the keys and"
            " values of all heads."
        ),
        more=(
            "Keys and values of all heads can be computed from c_KV again, or W_K can be multiplied"
            " into the queries instead. A rotation between the two would be in the way of that. So"
            " positions turn a part of its own, K_R, which all heads share."
        ),
    ),
    results=Results(
        names=(
            *(made for c in ("c_Q", "c_KV") for made in (c, f"{c}_mean_square", f"{c}_rms")),
            *("normed_c_Q", "normed_c_KV", "Q_R", "K_R"),
        ),
        nouns={
            "c_Q": "latent query",
            "c_KV": "latent vector",
            "normed_c_Q": "normed latent query",
            "normed_c_KV": "normed latent vector",
            "Q_R": "rotary query",
            "K_R": "rotary key",
        },
        plan=lambda place: tuple(_plan(place)),
    ),
    formulas=Formulas(
        heads=2,
        config={"latent": {}},
        gives=("W_DKV", "W_DQ", "gamma_Q", "gamma_KV", "W_QR", "W_KR"),
    ),
    example=Example(
        changes=(
            "latent={W_DKV: [[1], [0.5]], W_QR: [[1, 0], [0, 1]], W_KR: [[0, 1], [1, 0]]}",
            *("positions=rope", "W_K=[[1, 0]]", "W_V=[[0, 1]]"),
        )
    ),
    prominence=Prominence(on_the_way=True),
    mistakes=(
        *(rows_for_columns(f"W_{of}", made) for of, made in (("DQ", "c_Q"), ("DKV", "c_KV"))),
        *(bias_left_out(f"b_{of}", made) for of, made in (("DQ", "c_Q"), ("DKV", "c_KV"))),
        Mistake(
            "not_normed",
            "Leaving out the norm of a latent vector.",
            wrong(left_out, "normed_c_Q", "normed_c_KV"),
        ),
        Mistake(
            "turned_part_of_latent",
            "Making K_R of c_KV instead of the token's vector.",
            wrong(operand(0, lambda place: latent_of(place, "K")), "K_R"),
        ),
    ),
    backward=Backward(
        "the latent vectors",
        "The gradient of a latent vector adds up what comes back from the keys and the values of"
        " all heads.",
        usual_mistakes=MISTAKES_BACK,
        example=Example("i_love_ai"),
    ),
)
