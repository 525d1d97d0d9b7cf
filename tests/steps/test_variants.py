"""What a page says of a scenario's variants: what each changed, and what comes of it."""

from __future__ import annotations

from tests.helpers.pages import GOLDEN, SHIPPED, page_of, trace_of
from tests.project.test_cli import attn

TWO = "X: [[1, 2], [3, 4]]\nprojection: none\nscale: 1\nblock: attention\n"


def variants_in(text: str) -> str:
    """A page from its variants on, on one line."""
    return " ".join(page_of(trace_of(text)).partition("Variants")[2].split())


def test_a_changed_matrix_is_shown_and_the_lesson_told() -> None:
    text = variants_in(SHIPPED["yassine_rnn_sentence"])
    assert "W_aa (given) │ 1 2 3" in text
    assert "1 │ 8 −2 −6" in text
    lesson = "0.834 → 2.014 → 4.199 → 8.369: it grows at every step, so the gradient explodes."
    assert lesson in text
    assert (
        "differ from those in the scenario itself: most that of “Yassine”, with 8.369 instead of"
        " 0.004." in text
    )


def test_what_stays_as_it_is_is_not_shown_again() -> None:
    text = variants_in(SHIPPED["word_order"])
    assert "(given)" not in text
    assert "(sentence: alone go can I)" in text


def test_the_rows_that_differ_are_counted() -> None:
    text = variants_in(f"{TWO}V: [[1, 1], [2, 2]]\nvariants: {{other: {{V: [[1, 1], [2, 3]]}}}}\n")
    assert (
        "both rows of output differ from those in the scenario itself: most that of token 2, with"
        in text
    )
    masked = variants_in(f"{TWO}variants: {{causal: {{mask: causal}}}}\n")
    assert (
        "1 of the 2 rows of output differs from that in the scenario itself: the row of token"
        in masked
    )
    assert "Token 1 attends only to itself (1.000)" in masked


def test_results_that_cannot_be_compared() -> None:
    text = variants_in(f"{TWO}variants: {{longer: {{X: [[1, 2], [3, 4], [5, 6]]}}}}\n")
    assert "output has other tokens or another shape than in the scenario itself." in text
    same = variants_in(f"{TWO}variants: {{same: {{X: [[1, 2], [3, 4]]}}}}\n")
    assert "output has the same rows as in the scenario itself." in same


def test_a_variant_says_what_its_result_says_once() -> None:
    meeting = variants_in(SHIPPED["meeting"])
    assert "(other weights): 1 of the 4 rows" in meeting
    assert "attends" not in meeting
    heads = variants_in(SHIPPED["three_tokens"])
    assert "▸ Head 2: token 3 attends most to token 1 (0.42)." in heads


def test_the_row_that_differs_most_is_one_that_is_shown() -> None:
    text = " ".join((GOLDEN / "tennis_and_rafael.txt").read_text("utf-8").split())
    assert "11 of the 12 rows of output differ from those in the scenario itself: of those" in text
    assert "of those shown most that of “Tennis”, with 0.017 instead of 0.363" in text
    assert "instead of 0.363 in column “Person”." in text
    last = " ".join(attn("run", "i_love_tennis_causal", "--token", ".").stdout.split())
    assert "(mask: none): 3 of the 4 rows of output differ from those in the" in last
    assert "in the scenario itself, none of them shown here." in last
