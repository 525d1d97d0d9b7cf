"""Pictures: every number of the weights, for those who see them and those who don't."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.document.pictures import Diagram
from attncli.errors import UserError
from attncli.formats import RenderOptions, picture_format_names, render
from attncli.maths.notation import plain
from attncli.maths.notation.escaping import visible
from attncli.maths.operations.equation import is_a
from attncli.maths.operations.written import WrittenOperation
from attncli.names import Word, raw
from attncli.option_values import Pictures
from attncli.pages.parts.diagrams import pipeline
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from attncli.pipeline import load, work
from attncli.trace import Quantity
from tests.conftest import sampled, share
from tests.helpers import hostile
from tests.helpers.browser import opened
from tests.helpers.pages import SHIPPED, document_of, trace_of
from tests.helpers.readers import bare, refused

SVG = "{http://www.w3.org/2000/svg}"
NAMES = [name for name in SHIPPED if name != "embedding_table"]
"""All but one that has no weights and takes long."""


def weights_of(name: str) -> list[Quantity]:
    quantities = trace_of(SHIPPED[name]).quantities.values()
    found = [quantity for quantity in quantities if quantity.local == "weights"]
    aside = ("grad", "train[1]")  # gradients aren't drawn, nor what is told in brief
    return [q for q in found if not str(q.name).startswith(aside) and not _is_only_called_so(q)]


def _is_only_called_so(quantity: Quantity) -> bool:
    """Whether an equation of a scenario's own makes it, and no softmax: only these are drawn."""
    return quantity.definition is not None and is_a(quantity.definition.operation, WrittenOperation)


def picture_of(name: str) -> ElementTree.Element:
    return ElementTree.fromstring(
        render(document_of(trace_of(SHIPPED[name])), "svg", RenderOptions())
    )


def texts_of(root: ElementTree.Element) -> list[str]:
    return [bare(e.text or "") for e in root.iter(f"{SVG}text")]


def attn(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [*arguments])
    assert result.exit_code in (0, 2), (arguments, result.exception)
    return result.exit_code, result.stdout, result.stderr


@sampled(5, name=NAMES)
def test_every_weight_is_drawn_and_told(name: str) -> None:
    weights = weights_of(name)
    if not weights:
        with pytest.raises(UserError, match="nothing on this page to draw"):
            picture_of(name)
        return
    root = picture_of(name)
    texts = texts_of(root)
    for group in root.findall(f"{SVG}g"):
        line = bare(group.findtext(f"{SVG}desc") or "")
        drawn = [bare(e.text or "") for e in group.iter(f"{SVG}text")]
        assert all(text in line for text in drawn), (line, drawn)
    assert len(root.findall(f"{SVG}g")) >= len(weights)
    for quantity in weights:
        rows, columns = quantity.matrix.shape
        for i in range(rows):
            for j in range(columns):
                assert f"{quantity.matrix.number(i, j).shown}" in texts


def test_the_largest_of_each_row_is_bold_where_it_is() -> None:
    root = picture_of("i_love_ai")
    bold = [e.text for e in root.iter(f"{SVG}text") if "most" in e.get("class", "").split()]
    assert bold == ["0.422", "0.422", "0.576", "0.665"]


def test_a_larger_weight_is_in_a_heavier_shade() -> None:
    root = picture_of("i_love_tennis")
    classes = [e.get("class", "") for e in root.iter(f"{SVG}rect")]
    classes = [entry for entry in classes if entry.startswith("shade")]
    texts = [e.text or "" for e in root.iter(f"{SVG}text") if " on" in e.get("class", "")]
    shades = dict(zip(texts, classes, strict=True))
    order = sorted(shades, key=float)
    assert [shades[text] for text in order] == sorted(shades.values())
    assert shades["0.8"] > shades["0.65"] > shades["0.2"] > shades["0.05"]


def test_a_ribbon_is_as_wide_as_its_weight_is_large() -> None:
    """And each query's weights stand below its words in their order."""
    root = picture_of("i_love_tennis")
    ribbons = [e for e in root.iter(f"{SVG}path") if "ribbon" in e.get("class", "").split()]
    (weights,) = weights_of("i_love_tennis")
    drawn = [float(n) for n in weights.values.ravel() if n]
    assert len(ribbons) == len(drawn) == 16
    for ribbon, weight in zip(ribbons, drawn, strict=True):
        assert float(ribbon.get("stroke-width", "0")) == pytest.approx(36 * weight, abs=0.06)
    heaviest = [e.get("class") for e in ribbons].count("ribbon most")
    assert heaviest == sum(sum(row == max(row)) for row in weights.values)


def test_nothing_stands_outside() -> None:
    for name in share(4, NAMES, "nothing outside"):
        if weights_of(name):
            check_inside(picture_of(name))


def check_inside(root: ElementTree.Element) -> None:
    _, _, width, height = map(float, root.get("viewBox", "").split())
    for group in root.findall(f"{SVG}g"):
        x, y = map(float, group.get("transform", "")[len("translate(") : -1].split())
        for element in group.iter(f"{SVG}rect"):
            assert x + float(element.get("x", 0)) + float(element.get("width", 0)) <= width
            assert y + float(element.get("y", 0)) + float(element.get("height", 0)) <= height


@sampled(2, draw=range(12))
def test_words_are_drawn_harmlessly(draw: int, tmp_path: Path) -> None:
    data = hostile.attention(Random(f"svg {draw}"), tmp_path)
    code, page, line = attn(
        "run", str(hostile.written(data, tmp_path / "s.yaml")), "--format", "svg"
    )
    assert code == 0, line
    texts = texts_of(ElementTree.fromstring(page.encode()))
    assert all(refused(text) == [] for text in texts)
    assert visible(Word(data["title"])) in texts
    for token in data["tokens"]:
        assert f"Q: {visible(Word(token))}" in texts or visible(Word(f"Q: {token}")) in texts


def test_a_graph_is_called_as_on_the_page() -> None:
    titles = [e.findtext(f"{SVG}title") for e in picture_of("tennis_and_rafael").findall(f"{SVG}g")]
    assert titles == ["weights", "Who attends to whom", "Who attends to whom in the variant causal"]


def test_a_part_of_a_page_has_its_own_pictures(tmp_path: Path) -> None:
    path = tmp_path / "weights.svg"
    code, _, text = attn("run", "encoder_block", "--head", "2", "--token", "go", "-o", str(path))
    assert code == 0, text
    root = ElementTree.fromstring(path.read_text("utf-8"))
    titles = [e.findtext(f"{SVG}title") or "" for e in root.findall(f"{SVG}g")]
    assert "Head 2 · weights" in titles
    assert all("Head 2" in title for title in titles)
    assert "Q: go" in texts_of(root)
    assert "Q: can" not in texts_of(root)


@pytest.mark.wing("classroom")
@pytest.mark.parametrize(
    "arguments",
    [("run", "i_love_ai", "--step", "tokenize"), ("lint", "i_love_ai")],
)
def test_a_page_without_pictures_is_told_so(arguments: tuple[str, ...]) -> None:
    code, page, text = attn(*arguments, "--format", "svg")
    assert (code, page) == (2, "")
    assert text == (
        "--format svg: there is nothing on this page to draw; pictures show steps such as"
        " softmax, so ask for a page with one\n"
    )


@pytest.mark.wing("classroom")
def test_pictures_are_no_papers() -> None:
    assert picture_format_names() == ["svg"]
    code, _, text = attn("exercise", "i_love_ai", "--format", "svg")
    assert code == 2
    assert "no such format" in text


def steps_of(text: str, *changes: str) -> list[Diagram]:
    return [*pipeline(work(load(text, changes)))]


def ways_through(diagram: Diagram) -> list[tuple[str, str, str]]:
    boxes = {box.id: f"{raw(box.label)} {raw(box.below)}".strip() for box in diagram.boxes}
    return [(boxes[link.source], boxes[link.target], raw(link.label)) for link in diagram.links]


def vector(quantity: Quantity) -> str:
    numbers = (plain(quantity.number(i, 0)) for i in range(quantity.matrix.shape[0]))
    return f"{quantity.name} = [{', '.join(numbers)}]"


@pytest.mark.parametrize(
    ("name", "cell", "states"), [("yassine_lstm", "LSTM", "ac"), ("yassine_gru", "GRU", "a")]
)
def test_each_state_goes_on_to_the_next_cell(name: str, cell: str, states: str) -> None:
    (diagram,) = steps_of(name)
    trace, ways = trace_of(SHIPPED[name]), ways_through(diagram)
    for time in (1, 2, 3):
        ends = (f"{cell} cell at step {time}", f"{cell} cell at step {time + 1}")
        told = ", ".join(vector(trace[f"{state}[{time}]"]) for state in states)
        assert (*ends, told) in ways
    taken = [(token, cell) for token, cell, label in ways if not label]
    assert taken == [
        (f"{word} X 3", f"{cell} cell at step {k}")
        for k, word in enumerate(("Yassine", "is", "the", "king"), start=1)
    ]
    columns = {box.id: box.column for box in diagram.boxes}
    assert all(columns[link.target] - columns[link.source] in (0, 1) for link in diagram.links)


def test_the_gradients_of_the_states_go_back_from_each_to_the_one_before() -> None:
    forward, back = steps_of("rnn_backward_through_time")
    assert "gradient" not in raw(forward.title)
    between = [
        (f"Backward at step {t + 1}", f"Backward at step {t}", "grad.a 3") for t in (3, 2, 1)
    ]
    assert ways_through(back) == [("Loss", "Backward at step 4", "grad.z_y 1"), *between]


def test_of_many_times_the_first_and_the_last_are_drawn() -> None:
    (diagram,) = steps_of("yassine_lstm", "sentence=is is is is the the king king")
    ways = ways_through(diagram)
    labels = {(source, target): label for source, target, label in ways}
    assert labels["LSTM cell at step 2", "5 more steps alike"].startswith("a[2] = [")
    assert labels["5 more steps alike", "LSTM cell at step 8"].startswith("a[7] = [")
    assert ("… X 3", "5 more steps alike", "") in ways


def test_longer_states_have_their_shapes_on_the_arrows() -> None:
    (diagram,) = steps_of("yassine_lstm", "rounding.decimals=5")
    assert raw(diagram.title).endswith("the shapes of what it hands on")
    assert ("LSTM cell at step 1", "LSTM cell at step 2", "a, c 2") in ways_through(diagram)


def test_a_read_out_that_takes_what_goes_on_has_its_name() -> None:
    *_, last = labels = [
        label for _, to, label in ways_through(steps_of("yassine_rnn_sentence")[0]) if "Read" in to
    ]
    assert labels[:-1] == ["a[1]", "a[2]", "a[3]"]
    assert last.startswith("a[4] = [")


def test_a_layer_that_goes_both_ways_has_its_tokens_between() -> None:
    both = steps_of("yassine_rnn_sentence", "direction=backward")[0]
    rows = {raw(box.label): box.row for box in both.boxes}
    assert rows["RNN cell"] > rows["Yassine"]


def test_no_box_stands_on_another_and_arrows_go_down() -> None:
    for name in ("encoder_block", "decoder_block", "mixture_of_experts"):
        (diagram,) = steps_of(name)
        rows = {box.id: box.row for box in diagram.boxes}
        assert len({(box.column, box.row) for box in diagram.boxes}) == len(diagram.boxes)
        assert all(rows[link.source] < rows[link.target] for link in diagram.links)


def test_no_text_of_a_shipped_picture_stands_on_another_or_outside(
    chromium: Any, tmp_path: Path
) -> None:
    """As a browser measures them, each a little smaller than the room of its line."""
    wrong, all_drawn = [], Selection(pictures=Pictures.ALL)
    for name in share(6, SHIPPED, "texts"):
        path, page = tmp_path / f"{name}.svg", walkthrough(trace_of(SHIPPED[name]), all_drawn)
        try:
            path.write_text(render(page, "svg", RenderOptions()), "utf-8")
        except UserError:  # there is nothing to draw
            continue
        with opened(chromium, path) as window:
            wrong += [f"{name}: {pair}" for pair in window.evaluate(OVERLAPS)]
    assert wrong == []


OVERLAPS = """() => {
  const texts = [...document.querySelectorAll("text")].filter(one => one.textContent.trim());
  const whole = document.documentElement.getBoundingClientRect();
  const boxes = texts.filter(one => !(one.getAttribute("transform") || "").includes("rotate"))
    .map(one => [one.textContent, one.getBoundingClientRect()]);
  const found = [];
  const outside = b => b.left < whole.left || b.right > whole.right || b.bottom > whole.bottom;
  boxes.forEach(([text, a], i) => {
    if (outside(a)) found.push(text + " outside");
    for (const [other, b] of boxes.slice(i + 1)) {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 4) found.push(`${text} on ${other}`);
    }
  });
  return found;
}"""
