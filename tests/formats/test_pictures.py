"""Pictures: every number of the weights, for those who see them and those who don't."""

from __future__ import annotations

from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.document.pictures import Box, Diagram
from attncli.errors import UserError
from attncli.formats import RenderOptions, picture_format_names, render
from attncli.names import Word
from attncli.notation.escaping import visible
from attncli.pages.parts.pictures import pipeline
from attncli.pipeline import load, work
from attncli.trace import Quantity
from tests.conftest import sampled
from tests.helpers import hostile
from tests.helpers.pages import SHIPPED, document_of, trace_of
from tests.helpers.readers import bare, refused

SVG = "{http://www.w3.org/2000/svg}"
NAMES = [name for name in SHIPPED if name != "embedding_table"]
"""All but one that has no weights and takes long."""


def weights_of(name: str) -> list[Quantity]:
    quantities = trace_of(SHIPPED[name]).quantities.values()
    found = [quantity for quantity in quantities if quantity.local == "weights"]
    aside = ("grad", "train[1]")  # gradients aren't drawn, nor what is told in brief
    return [q for q in found if not str(q.name).startswith(aside)]


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


def test_the_graph_has_an_arrow_for_each_edge() -> None:
    root = picture_of("i_love_tennis")
    arrows = list(root.iter(f"{SVG}line"))
    assert len(arrows) == 16
    widths = {float(e.get("stroke-width", "0")) for e in arrows}
    assert min(widths) == 1
    assert max(widths) == 5
    assert not list(picture_of("i_love_ai").iter(f"{SVG}line"))


@pytest.mark.slow
def test_nothing_stands_outside() -> None:
    for root in (picture_of(name) for name in NAMES if weights_of(name)):
        check_inside(root)


def check_inside(root: ElementTree.Element) -> None:
    _, _, width, height = map(float, root.get("viewBox", "").split())
    for group in root.findall(f"{SVG}g"):
        x, y = map(float, group.get("transform", "")[len("translate(") : -1].split())
        for element in group.iter(f"{SVG}rect"):
            assert x + float(element.get("x", 0)) + float(element.get("width", 0)) <= width
            assert y + float(element.get("y", 0)) + float(element.get("height", 0)) <= height


@pytest.mark.parametrize("draw", range(12))
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


@pytest.mark.parametrize(
    "arguments",
    [("run", "i_love_ai", "--step", "tokenize"), ("lint", "i_love_ai")],
)
def test_a_page_without_pictures_is_told_so(arguments: tuple[str, ...]) -> None:
    code, page, text = attn(*arguments, "--format", "svg")
    assert (code, page) == (2, "")
    assert text == (
        "--format svg: there is nothing on this page to draw; pictures are made of steps such as"
        " softmax, so ask for a page with one\n"
    )


def test_pictures_are_no_papers() -> None:
    assert picture_format_names() == ["svg"]
    code, _, text = attn("exercise", "i_love_ai", "--format", "svg")
    assert code == 2
    assert "no such format" in text


def steps_of(text: str, *changes: str) -> Diagram:
    (diagram,) = pipeline(work(load(text, changes)))
    return diagram


def told(box: Box) -> str:
    return f"{box.label} {box.below}".strip()


def ways_through(diagram: Diagram) -> set[tuple[str, str]]:
    boxes = {box.id: told(box) for box in diagram.boxes}
    return {(boxes[link.source], boxes[link.target]) for link in diagram.links}


@pytest.mark.parametrize(
    ("name", "into"),
    [("yassine_lstm", "Gates"), ("yassine_gru", "Gates"), ("rnn_backward_through_time", "Memory")],
)
def test_each_state_goes_on_to_the_next_one(name: str, into: str) -> None:
    ways = ways_through(steps_of(name))
    start = "Initial state, before the first token"
    assert (start, f"{into} at step 1") in ways
    assert ("State at step 1", f"{into} at step 2") in ways
    assert ("State at step 2", "2 more times alike") in ways
    fed = {target for source, target in ways if source == start}
    assert all(target.endswith("at step 1") for target in fed)


def test_the_gradients_of_the_states_go_back_from_each_to_the_one_before() -> None:
    ways = ways_through(steps_of("rnn_backward_through_time"))
    back = "Backward through the"
    assert (f"{back} memory at step 4", f"{back} state at step 3") in ways
    assert (f"{back} read-out at step 4", f"{back} state at step 4") in ways
    assert (f"{back} memory at step 3", "2 more times alike") in ways
    assert ("2 more times alike", f"{back} embeddings") in ways


def test_few_times_are_all_drawn() -> None:
    ways = ways_through(steps_of("yassine_lstm", "sentence=Yassine is king"))
    assert ("State at step 2", "Gates at step 3") in ways
    assert ("State at step 3", "Read-out at step 3") in ways


def test_no_box_stands_on_another_and_arrows_go_down() -> None:
    for name in ("yassine_lstm", "rnn_backward_through_time", "decoder_block"):
        diagram = steps_of(name)
        rows = {box.id: box.row for box in diagram.boxes}
        assert len({(box.column, box.row) for box in diagram.boxes}) == len(diagram.boxes)
        assert all(rows[link.source] < rows[link.target] for link in diagram.links)
