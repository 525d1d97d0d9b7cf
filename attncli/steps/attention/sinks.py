"""Attention sinks: a learned score that takes a share of the softmax and has no value (OpenAI 2025,
gpt-oss, arXiv:2508.10925; Miller 2023, Attention Is Off By One, is the same with a score of 0)."""

from __future__ import annotations

from attncli.arithmetic.operations import JoinColumns, RepeatDown, WithoutColumn
from attncli.file.keys import Key
from attncli.file.matrices import VECTOR
from attncli.file.problems import Problems
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Axis, Definition, HeadPlace
from attncli.trace.quantity import counted, told_apart

_SINKS = Key(
    "sinks",
    VECTOR,
    "a score of each head that joins those of the keys in the softmax, [heads], and takes its share"
    " without a value: the weights of the keys add up to less than 1 (gpt-oss)",
)
_NAME = "sink"


def _check(place: HeadPlace, problems: Problems) -> None:
    if place.head or not place.attention.said.says(_SINKS):
        return
    where, heads = place.scenario.where(place.find("sinks")), place.attention.heads
    given = place.scenario.given.get(place.find("sinks"))
    if given is not None and given.shape[1] != heads:
        wrong = f"{given.shape[1]} sinks, and there {'is' if heads == 1 else 'are'} {heads} heads"
        problems.add(where, wrong.replace("1 heads", "one head"), "give each head a number")
    if place.gives("weights"):
        problems.add(where, "sinks, and weights that are given", "leave one of them out")


def _column(place: HeadPlace, head: int) -> Definition:
    """The head's score, once for each query."""
    operands = (place.x, place.find("sinks"))
    columns = Axis((_NAME,), "K")
    return Definition(place.name(_NAME), RepeatDown(head), operands, columns=columns)


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    """Before the softmax it is put beside the scores, after it its weight is left out."""
    if not place.attention.said.says(_SINKS):
        return ()
    if place.x == place.name("weights"):
        return (Definition(place.name("key_weights"), WithoutColumn(last=True), (place.x,)),)
    column = _column(place, place.head)
    joined = Definition(place.name("with_sink"), JoinColumns(2), (place.x, column.name))
    return (column, joined)


def _sized(place: HeadPlace, definition: Definition) -> Definition:
    """The weights that are left are those of the keys."""
    width = place.width(definition.name)
    if definition.name.local != "key_weights" or width is None:
        return definition
    names = told_apart(place.attention.keys)
    return definition._replace(columns=Axis(names if len(names) == width else counted(width), "K"))


def _happens(place: HeadPlace) -> str:
    if place.x == place.name("weights"):
        return "The weight of the sink is left out: it has no value to blend in."
    return "The sink's score is put beside those of the keys, the same for each query."


def _of_another_head(place: HeadPlace) -> Definition | None:
    heads = place.attention.heads
    if heads == 1 or place.x == place.name("weights"):
        return None
    return _column(place, (place.head + 1) % heads)


def _first_left_out(place: HeadPlace) -> Definition | None:
    if place.x != place.name("weights"):
        return None
    return Definition(place.name("key_weights"), WithoutColumn(last=False), (place.x,))


STEP = Step(
    name="sinks",
    at=HeadPlace,
    keys=(_SINKS,),
    title="Attention sink",
    does="lets a query attend to nothing",
    titled=lambda place: (
        "Without the sink" if place.x == place.name("weights") else "Attention sink"
    ),
    makes=("sink", "with_sink", "key_weights"),
    shapes="scores [n, m], sinks [heads] → with_sink [n, m + 1]; weights [n, m + 1] → key_weights"
    " [n, m]",
    happens=_happens,
    why=(
        "The weights of a softmax add up to 1, so a query that finds nothing has to attend to"
        " something all the same; a sink takes what it doesn't want to give to any key."
    ),
    more=(
        "Without one, models learn to use the first token for that. Its score is learned, one for"
        " each head."
    ),
    check=_check,
    plan=_plan,
    sized=_sized,
    general=General(x="scaled", said={"sinks": ()}, gives=("sinks",)),
    shown_with=("sinks=[0.5]",),
    on_the_way=True,
    mistakes=(
        Mistake("other_head", "Taking the sink of another head.", _of_another_head),
        Mistake(
            "first_left_out", "Leaving out the first key instead of the sink.", _first_left_out
        ),
    ),
    backward=Backward(
        "the sinks",
        (
            "A larger sink leaves less to each key: its gradient adds up the weights times their "
            "gradients, times its own share and with the other sign."
        ),
    ),
)
