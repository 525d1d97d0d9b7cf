"""Steps that lead back through others, with mistakes: equations of gradients changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attncli.maths.equations.tree import (
    Apply,
    Expression,
    Length,
    MatrixProduct,
    Operand,
    Quotient,
    Symbol,
    Total,
    Transposed,
    each,
)
from attncli.maths.operations.activations import Add
from attncli.maths.operations.attention import MatMul
from attncli.maths.operations.equation import Indexed, equation
from attncli.maths.operations.operation import One, Operation
from attncli.maths.operations.rearranging import Same, TakeRows
from attncli.names import Name
from attncli.steps.mistakes import (
    by,
    exchanged,
    in_last,
    left_out,
    once,
    remade,
    sum_for_mean,
    swapped,
    wrong,
)
from attncli.steps.step import Backward, Mistake, Prominence, Results, Step, Wording
from attncli.trace import BackwardPlace, Definition
from attncli.trace.place import P


def _not_transposed(definition: Definition, _: BackwardPlace) -> Definition | None:
    """Changes Xᵀ ∂Y to X ∂Y, and ∂Y Wᵀ to ∂Y W; returns None for any other equation."""
    match definition.operation:
        case Indexed(
            shown=MatrixProduct(
                (Transposed(Operand(a)), Operand(b)) | (Operand(a), Transposed(Operand(b)))
            )
        ):
            return definition._replace(
                operation=MatMul(), operands=(definition.operands[a], definition.operands[b])
            )
    return None


def _which_transposed(right: Definition, made: Definition) -> str:
    """Says what should have been transposed: Xᵀ ∂Y, not X ∂Y."""
    first, second = (
        f"∂{name.local}" if name.places[0] == "grad" else name.local for name in made.operands
    )
    match right.operation:
        case Indexed(shown=MatrixProduct((Transposed(), _))):
            product = f"{first}ᵀ {second}"
        case _:
            product = f"{first} {second}ᵀ"
    return f"Forgetting to transpose: it is {product}, not {first} {second}."


def _averaged(equation: Operation, _: BackwardPlace) -> Operation | None:
    """Returns Xᵀ ∂Y / n for Xᵀ ∂Y, n being how many tokens there are, and None for any other
    equation."""
    match equation:
        case Indexed(tree=tree, shown=MatrixProduct((Transposed(Operand(place)), _)) as shown):
            mean = Quotient(tree, Length(place, 0))
            return Indexed(equation.signature(), mean, Quotient(shown, Symbol("n")))
    return None


def _one_token(equation: Operation, _: BackwardPlace) -> Operation | None:
    """Returns the gradient of the first token for the sum over all, and None for any other
    equation."""
    match equation:
        case Indexed(tree=Total(_, Operand())):
            return TakeRows((0,), ("1",))
    return None


def _of_the_gradient(definition: Definition, _: BackwardPlace) -> Definition | None:
    """Changes step(z) to step(∂a); returns None where there is no step."""
    gradient = len(definition.operands) - 1

    def change(node: Expression) -> Expression | None:
        match node:
            case Apply("step", (Operand(_, indices),)):
                return Apply("step", (Operand(gradient, indices),))
        return None

    return swapped(definition, change)


def _by_the_diagonal(equation: Operation, _: BackwardPlace) -> Operation | None:
    """Returns what a softmax makes of its weights and G by the diagonal alone; None where the
    shapes aren't those."""
    return _DIAGONAL() if equation.signature() == "n m, n m -> n m" else None


_DIAGONAL = equation("p[i, j] * (1 - p[i, j]) * G[i, j]", p="n m", G="n m")

_SCALED = equation("G[i] * p[i, j]", p="n v", G="n 1")


def _handed_on(definition: Definition, _: BackwardPlace) -> Definition | None:
    """Changes a gradient to that of what went out, as it is; returns None where that has another
    shape, or goes on as it is anyway."""
    operation, sides = definition.operation, definition.operation.sides
    as_it_is = isinstance(operation, Indexed) and isinstance(operation.tree, Operand)
    if as_it_is or isinstance(operation, Add | Same | One) or sides.operands[-1] != sides.result:
        return None  # it goes on as it is anyway, as through a sum, or has another shape
    return definition._replace(operation=Same(), operands=definition.operands[-1:])


_ONE_USE_ONLY = Mistake[BackwardPlace](
    "one_use_only",
    "Taking the gradient of one use only: a quantity that is used several times gets the sum.",
    once(left_out, Add),
)
_HANDED_ON = Mistake(
    "handed_on",
    "Passing the gradient on unchanged, without the derivative of the step.",
    once(_handed_on),
)
_SCALE_LEFT_OUT = _HANDED_ON._replace(
    name="scale_left_out",
    says=(
        "Leaving the scale out on the way back: the gradient of the scores is divided by it as"
        " well."
    ),
)
_USUAL_MISTAKES = (
    _SCALE_LEFT_OUT,
    Mistake[BackwardPlace](
        "diagonal_only",
        "Taking only the diagonal of the softmax's Jacobian, p (1 − p): each score also moves the"
        " other weights of its row.",
        once(remade(_by_the_diagonal), Indexed),
    ),
    Mistake[BackwardPlace](
        "transpose_forgotten",
        "Forgetting to transpose: of Y = X W, ∂W is Xᵀ ∂Y, not X ∂Y, and ∂X is ∂Y Wᵀ, not ∂Y W.",
        wrong(_not_transposed),
        _which_transposed,
    ),
    Mistake[BackwardPlace](
        "averaged_over_tokens",
        "Averaging over the tokens: their gradients of a weight are added up, and the loss has"
        " divided already.",
        wrong(remade(_averaged)),
    ),
    Mistake[BackwardPlace](
        "bias_not_summed",
        "Taking one token's gradient for the bias, which is added to all tokens and gets the sum.",
        wrong(remade(_one_token)),
    ),
    Mistake[BackwardPlace](
        "mask_of_the_gradient",
        "Passing the gradient where the gradient is above 0, instead of where the activation's"
        " input was.",
        wrong(_of_the_gradient),
    ),
    Mistake[BackwardPlace](
        "not_averaged",
        "Summing where the loss averages: the cross-entropy is a mean, so each position's loss gets"
        " only 1/n of the gradient.",
        wrong(sum_for_mean),
    ),
    Mistake[BackwardPlace](
        "without_target",
        "Taking the probabilities themselves as the gradient, without subtracting 1 from the"
        " target's.",
        in_last(by(_SCALED, 1, 3), when=lambda place: len(place.planned[-1].operands) == 4),  # noqa: PLR2004
    ),
    Mistake[BackwardPlace](
        "exchanged",
        "Taking y − p instead of p − y, so that each logit is pushed the wrong way.",
        in_last(exchanged),
    ),
)
_USUAL = {m.name: m for m in _USUAL_MISTAKES}


def made_in(step: Backward[P]) -> tuple[Mistake[BackwardPlace], ...]:
    """Returns all mistakes that people make in a step back: the usual ones, its own, and those of
    every step.

    Leaving out a scale is handing on the gradient, so only one of the two is there.
    """
    usual = tuple(_USUAL[name] for name in step.usual_mistakes)
    common = (_ONE_USE_ONLY,) if _SCALE_LEFT_OUT in usual else (_ONE_USE_ONLY, _HANDED_ON)
    return (*usual, *step.mistakes, *common)


def step_back(forward: Step[Any], name: str) -> Step[BackwardPlace]:
    """Makes the step of a name by which gradients go back through another step."""
    back = forward.backward
    assert back is not None
    return Step(
        name=name,
        at=BackwardPlace,
        words=Wording(
            title=f"Backward through {back.through}",
            does=f"takes the gradients back through {back.through}",
            shapes="the gradient of a result → the gradients of its operands",
            happens=lambda place: " ".join(
                filter(None, (_summed(place), _of_a_step(place), _not_learned(forward, place)))
            ),
            why=back.why,
            more=back.more,
            why_at=None if back.why_at is None else lambda place: _why_at(back, place),
            titled=_titled if forward.name == "equations" else None,
        ),
        results=Results(names=("grad",), plan=lambda place: place.planned),
        example=back.example._replace(changes=back.example.changes or forward.example.changes),
        prominence=Prominence(
            on_the_way=forward.prominence.on_the_way,
            read_first=back.prominence.read_first,
            explained_once=forward.prominence.explained_once or back.prominence.explained_once,
        ),
        mistakes=made_in(back),
    )


def _titled(place: BackwardPlace) -> str:
    """Returns the title of the way back through a step that the scenario writes itself."""
    return f"Backward through: {place.titled('')}"


def _why_at(back: Backward[Any], place: BackwardPlace) -> str:
    return back.why if back.why_at is None else back.why_at(place.forward)


def _summed(place: BackwardPlace) -> str:
    """Says which gradients add up those of several uses; nothing where none does."""
    sums = _of(place, [d.name for d in place.planned if isinstance(d.operation, Add)])
    return f"The gradient of {_listed(sums)} is summed over all uses." if sums else ""


def _of_a_step(place: BackwardPlace) -> str:
    """Says what the slope of a ReLU is, where one of the formulas has it."""
    operations = (d.operation for d in place.planned if isinstance(d.operation, Indexed))
    trees = (operation.shown or operation.tree for operation in operations)
    has_one = any(node.function == "step" for tree in trees for node in each(tree, Apply))
    return "step is 1 above 0, and 0 otherwise." if has_one else ""


def _not_learned(forward: Step[Any], place: BackwardPlace) -> str:
    """Says what is given to the step and gets no gradient."""
    assert forward.backward is not None
    fixed, given = forward.backward.fixed, place.scenario
    used = (name for d in forward.planned(place.forward) for name in d.operands)
    left_out = dict.fromkeys(name for name in used if name.local in fixed and given.gives(name))
    if not left_out:
        return ""
    isnt, gets = ("isn't", "gets") if len(left_out) == 1 else ("aren't", "get")
    return f"{_listed([*map(place.forward.here, left_out)])} {isnt} learned and {gets} no gradient."


def _of(place: BackwardPlace, gradients: Iterable[Name]) -> list[str]:
    """Returns what gradients are of, each once: of `grad.X.Q`, which comes to X by Q, it's X."""
    known = place.scenario.plan.shapes
    of = (name.seen_from(place.gradients) for name in gradients)
    wholes = (next((entry for entry in name.places if entry in known), name) for name in of)
    return [*dict.fromkeys(map(place.forward.here, wholes))]


def _listed(names: Sequence[str]) -> str:
    """Joins names: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
