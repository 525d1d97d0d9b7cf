"""A class sits an exam: honest papers have all points, what is planted is named, by each way of entry."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.classroom.planted.classroom import (
    EXAM,
    Form,
    Student,
    as_answers,
    as_responses,
    as_table,
    attn,
    exam,
    forms_of,
    marked,
    report,
    students,
)
from tests.classroom.planted.sheet import COARSE, PLACES, ROUNDED, Array, Slip, rounded
from tests.conftest import THOROUGH, sampled


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exam(tmp_path_factory.mktemp("exam"))


@pytest.fixture(scope="module")
def class_(made: Path) -> list[Student]:
    return [*students(made, 24 if THOROUGH else 8, seed=1)]


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
    assert found.planted >= len(class_) / 4


def off_by(amount: float, name: str, *cells: tuple[int, int]) -> Slip:
    """Numbers that no working gives, gone on with."""

    def changed(full: Array, written: Array) -> Array:
        other = written.copy()
        for k, cell in enumerate(cells, start=1):
            other[cell] = rounded(full[cell] + k * amount)
        return other

    return Slip("arithmetic", name, *cells[0], change=changed)


def in_order(form: list[Form], others: list[Form]) -> Iterator[tuple[str, dict[str, str]]]:
    """Ten papers on a form, the best one first; the last has the key of another form."""

    def paper(*mistakes: str, slips: tuple[Slip | None, ...] = (), way: str = ROUNDED) -> Answers:
        found, places = {}, PLACES - (way == COARSE)
        each = zip(form, (*slips, None, None), (*mistakes, "", ""), strict=False)
        for k, (part, slip, mistake) in enumerate(each, start=1):
            sheet = part.work(mistake, slip=slip, way=way)
            for id_, cell in part.cells.items():
                number = sheet.written[cell.quantity][cell.row, cell.column]
                found[f"{k}/{id_}"] = f"{number:.{places}f}"
        return found

    here, there = off_by(0.777, "scores", (1, 2)), off_by(-0.555, "z[1]", (1, 0))
    twice = off_by(0.777, "scores", (1, 2), (0, 1))
    yield "all right", paper()
    yield "two decimals", paper(way=COARSE)
    yield "a slip", paper(slips=(here,))
    yield "two slips", paper(slips=(here, there))
    yield "three slips", paper(slips=(twice, there))
    yield "scaling forgotten", paper("not_scaled")
    yield "scaling forgotten, and a slip", paper("not_scaled", slips=(None, there))
    yield "two mistakes", paper("not_scaled", "memory_not_carried")
    yield "two mistakes, and a slip", paper("not_scaled", "memory_not_carried", slips=(here,))
    key = [part.answers(part.work(way=ROUNDED)) for part in others]
    yield "copied", {f"{k}/{id_}": t for k, p in enumerate(key, 1) for id_, t in p.items()}


Answers = dict[str, str]


@sampled(3, name="ABCD")
def test_marks_are_in_a_teachers_order(name: str, made: Path, tmp_path: Path) -> None:
    forms = forms_of(made)
    papers = in_order(forms[name], forms["B" if name == "A" else "A"])
    class_ = [Student(who, name, p, p, "", False, frozenset()) for who, p in papers]
    path = as_table(made, tmp_path / "class.csv", class_)
    data = json.loads(attn("grade", made, path, "--format", "json"))
    points = {paper["student"]: paper["points"] for paper in data["papers"]}
    assert [*points] == [student.name for student in class_]
    assert len({*points.values()}) == len(class_) == 10
    assert [*points.values()] == sorted(points.values(), reverse=True)
    full = points["all right"]
    assert full == data["of"]
    lost = [full - points[student.name] for student in class_]
    scaled = sum(id_.startswith("1/scaled[") for id_ in class_[0].answers)
    assert lost[:6] == [0, 0.5, 1, 2, 3, scaled / 2]
    assert points["copied"] < full / 10


SCHEME = "scheme: {carry: false}"
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
        done = [part.work((mistake, "")[k], way=ROUNDED) for k, part in enumerate(parts)]
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
