"""A class sits an exam: honest papers have all points, what is planted is named, by each way of entry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.planted.classroom import (
    Student,
    as_answers,
    as_responses,
    as_table,
    exam,
    marked,
    report,
    students,
)


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
