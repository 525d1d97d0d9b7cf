"""Convolutions over time: each vector is made of those around it too.

Whisper hears so (Radford et al. 2022, arXiv:2212.04356, 2.2): two of them, over the frames of a
spectrogram, the second of which leaves out every other one.
"""

from __future__ import annotations

from dataclasses import replace

from attncli.maths.operations.activations import ACTIVATIONS, Activate
from attncli.maths.operations.rearranging import JoinRows, Same, Windows
from attncli.maths.operations.recurrent import ZeroRow
from attncli.names import below
from attncli.scenario.file.keys import COUNT, Choice, Key, Record
from attncli.scenario.file.matrices import MATRIX, VECTOR
from attncli.scenario.file.problems import Objections
from attncli.scenario.model import CONVOLUTIONS, CONVOLVE, Settings, convolved_rows, makes_X
from attncli.steps.linear import MISTAKES_BACK, bias_left_out, linear, rows_for_columns
from attncli.steps.mistakes import by, remade, wrong
from attncli.steps.step import Backward, Example, Formulas, Mistake, Results, Step, Wording
from attncli.trace import Axis, Definition, Place
from attncli.trace.quantity import distinct_tokens

_KERNEL = Key("kernel", COUNT, "how many rows a window has, 3 by default: an odd number", 3)
_STRIDE = Key("stride", COUNT, "how many rows on the next window is, 1 by default", 1)
_ACTIVATION = Key(
    "activation",
    Choice((*ACTIVATIONS, "none")),
    "one of those of a feed-forward network, `none` by default",
    "none",
)
_CONVOLUTION = Record.of(
    Key("W", MATRIX, "[kernel · c, d]: a row for each of a window's rows, column by column"),
    Key("b", VECTOR, "its bias, [d]"),
    _KERNEL,
    _STRIDE,
    _ACTIVATION,
)


def _said(place: Place) -> tuple[int, int, str]:
    """Returns the kernel, the stride and the activation."""
    settings = Settings(values=place.stack.config.values.get(place.path.local, {}))
    return settings.get(_KERNEL), settings.get(_STRIDE), settings.get(_ACTIVATION)


def _check_kernel(place: Place) -> Objections:
    kernel, stride, _ = _said(place)
    if not kernel % 2:
        yield below(place.path, _KERNEL.name), "a kernel without a middle row", "give an odd number"
    if stride > 1 and "frames" not in place.stack.config.values:
        wrong = "a stride leaves tokens out, each of which has a place in the text"
        yield below(place.path, _STRIDE.name), wrong, "leave it out, or give frames"
    if not place.gives("W"):
        yield place.path, "a convolution without its W", "add it, like W: [[1], [0], [1]]"


def _plan(place: Place) -> tuple[Definition, ...]:
    stack, (kernel, stride, kind) = place.stack, _said(place)
    padding, padded, windows = map(place.name, ("padding", "padded", "windows"))
    around = (padding,) * (kernel // 2)
    cut = Windows(_rows(place), kernel, stride)
    made = [
        Definition(padding, ZeroRow(), (place.x,)),
        Definition(padded, JoinRows(2 * len(around) + 1), (*around, place.x, *around)),
        Definition(windows, cut, (padded,), rows=_times(place)),
        linear(place, "convolved", windows, "", out_in=stack.config.linear),
    ]
    if kind != "none":
        made.append(Definition(place.name("activated"), Activate(kind), (made[-1].name,)))
    last = [name for name in CONVOLUTIONS if name in stack.config.values][-1:]
    if makes_X(CONVOLVE, stack) and last == [place.path.local]:
        made[-1] = made[-1]._replace(name=below(stack.path, "X"))
    return tuple(made)


def _rows(place: Place) -> int:
    """Returns how many windows there are, as far as that is known."""
    frames = place.scenario.given.matrices.get(below(place.stack.path, "frames"))
    count = len(place.text.tokens) if frames is None else frames.shape[0]
    last = place.path.local if place.path.local in CONVOLUTIONS else CONVOLUTIONS[0]
    return convolved_rows(place.stack.config.values, count, last)


def _times(place: Place) -> Axis | None:
    """Returns the names of the tokens where there is a window for each, otherwise None."""
    names = place.text.tokens
    return Axis(distinct_tokens(names), "token") if names and len(names) == _rows(place) else None


def _happens(place: Place) -> str:
    kernel, stride, kind = _said(place)
    apart = f", each {stride} rows on from the last" if stride > 1 else ""
    then = "" if kind == "none" else f", and the activation {kind} follows"
    return (
        f"Windows of {kernel} rows are laid over the rows{apart}. Before the first row and after"
        " the last there are zeros. A window is written as one row, column by column. It is"
        f" multiplied by W{then}."
    )


CONVOLVE_STEP = Step(
    name="convolve",
    at=Place,
    keys=tuple(
        Key(
            name,
            _CONVOLUTION,
            f"the {nth} convolution, of embeddings or `frames`: `{{W: …, stride: 2}}`",
        )
        for name, nth in zip(CONVOLUTIONS, ("first", "second"), strict=True)
    ),
    check=_check_kernel,
    words=Wording(
        title="Convolution",
        does="makes each vector of those around it, too",
        shapes="x [n, c] → windows [n / stride, kernel · c], W [kernel · c, d] → convolved",
        happens=_happens,
        why=(
            "A frame of a sound is too short to tell much, so each vector is computed from a few"
            " frames that follow each other."
        ),
        more=(
            "The same weights go over all windows: what they find in one place, they find anywhere."
            " A stride of 2 halves the number of rows, and so the later work."
        ),
        titled=lambda place: f"Convolution {place.path.local[-1:]}".strip(),
    ),
    results=Results(
        names=("padding", "padded", "windows", "convolved", "activated", "X"),
        nouns={
            "convolved": "convolution",
            "activated": "convolution after the activation",
            "X": "embedding",
        },
        plan=_plan,
    ),
    formulas=Formulas(x="E", gives=("W", "b")),
    example=Example(
        changes=("convolution1={W: [[1, 0], [0, 0], [0, 1], [0, 0], [1, 1], [0, -1]]}",)
    ),
    mistakes=(
        Mistake(
            "kernel_turned",
            "Taking the rows of each window in the opposite order, as a convolution in mathematics"
            " does.",
            wrong(remade(lambda own, _: replace(own, turned=True)), Windows),
        ),
        rows_for_columns("W", "convolved"),
        bias_left_out("b", "convolved"),
        Mistake("not_activated", "Leaving out the activation.", wrong(by(Same()), Activate)),
    ),
    backward=Backward(
        "the convolution",
        "A row gets the gradients of all windows that it is in, and W is the same in all.",
        usual_mistakes=MISTAKES_BACK,
        example=Example("i_love_ai"),
    ),
)
