"""Which experts each token goes to, with which weights (Shazeer et al. 2017, arXiv:1701.06538).

A softmax over the chosen ones: Mixtral (Jiang et al. 2024, arXiv:2401.04088); over all of them
before some are chosen: Qwen2-MoE (Yang et al. 2024, arXiv:2407.10671).
"""

from __future__ import annotations

from typing import Any

from attncli.arithmetic.expression import Equation
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.operations import (
    DivideByRowSum,
    KeptShare,
    KeptSum,
    Masked,
    Multiply,
    Same,
    TakeColumn,
    TopK,
)
from attncli.file.keys import Key, Record
from attncli.file.kinds import COUNT, Choice, Either, Flag, ListOf
from attncli.file.matrices import MATRIX, VECTOR
from attncli.file.nodes import Items
from attncli.file.problems import Problems
from attncli.name import Name, below
from attncli.steps.attention.softmax import in_one, softmax
from attncli.steps.block.ffn import MATRICES
from attncli.steps.linear import linear
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Axis, Definition, LayerPlace

ANY_EXPERT = Name("experts").at("e")
"""The place of an expert in formulas."""
_USUAL = 2
"""So many experts a token goes to in Mixtral."""
_EXPERTS = ListOf(Record.of(*MATRICES))
EXPERTS: Key[Any] = Key(
    "experts",
    Either(lambda node: _EXPERTS if isinstance(node, Items) else COUNT, (_EXPERTS, COUNT)),
    "in the place of one feed-forward network several, of which each token goes through a few, as"
    " the `router` says: `[{W1: …, W2: …}, {W1: …, W2: …}]`; or how many they are, if `weights`"
    " names their matrices",
    shared=True,
)
ROUTER: Key[dict[str, Any]] = Key(
    "router",
    Record.of(
        Key("W_R", MATRIX, "what a token's vector is multiplied by, [d_model, experts]"),
        Key("b_R", VECTOR, "its bias, [experts]"),
        Key("top_k", COUNT, f"how many experts each token goes to, {_USUAL} by default"),
        Key(
            "softmax",
            Choice(("chosen", "all")),
            "over the `chosen` experts alone (the default, as Mixtral has it), or over `all` of"
            " them before some are chosen",
        ),
        Key(
            "renormalize",
            Flag(),
            "with `softmax: all`, whether what the chosen ones have is made to add up to 1",
        ),
    ),
    "which experts each token goes to: `{W_R: [[1, 0, 2], [0, 1, 1]], top_k: 2}`",
    shared=True,
)
SHARED: Key[dict[str, Any]] = Key(
    "shared_expert",
    Record.of(
        *MATRICES,
        Key(
            "W_G",
            MATRIX,
            "its gate, [d_model, 1]: what it makes of x is multiplied by σ(x W_G)",
        ),
    ),
    "a further expert that every token goes through, besides those of the router",
)


def _settings(place: LayerPlace) -> dict[str, Any]:
    settings: dict[str, Any] = place.layer.said.get(ROUTER) or {}
    return settings


def _top_k(place: LayerPlace) -> int:
    return min(int(_settings(place).get("top_k", _USUAL)), place.layer.experts)


def _over_all(place: LayerPlace) -> bool:
    return bool(_settings(place).get("softmax") == "all")


def _renormalizes(place: LayerPlace) -> bool:
    return bool(_settings(place).get("renormalize"))


def _check(place: LayerPlace, problems: Problems) -> None:
    said, scenario, count = place.layer.said, place.scenario, place.layer.experts
    if not said.says(ROUTER):
        problems.add(
            scenario.where(said.at(EXPERTS)),
            "experts without a router, which says where each token goes",
            "give one, like router: {W_R: [[1, 0], [0, 1]], top_k: 1}",
        )
    where = scenario.where(place.name("top_k"))
    if int(_settings(place).get("top_k", 1)) > count:
        told = "one expert" if count == 1 else f"{count} experts"
        problems.add(where, f"top_k is more than there are: {told}", f"give at most {count}")
    if _renormalizes(place) and not _over_all(place):
        wrong = "renormalize, and a softmax over the chosen experts adds up to 1 already"
        problems.add(scenario.where(place.name("renormalize")), wrong, "add softmax: all")
    for name in ("W1", "W2", "W3", "b1", "b2", "b3"):
        if scenario.gives(below(place.layer.path, name)):
            problems.add(
                scenario.where(below(place.layer.path, name)),
                f"{name} beside experts, which have matrices of their own",
                "move it into one of them, or into shared_expert",
            )


def _axis(place: LayerPlace) -> Axis:
    return Axis(tuple(f"expert {k}" for k in range(1, place.layer.experts + 1)), "expert")


def _routing(place: LayerPlace) -> Name:
    return below(place.layer.path, "routing")


def _affinity(place: LayerPlace) -> Definition:
    made = linear(place, "affinity", place.x, "_R", out_in=place.layer.said.linear)
    return made._replace(columns=_axis(place))


def _weights(place: LayerPlace) -> tuple[Definition, ...]:
    """The weights of each token's experts, the last of them for all experts."""
    affinity, chosen, k = place.name("affinity"), place.name("chosen"), _top_k(place)
    if not _over_all(place):
        kept = place.name("chosen_affinity")
        return (
            Definition(chosen, TopK(k), (affinity,)),
            Definition(kept, Masked(), (affinity, chosen)),
            *softmax(place, kept, _routing(place), "route"),
        )
    probabilities = place.name("probabilities")
    operands = (probabilities, chosen)
    made = (
        *softmax(place, affinity, probabilities, "route"),
        Definition(chosen, TopK(k), (probabilities,)),
    )
    if not _renormalizes(place):
        return (*made, Definition(_routing(place), Multiply(), operands))
    total = place.name("chosen_sum")
    return (
        *made,
        Definition(total, KeptSum(), operands),
        Definition(_routing(place), KeptShare(), (*operands, total)),
    )


def _plan(place: LayerPlace) -> tuple[Definition, ...]:
    count, routing = place.layer.experts, _routing(place)
    shares = (
        Definition(below(path, "share"), TakeColumn(k, count, "expert"), (routing,))
        for k, path in enumerate(place.layer.expert_paths)
    )
    return (_affinity(place), *_weights(place), *shares)


def _formulas(place: LayerPlace) -> tuple[Equation, ...]:
    """Those of what it makes, one for the shares of all experts."""
    told: dict[Equation, None] = {}
    for one in (_affinity(place), *_weights(place)):
        told |= dict.fromkeys(one.operation.formulas(*map(place.here, (one.name, *one.operands))))
    share = below(ANY_EXPERT, "share")
    return (*told, define(at(share, "i"), at(place.here(_routing(place)), "i", "expert e")))


def _happens(place: LayerPlace) -> str:
    k = _top_k(place)
    best = "the expert that it fits best" if k == 1 else f"the {k} experts that it fits best"
    if not _over_all(place):
        return (
            f"How well each token fits each expert is a product with W_R. It goes to {best}, with"
            " the weights that a softmax over these gives."
        )
    after = (
        ", and these weights are divided by their sum, so that they add up to 1"
        if _renormalizes(place)
        else ", whose weights are left as they are"
    )
    return (
        "How well each token fits each expert is a product with W_R, of which a softmax over all"
        f" experts makes weights. It goes to {best}{after}."
    )


def _changed(place: LayerPlace, local: str, **changes: Any) -> Definition | None:  # noqa: ANN401
    """What the step makes under a name, in another way; None where it makes nothing so."""
    made = (one for one in _plan(place) if one.name.local == local)
    found = next(made, None)
    return found and found._replace(**changes)


def _one_more(place: LayerPlace) -> Definition | None:
    if _top_k(place) == place.layer.experts:
        return None
    return _changed(place, "chosen", operation=TopK(_top_k(place) + 1))


def _not_renormalized(place: LayerPlace) -> Definition | None:
    if not _renormalizes(place):
        return None
    operands = (place.name("probabilities"), place.name("chosen"))
    return Definition(_routing(place), Multiply(), operands)


def _over_all_instead(place: LayerPlace) -> Definition | None:
    if _over_all(place):
        return None
    return _changed(place, "chosen_affinity", operation=Same(), operands=(place.name("affinity"),))


def _without_exponentials(place: LayerPlace) -> Definition | None:
    if not _over_all(place):
        return None
    operation, operands = DivideByRowSum(), (place.name("affinity"),)
    return Definition(place.name("probabilities"), operation, operands)


STEP = Step(
    name="route",
    at=LayerPlace,
    keys=(EXPERTS, ROUTER, SHARED),
    title="Router",
    does="chooses the experts of each token, and their weights",
    makes=(
        "affinity", "chosen", "chosen_affinity", "exp", "exp_sum", "probabilities", "chosen_sum",
        "routing", "share",
    ),
    shapes="output [n, d_model] → routing [n, experts], 0 where a token doesn't go",
    happens=_happens,
    why=(
        "Many networks know more than one, and a token that goes through a few of them costs no"
        " more than those few."
    ),
    more=(
        "The router is learned with the experts. That it chooses the largest products is a step no"
        " gradient goes through; the weights of the chosen ones are how it learns."
    ),
    check=_check,
    plan=_plan,
    formulas=_formulas,
    general=General(x="output", gives=("b_R",)),
    adds_up_to_one=("probabilities",),
    mistakes=(
        Mistake("one_expert_more", "Choosing one expert too many for each token.", _one_more),
        Mistake(
            "softmax_over_all",
            "Taking the softmax over all experts, and leaving none of them out.",
            _over_all_instead,
        ),
        Mistake(
            "not_renormalized",
            "Leaving the weights of the chosen experts as they are, which don't add up to 1.",
            _not_renormalized,
        ),
        Mistake(
            "without_exponentials",
            "Dividing the products themselves by their sum, without raising e to them.",
            _without_exponentials,
        ),
    ),
    backward=Backward(
        "the routing",
        (
            "Which experts are chosen doesn't change a little, only how much each of the chosen "
            "ones counts; that is pushed by how well its output points along the gradient."
        ),
        whole=lambda _, made: in_one(made),
        example="mixture_of_experts",
    ),
)  # fmt: skip
