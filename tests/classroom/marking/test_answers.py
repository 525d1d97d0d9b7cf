"""Answers files of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from attncli.classroom.marking.answers import AnswerSheet, files_in, others_in, read_answers
from attncli.errors import UserError
from attncli.judging.verdicts import Given
from tests.helpers.marking_cases import run


def unreadable(sheet: AnswerSheet) -> dict[str, Given]:
    """The answers that say something, but no number."""
    pairs = sheet.answers.items()
    return {id_: given for id_, given in pairs if given.number is None and not given.is_empty}


def written(path: Path, text: str, encoding: str = "utf-8") -> tuple[AnswerSheet, ...]:
    path.write_text(text, encoding)
    return read_answers(path)


def texts(sheet: AnswerSheet) -> dict[str, str]:
    return {name: given.text for name, given in sheet.answers.items()}


def test_a_yaml_file_is_read_as_the_exercise_writes_it(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.yaml"
    words = ("exercise", "i_love_ai", "--step", "softmax", "--key", "none", "-o", sheet)
    assert run(*words, "--format", "yaml").exit_code == 0
    (empty,) = read_answers(sheet)
    assert (empty.student, empty.form) == ("sheet", "own")
    assert len(empty.mark) == 8
    assert [*empty.answers][:2] == ["exp[I, I]", "exp[I, love]"]
    assert all(given.number is None and not given.text for given in empty.answers.values())
    sheet.write_text(sheet.read_text("utf-8").replace('I]":', 'I]": 0,5', 1), "utf-8")
    (filled,) = read_answers(sheet)
    assert str(filled.answers["exp[I, I]"].number) == "0.5"
    assert filled.answers["exp[I, I]"].where == f"{sheet}:8"


def test_a_csv_file_is_read_as_the_exercise_writes_it(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    run("exercise", "i_love_ai", "--step", "softmax", "--key", "none", "-o", sheet)
    (empty,) = read_answers(sheet)
    assert empty.form == "own"
    assert [*empty.answers][-1] == "weights[AI, AI]"


def test_csv_may_have_a_student_a_column(tmp_path: Path) -> None:
    text = "id;Ann;Ben\nform;A;B\nscores[I, I];0,5;abc\n\nscores[I, AI];2/3;\n"
    ann, ben = written(tmp_path / "class.csv", text)
    assert (ann.student, ann.form, ben.form) == ("Ann", "A", "B")
    assert texts(ann) == {"scores[I, I]": "0,5", "scores[I, AI]": "2/3"}
    assert [*unreadable(ben)] == ["scores[I, I]"]
    assert unreadable(ben)["scores[I, I]"].where.endswith("class.csv:3")


@pytest.mark.parametrize(
    "text",
    ["cell,answer\n\"Q[I, 1]\",0.5\n", "\"Q[I, 1]\",0.5\n", "student,id,answer\nAnn,\"Q[I, 1]\",0.5\n",
     "id\tanswer\r\nQ[I, 1]\t0.5\r\n"],
)  # fmt: skip
def test_csv_may_have_an_answer_a_row(tmp_path: Path, text: str) -> None:
    (sheet,) = written(tmp_path / "Ann.csv", text)
    assert sheet.student == "Ann"
    assert texts(sheet) == {"Q[I, 1]": "0.5"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_csv_is_read_as_spreadsheets_save_it(tmp_path: Path, encoding: str) -> None:
    (sheet,) = written(tmp_path / "a.csv", 'id,Jürgen\n"Q[I, 1]",0.5\n', encoding)
    assert sheet.student == "Jürgen"


@pytest.mark.parametrize("of_whom", ["id", "ID", "student_id", "Student ID"])
@pytest.mark.parametrize(
    "text",
    [
        'student,{id},form,"Q[I, 1]"\nAnn,007,A,"0,5"\n',
        "{id};student;form;Q[I, 1]\n007;Ann;A;0,5\n",
        "sep=;\nname;{id};form;Q[I, 1]\nAnn;007;A;0,5\n",
        "student\t{id}\tform\tcell\tanswer\nAnn\t007\tA\tQ[I, 1]\t0,5\n",
    ],
)
def test_the_id_of_a_student_is_called_alike_in_all_tables(
    text: str, of_whom: str, tmp_path: Path
) -> None:
    (sheet,) = written(tmp_path / "a.csv", text.format(id=of_whom), "utf-8-sig")
    assert (sheet.student, sheet.id, sheet.form) == ("Ann", "007", "A")
    assert texts(sheet) == {"Q[I, 1]": "0,5"}


def test_the_heading_that_a_comma_cuts_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r'a.csv:1:1: the heading "Q\[I" ends at a comma; put head'):
        written(tmp_path / "a.csv", "student,form,Q[I, 1]\nAnn,A,1\n")


MOODLE = (
    'Last name,First name,Email address,State,Grade/10.00,"Response 1","Response 2"\n'
    'Doe,Jo,j@x,Finished,1,"part 1: 0,5; part 2: ","part 1: −1"\n'
    'Roe,Al,a@x,Finished,1,"part 1: -; part 2: x","part 1: 2/3"\n'
    "Overall average,,,,1,,\n"
)


def test_moodles_responses_are_read_in_the_order_of_what_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "quiz.csv"
    path.write_text(MOODLE, "utf-8")
    jo, al = read_answers(path, ["a", "b", "c"])
    assert (jo.student, al.student) == ("Jo Doe", "Al Roe")
    assert texts(jo) == {"a": "0,5", "b": "", "c": "−1"}
    assert [*unreadable(al)] == ["b"]


def test_moodles_responses_need_to_be_told_what_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "quiz.csv"
    path.write_text(MOODLE, "utf-8")
    with pytest.raises(UserError, match="--asked"):
        read_answers(path)
    with pytest.raises(UserError, match=r"quiz\.csv:2:1: 3 answers are given, where 2 are asked"):
        read_answers(path, ["a", "b"])


def test_moodles_responses_leave_nobody_out_and_know_their_parts_by_number(tmp_path: Path) -> None:
    """What a student left out is blank, and parts and questions count by their numbers."""
    path = tmp_path / "quiz.csv"
    head, jo, al, average = MOODLE.splitlines()
    al = 'Roe,Al,a@x,Finished,1,-,"part 1: 2/3"'
    no = "Poe,No,n@x,Finished,0,-,-"
    turned = 'Loe,Tu,t@x,Finished,0,"part 2: 2; part 1: 1","part 1: 3"'
    path.write_text("\n".join([head, jo, al, no, turned, average]), "utf-8")
    sheets = {sheet.student: texts(sheet) for sheet in read_answers(path, ["a", "b", "c"])}
    assert sheets["Al Roe"] == {"a": "", "b": "", "c": "2/3"}
    assert sheets["No Poe"] == {}
    assert sheets["Tu Loe"] == {"a": "1", "b": "2", "c": "3"}
    columns = head.replace("Response 1", "x").replace("Response 2", "Response 1")
    path.write_text(f"{columns.replace('x', 'Response 2')}\n{jo}\n", "utf-8")
    assert texts(read_answers(path, ["a", "b", "c"])[0]) == {"a": "−1", "b": "0,5", "c": ""}


def test_one_students_rows_dont_refuse_those_of_others(tmp_path: Path) -> None:
    text = (
        'student,id,answer,comment\nAnn,"Q[I, 1]",1,\nBen,"Q[I, 1]",1,\nBen,"Q[I, 1]",2,x\n'
        'Cy,"Q[I, 1]",0,42,7\nDi,,5,\n'
    )
    sheets = {sheet.student: sheet for sheet in written(tmp_path / "a.csv", text)}
    wrong = {name: [*map(str, sheet.wrong)] for name, sheet in sheets.items()}
    assert wrong["Ann"] == []
    assert "a.csv:4:1: Q[I, 1] is answered twice (first on line 3)" in wrong["Ben"][0]
    assert "a.csv:5:1: there are more cells than columns" in wrong["Cy"][0]
    assert "a.csv:6:1: an answer stands behind no cell" in wrong["Di"][0]
    assert sheets["Ann"].unread == ("comment",)
    (ann, other) = written(tmp_path / "b.csv", 'id,Ann,\n"Q[I, 1]",1,2\n')
    assert (ann.student, other.student) == ("Ann", "column 3")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.yaml", "answers: [", "a.yaml:2:1: broken YAML"),
        ("a.yaml", "answers: {a: 1, a: 2}", "repeated"),
        ("a.yaml", "- 1", "there are no answers"),
        ("a.yaml", "answers: {a: 1}\nfrom: me", "from is no key"),
        ("a.csv", "", "there are no answers"),
        ("a.csv", "Ann,Ben\n1,2\n", "no column says which cell"),
        ("a.csv", 'id,answer\n"Q[I, 1]",1\n"Q[I, 1]",2\n', "a.csv:3:1: .* answered twice"),
        ("a.csv", "\0\0\0a", "no text"),
    ],
)
def test_what_is_no_answers_file_is_told_with_its_place(
    tmp_path: Path, name: str, text: str, says: str
) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with pytest.raises(UserError, match=says):
        read_answers(path)


def test_a_folder_has_the_files_in_it_and_below(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("b/ann.csv", "ben.yaml", "notes.md", ".hidden.csv"):
        (tmp_path / name).write_text("")
    assert files_in(str(tmp_path)) == [str(tmp_path / "b/ann.csv"), str(tmp_path / "ben.yaml")]
    assert others_in(str(tmp_path)) == [str(tmp_path / "notes.md")]
