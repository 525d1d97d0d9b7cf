"""What pages and sections open with: a question, a worked number, the purpose of a step, shapes."""

from __future__ import annotations

import re
from collections import Counter

from attncli.document.blocks import Paragraph
from attncli.pages.parts.selection import shown_parts
from attncli.steps import steps
from attncli.steps.order import step_of
from tests.conftest import sampled
from tests.helpers.pages import (
    LARGE,
    SHIPPED,
    document_of,
    page_of,
    trace_of,
)


def test_every_step_says_why_in_one_sentence() -> None:
    for step in steps():
        assert re.fullmatch(r"[A-Z].*[^.]\.", step.words.why)
        assert not re.search(r"[.!?] [A-Z]", step.words.why), step.words.why


@sampled(5, name=[name for name in SHIPPED if name not in LARGE])
def test_a_purpose_is_said_once_where_its_step_is_first_told(name: str) -> None:
    trace = trace_of(SHIPPED[name])
    said = Counter[str]()
    for part, section in zip(shown_parts(trace), document_of(trace).sections, strict=True):
        opening = section.blocks[0]
        text = str(opening.text[0]) if isinstance(opening, Paragraph) else ""
        opens = text.startswith(step_of(part).why_here(part.place)) and text != ""
        if not step_of(part).why_here(part.place):
            continue  # an author may say nothing
        assert opens == (not said[part.called])
        said[part.called] += 1


def test_shapes_are_those_of_the_trace() -> None:
    """(n × k)(k × m) = (n × m), as NumPy multiplies what the page has."""
    for name in ("encoder_block", "next_token", "yassine_rnn", "decoder_block"):
        trace = trace_of(SHIPPED[name])
        page = " ".join(page_of(trace).split())
        shapes = {quantity.values.shape for quantity in trace.quantities.values()}
        values = re.findall(r"\((\d+) × (\d+)\)\((\d+) × (\d+)\) = \((\d+) × (\d+)\)", page)
        assert values
        for sizes in values:
            n, inner, again, m, rows, columns = map(int, sizes)
            assert inner == again
            assert (rows, columns) == (n, m)
            assert {(n, inner), (n, m)} <= shapes
            assert {(again, m), (m, again)} & shapes


def test_shapes_are_said_again_only_where_they_differ() -> None:
    trace = trace_of(SHIPPED["next_token"])
    assert len([part for part in shown_parts(trace) if part.step == "scores"]) > 1
    page = " ".join(page_of(trace).split())
    assert page.count("Shapes: (3 × 2)(2 × 3) = (3 × 3).") == 1


def test_decimals_are_told_only_where_a_number_has_some() -> None:
    """Counts of pairs have none, scores of pairs do."""
    told = {name: page_of(trace_of(SHIPPED[name])) for name in ("bpe", "wordpiece", "tokenizers")}
    assert [name for name, page in told.items() if "decimals, rounded" in page] == ["wordpiece"]
