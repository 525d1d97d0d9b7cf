"""Nothing that is asked stands elsewhere on a sheet: looked for in the finished text."""

from __future__ import annotations

import csv
import json
import re
from contextlib import suppress
from decimal import Decimal
from random import Random

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.document.questions import Item
from attncli.formats import RenderOptions, render
from attncli.pages.parts.selection import SelectionError
from attncli.trace import Trace
from tests.classroom.exercises.test_exercise import check, steps_of
from tests.classroom.made import BLANKINGS, SHEET_FORMATS, papers, questions, request_for
from tests.conftest import sampled
from tests.drawing import recurrent, written
from tests.drawing.pen import RandomPen
from tests.helpers.pages import SHIPPED, trace_of

NUMBER = re.compile(r"\d+(?:\.\d+)?")
SCENARIOS = ["i_love_ai", "three_tokens_two_heads", "yassine_rnn_sentence", "sentencepiece"]


def digits(text: str) -> set[str]:
    """The numbers of a text, digits that belong together set close."""
    close = re.sub(r"(?<=\d)(?:\u2009|\\\\,|\{,\})(?=\d)", "", text)
    return {number.rstrip("0").rstrip(".") for number in NUMBER.findall(close)}


def distinctive(question: Item) -> str:
    """The digits of an answer that nothing else has by chance; of `0.5` none."""
    assert question.key is not None
    shown = question.key.number.shown
    if not shown.is_finite() or len(shown.as_tuple().digits) <= 2:
        return ""
    return f"{abs(shown):f}".rstrip("0").rstrip(".")


def leaks(trace: Trace, seed: str, steps: list[str]) -> list[str]:
    entry = papers(trace, request_for(trace, "random:0.4", steps=steps, seed=seed))
    answers = {q.id: distinctive(q) for q in questions(entry.whole)}
    assert any(answers.values())
    return [
        f"{form}: {id_} is {answer}"
        for form in SHEET_FORMATS
        for texts in [digits(render(entry.sheet, form, RenderOptions(100)))]
        for id_, answer in answers.items()
        if len(answer) > 3 and answer in texts
    ]


@sampled(5, name=SCENARIOS, seed=["1", "2", "3", "4", "5", "6"])
def test_no_answer_of_a_share_is_printed(name: str, seed: str) -> None:
    steps = {"sentencepiece": ["viterbi"]}.get(name, [])
    assert leaks(trace_of(SHIPPED[name]), seed, steps) == []


def test_a_printed_answer_would_be_found() -> None:
    """A sheet that keeps its answers is full of them."""
    trace = trace_of(SHIPPED["i_love_ai"])
    entry = papers(trace, request_for(trace, "random:0.4"))
    answers = {distinctive(question) for question in questions(entry.whole)} - {""}
    assert answers <= digits(render(entry.key, "terminal", RenderOptions(100)))


@pytest.mark.parametrize(
    "asked",
    [
        ["sentencepiece", "--step", "viterbi", "--seed", "1"],
        ["i_love_ai", "--step", "ffn", "--forms", "2", "--seed", "3"],
    ],
)
def test_of_the_command_line(asked: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("sheets")
    line = ["exercise", *asked, "--blank", "random:0.4", "--key", "separate", "--format"]
    for form in ("terminal", "csv"):
        result = CliRunner().invoke(app, [*line, form, "-o", f"{folder}/"])
        assert result.exit_code == 0, result.output
    for sheet in folder.glob("*_sheet.txt"):
        key = sheet.with_name(sheet.name.replace("_sheet.txt", "_key.csv"))
        texts = digits(sheet.read_text())
        with key.open(newline="") as file:
            answers = [row["answer"].lstrip("-\u2212") for row in csv.DictReader(file)]
        assert answers
        telling = [x for x in answers if len(x.replace(".", "")) > 2]
        assert not {x.rstrip("0").rstrip(".") for x in telling if float(x)} & texts


HIDDEN = Decimal("0.492608")
ONE_TERM = """
sentence: go
embeddings: {go: [0, 0.5728]}
layers:
  - cell: rnn
    direction: both
    W_ax: [[0.1, -0.86]]
    W_aa: [[1]]
    backward: {W_ax: [[0.2, 0.3]], W_aa: [[1]]}
rounding: {policy: exact, decimals: 3}
"""


@sampled(8, seed=range(40))
def test_no_answer_of_a_recurrent_layer_is_printed(seed: int) -> None:
    """Any cell, one way or both, any steps; in the digits of every format, hidden ones too."""
    rng = Random(seed)
    tree = recurrent(RandomPen(rng))
    tree["rounding"] = {"policy": rng.choice(["carry", "exact"]), "decimals": rng.randint(2, 5)}
    trace = trace_of("".join(f"{key}: {written(value)}\n" for key, value in tree.items()))
    known = steps_of(trace)
    steps = rng.sample(known, rng.randint(1, min(3, len(known))))
    with suppress(SelectionError):  # of some steps nothing can be asked
        check(
            trace,
            papers(trace, request_for(trace, rng.choice(BLANKINGS), steps=steps, detail="full")),
        )


def test_a_sheet_as_data_has_no_more_digits_than_on_paper() -> None:
    """With the digits behind them, a result would tell the one term of it that isn't 0."""
    trace = trace_of(ONE_TERM)
    entry = papers(trace, request_for(trace, "working", detail="full"))
    (term,) = (q for q in questions(entry.whole) if q.key and abs(q.key.number.shown) == HIDDEN)
    assert ".working[" in term.id
    data = json.loads(render(entry.sheet, "json", RenderOptions(80)))
    lines = [line for step in data["steps"] for line in step["working"]]
    assert any(line.get("value") == -0.493 for line in lines)
    assert str(HIDDEN) not in render(entry.sheet, "json", RenderOptions(80))
    assert str(HIDDEN) in render(entry.key, "json", RenderOptions(80))


def test_no_number_is_asked_for_twice() -> None:
    """Inside lines, too: each is asked for where it is needed first."""
    trace = trace_of(SHIPPED["pasta_lookup"])
    entry = papers(trace, request_for(trace, "working", steps=["softmax"]))
    ids = [q.id for q in questions(entry.whole)]
    assert ids.count("weights[Pasta, Food].working[2]") == 1
    assert len(ids) == 9  # four scores, four exponentials, one sum
    assert "/ \u00b7\u00b7\u00b7\u00b7\u00b7\u00b7" in render(
        entry.sheet, "terminal", RenderOptions(100)
    )


def test_an_empty_memory_is_told_and_not_asked_for() -> None:
    trace = trace_of(SHIPPED["yassine_rnn"])
    entry = papers(trace, request_for(trace))
    names = {q.id.partition("[")[0] for q in questions(entry.whole)}
    assert names == {"ax", "z", "a", "ya", "z_y", "y"}
    assert not any(q.id.startswith("a[0]") for q in questions(entry.whole))
    page = render(entry.sheet, "terminal", RenderOptions(100))
    assert "W_aa (given)" not in page.split("Initial state")[1].split("Input at")[0]
    assert "States" not in page
    assert [q.id for q in questions(papers(trace, request_for(trace, steps=["states"])).whole)]


def test_the_memory_of_later_tokens_is_asked_for() -> None:
    trace = trace_of(SHIPPED["yassine_rnn_sentence"])
    ids = [q.id for q in questions(papers(trace, request_for(trace)).whole)]
    assert not [x for x in ids if x.startswith(("aa[1]", "a[0]", "states"))]
    assert [x for x in ids if x.startswith("aa[2]")]


@pytest.mark.parametrize("name", SCENARIOS[:2])
@pytest.mark.parametrize("blank", BLANKINGS)
def test_a_cell_that_is_asked_for_is_asked_for_in_no_line_again(name: str, blank: str) -> None:
    """So a sheet needn't tell which of its numbers inside lines follow from a wrong cell."""
    trace = trace_of(SHIPPED[name])
    items = papers(trace, request_for(trace, blank)).whole.items
    cells = {item.cell for item in items} - {None}
    inside = {item.right.number.cell for item in items if item.cell is None and item.key}
    assert items
    assert not cells & inside
