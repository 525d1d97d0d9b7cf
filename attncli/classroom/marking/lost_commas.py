"""Decimal commas that a spreadsheet took for separators of thousands: 17190 for 17,190."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from attncli.classroom.marking.answers import AnswerSheet
from attncli.classroom.marking.exam import Exam
from attncli.classroom.marking.exam_parts import WholeExam
from attncli.document.questions import points_text
from attncli.judging.verdicts import Given
from attncli.names import Word, WordedText

_GROUP = 3
"""The digits of a group. Only a comma before just so many is taken for a separator."""
_FEWEST = 5
"""Numbers of a paper whose commas aren't lost by chance."""


def commas_lost(exam: WholeExam, sheet: AnswerSheet) -> int:
    """Counts the numbers of a paper that are right but for their lost commas. Returns 0 where they
    are few, or not most of those that may have lost one."""
    pairs = [*_whole_numbers(exam, sheet)]
    count = sum(takes for _, takes in pairs)
    return count if count >= _FEWEST and 2 * count > len(pairs) else 0


def restored(exam: WholeExam, sheet: AnswerSheet) -> AnswerSheet:
    """Returns a sheet with the lost commas put back, as points: all whole numbers that aren't right
    as they are have lost one."""
    found = {id_: _with_comma(sheet.answers[id_]) for id_, _ in _whole_numbers(exam, sheet)}
    return sheet._replace(answers={**sheet.answers, **found})


def _whole_numbers(exam: WholeExam, sheet: AnswerSheet) -> Iterator[tuple[str, bool]]:
    """Yields the ids of numbers that may have lost a comma, each with whether it is right with
    one."""
    for id_, given in sheet.answers.items():
        of, item = exam.asked.get(id_, (None, None))
        if not isinstance(of, Exam) or item is None or item.cell is None or not given.number:
            continue
        accepted = of.judge.accepted(item.cell)
        if given.text.strip().lstrip("+-−").isdigit() and not accepted.takes(given.number):
            yield id_, accepted.takes(_with_comma(given).number or Decimal(0))


def _with_comma(given: Given) -> Given:
    """Returns a number as it was before its comma was lost."""
    assert given.number is not None
    number = given.number.scaleb(-_GROUP)
    return given._replace(text=f"{number:f}", number=number, places=_GROUP)


def told_of_lost(
    exam: WholeExam, sheet: AnswerSheet, count: int, points: Decimal
) -> tuple[WordedText, ...]:
    """Says that a paper has lost so many commas, what can be done about it, and how many points it
    would earn then."""
    given = next(sheet.answers[id_] for id_, takes in _whole_numbers(exam, sheet) if takes)
    what = f"{count} numbers look as if a spreadsheet took their decimal commas or points for"
    how = "Enter them again, or add --restore-commas, by which the paper earns"
    return (
        (f"{what} separators of thousands: “", Word(given.text), f"” for"
         f" {_with_comma(given).text}. {how} {points_text(points)}."),
    )  # fmt: skip


def told_of_restored(count: int) -> WordedText:
    """Says that the commas of a paper were put back."""
    return (
        f"Decimal commas or points were put back that a spreadsheet took: {count} numbers are"
        " right with them.",
    )
