"""Several feed-forward networks, of which each token goes through a few.

Shazeer et al. 2017, arXiv:1701.06538.

* route: a softmax over the chosen ones, Mixtral (Jiang et al. 2024, arXiv:2401.04088); over all of
  them before some are chosen, Qwen2-MoE (Yang et al. 2024, arXiv:2407.10671). Groups of experts:
  DeepSeek-V2 (arXiv:2405.04434, 2.2.2); sigmoids, and a bias that balances them, DeepSeek-V3
  (arXiv:2412.19437, 2.1.2).
* mix: a shared expert, Dai et al. 2024, arXiv:2401.06066; with a gate, Qwen2-MoE.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncli.maths.equations.tree import Equation, Number, Product, Sum, Total, at, define
from attncli.maths.operations.activations import (
    Activate,
    AddToEach,
    MixtureOf,
    Multiply,
    MultiplyBy,
)
from attncli.maths.operations.masking import Masked
from attncli.maths.operations.prediction import GroupScore, KeptShare, KeptSum, TopK
from attncli.maths.operations.rearranging import RepeatAlong, TakeColumn
from attncli.maths.operations.softmax import DivideByRowSum
from attncli.names import Name, below
from attncli.scenario.file.keys import (
    COUNT,
    POSITIVE,
    Choice,
    Either,
    Flag,
    Key,
    KeyValues,
    ListOf,
    Record,
)
from attncli.scenario.file.matrices import MATRIX, VECTOR
from attncli.scenario.file.nodes import Items
from attncli.scenario.file.problems import Objections
from attncli.steps.attention.weights import in_one, softmax
from attncli.steps.block.feed_forward import MATRICES
from attncli.steps.linear import layer_of, linear
from attncli.steps.mistakes import by, instead, left_out, remade, wrong
from attncli.steps.step import Backward, Example, Formulas, Mistake, Results, Step, Wording
from attncli.trace import Axis, Definition, LayerPlace

ANY_EXPERT = Name("experts").at("e")
"""The place of an expert in formulas."""
_USUAL = 2
"""How many experts a token goes to by default, as in Mixtral."""
_EXPERTS = ListOf(Record.of(*MATRICES))
EXPERTS = Key(
    "experts",
    Either(lambda node: _EXPERTS if isinstance(node, Items) else COUNT, (_EXPERTS, COUNT)),
    "in the place of one feed-forward network several, of which each token goes through a few, as"
    " the `router` says: `[{W1: …, W2: …}, {W1: …, W2: …}]`; or how many they are, if `weights`"
    " names their matrices",
    shared=True,
)
ROUTER = Key(
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
            "with `softmax: all` or `sigmoid`, whether what the chosen ones have is made to add up"
            " to 1",
        ),
        Key("sigmoid", Flag(), "whether each product goes through a sigmoid, instead of a softmax"),
        Key(
            "choice_bias", VECTOR, "added where experts are chosen, not to their weights, [experts]"
        ),
        Key(
            "groups", COUNT, "in how many groups experts are, of which a token goes to `top_groups`"
        ),
        Key("top_groups", COUNT, "to how many of the groups each token goes, 1 by default"),
        Key(
            "best_of_group",
            COUNT,
            "how many of a group's best are added up to choose it, 1 by default",
        ),
        Key("scaling", POSITIVE, "what the weights of the chosen ones are multiplied by at last"),
    ),
    "which experts each token goes to: `{W_R: [[1, 0, 2], [0, 1, 1]], top_k: 2}`",
    shared=True,
)
SHARED = Key(
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


def _settings(place: LayerPlace) -> KeyValues:
    settings: KeyValues = place.layer.config.get(ROUTER) or {}
    return settings


def _top_k(place: LayerPlace) -> int:
    return min(int(_settings(place).get("top_k", _USUAL)), place.layer.experts.routed)


def _over_all(place: LayerPlace) -> bool:
    """Tells whether each expert has a weight before some are chosen."""
    return bool(_settings(place).get("softmax") == "all" or _settings(place).get("sigmoid"))


def _renormalizes(place: LayerPlace) -> bool:
    return bool(_settings(place).get("renormalize"))


def _check_experts(place: LayerPlace) -> Objections:
    settings, scenario, count = place.layer.config, place.scenario, place.layer.experts.routed
    if not settings.says(ROUTER):
        wrong = "experts without a router, which says where each token goes"
        yield (
            settings.at(EXPERTS),
            wrong,
            "give one, like router: {W_R: [[1, 0], [0, 1]], top_k: 1}",
        )
    if int(_settings(place).get("top_k", 1)) > count:
        text = "one expert" if count == 1 else f"{count} experts"
        wrong = f"top_k is more than there are: {text}"
        yield place.name("top_k"), wrong, f"give at most {count}"
    if _renormalizes(place) and not _over_all(place):
        wrong = "renormalize, and a softmax over the chosen experts adds up to 1 already"
        yield place.name("renormalize"), wrong, "add softmax: all"
    if _settings(place).get("sigmoid") and "softmax" in _settings(place):
        yield place.name("sigmoid"), "sigmoid beside softmax", "keep one of them"
    yield from _check_groups(place)
    for full in (below(place.layer.path, name) for name in sorted(key.name for key in MATRICES)):
        if scenario.gives(full):
            wrong = f"{full.local} beside experts, which have matrices of their own"
            yield full, wrong, "move it into one of them, or into shared_expert"


def _check_groups(place: LayerPlace) -> Objections:
    """Complains of groups that aren't equally large, or that have fewer experts, where a token goes
    to, than it goes to."""
    settings, count = _settings(place), place.layer.experts.routed
    groups, top, best = (
        settings.get(name, 1) for name in ("groups", "top_groups", "best_of_group")
    )
    where = place.name("groups" if "groups" in settings else "top_groups")
    size = count // groups
    if count % groups:
        yield where, f"{count} experts don't come in {groups} equal groups", "give other groups"
    elif top > groups or best > size or top * size < _top_k(place):
        wrong = f"{groups} groups of {size} experts, top_groups: {top}, best_of_group: {best}"
        yield where, f"{wrong} and top_k: {_top_k(place)}", "give more groups, or larger ones"


def _routing(place: LayerPlace) -> Name:
    return below(place.layer.path, "routing")


def _affinity(place: LayerPlace) -> Definition:
    made = linear(place, "affinity", place.x, "_R", out_in=place.layer.config.linear)
    return made._replace(columns=_experts(place))


def _experts(place: LayerPlace) -> Axis:
    return Axis(tuple(f"expert {k}" for k in range(1, place.layer.experts.routed + 1)), "expert")


def _weights(place: LayerPlace) -> Iterator[Definition]:
    """Yields the weights of each token's experts, the last of them for all experts."""
    affinity, chosen, scaling = place.name("affinity"), place.name("chosen"), "scaling"
    factor, weights = _settings(place).get(scaling), _routing(place)
    weights = weights if factor is None else place.name("unscaled")
    if not _over_all(place):
        kept = place.name("chosen_affinity")
        yield from _choice(place, affinity)
        yield Definition(kept, Masked(), (affinity, chosen))
        yield from softmax(place, kept, weights, "route")
    else:
        scores = place.name("sigmoids" if _settings(place).get("sigmoid") else "probabilities")
        operands, total = (scores, chosen), place.name("chosen_sum")
        if scores.local == "sigmoids":
            yield Definition(scores, Activate("sigmoid"), (affinity,))
        else:
            yield from softmax(place, affinity, scores, "route")
        yield from _choice(place, scores)
        if _renormalizes(place):
            yield Definition(total, KeptSum(), operands)
            yield Definition(weights, KeptShare(), (*operands, total))
        else:
            yield Definition(weights, Multiply(), operands)
    if factor is not None:
        yield Definition(_routing(place), MultiplyBy(Number.written(factor)), (weights,))


def _choice(place: LayerPlace, x: Name) -> Iterator[Definition]:
    """Yields which experts a token goes to, by what is said of each of them: the largest, those of
    the best groups alone where there are some."""
    settings, count = _settings(place), place.layer.experts.routed
    groups, bias = settings.get("groups", 1), place.name("choice_bias")
    if place.scenario.gives(bias):
        yield Definition(place.name("biased"), AddToEach(), (x, bias))
        x = place.name("biased")
    if groups > 1:
        names = "group_scores", "chosen_groups", "in_groups", "eligible"
        scores, best, seen, eligible = map(place.name, names)
        each = Axis(tuple(f"group {g}" for g in range(1, groups + 1)), "group")
        score = GroupScore(groups, settings.get("best_of_group", 1))
        yield Definition(scores, score, (x,), columns=each)
        yield Definition(best, TopK(settings.get("top_groups", 1)), (scores,))
        yield Definition(seen, RepeatAlong(count // groups), (best,), columns=_experts(place))
        yield Definition(eligible, Masked(), (x, seen))
        x = eligible
    yield Definition(place.name("chosen"), TopK(_top_k(place)), (x,))


def _plan_route(place: LayerPlace) -> tuple[Definition, ...]:
    count, routing = place.layer.experts.routed, _routing(place)
    shares = (
        Definition(below(path, "share"), TakeColumn(k, count, "expert"), (routing,))
        for k, path in enumerate(place.layer.expert_paths)
    )
    return (_affinity(place), *_weights(place), *shares)


def _formulas_route(place: LayerPlace) -> tuple[Equation, ...]:
    """Returns the formulas of what it makes, with one for the shares of all experts."""
    equations: dict[Equation, None] = {}
    for definition in (_affinity(place), *_weights(place)):
        equations |= dict.fromkeys(
            definition.operation.formulas(*map(place.here, (definition.name, *definition.operands)))
        )
    share = below(ANY_EXPERT, "share")
    return (*equations, define(at(share, "i"), at(place.here(_routing(place)), "i", "expert e")))


def _happens_route(place: LayerPlace) -> str:
    k = _top_k(place)
    best = "the expert that fits it best" if k == 1 else f"the {k} experts that fit it best"
    if not _over_all(place):
        return (
            "The product of a token's vector with W_R says how well each expert fits. The token"
            f" goes to {best}, with weights from a softmax over these."
        )
    after = (
        ", and these weights are divided by their sum, so that they add up to 1"
        if _renormalizes(place)
        else ", whose weights are left as they are"
    )
    how = "A sigmoid" if _settings(place).get("sigmoid") else "A softmax over all experts"
    groups = _settings(place).get("groups", 1)
    among = f", in the best {_settings(place).get('top_groups', 1)} of {groups} groups"
    return (
        f"The product of a token's vector with W_R says how well each expert fits. {how} turns the"
        f" products into weights. The token goes to {best}{among if groups > 1 else ''}{after}."
    )


_OF_ROUTE = (
    "affinity", "chosen", "chosen_affinity", "exp", "exp_sum", "probabilities", "sigmoids",
    "biased", "group_scores", "chosen_groups", "in_groups", "eligible", "chosen_sum",
    "unscaled", "routing", "share",
)  # fmt: skip

ROUTE_STEP = Step(
    name="route",
    at=LayerPlace,
    keys=(EXPERTS, ROUTER, SHARED),
    check=_check_experts,
    words=Wording(
        title="Router",
        does="chooses the experts of each token, and their weights",
        shapes="output [n, d_model] → routing [n, experts], 0 where a token doesn't go",
        happens=_happens_route,
        why=(
            "A model with many experts knows more, while each token costs only the few experts that"
            " it goes through."
        ),
        more=(
            "The router is learned with the experts. No gradient goes through the choice itself, so"
            " the router learns through the weights of the chosen experts."
        ),
    ),
    results=Results(
        names=_OF_ROUTE,
        nouns={"affinity": "affinity", "probabilities": "probability", "routing": "weight"},
        plan=_plan_route,
        adds_up_to_one=("probabilities",),
    ),
    formulas=Formulas(x="output", gives=("b_R",), own=_formulas_route),
    example=Example("mixture_of_experts"),
    mistakes=(
        Mistake(
            "one_expert_more",
            "Choosing one expert too many for each token.",
            wrong(
                remade(lambda _, place: TopK(min(_top_k(place) + 1, place.layer.experts.routed))),
                "chosen",
            ),
        ),
        Mistake(
            "softmax_over_all",
            "Taking the softmax over all experts, and leaving none of them out.",
            wrong(left_out, "chosen_affinity"),
        ),
        Mistake(
            "not_renormalized",
            "Leaving the weights of the chosen experts as they are, so that they don't add up to"
            " 1.",
            wrong(by(Multiply, 0, 1), KeptShare),
        ),
        Mistake(
            "without_exponentials",
            "Dividing the products themselves by their sum, without raising e to them.",
            wrong(by(DivideByRowSum, "affinity"), "probabilities"),
        ),
    ),
    backward=Backward(
        "the routing",
        "Only the weights of the chosen experts get a gradient, which goes back to the router:"
        " the choice itself gets none.",
        whole=lambda _, made: in_one(made),
        example=Example("mixture_of_experts"),
    ),
)


_GATE, _LOGIT = "gate", "gate_logit"


def _shared(place: LayerPlace, local: str) -> Name:
    return below(place.layer.shared_path, local)


def _is_gated(place: LayerPlace) -> bool:
    return place.layer.experts.has_shared and place.scenario.gives(_shared(place, "W_G"))


def _terms(place: LayerPlace) -> tuple[tuple[Name, ...], ...]:
    """Returns the names of what each expert made of a token, behind its share of that, if it has
    one."""
    terms = [(below(p, "share"), below(p, "ffn")) for p in place.layer.expert_paths]
    shared = (*([_GATE] if _is_gated(place) else []), "ffn")
    more = [tuple(_shared(place, local) for local in shared)] * place.layer.experts.has_shared
    return (*terms, *more)


def _mixture(place: LayerPlace, terms: Sequence[tuple[Name, ...]]) -> Definition:
    operation = MixtureOf(tuple(len(term) > 1 for term in terms))
    operands = tuple(name for term in terms for name in term)
    return Definition(place.name("mixture"), operation, operands)


def _gate(place: LayerPlace) -> tuple[Definition, ...]:
    if not _is_gated(place):
        return ()
    W, b = _shared(place, "W_G"), _shared(place, "b_G")
    operation, operands = layer_of(place, place.x, W, b, out_in=place.layer.config.linear)
    logit, a_list = _shared(place, _LOGIT), Axis(())
    return (
        Definition(logit, operation, operands, columns=a_list),
        Definition(_shared(place, _GATE), Activate("sigmoid"), (logit,), columns=a_list),
    )


def _formulas_mix(place: LayerPlace) -> tuple[Equation, ...] | None:
    """Returns the formulas with a sum over the experts, where they are several; None for one."""
    if place.layer.experts.routed == 1:
        return None
    share, made = (
        at(below(ANY_EXPERT, local), *ij) for local, ij in (("share", "i"), ("ffn", "ij"))
    )
    each = Total("e", Product((share, made)))
    shared = [
        at(place.here(name), *("i" if name.local == _GATE else "ij")) for name in _terms(place)[-1]
    ]
    more = Product(tuple(shared)) if len(shared) > 1 else shared[0]
    total = Sum((each, more)) if place.layer.experts.has_shared else each
    gates = (d.operation.formula(*map(place.here, (d.name, *d.operands))) for d in _gate(place))
    return (*gates, define(at("mixture", "i", "j"), total))


def _happens_mix(place: LayerPlace) -> str:
    text = (
        "Each expert's output for a token is multiplied by the token's weight for it, and added up."
    )
    if not place.layer.experts.has_shared:
        return text
    more = ", multiplied by its gate," if _is_gated(place) else ""
    return f"{text} The shared expert's output{more} is added, too."


def _without_gate(place: LayerPlace) -> Definition | None:
    *terms, shared = _terms(place)
    return _mixture(place, [*terms, shared[1:]]) if _is_gated(place) else None


MIX_STEP = Step(
    name="mix",
    at=LayerPlace,
    words=Wording(
        title="Experts together",
        does="adds up the outputs of a token's experts, by their weights",
        shapes="experts' ffn [n, d_model], share [n] → mixture [n, d_model]",
        happens=_happens_mix,
        why=(
            "Several experts may each have given a token a vector, and the next layer needs a"
            " single one."
        ),
        more="Programs skip an expert whose weight for a token is 0, since it adds nothing.",
    ),
    results=Results(
        names=(_LOGIT, _GATE, "mixture"),
        nouns={"mixture": "experts' blend"},
        plan=lambda place: (*_gate(place), _mixture(place, _terms(place))),
        together=(("output", "output"), ("mixture", "mixture")),
    ),
    formulas=Formulas(x="output", gives=("W_G",), own=_formulas_mix),
    example=Example("mixture_of_experts"),
    mistakes=(
        Mistake(
            "unweighted",
            "Adding up the outputs of all experts without their weights.",
            instead(lambda place: _mixture(place, [term[-1:] for term in _terms(place)])),
        ),
        Mistake(
            "shared_forgotten",
            "Leaving out the shared expert.",
            instead(
                lambda place: (
                    _mixture(place, _terms(place)[:-1]) if place.layer.experts.has_shared else None
                )
            ),
        ),
        Mistake("gate_forgotten", "Leaving out the shared expert's gate.", instead(_without_gate)),
    ),
    backward=Backward(
        "the experts together",
        "An expert's output gets the gradient times its weight, and the weight gets the dot"
        " product of output and gradient.",
        example=Example("mixture_of_experts"),
    ),
)
