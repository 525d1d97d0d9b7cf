"""Moodle files read by a package that isn't ours, where it is installed."""

from __future__ import annotations

from decimal import Decimal

import pytest

from attncli.formats import RenderOptions, render
from tests.classroom.made import papers, questions, request_for
from tests.helpers.pages import SHIPPED, trace_of

reader = pytest.importorskip("moodle_xml_parser.parser")


def test_another_reader_finds_each_blank_with_its_points_and_its_answer() -> None:
    trace = trace_of(SHIPPED["i_love_ai"])
    document = papers(trace, request_for(trace)).whole
    (question,) = reader.parse_string(render(document, "moodle", RenderOptions(80)))["cloze"]
    fields = [gap for gap in question.gaps if gap.sub_type == "NUMERICAL"]
    asked = questions(document)
    assert len(fields) == len(asked)
    for gap, item in zip(fields, asked, strict=True):
        assert item.key is not None
        assert gap.sub_grade == item.points
        best = [option.answer for option in gap.options if option.score == 100]
        assert Decimal(best[0].partition(":")[0]) == item.key.number.shown
        middle, _, tolerance = best[-1].partition(":")
        ends = Decimal(middle) - Decimal(tolerance), Decimal(middle) + Decimal(tolerance)
        assert ends == item.key.accepted
