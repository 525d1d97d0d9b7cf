"""Losses: how far what came out is from what should have.

* binary_loss: binary cross-entropy of a sigmoid's probabilities, as PyTorch's `BCELoss` has it, the
  mean over all numbers.
* mse: squared errors, by default their mean over all numbers, as PyTorch's `MSELoss` has it; or
  their sum (its `reduction="sum"`), half of that (Bishop 2006, section 5.2), or the mean over rows
  of each row's sum.
* loss: cross-entropy of probabilities, and perplexity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from attncli.maths.equations.tree import Number
from attncli.maths.numbers import decimals
from attncli.maths.operations.equation import EquationText
from attncli.maths.operations.gradients import gradient_of
from attncli.maths.operations.losses import (
    BinaryCrossEntropies,
    BinaryLossOfLogits,
    CrossEntropies,
    DistributionLoss,
    HalfOfSum,
    HalfSumOfSquaredErrors,
    LossOfLogits,
    MeanOfAll,
    MeanOfRows,
    MeanSquaredError,
    MeanSquaredErrorOfRows,
    NegativeLog,
    OneHot,
    Smooth,
    SmoothOthers,
    SquaredError,
    SumOfEntries,
    SumOfSquaredErrors,
)
from attncli.maths.operations.norms import ColumnMean
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.rearranging import TakeRows
from attncli.maths.operations.softmax import ExponentialOf
from attncli.names import Name, Word, WordedText, below
from attncli.scenario.file.keys import SHARE, Choice, Either, Key, Kind, ListOf
from attncli.scenario.file.matrices import MATRIX
from attncli.scenario.file.nodes import Items, Map, Node, Numbers
from attncli.scenario.model import LOSSES, REDUCTIONS, TARGETS
from attncli.scenario.tokenizers.settings import TOKEN
from attncli.steps.attention.weights import softmax
from attncli.steps.mistakes import as_a, by, once, remade, sum_for_mean, swap, wrong
from attncli.steps.prediction.logits import CHANGES_LOGITS, chosen, sized_row
from attncli.steps.step import Backward, Example, Formulas, Mistake, Results, Step, Wording
from attncli.trace import Axis, BackwardPlace, Definition, Place
from attncli.trace.quantity import counted as numbered
from attncli.trace.quantity import distinct_tokens


def _plan_binary_loss(place: Place) -> tuple[Definition, ...]:
    losses = place.name("binary_loss")
    return (
        Definition(losses, BinaryCrossEntropies(), (place.x, TARGETS)),
        Definition(place.name("binary_cross_entropy"), MeanOfAll(), (losses,)),
    )


def _whole_binary_loss(place: Place, made: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Returns the loss straight from what went into the sigmoid, whose gradient is p − y."""
    losses, mean = made
    operands = (logits_of(place.x), *losses.operands)
    return losses._replace(operation=BinaryLossOfLogits(), operands=operands), mean


def logits_of(readouts: Name) -> Name:
    """Returns the name of what the probabilities that were read out were made of."""
    return below(readouts.path, "readout_logits")


BINARY_LOSS_STEP = Step(
    name="binary_loss",
    at=Place,
    words=Wording(
        title="Binary cross-entropy",
        does="says how surprised a sigmoid is by the right answers",
        shapes="probabilities [n, k], targets [n, k] → binary_loss [n, k] → binary_cross_entropy",
        happens=lambda _: (
            "Where the target is 1, the loss is −ln of the probability. Where it is 0, the loss is"
            " −ln of 1 minus the probability. The binary cross-entropy is the mean."
        ),
        why="The loss is large where a right answer gets a low probability.",
        more=(
            "A sigmoid's probability answers one question with yes or no, so each number has a loss"
            " of its own."
        ),
    ),
    results=Results(
        names=("binary_loss", "binary_cross_entropy"),
        nouns={"binary_loss": "loss", "binary_cross_entropy": "binary cross-entropy"},
        plan=_plan_binary_loss,
    ),
    formulas=Formulas(x="readouts"),
    example=Example("rnn_backward_through_time"),
    mistakes=(
        Mistake(
            "squared",
            "Squaring the difference from the target, instead of taking the logarithm of the"
            " probability.",
            wrong(by(SquaredError), "binary_loss"),
        ),
    ),
    backward=Backward(
        "the binary cross-entropy",
        "A logit's gradient is its probability minus its target, times the gradient of its loss.",
        whole=_whole_binary_loss,
        fixed=(TARGETS,),
        example=Example("rnn_backward_through_time"),
    ),
)


class Reduction(NamedTuple):
    """A way to make one number of squared errors."""

    title: str
    happens: str
    """What is done, in a sentence."""
    of_errors: EquationText
    """The equation of the errors."""
    in_one: EquationText
    """The equation of what the errors are made of, in one."""
    times: str
    """What a gradient's difference is multiplied by."""


_REDUCTIONS: Mapping[str, Reduction] = MappingProxyType(
    {
        "mean": Reduction(
            "Mean squared error",
            "The loss is the mean of all squares.",
            MeanOfAll,
            MeanSquaredError,
            ", times 2 and divided by how many numbers there are",
        ),
        "mean_of_rows": Reduction(
            "Mean squared error",
            "The loss is the sum of all squares, divided by the number of rows.",
            MeanOfRows,
            MeanSquaredErrorOfRows,
            ", times 2 and divided by how many rows there are",
        ),
        "sum": Reduction(
            "Sum of squared errors",
            "The loss is the sum of all squares.",
            SumOfEntries,
            SumOfSquaredErrors,
            ", times 2",
        ),
        "half_sum": Reduction(
            "Half the sum of squared errors",
            "The loss is half the sum of all squares.",
            HalfOfSum,
            HalfSumOfSquaredErrors,
            "",
        ),
    }
)


def _reduction(place: Place) -> Reduction:
    return _REDUCTIONS[place.scenario.prediction.loss.reduction]


def _is_reduced(*names: str) -> Callable[[Place], bool]:
    """Returns a function that tells whether squared errors are reduced in one of these ways at a
    place."""
    return lambda place: place.scenario.prediction.loss.reduction in names


def _plan_mse(place: Place) -> tuple[Definition, ...]:
    definition, errors = _compared(place), place.name("squared_error")
    x = place.x if definition is None else definition.name
    loss = place.name(REDUCTIONS[place.scenario.prediction.loss.reduction])
    return (
        *filter(None, [definition]),
        Definition(errors, SquaredError(), (x, TARGETS)),
        Definition(loss, _reduction(place).of_errors(), (errors,)),
    )


def _compared(place: Place) -> Definition | None:
    """Defines the row of one token, where only that is compared; otherwise returns None."""
    prediction = place.scenario.prediction
    return None if prediction.logits.unembedding or prediction.loss.of_readout else chosen(place)


def _whole_mse(place: Place, made: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Returns the loss straight from the numbers, whose gradient is 2 (x − y) / nm where it is a
    mean."""
    *before, errors, loss = made
    return *before, loss._replace(operation=_reduction(place).in_one(), operands=errors.operands)


def _not_divided(definition: Definition, _: BackwardPlace) -> Definition | None:
    """Changes the gradient of a mean, or of half of a sum, to that of the sum; returns None where
    it takes other operands."""
    operation, needed = gradient_of(SumOfSquaredErrors(), 0)
    return (
        definition._replace(operation=operation)
        if len(definition.operands) == len(needed)
        else None
    )


MSE_STEP = Step(
    name="mse",
    at=Place,
    keys=(
        Key(
            "loss",
            Choice(tuple(LOSSES)),
            "what is worked of the targets: `cross_entropy` (of targets that are tokens), `mse`"
            " (of rows of numbers), or `binary_cross_entropy`, of what a sigmoid reads out of a"
            " recurrent cell",
        ),
        Key(
            "reduction",
            Choice(tuple(REDUCTIONS)),
            "what becomes of squared errors: their `mean` over all numbers (the default), their"
            " `sum`, `half_sum`, ½ Σ (x − y)², or `mean_of_rows`, their sum divided by the number"
            " of rows",
        ),
    ),
    words=Wording(
        title="Mean squared error",
        does="says how far the numbers are from their targets",
        shapes="x [n, d], targets [n, d] → squared_error [n, d] → mse",
        happens=lambda place: (
            f"Each number's difference from its target is squared. {_reduction(place).happens}"
        ),
        why="The loss says how far the output is from its target.",
        more=(
            "Squaring makes errors to either side count alike, and one large error count more than"
            " small ones of the same sum."
        ),
        titled=lambda place: place.titled(_reduction(place).title),
    ),
    results=Results(
        names=("last", "first", "squared_error", *dict.fromkeys(REDUCTIONS.values())),
        nouns={
            "squared_error": "squared error",
            "mse": "mean squared error",
            "sse": "sum of the squared errors",
            "half_sse": "half the sum of the squared errors",
        },
        plan=_plan_mse,
        sized=lambda place, planned: sized_row(_compared(place), planned),
    ),
    formulas=Formulas(x="output"),
    mistakes=(
        Mistake(
            "not_squared",
            "Taking the absolute value of each difference instead of its square.",
            wrong(
                swap("(x[i, j] - y[i, j]) ** 2", "sqrt((x[i, j] - y[i, j]) ** 2)"), "squared_error"
            ),
        ),
        Mistake(
            "half_the_sum",
            "Taking half the sum of the squares, ½ Σ (y − t)², instead of their mean.",
            wrong(by(HalfOfSum), MeanOfAll),
        ),
        Mistake(
            "divided_by_rows",
            "Dividing by the number of rows instead of the number of all entries.",
            wrong(by(MeanOfRows), "mse", when=_is_reduced("mean")),
        ),
        Mistake(
            "divided_by_entries",
            "Dividing by the number of all entries instead of the number of rows.",
            wrong(by(MeanOfAll), "mse", when=_is_reduced("mean_of_rows")),
        ),
        Mistake(
            "averaged",
            "Taking the mean of the squares, which are only added up here.",
            wrong(by(MeanOfAll), "sse", "half_sse"),
        ),
        Mistake(
            "half_left_out",
            "Forgetting the half of the sum.",
            wrong(by(SumOfEntries), "half_sse"),
        ),
    ),
    backward=Backward(
        "the squared errors",
        "The gradient of a number is its difference from its target, times 2 and divided by how"
        " many numbers there are.",
        why_at=lambda place: (
            f"The gradient of a number is its difference from its target{_reduction(place).times}."
        ),
        whole=_whole_mse,
        fixed=(TARGETS,),
        mistakes=(
            Mistake(
                "sum_for_mean",
                "Treating the loss as a sum on the way back: the mean divides by how many numbers"
                " there are.",
                once(_not_divided, when=_is_reduced("mean", "mean_of_rows")),
            ),
            Mistake(
                "half_left_out_on_the_way_back",
                "Keeping the 2 of the square's derivative, which the half of the sum takes away.",
                once(_not_divided, when=_is_reduced("half_sum")),
            ),
        ),
        example=Example("i_love_ai"),
    ),
)


def _plan_loss(place: Place) -> tuple[Definition, ...]:
    """Defines the loss of the model's own probabilities, before any temperature or choice."""
    said = place.scenario.prediction.loss
    chosen = _is_chosen(place)
    at = place.at(place.name("plain")) if chosen else place
    probabilities = _probabilities(place)
    rows = _with_target(place, probabilities)
    of = rows[0].name if rows else probabilities
    softmaxed = softmax(at, place.x, probabilities, "loss") if chosen else ()
    entropy = place.name("cross_entropy")
    spread = tuple(_distribution(place, of))
    if spread or said.targets_in_numbers:
        y = spread[-1].name if spread else TARGETS
        loss = Definition(place.name("loss"), CrossEntropies(), (of, y), blame=TARGETS)
        mean = Definition(entropy, ColumnMean(), (loss.name,))
        return (*softmaxed, *rows, *spread, loss, mean)
    loss = _of_targets(place, of, said.target_places)
    mean = Definition(entropy, ColumnMean(), (loss.name,))
    perplexity = Definition(place.name("perplexity"), ExponentialOf(), (entropy,))
    return (*softmaxed, *rows, loss, mean, perplexity)


def _of_targets(place: Place, probabilities: Name, targets: tuple[int, ...]) -> Definition:
    """Defines the loss of each row by the probability of its target alone."""
    of_targets = NegativeLog(targets)
    return Definition(place.name("loss"), of_targets, (probabilities,), blame=TARGETS)


def _distribution(place: Place, probabilities: Name) -> Iterator[Definition]:
    """Yields the targets as shares of all classes, where a part of each is spread over these."""
    loss, y = place.scenario.prediction.loss, TARGETS
    if loss.label_smoothing is None:
        return
    if not loss.targets_in_numbers:
        y = place.name("one_hot")
        yield Definition(y, OneHot(loss.target_places), (probabilities,))
    smooth = Smooth(Number.written(loss.label_smoothing))
    yield Definition(place.name("smoothed"), smooth, (y,))


def _kind_of_targets(node: Node) -> Kind[object]:
    """Returns the kind of the targets in a file: rows of numbers, or a list of tokens."""
    items = node.items if isinstance(node, Items) else ()
    if isinstance(node, Map) or isinstance(next(iter(items), None), Items):
        return MATRIX
    return MATRIX if isinstance(node, Numbers) and node.array.ndim > 1 else ListOf(TOKEN)


def _is_chosen(place: Place) -> bool:
    """Tells whether the next token is chosen of other probabilities than the model's own."""
    settings = place.scenario.prediction.config
    return any(settings.says(key) for key in CHANGES_LOGITS)


def _probabilities(place: Place) -> Name:
    """Returns the name of the model's own probabilities, or of those that were read out of a
    cell."""
    if place.scenario.prediction.loss.of_readout:
        return place.x
    at = place.at(place.name("plain")) if _is_chosen(place) else place
    return at.name("probabilities")


def _with_target(place: Place, probabilities: Name) -> tuple[Definition, ...]:
    """Defines the rows whose target isn't ignored, as PyTorch's `ignore_index` has it; nothing
    where none is."""
    loss = place.scenario.prediction.loss
    counted = loss.counted
    if len(counted) == len(loss.targets) or loss.targets_in_numbers:
        return ()
    tokens = distinct_tokens(place.text.tokens) or numbered(len(loss.targets))
    names = tuple(tokens[k] for k in counted)
    taken = TakeRows(counted, names, "positions")
    made = place.name("with_target")
    return (Definition(made, taken, (probabilities,), rows=Axis(names, "Q")),)


def _whole_loss(place: Place, made: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Returns the loss straight from the logits, whose gradient is p − y; where only probabilities
    are given, from these."""
    prediction = place.scenario.prediction
    if prediction.logits.are_given and not place.gives("logits"):
        return made
    loss, entropy = (d for d in made if d.name.local in ("loss", "cross_entropy"))
    said = prediction.loss
    logits = logits_of(place.x) if said.of_readout else place.x
    counted, places = said.counted, said.target_places
    if len(loss.operands) > 1:
        count = len(said.targets) or place.height(_probabilities(place)) or 1
        counts = tuple(k in counted or said.targets_in_numbers for k in range(count))
        of = (logits, _probabilities(place), loss.operands[1])
        return loss._replace(operation=DistributionLoss(counts), operands=of), entropy
    targets = dict(zip(counted or range(len(places)), places, strict=False))  # some may be wrong
    rows = range(len(said.targets) or len(places))
    of_logits = LossOfLogits(tuple(targets.get(k) for k in rows))
    operands = (logits, _probabilities(place))
    return loss._replace(operation=of_logits, operands=operands), entropy


def _why(place: Place) -> str:
    """Says what the step is for, by what is right there."""
    prediction = place.scenario.prediction
    if prediction.loss.of_readout or prediction.loss.targets_in_numbers:
        right = "the right answer"
    elif prediction.foretells:
        right = "the true next token"
    else:
        right = "the true class" if prediction.of_classes else "the token that belongs there"
    return f"The loss says how surprised the model is by {right}."


def _happens(place: Place) -> WordedText:
    loss = place.scenario.prediction.loss
    targets, counted = loss.targets, loss.counted
    if loss.targets_in_numbers:
        return (f"{_smoothed(place)}{_EACH} Cross-entropy is the mean.",)
    left_out = len(targets) - len(counted) if targets else 0
    position = "1 position is" if left_out == 1 else f"{left_out} positions are"
    text = f" {position} left out, whose target is ignored." if left_out else ""
    names: WordedText = tuple(part for k in counted for part in ("”, “", Word(targets[k])))[1:]
    if loss.label_smoothing is not None:
        return (
            f"{_smoothed(place)}Each target (“",
            *names,
            f"”) is 1 before that, all else 0. {_EACH} Cross-entropy is the mean.{text}",
        )
    return (
        "The loss of a position is −ln of its target's probability (“",
        *names,
        f"”). Cross-entropy is the mean.{text}",
    )


_EACH = "The loss of a position is −ln of each probability, weighted by its target, added up."


def _smoothed(place: Place) -> str:
    epsilon = place.scenario.prediction.loss.label_smoothing
    if epsilon is None:
        return ""
    share = decimals.text(epsilon)
    return f"Labels are smoothed: {share} of each target is spread over all classes alike. "


def _not_smoothed(loss: Definition, place: Place) -> Definition | None:
    """Changes the loss to that of the target's probability alone, where a part of the target is
    spread over all classes; returns None where targets are numbers."""
    said = place.scenario.prediction.loss
    if said.targets_in_numbers:
        return None
    return _of_targets(place, loss.operands[0], said.target_places)


def _not_shifted(of_targets: OneHot | NegativeLog, place: Place) -> Operation | None:
    prediction = place.scenario.prediction
    tokens, vocabulary = place.text.tokens, prediction.logits.vocabulary
    if not tokens or not {*tokens}.issubset(vocabulary):
        return None
    tokens = tokens[-len(prediction.loss.targets) :]
    own = tuple(vocabulary.index(tokens[k]) for k in prediction.loss.counted if k < len(tokens))
    return type(of_targets)(own)


LOSS_STEP = Step(
    name="loss",
    at=Place,
    keys=(
        Key(
            "targets",
            Either(_kind_of_targets, (ListOf(TOKEN), MATRIX)),
            "the token that should come out of each, the next one, a hidden one, or a class: loss, "
            "cross-entropy and perplexity, of the "
            "model's own probabilities before any temperature or choice; or rows of numbers, "
            "`[[1, 0], [0, 1]]`, that the output should be: the mean squared error. The same holds "
            "for the read-out of a recurrent cell",
        ),
        Key(
            "ignored_target",
            TOKEN,
            "what stands among the targets where none counts, such as `_`: its positions are left "
            "out, and the mean is that of the others",
        ),
        Key(
            "label_smoothing",
            SHARE,
            "the share of each target that is spread over all classes alike, such as 0.1",
        ),
    ),
    words=Wording(
        title="Loss",
        does="says how surprised the model is by the right answer",
        shapes="probabilities [n, vocabulary], n targets → loss [n] → cross_entropy, perplexity",
        happens=_happens,
        why="The loss says how surprised the model is by the right answer.",
        more=(
            "The loss is 0 where the target's probability is 1, and grows without end as the"
            " probability goes to 0. The perplexity is e raised to the mean loss: the number of"
            " equally likely answers among which the model might as well guess."
        ),
        why_at=_why,
    ),
    results=Results(
        names=("with_target", "one_hot", "smoothed", "loss", "cross_entropy", "perplexity"),
        nouns={"loss": "loss", "cross_entropy": "cross-entropy", "perplexity": "perplexity"},
        plan=_plan_loss,
    ),
    formulas=Formulas(x="logits"),
    example=Example("learning_to_attend"),
    mistakes=(
        Mistake(
            "sum_for_mean",
            "Adding up the losses without dividing by how many there are: the sum instead of the"
            " mean.",
            wrong(sum_for_mean, "cross_entropy"),
        ),
        Mistake(
            "not_shifted",
            "Taking each token itself for its target, instead of the one that comes after it.",
            once(remade(_not_shifted), OneHot, NegativeLog),
        ),
        Mistake(
            "not_smoothed",
            "Taking −ln of the target's probability alone, where labels are smoothed.",
            wrong(_not_smoothed, CrossEntropies),
        ),
        Mistake(
            "spread_over_others",
            "Spreading ε over the other classes alone: the target gets its part of it, too.",
            wrong(as_a(SmoothOthers), "smoothed"),
        ),
    ),
    backward=Backward(
        "the loss",
        "A logit gets p − y times the gradient of its loss, where y is 1 for the target and 0"
        " otherwise, or smoothed.",
        more=(
            "The target y is 1 for the right class and 0 for all others, so a logit whose gradient"
            " is negative should grow. From here the page goes back to the parameters, the last"
            " step first: that is backpropagation. By the chain rule, the gradient of what went"
            " into a step is that of what came out, times the derivative of the step. It needs the"
            " numbers of the way forward, which therefore comes first."
        ),
        whole=_whole_loss,
        usual_mistakes=("not_averaged", "without_target", "exchanged"),
        fixed=(TARGETS,),
        example=Example("embedding_before_during_after"),
    ),
)
