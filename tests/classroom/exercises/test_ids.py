"""Each blank has an id of its own, whatever tokens and pieces are called."""

from __future__ import annotations

import csv
import io
import json

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attncli import ScenarioError
from attncli.formats import RenderOptions, render
from attncli.maths.notation.escaping import unguarded
from attncli.pages.explain import find_cells
from attncli.pages.parts.selection import SelectionError
from attncli.trace import Trace
from tests.classroom.made import papers, questions, request_for
from tests.conftest import FEWER
from tests.helpers.pages import trace_of

PARTS = (
    "|",
    "||",
    "a",
    "b",
    " (1)",
    " (2)",
    "[",
    "]",
    ",",
    ".",
    '"',
    "\\",
    "1",
    "working",
    "×",
    "<unk>",
)
WORDS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=3).map("".join)


@st.composite
def attentions(draw: st.DrawFn) -> str:
    """Tokens of all sorts, also several times, with keys before them."""
    tokens = draw(st.lists(WORDS, min_size=1, max_size=5))
    cell = draw(
        st.sampled_from(["projection: none\nscale: none", "cell: rnn\nW_ax: [[1, 0]]\nW_aa: [[1]]"])
    )
    rows = [[k, 1] for k in range(len(tokens))]
    cached = (
        ""
        if "cell" in cell
        else f"cache: {json.dumps({'tokens': tokens[:1], 'K': [[1, 2]], 'V': [[3, 4]]})}\n"
    )
    cached = cached if draw(st.booleans()) else ""
    return f"tokens: {json.dumps(tokens)}\nX: {rows}\n{cell}\n{cached}"


@st.composite
def unigrams(draw: st.DrawFn) -> str:
    """A word of few characters and every piece that it may be cut into."""
    word = draw(st.text("|a(", min_size=2, max_size=5))
    pieces = {word[i:j] for i in range(len(word)) for j in range(i + 1, len(word) + 1)}
    known = draw(st.lists(st.sampled_from(sorted(pieces)), min_size=1, unique=True))
    odds = {piece: -1.5 - k for k, piece in enumerate(("<unk>", *known))}
    return f"sentence: {json.dumps(word)}\ntokenizer: unigram\npieces: {json.dumps(odds)}\n"


@st.composite
def learned(draw: st.DrawFn) -> str:
    """Pieces that are learned from words of few characters."""
    kind = draw(st.sampled_from(["bpe", "wordpiece", "unigram"]))
    words = draw(st.lists(st.text("|a#", min_size=1, max_size=4), min_size=1, max_size=4))
    corpus = json.dumps(" ".join(words))
    return f"tokenizer: {kind}\ncorpus: {corpus}\nvocabulary_size: 8\nsentence: {corpus}\n"


def ids_of(trace: Trace, blank: str) -> list[str]:
    """The ids of an exercise, having come back from an answers file of each kind."""
    entry = papers(trace, request_for(trace, blank))
    asked = [question.id for question in questions(entry.whole)]
    rows = csv.reader(io.StringIO(render(entry.sheet, "csv", RenderOptions()), newline=""))
    assert [unguarded(row[2]) for row in rows][1:] == asked
    assert list(yaml.safe_load(render(entry.sheet, "yaml", RenderOptions()))["answers"]) == asked
    return asked


@pytest.mark.parametrize("blank", ["results", "all"])
@settings(max_examples=FEWER)
@given(text=st.one_of(attentions(), unigrams(), learned()))
def test_no_two_blanks_have_one_id(blank: str, text: str) -> None:
    try:
        trace = trace_of(text)
        asked = ids_of(trace, blank)
    except (ScenarioError, SelectionError):
        assume(False)  # nothing to learn, nothing to ask for
        raise
    assert len(set(asked)) == len(asked)
    for quantity in trace.quantities.values():
        rows, columns = quantity.matrix.shape
        for i, j in ((i, j) for i in range(rows) for j in range(columns)):
            ((name, address),) = find_cells(trace, [quantity.address(i, j)], ())
            assert (name, trace[name].find(address)) == (quantity.name, (i, j))
