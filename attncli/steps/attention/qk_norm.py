"""Queries and keys are normalized before they are compared (Henry et al. 2020, arXiv:2010.04245).

Each head by itself, as Qwen3 has it (arXiv:2505.09388); all heads together, as OLMo 2
(arXiv:2501.00656); after the rotation, as Llama 4.
"""

from __future__ import annotations

from typing import Any

from attncli.arithmetic.operations import Same
from attncli.file.keys import Key, Record
from attncli.file.kinds import Choice
from attncli.file.matrices import VECTOR
from attncli.file.problems import Problems
from attncli.name import below
from attncli.scenario.model import Settings
from attncli.steps.block.norm import Normalizing, told
from attncli.steps.block.norm_keys import KIND, SETTINGS
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import AttentionPlace, Definition, HeadPlace

_QK = ("Q", "K")
_NAMES = ("mean", "centered", "variance", "deviation", "mean_square", "rms")
_GIVEN = ("gamma", "beta")
_KIND = KIND._replace(
    kind=Choice(("rms", "layer")), says="`rms` (the default), or `layer`", default="rms"
)
QK_NORM: Key[dict[str, Any]] = Key(
    "qk_norm",
    Record.of(
        _KIND,
        *SETTINGS[1:],
        Key(
            "when", Choice(("before", "after")), "`before` the rotation (the default) or `after` it"
        ),
        Key(
            "heads",
            Choice(("each", "together")),
            "`each` head by itself (the default, as Qwen3 has it), or all `together` (as OLMo 2)",
        ),
        Key("gamma_Q", VECTOR, "γ of the queries, [d_k], or of all heads together [heads · d_k]"),
        Key("gamma_K", VECTOR, "γ of the keys"),
        Key("beta_Q", VECTOR, "β of the queries"),
        Key("beta_K", VECTOR, "β of the keys"),
    ),
    "queries and keys are normalized: `{kind: rms}`, with γ and β",
    shared=True,
)


def _settings(place: AttentionPlace) -> dict[str, Any]:
    return place.attention.said.get(QK_NORM)


def _together(place: AttentionPlace) -> bool:
    return place.attention.heads > 1 and _settings(place).get("heads") == "together"


def _after(place: AttentionPlace) -> bool:
    return bool(_settings(place).get("when") == "after")


def _check(place: AttentionPlace, problems: Problems) -> None:
    attention, settings = place.attention, _settings(place)
    where = place.scenario.where(attention.said.at(QK_NORM))
    if _after(place) and attention.rotated is None:
        wrong = "qk_norm after a rotation, and nothing rotates queries and keys"
        problems.add(where, wrong, "leave `when` out, or say positions: rope")
    if settings.get("heads") == "together" and attention.heads > 1:
        if attention.own_heads:
            wrong = "all heads together, and each head has matrices of its own"
            problems.add(where, wrong, "say heads: each")
        elif _after(place):
            wrong = "all heads together, and each head rotates its own queries and keys"
            problems.add(where, wrong, "say when: before, or heads: each")


def _is_due(place: AttentionPlace) -> bool:
    """Whether this is the moment: for all heads, or in each; before the rotation or after it."""
    if not place.attention.said.says(QK_NORM):
        return False
    turned = "Q" in place.wires
    at_head = isinstance(place, HeadPlace)
    return turned if _after(place) else not turned and at_head != _together(place)


def _normalizing(place: AttentionPlace, name: str) -> Normalizing:
    settings, path = _settings(place), place.attention.said.at(QK_NORM)
    norm = Settings(path, {_KIND.name: _KIND.default, **settings})
    given = {local: below(path, f"{local}_{name}") for local in _GIVEN}
    return Normalizing(
        norm,
        place.latest(name),
        lambda local: place.name(f"{name}_{local}"),
        place.name(f"normed_{name}"),
        tuple((local, full) for local, full in given.items() if place.scenario.gives(full)),
        path,
        "d" if _together(place) else "d_k",
    )


def _plan(place: AttentionPlace) -> tuple[Definition, ...]:
    if not _is_due(place):
        return ()
    parts = (_normalizing(place, name).definitions() for name in _QK)
    return tuple(
        one
        for name, made in zip(_QK, parts, strict=True)
        for one in (*made[:-1], made[-1]._replace(wire=name))
    )


def _left_out(name: str) -> Mistake[AttentionPlace]:
    def definition(place: AttentionPlace) -> Definition:
        normed = _normalizing(place, name).definitions()[-1]
        return normed._replace(operation=Same(), operands=(place.latest(name),))

    what = {"Q": "queries", "K": "keys"}[name]
    return Mistake(f"{name}_not_normed", f"Going on with the {what} as they are.", definition)


def _other_gamma(place: AttentionPlace) -> Definition | None:
    """The queries multiplied by the γ of the keys."""
    own, other = (dict(_normalizing(place, name).given) for name in _QK)
    if own.keys() != other.keys() or "gamma" not in own:
        return None
    normed = _normalizing(place, "Q").definitions()[-1]
    return normed._replace(operands=(*normed.operands[:2], *other.values()))


def _happens(place: AttentionPlace) -> str:
    several = place.attention.heads > 1
    whose = (" of all heads together" if _together(place) else " of this head") if several else ""
    how = told(_normalizing(place, "Q"))
    return f"Queries and keys{whose} are normalized before they are compared. {how}"


STEP = Step(
    name="qk_norm",
    at=AttentionPlace,
    keys=(QK_NORM,),
    title="Query and key norm",
    does="brings all queries and keys to the same size",
    makes=tuple(made for x in _QK for made in (*(f"{x}_{of}" for of in _NAMES), f"normed_{x}")),
    shapes="Q [n, d_k], K [m, d_k] → normed_Q [n, d_k], normed_K [m, d_k]",
    happens=_happens,
    why=(
        "A score is large where two vectors point the same way, but also where they are long;"
        " normalized, all queries and keys have the same size."
    ),
    more=(
        "In training they may otherwise grow until the softmax lets a single key take all. γ,"
        " which is learned, says how large the scores may get."
    ),
    check=_check,
    plan=_plan,
    general=General(said={"qk_norm": {}}, gives=("gamma_Q", "gamma_K")),
    shown_with=("qk_norm={kind: rms}",),
    on_the_way=True,
    mistakes=(
        *map(_left_out, _QK),
        Mistake("gamma_of_the_keys", "Multiplying the queries by the keys' γ.", _other_gamma),
    ),
    backward=Backward(
        "the norm of queries and keys",
        (
            "A vector that is brought to one length can only be turned: what of the gradient lies"
            " along it does nothing."
        ),
    ),
)
