"""A class sits an exam: honest papers have all points, what is planted is named, by each way of entry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.planted.classroom import (
    EXAM,
    Student,
    as_answers,
    as_responses,
    as_table,
    exam,
    forms_of,
    marked,
    report,
    students,
)
from tests.planted.sheet import Sheet


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exam(tmp_path_factory.mktemp("exam"))


@pytest.fixture(scope="module")
def class_(made: Path) -> list[Student]:
    return [*students(made, 24, seed=1)]


@pytest.mark.parametrize(
    ("way", "file"),
    [(as_table, "class.csv"), (as_answers, "answers"), (as_responses, "responses.csv")],
)
def test_a_class_is_marked_rightly(
    way: Callable[[Path, Path, list[Student]], Path],
    file: str,
    made: Path,
    class_: list[Student],
    tmp_path: Path,
) -> None:
    found = report(class_, marked(made, way(made, tmp_path / file, class_), tmp_path / "marked"))
    assert not found.wrong
    assert not found.missed
    assert found.planted > 5


SCHEME = "scheme: {mistake: 0.5, carry: false, times: all}"
"""Each number by itself, as an LMS marks: it knows no other one of the paper."""


def by_moodle(question: str, answers: list[str]) -> Iterator[float]:
    """What each number earns in a Cloze question: by the first of its alternatives that takes it."""
    blanks = re.findall(r"\{(\d+):NUMERICAL:(.*?)\}", question, re.DOTALL)
    for (points, alternatives), text in zip(blanks, answers, strict=True):
        kinds = re.findall(r"(?:^|~)(=|%\d+%)(-?[\d.]+):([\d.]+)", alternatives)
        shares = (
            1.0 if share == "=" else float(share.strip("%")) / 100
            for share, number, off in kinds
            if abs(float(text) - float(number)) <= float(off) + 1e-9
        )
        yield int(points) * next(shares, 0.0)


def test_moodle_gives_what_grade_gives(tmp_path: Path) -> None:
    """On right papers, and on mistakes behind which nothing follows or is wrong by another's way."""
    made = exam(tmp_path, EXAM.replace("forms: 4", f"forms: 1\nseed: 3\n{SCHEME}"))
    xml = (made / "midterm_moodle.xml").read_text("utf-8")
    ((form, parts),) = forms_of(made).items()
    for mistake in ("", "keys_for_values"):
        done = [part.work(Sheet(way="rounded"), (mistake, "")[k]) for k, part in enumerate(parts)]
        answers = {
            f"{k}/{id_}": text
            for k, (part, sheet) in enumerate(zip(parts, done, strict=True), start=1)
            for id_, text in part.answers(sheet).items()
        }
        paper = Student("Ada", form, answers, answers, "", True, frozenset())
        class_ = as_table(made, tmp_path / "c.csv", [paper, paper._replace(name="Ben")])
        marks = marked(made, class_, tmp_path / f"marked_{mistake}")["Ada"]
        earned = dict(zip(answers, by_moodle(xml, [*answers.values()]), strict=True))
        assert earned == {id_: verdict["points"] for id_, verdict in marks.items()}
        assert (sum(earned.values()) < len(earned)) == bool(mistake)
