"""Weights in few bits, as models are stored to be run: scales, whole numbers, and the error.

Absmax: Dettmers et al. 2022, arXiv:2208.07339, 2; in groups: Dettmers & Zettlemoyer 2022,
arXiv:2212.09720.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from attncli.maths.equations.tree import Number
from attncli.maths.operations.optimizers import DifferenceOf
from attncli.maths.operations.quantizing import (
    AbsMax,
    Quantized,
    QuantizedInGroups,
    Restored,
    RestoredInGroups,
)
from attncli.maths.operations.rearranging import RepeatAlong
from attncli.names import Name, below
from attncli.scenario.file.keys import COUNT, Choice, Either, Key, KeyValues, MapOf, Needs, Record
from attncli.scenario.file.nodes import Map
from attncli.scenario.file.problems import Objections
from attncli.steps.mistakes import left_out, remade, wrong
from attncli.steps.step import Example, Formulas, Mistake, Results, Step, Wording
from attncli.trace import Definition, Place

_MOST = {"int8": 127, "int4": 7}
_KIND = Choice(tuple(_MOST))
_SETTINGS = Record.of(
    Key("kind", _KIND, "`int8`, whole numbers from −127 to 127, or `int4`, from −7 to 7"),
    Key("group", COUNT, "how many numbers of a row share a scale; by default the whole matrix"),
    needs=Needs("a quantized matrix", ("kind",), "{kind: int4, group: 2}"),
)
_EACH = Either(lambda node: _SETTINGS if isinstance(node, Map) else _KIND, (_KIND, _SETTINGS))
QUANTIZED = Key(
    "quantized",
    MapOf(_EACH, "matrix"),
    "given matrices that are stored in few bits, and go on as what comes back of them:"
    " `{W_Q: int8, W_K: {kind: int4, group: 2}}`",
    {},
)


def given_matrix(place: Place, text: str) -> Name:
    """Returns the full name of a given matrix that a stack calls by this text."""
    known = {str(name): name for name in place.scenario.given.names}
    return known.get(below(place.stack.path, text), Name(text))


def _matrices(place: Place) -> Iterator[tuple[Name, int, int | None]]:
    """Yields each matrix that is quantized, with its largest whole number, and the size of its
    groups or None."""
    for text, said in place.stack.config.get(QUANTIZED).items():
        settings: KeyValues = {"kind": said} if isinstance(said, str) else said
        most = _MOST[settings.get("kind", "int8")]
        yield given_matrix(place, text), most, settings.get("group")


def _check_quantized(place: Place) -> Objections:
    where = place.stack.config.at(QUANTIZED)
    for name, _, _ in _matrices(place):
        if not place.scenario.gives(name):
            yield where, f"{name} is no matrix that is given", "name one by its full name"
        elif place.scenario.goes_back:
            yield where, "gradients of whole numbers, which have none", "leave one of them out"


def _plan(place: Place) -> Iterator[Definition]:
    for matrix, most, group in _matrices(place):
        at, number = place.at(matrix.under(Name("quantized"))), Number.written(most)
        scale, whole, back = at.name("scale"), at.name("whole"), at.name("restored")
        yield Definition(scale, AbsMax(most, group), (matrix,))
        if group:
            yield Definition(at.name("scales"), RepeatAlong(group), (scale,))
            scale = at.name("scales")
        quantized, times = (QuantizedInGroups, RestoredInGroups) if group else (Quantized, Restored)
        yield Definition(whole, quantized(number), (matrix, scale))
        yield Definition(back, times(), (whole, scale), wire=matrix)
        yield Definition(at.name("error"), DifferenceOf(), (back, matrix))


QUANTIZE_STEP = Step(
    name="quantize",
    at=Place,
    keys=(QUANTIZED,),
    check=_check_quantized,
    words=Wording(
        title="Quantization",
        does="stores weights as small whole numbers and a scale",
        shapes="W [n, m] → scale [1, 1] or [n, m / group] → whole [n, m] → restored [n, m]",
        happens=lambda _: (
            "The scale is the largest size divided by the largest whole number that there is. Each"
            " weight is divided by it and rounded to a whole number. Times the scale, that comes"
            " back nearly as it was, and the error is the difference. The model uses what came"
            " back."
        ),
        why="A weight of 8 or 4 bits takes a quarter or an eighth of the memory of one of 32.",
        more=(
            "A weight is off by at most half a scale. One large weight makes the scale large for"
            " all that share it, so each small group of numbers often has a scale of its own."
        ),
    ),
    results=Results(
        names=("scale", "scales", "whole", "restored", "error"),
        plan=lambda place: tuple(_plan(place)),
    ),
    formulas=Formulas(x="W_Q", config={"quantized": {"W_Q": {"kind": "int4", "group": 2}}}),
    example=Example("i_love_ai", ("quantized={W_Q: int8}",)),
    mistakes=(
        Mistake(
            "one_whole_number_more",
            "Dividing by how many positive whole numbers and 0 there are, 128 instead of 127.",
            wrong(remade(lambda own, _: replace(own, most=own.most + 1)), "scale"),
        ),
        Mistake(
            "not_restored",
            "Using the whole numbers, without multiplying them by the scale.",
            wrong(left_out, "restored"),
        ),
    ),
)
