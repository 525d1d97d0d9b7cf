"""Each number of a trace stands on its page in full, in the section of the step that made it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from attncli.document.blocks import Document, Section
from attncli.formats import RenderOptions, render
from attncli.maths.equations.elision import MOST_PARTS, elided, elided_rows
from attncli.maths.notation import plain
from attncli.trace import Quantity, Trace
from tests.helpers.pages import SHIPPED, document_of, trace_of

SAMPLED = [
    "alice_met_bob", "i_love_ai", "pasta_lookup", "three_tokens_two_heads", "unigram", "wordpiece",
    "yassine_lstm",
]  # fmt: skip
FORMATS = ["terminal", "markdown", "latex"]


def numbers_in(text: str) -> set[str]:
    """The numbers of a text of any format, each with its minus sign."""
    bare = text.replace("\\phantom{-}", "").replace("−", "-").replace("\\infty", "∞")
    return set(re.findall(r"-?(?:∞|\d+(?:\.\d+)?)", bare))


def printed(quantity: Quantity) -> Iterator[str]:
    """The numbers of a quantity that a page in full has room for."""
    rows, columns = quantity.matrix.shape
    places = elided_rows(rows, of_list=quantity.is_list)
    for i in (place for place in places if place is not None):
        for j in (place for place in elided(columns, MOST_PARTS) if place is not None):
            yield plain(quantity.matrix.number(i, j)).replace("−", "-")


def missing_from(trace: Trace, document: Document, form: str) -> dict[str, list[str]]:
    """What isn't told of each quantity where it was made, or of a given one anywhere."""

    def told(*sections: Section) -> set[str]:
        page = document._replace(sections=sections, opening=(), closing=(), facts=None)
        return numbers_in(render(page, form, RenderOptions(80)))

    alike: dict[tuple[str, str], list[Section]] = {}
    for section in document.sections:
        alike.setdefault((section.step, section.path), []).append(section)
    pools = {which: told(*sections) for which, sections in alike.items()}
    everywhere = numbers_in(render(document, form, RenderOptions(80)))
    missing: dict[str, list[str]] = {}
    for name, quantity in trace.quantities.items():
        part = trace.part_of(quantity.name)
        made = None if quantity.given or part is None else pools.get((part.step, part.path))
        pool = everywhere if made is None else made
        missing[name] = [text for text in printed(quantity) if text not in pool]
    return {name: numbers for name, numbers in missing.items() if numbers}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", SAMPLED)
def test_a_page_in_full_has_every_number(name: str, form: str) -> None:
    trace = trace_of(SHIPPED[name])
    assert missing_from(trace, document_of(trace), form) == {}


def test_a_number_that_is_left_out_is_found() -> None:
    trace = trace_of(SHIPPED["i_love_ai"])
    document = document_of(trace)
    softmax = next(s for s in document.sections if s.step == "softmax")
    others = tuple(s for s in document.sections if s is not softmax)
    cut = document._replace(sections=(*others, softmax._replace(blocks=softmax.blocks[:1])))
    assert set(missing_from(trace, cut, "terminal")) == {"exp", "exp_sum", "weights"}
