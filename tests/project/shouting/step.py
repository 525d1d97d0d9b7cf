"""A step behind the scale: each score is halved, so often as is said."""

from attncli.maths.equations.tree import Number
from attncli.maths.operations.activations import DivideBy
from attncli.scenario.file.keys import COUNT, Key
from attncli.steps.order import StepLine
from attncli.steps.step import Backward, Example, Formulas, Planned, Results, Step, Wording
from attncli.trace import Definition, HeadPlace

HALVED = Key[int | None]("halved", COUNT, "how often scores are halved")
SOFTEN = StepLine(
    "soften", "shouting:soften.yaml", attention="softened", only_for="softened", after="scale"
)
LINE = StepLine("halve", __name__, attention="halved", only_for="halved", after="scale")


def halves(place: HeadPlace) -> Planned:
    times = place.attention.config.get(HALVED)
    if not times:
        return ()
    operation = DivideBy(Number.written(2**times))
    return (Definition(place.name("halves"), operation, (place.x,)),)


HALVE_STEP = Step(
    name="halve",
    at=HeadPlace,
    keys=(HALVED,),
    words=Wording(
        title="Halving",
        does="makes the scores smaller",
        shapes="scores [n, m] → halves [n, m]",
        happens=lambda _: "Each score is halved.",
        why="Smaller scores make the weights more even.",
    ),
    results=Results(names=("halves",), plan=halves),
    formulas=Formulas(x="scores", config={"halved": 1}),
    example=Example(changes=("halved=1",)),
    backward=Backward("the halving", "The gradient is halved, as the scores were."),
)
