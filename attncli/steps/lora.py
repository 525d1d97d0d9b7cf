"""Low-rank adaptation (LoRA): a given matrix goes on with the product of two small ones added.

W + (α / r) B A: Hu et al. 2022, arXiv:2106.09685, 4.1.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncli.maths.equations.tree import Number
from attncli.maths.operations.activations import Add
from attncli.maths.operations.attention import LowRankUpdate, MatMul
from attncli.names import Name, below
from attncli.scenario.file.keys import Key, MapOf, Needs, NumberKind, Record
from attncli.scenario.file.matrices import MATRIX
from attncli.scenario.file.problems import Objections
from attncli.steps.mistakes import swap, wrong
from attncli.steps.quantizing import given_matrix
from attncli.steps.step import Backward, Example, Formulas, Mistake, Results, Step, Wording
from attncli.trace import Definition, Place

_ADAPTER = Record.of(
    Key("A", MATRIX, "[r, k] for a W [d, k], as that is given; its rows are the rank r"),
    Key("B", MATRIX, "[d, r]"),
    Key("alpha", NumberKind(), "α; the product B A is multiplied by α / r"),
    needs=Needs("an adapted matrix", ("A", "B", "alpha"), "{A: [[1, 0]], B: [[0], [1]], alpha: 2}"),
)
LORA = Key(
    "lora",
    MapOf(_ADAPTER, "matrix"),
    "given matrices that go on as W + α / r · B A: `{W_Q: {A: [[1, 0]], B: [[0], [1]], alpha: 2}}`;"
    " `train` trains each A and B then, unless `of` says otherwise",
    {},
)


_SHOWN = "lora={W_Q: {A: [[1, 0.5], [0, 1]], B: [[-0.25, 0], [0, 0.5]], alpha: 4}}"


def _adapters(place: Place) -> Iterator[tuple[Name, Place, Number]]:
    """Yields each matrix that is adapted, the place of what is made of it, and α."""
    for text, said in place.stack.config.get(LORA).items():
        at = place.at(below(place.stack.config.at(LORA), text))
        yield given_matrix(place, text), at, Number.written(said["alpha"])


def _check_adapted(place: Place) -> Objections:
    for name, at, _ in _adapters(place):
        if not place.scenario.gives(name):
            yield at.path, f"{name} is no matrix that is given", "name one by its full name"


def _plan(place: Place) -> Iterator[Definition]:
    for matrix, at, alpha in _adapters(place):
        product, delta, A = at.name("product"), at.name("delta"), at.name("A")
        yield Definition(product, MatMul(), (at.name("B"), A))
        yield Definition(delta, LowRankUpdate(alpha), (A, product))
        yield Definition(at.name("adapted"), Add(2), (matrix, delta), wire=matrix)


LORA_STEP = Step(
    name="lora",
    at=Place,
    keys=(LORA,),
    check=_check_adapted,
    words=Wording(
        title="Low-rank adaptation",
        does="adds the product of two small matrices to weights",
        shapes="W [d, k], B [d, r], A [r, k] → product [d, k] → delta [d, k] → adapted [d, k]",
        happens=lambda _: (
            "B is multiplied by A, and the product by α / r, where r is the rank: how many rows A"
            " has. That is added to the weights, and the model goes on with the sum."
        ),
        why="Two small matrices are trained instead of one large one, which stays as it is (LoRA).",
        more=(
            "W has d · k numbers, A and B have r · (d + k). B is 0 at first, so training begins"
            " with the model as it was. Once trained, the sum takes the place of W and costs"
            " nothing more."
        ),
    ),
    results=Results(names=("product", "delta", "adapted"), plan=lambda place: tuple(_plan(place))),
    formulas=Formulas(x="W_Q", config={"lora": {"W_Q": {"alpha": 2}}}),
    example=Example("i_love_ai", (_SHOWN,)),
    mistakes=(
        Mistake(
            "rank_forgotten",
            "Multiplying by α without dividing it by the rank.",
            wrong(swap("alpha / r", "alpha"), "delta"),
        ),
    ),
    backward=Backward(
        "the low-rank update",
        "The gradient of the sum goes to B by way of A, and to A by way of B.",
        "So A gets none while B is 0, as it is before the first update.",
        example=Example("learning_to_attend", (_SHOWN, "train.of=[A, B]")),
    ),
)
