"""What a token's experts made of it, put together (Shazeer et al. 2017, arXiv:1701.06538, 2).

A shared expert: Dai et al. 2024, arXiv:2401.06066; with a gate: Qwen2-MoE, arXiv:2407.10671.
"""

from __future__ import annotations

from attncli.arithmetic.expression import Equation, Product, Sum, Total
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.operations import Activate, Add, MixtureOf
from attncli.name import Name, below
from attncli.steps.block.route import ANY_EXPERT
from attncli.steps.linear import layer_of
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Axis, Definition, LayerPlace

_GATE, _LOGIT = "gate", "gate_logit"


def _shared(place: LayerPlace, local: str) -> Name:
    return below(place.layer.shared_path, local)


def _is_gated(place: LayerPlace) -> bool:
    return place.layer.has_shared_expert and place.scenario.gives(_shared(place, "W_G"))


def _terms(place: LayerPlace) -> tuple[tuple[Name, ...], ...]:
    """What each expert made of a token, behind its share of that, if it has one."""
    terms = [(below(p, "share"), below(p, "ffn")) for p in place.layer.expert_paths]
    shared = (*([_GATE] if _is_gated(place) else []), "ffn")
    more = [tuple(_shared(place, local) for local in shared)] * place.layer.has_shared_expert
    return (*terms, *more)


def _mixture(place: LayerPlace, terms: tuple[tuple[Name, ...], ...]) -> Definition:
    operation = MixtureOf(tuple(len(term) > 1 for term in terms))
    operands = tuple(name for term in terms for name in term)
    return Definition(place.name("mixture"), operation, operands)


def _plan(place: LayerPlace) -> tuple[Definition, ...]:
    return (*_gate(place), _mixture(place, _terms(place)))


def _gate(place: LayerPlace) -> tuple[Definition, ...]:
    if not _is_gated(place):
        return ()
    W, b = _shared(place, "W_G"), _shared(place, "b_G")
    operation, operands = layer_of(place, place.x, W, b, out_in=place.layer.said.linear)
    logit, a_list = _shared(place, _LOGIT), Axis(())
    return (
        Definition(logit, operation, operands, columns=a_list),
        Definition(_shared(place, _GATE), Activate("sigmoid"), (logit,), columns=a_list),
    )


def _formulas(place: LayerPlace) -> tuple[Equation, ...] | None:
    """With a sum over the experts, where they are several."""
    if place.layer.experts == 1:
        return None
    share, made = (
        at(below(ANY_EXPERT, local), *ij) for local, ij in (("share", "i"), ("ffn", "ij"))
    )
    each = Total("e", Product((share, made)))
    shared = [
        at(place.here(name), *("i" if name.local == _GATE else "ij")) for name in _terms(place)[-1]
    ]
    more = Product(tuple(shared)) if len(shared) > 1 else shared[0]
    told = Sum((each, more)) if place.layer.has_shared_expert else each
    gates = (
        one.operation.formula(*map(place.here, (one.name, *one.operands))) for one in _gate(place)
    )
    return (*gates, define(at("mixture", "i", "j"), told))


def _happens(place: LayerPlace) -> str:
    told = "What each expert makes of a token is multiplied by the token's weight for it, and added"
    if not place.layer.has_shared_expert:
        return f"{told} up."
    more = ", multiplied by its gate" if _is_gated(place) else ""
    return f"{told} up; so is what the shared expert makes of it{more}."


def _unweighted(place: LayerPlace) -> Definition:
    made = tuple(term[-1] for term in _terms(place))
    return Definition(place.name("mixture"), Add(len(made)), made)


def _without_shared(place: LayerPlace) -> Definition | None:
    return _mixture(place, _terms(place)[:-1]) if place.layer.has_shared_expert else None


def _without_gate(place: LayerPlace) -> Definition | None:
    terms = _terms(place)
    return _mixture(place, (*terms[:-1], terms[-1][1:])) if _is_gated(place) else None


STEP = Step(
    name="mix",
    at=LayerPlace,
    title="Experts together",
    does="adds up what a token's experts made of it, by their weights",
    makes=(_LOGIT, _GATE, "mixture"),
    shapes="experts' ffn [n, d_model], share [n] → mixture [n, d_model]",
    happens=_happens,
    why=(
        "Each token gets one vector again, to which its experts contribute as much as the router"
        " trusts them with it."
    ),
    more="An expert with the weight 0 isn't worked for that token by a program: it adds nothing.",
    plan=_plan,
    formulas=_formulas,
    general=General(x="output", gives=("W_G",)),
    mistakes=(
        Mistake(
            "unweighted",
            "Adding up what all experts make of a token, without its weights for them.",
            _unweighted,
        ),
        Mistake("shared_forgotten", "Leaving out the shared expert.", _without_shared),
        Mistake("gate_forgotten", "Leaving out the shared expert's gate.", _without_gate),
    ),
    together=(("output", "output"), ("mixture", "mixture")),
    backward=Backward(
        "the experts together",
        ("Each expert gets its share of the gradient, and its share a gradient by what it made."),
        example="mixture_of_experts",
    ),
)
