"""One name in two forms of Unicode is one person: `é` is one character or two, as a keyboard, a
system or a spreadsheet has it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

from tests.conftest import sampled
from tests.helpers.marking_cases import run

ZOE, NUMBER = "Zoé Müller", "é-001"
Form = Literal["NFC", "NFD"]
APART: Form = "NFD"
TOGETHER: Form = "NFC"
FORMS: list[tuple[Form, Form]] = [(APART, TOGETHER), (TOGETHER, APART)]
EXAM = "exercise: By hand\nscenario: i_love_ai\nask: [{cell: 'exp_sum[love]'}]\nforms: 2\n"


def made(folder: Path, form: Form, name: str = ZOE, text: str = EXAM) -> Path:
    (folder / "exam.yaml").write_text(text, "utf-8")
    names = normalize(form, f"name,ID\nBo,1\n{name},{NUMBER}\n")
    (folder / "list.csv").write_text(names, "utf-8")
    result = run(
        "exercise", folder / "exam.yaml", "-o", folder / "exam", "--students", folder / "list.csv"
    )
    assert result.exit_code == 0, result.output
    return folder / "exam"


PAPERS = {
    "name in YAML": ("x.yaml", "student: {name}\nform: B\nanswers: {{'exp_sum[love]': 1}}\n"),
    "escaped in YAML": ("x.yaml", "student: {escaped}\nform: B\nanswers: {{'exp_sum[love]': 1}}\n"),
    "ID in YAML": ("x.yaml", "student: Z\nid: {id}\nform: B\nanswers: {{'exp_sum[love]': 1}}\n"),
    "name of a file": ("{name}.yaml", "form: B\nanswers: {{'exp_sum[love]': 1}}\n"),
    "file of a table": ("{name}.csv", "id,answer,form\n'exp_sum[love]',1,B\n".replace("'", "")),
    "row a student": ("x.csv", "student,form,student_id,exp_sum[love]\n{name},B,{id},1\n"),
    "row an answer": ("x.csv", "student,form,id,answer\n{name},B,exp_sum[love],1\n"),
    "column a student": ("x.csv", "id,form,{name}\nexp_sum[love],B,1\n"),
}
"""The names of files, and what stands in them."""


def paper_in(folder: Path, form: Form, kind: str) -> Path:
    name, text = PAPERS[kind]
    folder.mkdir(exist_ok=True)
    words = {"name": ZOE, "id": NUMBER, "escaped": json.dumps(normalize(form, ZOE))}
    path = folder / normalize(form, name.format(**words))
    path.write_text(normalize(form, text.format(**words)), "utf-8")
    return path


def rows_in(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@sampled(3, forms=FORMS, kind=PAPERS)
def test_a_paper_is_of_the_one_on_the_list(
    kind: str, forms: tuple[Form, Form], tmp_path: Path
) -> None:
    in_list, on_paper = forms
    exam = made(tmp_path, in_list)
    papers = paper_in(tmp_path / "papers", on_paper, kind).parent
    result = run("grade", exam, papers, "-o", f"{tmp_path}/marked/")
    assert result.exit_code in (0, 1), result.output
    rows = rows_in(tmp_path / "marked" / "class.csv")
    whose = [(row["student"], row["id"]) for row in rows]
    assert sorted(whose) == [("Bo", "1"), ("Z" if kind == "ID in YAML" else ZOE, NUMBER)]
    assert "nobody of this name" not in result.output


@pytest.mark.parametrize(("first", "second"), FORMS)
def test_two_papers_of_somebody_are_two(first: Form, second: Form, tmp_path: Path) -> None:
    """Both files are read, though a system may show one name of them."""
    exam, papers = made(tmp_path, TOGETHER), tmp_path / "papers"
    for form in (first, second):
        paper_in(papers, form, "name of a file")
    if len([*papers.iterdir()]) < 2:
        pytest.skip("the names are one on this file system")
    result = run("grade", exam, papers, "-o", f"{tmp_path}/marked/")
    assert "There are 2 papers" in (tmp_path / "marked" / "class.csv").read_text("utf-8")
    assert result.exit_code in (0, 1)


@pytest.mark.parametrize("whose", [ZOE, NUMBER])
@pytest.mark.parametrize(("on_paper", "said"), FORMS)
def test_points_are_given_to_the_one_who_is_named(
    on_paper: Form, said: Form, whose: str, tmp_path: Path
) -> None:
    exam = made(tmp_path, on_paper)
    paper = paper_in(tmp_path / "papers", on_paper, "row a student")
    points = tmp_path / "points.csv"
    given = f"student,cell,points,reason\n{whose},exp_sum[love],1,clear\n"
    points.write_text(normalize(said, given), "utf-8")
    run("grade", exam, paper, "--overrides", points, "-o", f"{tmp_path}/marked/")
    (row,) = (r for r in rows_in(tmp_path / "marked" / "class.csv") if r["id"] == NUMBER)
    assert row["points"] == "1"


def test_the_names_of_numbers_are_those_of_the_list(tmp_path: Path) -> None:
    exam = made(tmp_path, APART)
    paper = paper_in(tmp_path / "papers", APART, "name of a file")
    result = run("grade", exam, paper, "--anonymous", "-o", f"{tmp_path}/marked/")
    assert result.exit_code in (0, 1), result.output
    texts = {p.name: p.read_text("utf-8") for p in (tmp_path / "marked").iterdir()}
    names = [name for name, text in texts.items() if ZOE in normalize(TOGETHER, text)]
    assert len(names) == 1
    assert ZOE in texts[names[0]]


@pytest.mark.parametrize(("first", "second"), FORMS)
def test_a_list_made_again_deals_the_same_forms(first: Form, second: Form, tmp_path: Path) -> None:
    entries = []
    for form, name in ((first, ZOE), (second, f"{ZOE} Ek")):
        made(tmp_path, form, name)
        text = (tmp_path / "exam" / "manifest.json").read_text("utf-8")
        entries.append({s["id"]: (s["form"], s["name"]) for s in json.loads(text)["students"]})
    assert [each[NUMBER] for each in entries] == [("B", ZOE), ("B", f"{ZOE} Ek")]


def test_one_id_in_two_forms_is_a_second_time(tmp_path: Path) -> None:
    (tmp_path / "exam.yaml").write_text(EXAM, "utf-8")
    names = "name,ID\n" + "".join(f"N,{normalize(form, NUMBER)}\n" for form in (APART, TOGETHER))
    (tmp_path / "list.csv").write_text(names, "utf-8")
    words = ("exercise", tmp_path / "exam.yaml", "-o", tmp_path / "exam")
    result = run(*words, "--students", tmp_path / "list.csv")
    assert result.exit_code == 2
    assert f'the ID "{NUMBER}" is that of line 2, too' in result.output


def test_a_folder_from_before_has_its_names_in_any_form(tmp_path: Path) -> None:
    exam = made(tmp_path, TOGETHER)
    place = exam / "manifest.json"
    place.write_text(normalize(APART, place.read_text("utf-8")), "utf-8")
    paper = paper_in(tmp_path / "papers", TOGETHER, "name in YAML")
    run("grade", exam, paper.parent, "-o", f"{tmp_path}/marked/")
    rows = rows_in(tmp_path / "marked" / "class.csv")
    assert sorted(row["id"] for row in rows) == ["1", NUMBER]


MOODLE = "Last name,First name,ID number,Response 1\nMüller,Zoé,{id},part 1: 1\n"


@pytest.mark.parametrize(("in_list", "on_paper"), FORMS)
def test_an_export_of_moodle_is_of_those_on_the_list(
    in_list: Form, on_paper: Form, tmp_path: Path
) -> None:
    exam = made(tmp_path, in_list, text=EXAM.replace("forms: 2\n", ""))
    paper = tmp_path / "moodle.csv"
    paper.write_text(normalize(on_paper, MOODLE.format(id=NUMBER)), "utf-8")
    result = run("grade", exam, paper, "-o", f"{tmp_path}/marked/")
    assert "nobody of this name" not in result.output
    rows = rows_in(tmp_path / "marked" / "class.csv")
    assert (ZOE, NUMBER) in {(row["student"], row["id"]) for row in rows}


TOKENS = "title: t\nsentence: {} ruft\nembeddings: {{{}: [1, 0], ruft: [0, 1]}}\nblock: attention\n"


@pytest.mark.parametrize(("written", "asked"), FORMS)
def test_a_cell_is_named_in_either_form(written: Form, asked: Form, tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    zoe = normalize(written, "Zoé")
    path.write_text(TOKENS.format(zoe, zoe) + "projection: none\n", "utf-8")
    result = run("why", normalize(asked, "weights[Zoé, ruft]"), path)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(("written", "embedded"), FORMS)
def test_a_sentence_stays_as_it_is_written(written: Form, embedded: Form, tmp_path: Path) -> None:
    """What a token is made of is the tokenizer's business, whose own rules may compose or not."""
    path = tmp_path / "s.yaml"
    names = normalize(written, "Zoé"), normalize(embedded, "Zoé")
    path.write_text(TOKENS.format(*names) + "projection: none\n", "utf-8")
    result = run("run", path)
    assert result.exit_code == 2
    assert "is not in embeddings in this form of Unicode; write it alike there" in result.output
