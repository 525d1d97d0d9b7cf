"""Which gradients are made, of what, and in which step: the chain rule over a story.

The gradient of the loss with respect to what a step was made of is made of the gradient with
respect to what it made (Rumelhart et al. 1986, doi:10.1038/323533a0). What several steps use gets a
part of its gradient from each; they are added up.

And the steps that lead back through others, with what people do wrong there: each mistake the
equation of a gradient with something left out or put for something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from attncli.arithmetic.expression import (
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
from attncli.arithmetic.operations.activations import Add
from attncli.arithmetic.operations.base import Operation
from attncli.arithmetic.operations.derivatives import gradient_of, has_derivative, is_flat
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.moved import Same, TakeRows
from attncli.arithmetic.operations.products import MatMul
from attncli.arithmetic.operations.recurrent import One
from attncli.arithmetic.operations.texts import equation
from attncli.file.problems import Problems
from attncli.name import Name
from attncli.scenario.scenario import Scenario
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
from attncli.steps.order import BACK_THROUGH, step_named
from attncli.steps.step import Backward, Mistake, Step
from attncli.trace import GRADIENTS, BackwardPlace, Definition, PlannedStep


class Use(NamedTuple):
    """An operand of a definition, by its place, that the loss changes with."""

    definition: Definition
    place: int

    @property
    def of(self) -> Name:
        return self.definition.operands[self.place]


class StepBack(NamedTuple):
    """A step of the story with its equations, as far as gradients go back through them."""

    part: PlannedStep
    uses: tuple[Use, ...]


def gradient_of_name(name: Name) -> Name:
    """`grad.layers[1].W_Q`"""
    return name.under(GRADIENTS)


def steps_back(
    parts: Sequence[PlannedStep], loss: Name, of: Collection[Name]
) -> tuple[StepBack, ...]:
    """The steps that lead from the loss back to some given quantities, the last one first."""
    depends = set(of)
    told: list[tuple[PlannedStep, list[Sequence[Use]]]] = []
    for part in parts:
        used: list[Sequence[Use]] = []
        for one in _whole(part):
            if known := [use for use in _uses(one) if use.of in depends]:
                depends.add(one.name)
                used.append(known)
        told.append((part, used))
    reached, found = {loss}, []
    for part, used in reversed(told):
        back: list[Use] = []
        for uses in reversed(used):
            if uses[0].definition.name in reached:
                back += uses
                reached.update(use.of for use in uses)
        if back:
            found.append(StepBack(part, tuple(back)))
    return tuple(found)


def unknown(parts: Sequence[PlannedStep], of: Collection[Name]) -> Iterator[Use]:
    """The uses of what hangs on some given quantities whose derivative isn't known: gradients that
    are left out without them would be wrong."""
    depends = set(of)
    for part in parts:
        for one in _whole(part):
            for place, name in enumerate(one.operands):
                if name in depends and has_derivative(one.operation, place):
                    depends.add(one.name)
                elif name in depends and not is_flat(one.operation, place):
                    yield Use(one, place)


def in_general(definitions: Sequence[Definition], fixed: Collection[str]) -> tuple[Definition, ...]:
    """The gradients that a step makes, where those of all that goes out of it are known; none for
    what has one of the `fixed` names and isn't made by it."""
    made = {one.name for one in definitions}
    uses = (use for one in reversed(definitions) for use in _uses(one))
    return next(_planned(([one for one in uses if one.of in made or one.of.local not in fixed],)))


def _uses(definition: Definition) -> Iterator[Use]:
    """The operands that what is made changes with, little by little."""
    if definition.operation.takes_only_sizes:
        return
    for place in range(len(definition.operands)):
        if has_derivative(definition.operation, place):
            yield Use(definition, place)


def backward_story(backs: Sequence[StepBack], loss: Name) -> Iterator[PlannedStep]:
    """What each step back makes."""
    first: tuple[Definition, ...] = (Definition(gradient_of_name(loss), One(), (loss,)),)
    for (part, _), planned in zip(backs, _planned([uses for _, uses in backs]), strict=True):
        step = BACK_THROUGH[part.step]
        made = tuple([one._replace(step=step) for one in (*first, *planned)])
        yield PlannedStep(
            step, part.place.to(BackwardPlace, forward=part.place, planned=made), made
        )
        first = ()


def _planned(backs: Sequence[Sequence[Use]]) -> Iterator[tuple[Definition, ...]]:
    """The gradients that each step back makes, and the sum of several parts with the last one."""
    counts = Counter(use.of for uses in backs for use in uses)
    whole_of = cache(gradient_of_name)
    parts: dict[Name, list[Name]] = {}
    for uses in backs:
        planned = []
        for use in uses:
            whole = whole_of(use.of)
            name = whole if counts[use.of] == 1 else _part_of(use, uses, whole)
            definition, place = use
            known = (*definition.operands, definition.name, whole_of(definition.name))
            operation, needed = gradient_of(definition.operation, place)
            planned.append(Definition(name, operation, tuple(known[k] for k in needed)))
            made = parts.setdefault(use.of, [])
            made.append(name)
            if len(made) == counts[use.of] > 1:
                planned.append(Definition(whole, _sum_of(len(made)), tuple(made)))
        yield tuple(planned)


@cache
def _sum_of(count: int) -> Add:
    """The sum of so many parts, which is prepared once."""
    return Add(count)


def _part_of(use: Use, uses: Sequence[Use], whole: Name) -> Name:
    """The part of a whole gradient that comes by one use: `grad.X.Q`, that of X by Q."""
    made = use.definition.name
    twice = [one for one in uses if one.definition == use.definition and one.of == use.of]
    name = made.under(whole)
    return name if len(twice) == 1 else Name(name.local, name.path, 1 + twice.index(use))


def what_follows(
    scenario: Scenario, parts: Sequence[PlannedStep], problems: Problems | None = None
) -> Iterator[PlannedStep]:
    """What comes after the way forth: the way back, and training."""
    back = tuple(_way_back(scenario, parts, problems))
    yield from back
    if scenario.training is not None:
        from attncli.steps.training.updates import training_story

        yield from training_story(scenario, scenario.training, (parts, back))


def _way_back(
    scenario: Scenario, parts: Sequence[PlannedStep], problems: Problems | None
) -> Iterator[PlannedStep]:
    """The steps by which the gradients of the loss go back through others, where they are asked
    for; `problems` hear if there is no loss."""
    if not scenario.goes_back:
        return
    asked = "train" if scenario.writes("train") else "backward"
    if not scenario.prediction.loss:
        if problems is not None:
            right = (
                "give targets: the tokens that should follow, and an unembedding; or the rows of"
                " numbers that should come out"
            )
            problems.add(scenario.where(asked), "gradients are those of a loss", right)
        return
    loss, learned = Name(scenario.prediction.loss), _starts(scenario, parts, problems)
    if problems is not None:
        for use in unknown(parts, learned):
            wrong = f"no derivative is known of {use.definition.name} with respect to {use.of}"
            problems.add(scenario.where(asked), wrong, f"leave {asked} out")
    yield from backward_story(steps_back(parts, loss, learned), loss)


def _starts(
    scenario: Scenario, parts: Sequence[PlannedStep], problems: Problems | None
) -> set[Name]:
    """The given quantities whose gradients are asked for: all that can be learned, or those that
    are trained."""
    used = {name for part in parts for one in part.definitions for name in one.operands}
    one_hot = (stack.text.table for stack in scenario.stacks if stack.text.one_hot)
    used = used.difference(_fixed(parts), one_hot)  # tables that only tell tokens apart
    given = [name for name in (*scenario.given, *scenario.random) if name in used]
    if scenario.training is None:
        return {*given}
    from attncli.steps.training.updates import trained

    parameters = trained(scenario, scenario.training, given, problems)
    return {*given} if scenario.backward else {*parameters}


def _fixed(parts: Sequence[PlannedStep]) -> Iterator[Name]:
    """What steps are made of that isn't learned, if it is given."""
    for part in parts:
        back = step_named(part.step).backward
        names = (name for one in part.definitions for name in one.operands)
        yield from (name for name in names if back is not None and name.local in back.fixed)


def _whole(part: PlannedStep) -> tuple[Definition, ...]:
    """The equations of a step as gradients go back through them."""
    back = step_named(part.step).backward
    return () if back is None else back.whole(part.place, part.definitions)


def _not_transposed(one: Definition, _: BackwardPlace) -> Definition | None:
    """X ∂Y for Xᵀ ∂Y, and ∂Y W for ∂Y Wᵀ."""
    match one.operation:
        case Indexed(
            shown=MatrixProduct(
                (Transposed(Operand(a)), Operand(b)) | (Operand(a), Transposed(Operand(b)))
            )
        ):
            return one._replace(operation=MatMul(), operands=(one.operands[a], one.operands[b]))
    return None


def _averaged(equation: Operation, _: BackwardPlace) -> Operation | None:
    """Xᵀ ∂Y / n, n being how many tokens there are."""
    match equation:
        case Indexed(tree=tree, shown=MatrixProduct((Transposed(Operand(place)), _)) as shown):
            mean = Quotient(tree, Length(place, 0))
            return Indexed(equation.signature(), mean, Quotient(shown, Symbol("n")))
    return None


def _one_token(equation: Operation, _: BackwardPlace) -> Operation | None:
    """The gradient of the first token for the sum over all."""
    match equation:
        case Indexed(tree=Total(_, Operand())):
            return TakeRows((0,), ("1",))
    return None


def _of_the_gradient(one: Definition, _: BackwardPlace) -> Definition | None:
    """step(∂a) for step(z)."""
    gradient = len(one.operands) - 1

    def change(node: Expression) -> Expression | None:
        match node:
            case Apply("step", (Operand(_, indices),)):
                return Apply("step", (Operand(gradient, indices),))
        return None

    return swapped(one, change)


def _by_the_diagonal(equation: Operation, _: BackwardPlace) -> Operation | None:
    """What a softmax makes of G, by another equation of its weights and G."""
    return _DIAGONAL() if equation.signature() == "n m, n m -> n m" else None


_DIAGONAL = equation("p[i, j] * (1 - p[i, j]) * G[i, j]", p="n m", G="n m")

_SCALED = equation("G[i] * p[i, j]", p="n v", G="n 1")


def _handed_on(one: Definition, _: BackwardPlace) -> Definition | None:
    """The gradient of what went out, as it is, instead of what it makes for what went in."""
    operation, sides = one.operation, one.operation.sides
    as_it_is = isinstance(operation, Indexed) and isinstance(operation.tree, Operand)
    if as_it_is or isinstance(operation, Add | Same | One) or sides.operands[-1] != sides.result:
        return None  # it goes on as it is anyway, as through a sum, or has another shape
    return one._replace(operation=Same(), operands=one.operands[-1:])


_ONE_USE_ONLY = Mistake[BackwardPlace](
    "one_use_only",
    "Taking the gradient of one use only: what is used several times gets the sum of all.",
    once(left_out, Add),
)
_HANDED_ON = Mistake(
    "handed_on",
    "Handing the gradient on as it is, without what the step did on the way forward.",
    once(_handed_on),
)
_SCALE_LEFT_OUT = _HANDED_ON._replace(
    name="scale_left_out",
    says="Leaving the scale out on the way back: what the scores were divided by, their gradient is"
    " divided by as well.",
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
    ),
    Mistake[BackwardPlace](
        "averaged_over_tokens",
        "Averaging over the tokens: what each of them says of a weight is added up, and the loss"
        " has divided already.",
        wrong(remade(_averaged)),
    ),
    Mistake[BackwardPlace](
        "bias_not_summed",
        "Taking the gradient of one token for that of the bias, which is added to all of them and"
        " gets the sum.",
        wrong(remade(_one_token)),
    ),
    Mistake[BackwardPlace](
        "mask_of_the_gradient",
        "Letting through where the gradient is above 0, instead of where the activation's"
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
        "Taking the probabilities themselves for the gradient, without taking 1 off the target's.",
        in_last(by(_SCALED, 1, 3), when=lambda place: len(place.planned[-1].operands) == 4),  # noqa: PLR2004
    ),
    Mistake[BackwardPlace](
        "exchanged",
        "Taking y − p instead of p − y, so that each logit is pushed the wrong way.",
        in_last(exchanged),
    ),
)
_USUAL = {one.name: one for one in _USUAL_MISTAKES}


def made_in(step: Backward[Any]) -> tuple[Mistake[BackwardPlace], ...]:
    """All that people do wrong in a step back: what is usual in it, its own, and what they do in
    every step; what a scale's has a name for is no other one."""
    usual = tuple(_USUAL[name] for name in step.usual_mistakes)
    common = (_ONE_USE_ONLY,) if _SCALE_LEFT_OUT in usual else (_ONE_USE_ONLY, _HANDED_ON)
    return (*usual, *step.mistakes, *common)


def step_back(forward: Step[Any], name: str) -> Step[BackwardPlace]:
    """The step of a name by which gradients go back through another step."""
    back = forward.backward
    assert back is not None
    return Step(
        name=name,
        at=BackwardPlace,
        title=f"Backward through {back.through}",
        does=f"takes the gradients back through {back.through}",
        makes=("grad",),
        shapes="the gradient of what was made → the gradients of what it was made of",
        happens=lambda place: _happens(place) + _of_a_step(place) + _not_learned(forward, place),
        why=back.why,
        plan=lambda place: place.planned,
        mistakes=made_in(back),
        on_the_way=forward.on_the_way,
        read_first=back.read_first,
        told_once=forward.told_once or back.told_once,
        shown_with=back.shown_with or forward.shown_with,
        example=back.example,
    )


def _happens(place: BackwardPlace) -> str:
    """Where the gradients that come in go to: the quantities that get theirs from them."""
    made = {one.name for one in place.planned}
    used = {name for one in place.planned for name in one.operands}
    came = _of(place, [name for name in _worked_with(place) if name not in made])
    out = _of(place, [one.name for one in place.planned if one.name not in used])
    sums = _of(place, [one.name for one in place.planned if isinstance(one.operation, Add)])
    added = f" That of {_listed(sums)} adds up what comes from every use." if sums else ""
    goes = "The gradients go" if len(came) > 1 else "The gradient goes"
    return f"{goes} to {_listed(out)}.{added}"


def _worked_with(place: BackwardPlace) -> Iterator[Name]:
    """The gradients that others are made of, besides the parts that are only added up."""
    for one in place.planned:
        if not isinstance(one.operation, Add):
            yield from (name for name in one.operands if name.inside(place.gradients))


def _of_a_step(place: BackwardPlace) -> str:
    """What the slope of a ReLU is, where one of the equations has it."""
    trees = (one.operation.tree for one in place.planned if isinstance(one.operation, Indexed))
    has_one = any(node.function == "step" for tree in trees for node in each(tree, Apply))
    return " step is 1 above 0, and else 0." if has_one else ""


def _not_learned(forward: Step[Any], place: BackwardPlace) -> str:
    """What is given to the step and gets no gradient."""
    assert forward.backward is not None
    fixed, given = forward.backward.fixed, place.scenario
    used = (name for one in forward.planned(place.forward) for name in one.operands)
    left_out = dict.fromkeys(name for name in used if name.local in fixed and given.gives(name))
    if not left_out:
        return ""
    isnt, gets = ("isn't", "gets") if len(left_out) == 1 else ("aren't", "get")
    return (
        f" {_listed([*map(place.forward.here, left_out)])} {isnt} learned and {gets} no gradient."
    )


def _of(place: BackwardPlace, gradients: Iterable[Name]) -> list[str]:
    """What gradients are of, each once: of `grad.X.Q`, which comes to X by Q, it's X."""
    known = place.scenario.shapes
    of = (name.seen_from(place.gradients) for name in gradients)
    wholes = (next((one for one in name.places if one in known), name) for name in of)
    return [*dict.fromkeys(map(place.forward.here, wholes))]


def _listed(names: Sequence[str]) -> str:
    """a, b and c"""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
