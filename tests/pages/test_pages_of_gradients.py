"""Pages of the way back: each gradient beside what it belongs to, formulas as mathematics."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.document.blocks import Table
from attncli.document.pictures import Plane
from attncli.document.tables import MatrixBlock, in_groups
from attncli.formats.pictures_in_tables import in_tables
from attncli.formats.screen.pictures import drawn
from attncli.maths.equations import tree as ex
from attncli.maths.equations.tree import at
from attncli.maths.notation import plain
from attncli.maths.notation.latex import latex
from attncli.maths.notation.mathml import mathml
from attncli.maths.notation.plain import unbreakable
from attncli.maths.notation.typst import TypstNotation
from attncli.maths.operations.rearranging import TakeRows
from attncli.maths.operations.relative_positions import TakeByBucket
from attncli.names import GRADIENTS
from attncli.pages.parts.lengths import ONE_PAGE
from attncli.steps.order import STORY
from tests.conftest import sampled
from tests.helpers import ops
from tests.helpers.pages import document_of, page_of, shipped_trace, trace_of
from tests.helpers.pictures_examples import EXAMPLES

SHIPPED = (
    "softmax_gradient", "learning_to_attend", "embedding_before_during_after",
    "rnn_backward_through_time", "adam_by_hand",
)  # fmt: skip
ROW = ex.Total("i", at("G", "i"), ex.Relation("=", at("ids", "i"), ex.Symbol("v")))


def page_at(name: str, columns: int) -> str:
    return CliRunner().invoke(app, ["run", name], env={"COLUMNS": str(columns)}).stdout


def test_a_gradient_stands_beside_what_it_belongs_to() -> None:
    page = page_at("learning_to_attend", 80)
    assert "  weights │ K: the  K: cat  K: it  grad.weights │ K: the  K: cat  K: it\n" in page
    assert "  Q: it   │   0.66    0.25   0.09  Q: it        │   1.06   −2.12  −1.06\n" in page
    assert "  Q   │ 1   2  grad.Q │    1      2    K   │ 1  2  grad.K │" in page


@sampled(2, name=SHIPPED)
def test_on_a_narrow_screen_it_stands_below_and_no_digit_is_lost(name: str) -> None:
    wide, *narrow = (page_at(name, columns) for columns in (200, 60, 40))
    numbers = re.compile(r"\d+\.\d+")
    for page in narrow:
        assert set(numbers.findall(page)) == set(numbers.findall(wide))
    assert all(len(line) <= 60 for line in narrow[0].splitlines() if "│" in line)


def test_a_pair_is_of_one_name() -> None:
    trace = shipped_trace("learning_to_attend")
    page = document_of(trace, "rows")
    tables = [
        [block for block in part.blocks if isinstance(block, MatrixBlock)]
        for part in page.in_lines.sections
    ]
    pairs = [pair for section in tables for pair in in_groups(section) if len(pair) > 1]
    assert len(pairs) == 8
    for forward, gradient in pairs:
        assert gradient.quantity == forward.quantity.under(GRADIENTS)
        assert forward.matrix is trace[forward.quantity].numbers


def test_p_less_y_is_one_page() -> None:
    page = page_at("softmax_gradient", 80)
    assert len(page.splitlines()) <= ONE_PAGE
    assert "logits │ cat  dog  bird  grad.logits │    cat    dog   bird" in page
    assert "▸ Why? attn explain softmax_gradient --step backward_loss\n\n▸ What if" in page


def test_the_weight_of_the_right_token_stands_beside_the_losses() -> None:
    (table,) = (
        table for table in json.loads(page_of(shipped_trace("learning_to_attend"), "json"))["tables"]
        if table["headings"][0] == "Updates"
    )  # fmt: skip
    assert table["headings"][-1] == "weights[it, cat]"
    assert [row[-1] for row in table["rows"]][::2] == ["0.25", "0.76"]
    trace = shipped_trace("learning_to_attend")
    texts = [str(trace[name].number(2, 1).shown) for name in ("weights", "train[2].weights")]
    assert texts == ["0.25", "0.76"]


def test_what_several_times_add_to_weights_is_added_on_the_page() -> None:
    page = page_at("rnn_backward_through_time", 80)
    text = page.partition("Backward through the memory at step 1\n")[2]
    assert "grad.W_aa = grad.W_aa.aa[4] + grad.W_aa.aa[3] + grad.W_aa.aa[2]" in text
    assert "grad.W_aa[3] = [0.0031, 0.0451, 0.0508] + [−0.0072, −0.0184, −0.0163]" in text


def test_the_row_that_is_worked_has_a_gradient() -> None:
    page = page_at("embedding_before_during_after", 80)
    assert "grad.embeddings[2] = [0.412, 0.062]" in page
    assert "update.embeddings[2] = [0.3 − 1×0.412, 0.1 − 1×0.062] = " in page


def test_sums_over_some_rows_in_every_notation() -> None:
    assert unbreakable(plain(ROW)) == "Σ_{i: ids[i] = v} G[i]"
    assert latex(ROW) == r"\sum _{i:\thinspace \mathrm{ids}[i] = v} G[i]"
    assert mathml(ROW).count("<munder>") == 1
    assert re.search(
        r"<munder><mo[^>]*>∑</mo><mrow><mi>i</mi>.*<mi>v</mi></mrow></munder>", mathml(ROW)
    )
    assert 'attach(limits(∑), b: italic("i"): ' in TypstNotation(str, repr).write(ROW)


def test_what_was_taken_from_a_place_goes_back_there() -> None:
    rows = ops.derivative(TakeRows((0, 2, 0), ("a", "c", "a"), "ids"), 0)
    assert unbreakable(plain(rows.formula("dE", "E", "R", "G"))) == "dE[v] = Σ_{i: ids[i] = v} G[i]"
    last = ops.derivative(TakeRows((1,), ("b",), "last"), 0)
    assert unbreakable(plain(last.formula("dX", "X", "R", "G"))) == "dX[last] = G"
    joined = ops.derivative(ops.JoinColumns(2), 1)
    assert unbreakable(plain(joined.formula("dB", "A", "B", "R", "G"))) == (
        "dB = G[columns: part 2 of 2]"
    )
    buckets = ops.derivative(TakeByBucket(4, 2, 1), 1)
    assert unbreakable(plain(buckets.formula("dT", "bucket", "T", "R", "G"))) == (
        "dT[b, 2] = Σ_{ij: bucket[i, j] = b} G[i, j]"
    )


def test_a_sum_that_ends_a_difference_has_no_brackets() -> None:
    total = ex.Total("k", at("x", "k"))
    assert unbreakable(plain(ex.minus(at("a"), total))) == "a − Σ_k x[k]"
    behind = ex.Sum((at("a"), ex.Negative(total), at("b")))
    assert unbreakable(plain(behind)) == "a − (Σ_k x[k]) + b"


WITHOUT_NUMBERS = {"backward_states", "backward_unstack", "backward_average"}
BACK = [name for name in STORY if name.startswith("backward_")]


@sampled(3, name=BACK)
def test_every_step_back_is_explained_with_numbers(name: str) -> None:
    text = CliRunner().invoke(app, ["explain", name]).stdout
    assert ("On these numbers" in text) is (name not in WITHOUT_NUMBERS)
    assert ("there are no numbers" in text) is (name in WITHOUT_NUMBERS)
    assert f"attn explain {name} has some" not in " ".join(text.split())


SHOWN = {
    "backward_softmax": "grad.scores[it, the] = 0.66 × (1 − 0.66) × 1.06 = 0.24",
    "backward_scale": "grad.scores[it, the] = 0.61",
    "backward_ffn": "grad.hidden[AI, 2] = −0.282 × step(−0.282) = 0.000",
    "backward_project": "grad.X[AI, 1] = 6.609",
    "backward_loss": "grad.loss[cat] = 1",
}
"""What a common mistake gives: only the diagonal, the scale left out, the mask of the gradient, one
use only, a sum for the mean."""


@pytest.mark.parametrize("name", SHOWN)
def test_mistakes_of_the_way_back_are_worked(name: str) -> None:
    text = CliRunner().invoke(app, ["explain", name]).stdout.partition("Common mistakes")[2]
    assert SHOWN[name] in text


def test_what_only_hands_on_has_no_mistake_of_handing_on() -> None:
    text = CliRunner().invoke(app, ["explain", "backward_residual"]).stdout
    assert "Handing the gradient on as it is" not in text


def test_adam_stands_beside_gradient_descent() -> None:
    page = page_at("adam_by_hand", 80)
    adam, descent = page.partition("Training\n")[2].split("Variants")
    assert "3 │ 1.7344  −0.1843    −0.1877  0.1765  [0.700031, 0.700030]" in adam
    assert "after 3 updates the loss is 1.4317 instead" in descent
    assert "3 │ 1.4317  −0.2595    −0.2688  0.2389  [0.48432, 0.94844]" in descent


def test_what_explodes_is_clipped() -> None:
    text = " ".join(page_at("rnn_backward_through_time", 80).split())
    assert "it grows at every step, so the gradient explodes." in text
    variant = shipped_trace("rnn_backward_through_time").variants["exploding"]
    norms = [
        (q.values**2).sum() for name, q in variant.quantities.items()
        if name in {f"grad.{local}" for local in ("W_ax", "W_aa", "W_ya", "b_y", "embeddings")}
    ]  # fmt: skip
    assert len(norms) == 5
    assert sum(norms) ** 0.5 == pytest.approx(9.3409, abs=2e-4)
    assert 1 / sum(norms) ** 0.5 == pytest.approx(0.1071, abs=1e-4)
    line = "a norm of 9.3409, above the limit of 1. Clipped, each is multiplied by 0.1071. After 1"
    assert f"{line} update with the learning rate 0.1 the loss is" in text


def test_the_loss_is_drawn_after_each_update() -> None:
    text = (
        CliRunner()
        .invoke(app, ["run", "embedding_before_during_after", "--pictures", "--format", "json"])
        .stdout
    )
    (curve,) = [value for value in json.loads(text)["pictures"] if value["kind"] == "curves"]
    assert curve["title"] == "The loss after each update"
    assert "1.436" in json.dumps(curve)
    assert "0.358" in json.dumps(curve)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_plane_in_characters_says_where_each_arrow_begins(width: int) -> None:
    text = (
        CliRunner()
        .invoke(
            app,
            ["run", "embedding_before_during_after", "--pictures"],
            env={"COLUMNS": str(width)},
        )
        .stdout
    )
    drawn = text.partition("The embeddings, from before training to after it\n\n")[2]
    lines = drawn.partition("\n\n")[0].splitlines()
    # from the origin, by one scale for both: a line is as high as two cells are wide
    row = next(k for k, line in enumerate(lines) if "┼" in line)
    column = lines[row].index("┼")
    unit = 16 / 1.065
    for mark, name, x, y in (
        ("·", "cat", 0.4, -0.6), ("●", "cat", 1.065, 0.289),
        ("·", "apple", 0.3, 0.1), ("●", "kitten", 0.383, 0.917),
    ):  # fmt: skip
        (here,) = [k for k, line in enumerate(lines) if line.endswith(f"{mark} {name}")]
        assert row - here == round(y * unit / 2)
        assert lines[here].index(mark) - column == round(x * unit)
    assert "\n  ● embeddings   · where each began\n" in drawn
    assert "kitten    −0.5     0.2   0.383  0.917" in drawn


def test_only_what_begins_elsewhere_has_a_dot() -> None:
    block = EXAMPLES["plane around"]
    assert isinstance(block, Plane)
    lines, _ = drawn(block, 80)
    dots = "".join(text.text for line in lines for text in line).count("·")
    moved = [arrow for group in block.groups for arrow in group.arrows if arrow.start]
    assert dots == len(moved) + 1 == 2  # and the legend's
    table = in_tables(block)[-1]
    assert isinstance(table, Table)
    assert table.headings == ("Vectors", "of", "from 1", "from 2", "to 1", "to 2")
    assert {row[2:4] for row in table.rows[:-1]} == {("0", "0")}
    assert table.rows[-1][2:] == ("−0.500", "0.200", "0.500", "0.500")


def test_json_has_the_numbers_that_are_told_of_a_variant() -> None:
    trace = shipped_trace("rnn_backward_through_time")
    other = trace.variants["exploding"]
    page = json.loads(
        CliRunner().invoke(app, ["run", "rnn_backward_through_time", "--format", "json"]).stdout
    )
    data = {value["name"]: value for value in page["variants"]}
    assert {*map("grad.a[{}]".format, (1, 2, 3, 4)), "grad_norm", "clip_factor"} <= data.keys()
    assert {"binary_cross_entropy", "train[1].binary_cross_entropy"} <= data.keys()
    for name, value in data.items():
        assert value["variant"] == "exploding"
        assert value["values"] == other[name].values[:, 0].tolist()
    sizes = [sum(x * x for x in data[f"grad.a[{time}]"]["values"]) ** 0.5 for time in (4, 3, 2, 1)]
    start = "In the variant exploding, on its way back"
    (note,) = (value for value in page["notes"] if value.startswith(start))
    assert " → ".join(f"{size:.4f}" for size in sizes) in note


def test_nothing_has_no_minus() -> None:
    """A single token's weight is 1 whatever its score: no gradient goes back to the norms."""
    text = (
        "X: [[0.3, 0.1]]\nW_Q: [[0.5], [1]]\nW_K: [[-1], [-1]]\nW_V: [[-1], [0.5]]\n"
        "qk_norm: {kind: rms}\ntargets: [[1]]\nbackward: true\n"
    )
    page = page_of(trace_of(text))
    assert "grad.K_rms[1] = −(0.000 × " in page
    assert re.search(r"−0\.0+(?![0-9])", page) is None


def test_the_slope_of_a_relu_is_explained_where_it_stands() -> None:
    ffn, scores = (
        CliRunner().invoke(app, ["explain", entry]).stdout
        for entry in ("backward_ffn", "backward_scores")
    )
    assert "step(hidden[i, j])" in ffn
    assert "step is 1 above 0, and 0 otherwise." in " ".join(ffn.split())
    assert "step is 1" not in scores


@pytest.mark.parametrize("name", SHIPPED)
def test_a_page_says_once_what_a_gradient_is(name: str) -> None:
    page = " ".join(page_of(shipped_trace(name)).split())
    meaning = (
        "grad.x is the gradient of x, the derivative of the loss by x: how fast the loss grows"
    )
    assert page.count(meaning) == 1
