"""A mistake that has two directions is told in the one that was made: where a matrix is kept in × out
its rows are the wrong ones, where it is kept out × in its columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from attncli import Trace, load, work
from attncli.judging.wrong_ways import declared_ways
from attncli.steps import step_named
from attncli.steps.order import STORY
from tests.helpers.marking_cases import run
from tests.helpers.plain import read

LAYER = """\
tokens: [a, b]
X: [[1, 2], [3, 5]]
W_Q: [[1, 2], [3, 4]]
W_K: [[1, 0], [0, 1]]
W_V: [[1, 0], [0, 1]]
"""
BLOCK = f"{LAYER}W_O: [[1, 2], [0, 1]]\nW1: [[1, 2], [0, 1]]\nW2: [[1, 2], [0, 1]]\n"
WAY_BACK = f"""\
{BLOCK}unembedding: [[0.1, 0], [0.2, 0.1]]
vocabulary: {{a: 0, b: 1}}
targets: [b, a]
backward: true
"""
CELL = """\
tokens: [a, b]
X: [[1, 2], [3, 5]]
cell: rnn
W_ax: [[1, 2], [0, 1]]
W_aa: [[0.5, 1], [0, 1]]
gradient: true
"""
DRAWN = """\
vocabulary: {a: 0, b: 1, c: 2}
logits: [[1, 2, 0]]
next: {draw: 0.5, draw_order: %s}
"""
ROWS = "Multiplying by the rows of {} instead of its columns"
COLUMNS = "Multiplying by the columns of {} instead of its rows"
FORGOTTEN = "Forgetting to transpose: it is {}, not {}."


def told(trace: Trace, mistake: str, made: str = "") -> set[str]:
    """What a mistake is called in making a quantity of a trace, or any."""
    ways = (way for part in trace.story for way in declared_ways(trace, part))
    return {
        way.says for way in ways if way.name == mistake and made in ("", way.definitions[0].name)
    }


@pytest.mark.parametrize(
    ("text", "mistake", "row", "linear"),
    [
        *(
            (
                LAYER, f"W_{x}_transposed",
                f"{ROWS.format(f'W_{x}')}, which is X W_{x}ᵀ.",
                f"{COLUMNS.format(f'W_{x}')}, which is X W_{x}.",
            )
            for x in "QKV"
        ),
        *(
            (BLOCK, f"{W}_transposed", f"{ROWS.format(W)}.", f"{COLUMNS.format(W)}.")
            for W in ("W_O", "W1", "W2")
        ),
        (
            CELL, "W_ax_transposed",
            "Multiplying the input by the rows of W_ax instead of its columns.",
            "Multiplying the input by the columns of W_ax instead of its rows.",
        ),
        (
            CELL, "W_aa_transposed",
            "Multiplying the memory by the rows of W_aa instead of its columns.",
            "Multiplying the memory by the columns of W_aa instead of its rows.",
        ),
        (
            CELL, "W_aa_not_transposed",
            "Multiplying by W_aaᵀ instead of W_aa itself, which is kept in × out.",
            "Multiplying by W_aa itself instead of W_aaᵀ.",
        ),
    ],
)  # fmt: skip
def test_the_direction_is_that_of_the_layout(
    text: str, mistake: str, row: str, linear: str
) -> None:
    for layout, says in (("row", row), ("linear", linear)):
        assert told(work(load(read(f"{text}weights_layout: {layout}\n"))), mistake) == {says}


@pytest.mark.parametrize(
    ("layout", "made", "product", "wrong"),
    [
        ("row", "grad.W2", "activatedᵀ ∂ffn", "activated ∂ffn"),
        ("linear", "grad.W2", "∂ffnᵀ activated", "∂ffn activated"),
        ("row", "grad.activated", "∂ffn W2ᵀ", "∂ffn W2"),
        ("row", "grad.V", "weightsᵀ ∂output", "weights ∂output"),
        ("row", "grad.weights", "∂output Vᵀ", "∂output V"),
        ("row", "grad.K", "∂scoresᵀ Q", "∂scores Q"),
    ],
)
def test_a_transpose_that_is_forgotten_is_told_in_its_own_letters(
    layout: str, made: str, product: str, wrong: str
) -> None:
    trace = work(load(read(f"{WAY_BACK}weights_layout: {layout}\nscale: none\n")))
    assert told(trace, "transpose_forgotten", made) == {FORGOTTEN.format(product, wrong)}


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ("probability", "in the order of the vocabulary instead of from the most likely on."),
        ("vocabulary", "from the most likely on instead of in the order of the vocabulary."),
    ],
)
def test_the_order_of_a_draw_is_told(order: str, says: str) -> None:
    trace = work(load(read(DRAWN % order)))
    assert told(trace, "other_order") == {f"Adding the probabilities up {says}"}


def test_what_tells_both_directions_tells_which_was_made() -> None:
    """No mistake goes without that."""
    for name in STORY:
        for mistake in step_named(name).mistakes:
            both = "the other way round" in mistake.says
            assert not both or mistake.says_which is not None, (name, mistake.name)


@pytest.mark.wing("classroom")
@pytest.mark.parametrize(
    ("layout", "numbers", "says"),
    [
        ("linear", "[[7, 10], [18, 26]]", f"{COLUMNS.format('W_Q')}, which is X W_Q."),
        ("row", "[[5, 11], [13, 29]]", f"{ROWS.format('W_Q')}, which is X W_Qᵀ."),
    ],
)
def test_pages_tell_the_direction(layout: str, numbers: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "layer.yaml"
    path.write_text(f"{LAYER}weights_layout: {layout}\npublished: {{Q: {numbers}}}\n", "utf-8")
    for words in (
        ("check", path),
        ("explain", path, "--step", "project"),
        ("exercise", path, "--step", "project", "--mistakes", "50"),
    ):
        text = " ".join(run(*words).stdout.split())
        assert says in text, words
        assert "the other way round" not in text


@pytest.mark.real("torch")
def test_a_comparison_tells_the_direction() -> None:
    torch = pytest.importorskip("torch")
    from attncli.torch import compare

    X, W = torch.tensor([[1.0, 2.0], [3.0, 5.0]]), torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    for layout, made in (("linear", X @ W), ("row", X @ W.T)):
        found = compare({"Q": made}, like=load(read(f"{LAYER}weights_layout: {layout}\n")))
        way = COLUMNS if layout == "linear" else ROWS
        assert way.format("W_Q") in " ".join(str(found).split())
