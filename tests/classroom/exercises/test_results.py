"""Results that people use: a class with planted mistakes, what its pages tell of them, and what the
gradebooks of learning platforms read."""

from __future__ import annotations

import csv
import json
import os
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from attncli.classroom.files.ids import id_meant
from attncli.classroom.marking.exam import cell_of
from attncli.cli import app
from attncli.maths.notation.escaping import unguarded
from attncli.pipeline import load, work

EXAM = """\
exam: Midterm (2026)
forms: 4
seed: 3
parts:
  - title: Attention
    scenario: i_love_ai
    ask: [softmax, {step: weighted_sum, token: love}]
  - {scenario: yassine_rnn, ask: [state]}
  - title: In your own words
    questions:
      - {ask: What does a query say?, options: [what it looks for, what it offers], right: what it looks for}
      - {ask: How much is 1/8?, number: 0.125}
      - {ask: Why are scores scaled?, answer: Or the softmax is saturated., points: 3}
"""
CELL = "1/weights[love, AI]"
OUTPUT = "1/output[love, 1]"
STATE = "2/a[1][1]"


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


class Form(NamedTuple):
    """The right answers of a form, and what it gives who adds up columns instead of rows."""

    right: Mapping[str, str]
    by_columns: Mapping[str, str]


def forms_of(folder: Path) -> dict[str, Form]:
    found = {}
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    for name, form in manifest["forms"].items():
        traces = {
            k: work(load(folder / part["file"]))
            for k, part in enumerate(form["parts"], start=1)
            if part["file"]
        }
        right = {"3/q1": "what it looks for", "3/q2": "0.125", "3/q3": "3"}
        for k, trace in traces.items():
            for id_ in form["parts"][k - 1]["asked"]:
                quantity, i, j = cell_of(trace, id_)
                right[f"{k}/{id_}"] = str(trace[quantity].number(i, j).shown)
        found[name] = Form(right, dict(_by_columns(traces[1])))
    return found


def _by_columns(trace: Any) -> Iterator[tuple[str, str]]:
    exp, tokens = trace["exp"].values, trace["exp"].rows.names
    sums = exp.sum(axis=0).round(3)
    weights = np.floor(exp / sums[:, None] * 1000 + 0.5) / 1000
    output = weights @ trace["V"].values
    for i, row in enumerate(tokens):
        yield f"1/exp_sum[{row}]", f"{sums[i]:.3f}"
        for j, column in enumerate(tokens):
            yield f"1/weights[{row}, {column}]", f"{weights[i, j]:.3f}"
    for j in range(2):
        yield f"1/output[love, {j + 1}]", f"{output[1, j] + 1e-9:.3f}"


COLUMNS, WILD, EMPTY, SIGN, DIGIT = 9, 4, 3, 2, 2
TYPED = "1/exp[AI, AI]"


def planted(k: int, form: Form) -> dict[str, str]:
    """The answers of the k-th student: columns summed, a number from nowhere, an empty cell, a
    wrong sign, another digit, and the rest right."""
    answers = {**form.right}
    if k < COLUMNS:
        return {**answers, **form.by_columns}
    k -= COLUMNS
    if k < WILD:
        return {**answers, CELL: "7.77"}
    k -= WILD
    if k < EMPTY:
        return {**answers, CELL: "", "3/q1": "what it offers", "3/q2": "0.13"}
    k -= EMPTY
    if k < SIGN:
        return {**answers, OUTPUT: f"-{answers[OUTPUT]}", STATE: "x y"}
    k -= SIGN
    if k < DIGIT:
        text = answers[TYPED]
        return {**answers, TYPED: f"{text[:-2]}{(int(text[-2]) + 4) % 10}{text[-1]}"}
    return answers


class Class(NamedTuple):
    folder: Path
    answers: Path
    marked: Path
    page: str


NAMES = [f"Ziska{k:02} Morgenroth" for k in range(31)]
IDS = [f"mtrk-{7000 + 13 * k}" for k in range(31)]


def written(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Class:
    place = tmp_path_factory.mktemp("class")
    (place / "midterm.yaml").write_text(EXAM, "utf-8")
    made = run("exam", place / "midterm.yaml", "-o", place / "midterm", "--format", "terminal")
    assert made.exit_code == 0, made.output
    folder = place / "midterm"
    forms = forms_of(folder)
    with (folder / "midterm_class.csv").open(encoding="utf-8", newline="") as file:
        headings = next(csv.reader(file))
    rows = [headings]
    for k, (name, id_) in enumerate(zip(NAMES, IDS, strict=True)):
        form = "ABCD"[k % 4]
        given = planted(k, forms[form])
        rows.append([name, id_, form, *(given[id_meant(unguarded(i))] for i in headings[3:])])
    answers = written(place / "typed.csv", rows)
    result = run("grade", folder, answers, "-o", f"{place}/marked/", "--format", "markdown")
    assert result.exit_code == 1, result.output
    return Class(folder, answers, place / "marked", " ".join(result.stdout.split()))


@pytest.mark.parametrize(
    "line",
    [
        f"{CELL}: not right in 7 of 31 papers (4 ×: without a known reason, 3 ×: left empty)",
        "1/exp_sum[I], 1/exp_sum[love], 1/exp_sum[AI]: not right in 9 of 31 papers"
        " (9 ×: adding up the columns instead of the rows)",
        f"{OUTPUT}: not right in 2 of 31 papers (2 ×: the sign is wrong)",
        f"{STATE}: not right in 2 of 31 papers (2 ×: unreadable)",
        "3/q1: not right in 3 of 31 papers"
        " (3 ×: “what it offers” was chosen for “What does a query say?”)",
        "3/q2: not right in 3 of 31 papers (3 ×: it has 2 decimals instead of 3)",
        "9 papers, 27 numbers: Adding up the columns instead of the rows.",
    ],
)
def test_the_class_page_counts_what_was_planted(line: str, played: Class) -> None:
    assert line in played.page


def test_the_histogram_counts_each_paper_once(played: Class) -> None:
    papers = table(played.marked / "class.csv")
    points = [Decimal(row["points"]) for row in papers]
    page = (played.marked / "class.md").read_text("utf-8")
    median = statistics.median(points)
    assert f"on average, {median.normalize():f} at the median" in page
    bars = {int(low): int(n) for low, n in re.findall(r"\| from (\d+) \| (\d+) \|", page)}
    ends = [*[*bars][1:], 10**6]
    assert sum(bars.values()) == len(points) == 31
    for (low, count), end in zip(bars.items(), ends, strict=True):
        assert count == sum(low <= p < end for p in points)


def test_what_stands_above_the_marks_has_room_on_a_screen(played: Class) -> None:
    """Of 31 papers: 40 lines of 80 columns."""
    screen = {**os.environ, "COLUMNS": "80"}
    page = CliRunner().invoke(app, ["grade", str(played.folder), str(played.answers)], env=screen)
    lines = page.stdout.splitlines()
    assert lines.index("Marks") <= 40
    assert max(map(len, lines[: lines.index("Marks")])) <= 80
    assert sum(line.startswith("• ") for line in lines[: lines.index("Marks")]) == 3


def numbers_in(text: str) -> list[Decimal]:
    return [*map(Decimal, re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-")))]


def test_the_next_lesson_is_made_of_what_went_wrong(played: Class) -> None:
    page = (played.marked / "next_lesson.md").read_text("utf-8")
    assert not any(text in page for text in (*NAMES, *IDS, "Ziska", "mtrk"))
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings[0] == "## 1 · Adding up the columns instead of the rows"
    assert len([text for text in headings if "·" in text]) == 1
    assert headings[-2:] == ["## Besides", "## Answers"]
    besides = page.partition("## Besides")[2]
    for says in (
        f"Part 1 · `{CELL.removeprefix('1/')}`",
        "7 of 31 papers (4 ×: ",
        "What does a query say?",
        "Right: what it looks",
    ):
        assert says in besides
    for blank in (OUTPUT, TYPED):  # a sign and a digit, which are no lesson
        assert f"{blank}: not right in 2 of 31 papers" in played.page
        assert blank.partition("/")[2] not in besides
    first, rest = page.split("## Besides")
    assert "In 9 of 31 papers." in first
    wrong, right = (numbers_in(line) for line in re.findall(r"\$(= .*)\$", first))
    form = forms_of(played.folder)["A"]
    tokens = ("I", "love", "AI")
    assert wrong[:3] == [Decimal(form.right[f"1/exp[{t}, I]"]) for t in tokens]
    assert right[:3] == [Decimal(form.right[f"1/exp[I, {t}]"]) for t in tokens]
    assert sum(wrong[:3]) == wrong[3] != right[3] == sum(right[:3])
    # to try: the row of the table that is asked for adds up to the answer, and its column doesn't
    asked = re.search(r"Work out `exp_sum\[(\w+)\]`", first)
    assert asked is not None
    rows = {t: numbers_in(row) for t, row in re.findall(r"\| Q: (\w+) \|(.*)\|", first)}
    answer = re.search(rf"`exp_sum\[{asked[1]}\]` \$(.*)\$", rest.partition("## Answers")[2])
    assert answer is not None
    place = [*rows].index(asked[1])
    assert sum(rows[asked[1]]) == numbers_in(answer[1])[-1]
    assert sum(row[place] for row in rows.values()) != numbers_in(answer[1])[-1]
    given = [[Decimal(form.right[f"1/exp[{a}, {b}]"]) for b in tokens] for a in tokens]
    assert [*rows.values()] not in (given,)


def test_each_wrong_blank_has_its_line(played: Class, tmp_path: Path) -> None:
    """An empty paper: the right line of every number is told, and the answer to every question."""
    headings = next(csv.reader((played.folder / "midterm_class.csv").open(encoding="utf-8")))
    row = ["Nobody", "x", "A", "nothing", *("" for _ in headings[4:])]
    path = written(tmp_path / "typed.csv", [headings, row])
    run("grade", played.folder, path, "-o", f"{tmp_path}/marked/", "--format", "markdown")
    page = (tmp_path / "marked" / "Nobody.md").read_text("utf-8")
    for id_, text in forms_of(played.folder)["A"].right.items():
        part, _, cell = id_.partition("/")
        if part != "3":
            line = re.search(rf"- `{re.escape(cell)}` \$(.*)\$|- `{re.escape(cell)}` (.*)", page)
            assert line is not None, id_
            assert numbers_in(line[0])[-1] == Decimal(text)
    assert "1: Nothing is given; right is “what it looks for”." in page
    assert "2: Nothing is given; right is $0.125$ (0.1245 to 0.1255 is accepted)." in page


def changed_key(place: Path, blank: str, changes: Mapping[str, str]) -> str:
    """What is found in answers to all blanks of a softmax, with some changed in the key."""
    words = ("--step", "softmax", "--blank", blank, "--ask", "attends_most", "--format", "yaml")
    made = run("exercise", "i_love_ai", *words, "--key", "separate", "-o", f"{place}/k/")
    assert made.exit_code == 0, made.output
    text = (place / "k" / "i_love_ai_key.yaml").read_text("utf-8")
    for id_, answer in changes.items():
        assert f'"{id_}": ' in text
        text = re.sub(rf'("{re.escape(id_)}"): .*', rf'\1: "{answer}"', text)
    (place / "a.yaml").write_text(text, "utf-8")
    page = " ".join(run("grade", "i_love_ai", place / "a.yaml").stdout.split())
    return page.partition("Findings")[2]


def test_what_is_wrong_inside_lines_is_told_with_the_line(tmp_path: Path) -> None:
    term, other = "weights[AI, I].working[2]", "exp_sum[AI].working[1]"
    found = changed_key(tmp_path, "working", {term: "30.2", other: "-7.389"})
    line = "Right: weights[AI, I] = 7.389 / 30.193 = 0.245"
    right = "right is 30.193 (30.1915 to 30.1945 is accepted)."
    assert (
        f"{term} Given is “30.2”; {right} Rounding: It has 1 decimal instead of 3. {line}" in found
    )
    line = "Right: exp_sum[AI] = 7.389 + 2.718 + 20.086 = 30.193"
    right = "right is 7.389 (7.3875 to 7.3905 is accepted)."
    assert f"{other} Given is “-7.389”; {right} Slip: The sign is wrong. {line}" in found


def test_what_is_wrong_in_words_is_told_with_the_numbers(tmp_path: Path) -> None:
    changes = {"attends_most[love]": "I", "attends_most[AI]": ""}
    found = changed_key(tmp_path, "results", changes)
    row = "weights[love] = [0.212, 0.212, 0.576]"
    assert f"attends_most[love] Given is “I”; right is AI. {row}" in found
    assert "attends_most[AI] Nothing is given; right is AI." in found


# --------------------------------------------------------------------------------------------------
# What platforms read. Their rules are written here as their importers have them.


def moodle_import(path: Path, users: Mapping[str, int]) -> dict[str, dict[int, str]]:
    """The items that Moodle's import makes of a file whose first column is mapped from the ID
    number, all others to new items: trimmed headings; an empty ID keeps the user of the row before,
    an unknown one ends it; grades are numbers of at most 100, or none."""
    with path.open(encoding="utf-8", newline="") as file:
        headings, *rows = csv.reader(file)
    headings = [text.strip() for text in headings]
    assert len({*headings}) == len(headings)
    items: dict[str, dict[int, str]] = {text: {} for text in headings[1:]}
    user = None
    for row in rows:
        assert len(row) == len(headings)
        if row[0].strip() not in ("", "0"):
            user = users[row[0].strip()]
        assert user is not None
        for heading, value in zip(headings[1:], row[1:], strict=True):
            assert heading.endswith("(Feedback)") or not value or 0 <= float(value) <= 100
            items[heading][user] = value.strip()
    return items


def canvas_import(path: Path, students: Mapping[str, str]) -> list[tuple[str, str, dict[str, str]]]:
    """Each assignment's title, its points and the grades by the SIS ID, as Canvas reads them:
    the student's columns end with the section, the next ones are assignments, "Title (12)" the one
    with that number; the row of points possible says so in its first column."""
    with path.open(encoding="utf-8", newline="") as file:
        headings, points, *rows = csv.reader(file)
    assert len(headings) > 3
    assert "Student" in headings[0]
    assert "ID" in headings[1]
    assert re.search(r"SIS\s+User\s+ID", headings[2])
    assert re.search(r"SIS\s+Login\s+ID", headings[3])
    assert "Section" in headings[4]
    for title in headings[5:]:
        assert not re.search(r"\(\d+\)\Z|(Current|Final|Override) (Score|Points|Grade)", title)
    assert "Points Possible" in points[0]
    assert all("Points Possible" not in row[0] for row in rows)
    for row in rows:
        assert row[1] == ""  # Canvas' own number, which nobody else knows
        assert students[row[2]] == row[0]
        assert len(row) == len(headings) == len(points)
    return [
        (headings[k], points[k], {row[2]: row[k] for row in rows}) for k in range(5, len(headings))
    ]


def test_moodle_reads_the_marks(played: Class) -> None:
    users = {id_: k for k, id_ in enumerate(IDS)}
    items = moodle_import(played.marked / "moodle.csv", users)
    parts = ("1. Attention", "2. One RNN step on “Yassine”", "3. In your own words")
    title = "Midterm (2026)"
    assert [*items] == [*(f"{title}: {part}" for part in parts), title, f"{title} (Feedback)"]
    marks = {row["id"]: row["points"] for row in table(played.marked / "class.csv")}
    assert {IDS[k]: points for k, points in items[title].items()} == marks
    for k, points in items[title].items():
        assert sum(Decimal(items[f"{title}: {part}"][k]) for part in parts) == Decimal(points)
    feedback = items[f"{title} (Feedback)"]
    assert "Part 1 · exp_sum[I]" in feedback[0]
    assert "Adding up the columns instead of the rows." in feedback[0]
    assert feedback[30] == ""


def test_canvas_reads_the_marks(played: Class) -> None:
    known = dict(zip(IDS, NAMES, strict=True))
    *parts, (title, possible, grades) = canvas_import(played.marked / "canvas.csv", known)
    papers = table(played.marked / "class.csv")
    assert [(name, of) for name, of, _ in parts] == [
        ("Midterm (2026): 1. Attention", "23"),
        ("Midterm (2026): 2. One RNN step on “Yassine”", "6"),
        ("Midterm (2026): 3. In your own words", "5"),
    ]
    for id_, points in grades.items():
        assert sum(Decimal(part[id_]) for *_, part in parts) == Decimal(points)
    by_moodle = table(played.marked / "moodle.csv")
    for name, _, part in parts:
        assert part == {row["ID number"]: row[name] for row in by_moodle}
    assert (title, possible) == ("Midterm [2026]", papers[0]["of"])
    assert grades == {row["id"]: row["points"] for row in papers}


def faulty(played: Class, place: Path) -> tuple[Path, list[str]]:
    """A class by files, with all that tells who somebody is: names in files, as answers to what
    isn't asked, of papers that can't be read, of two papers, and of a photo."""
    key = forms_of(played.folder)["A"].right
    lines = [f'  "{id_}": "{text}"' for id_, text in key.items()]
    place.mkdir()

    def hand_in(file: str, name: str, id_: str, *more: str) -> None:
        head = [f'student: "{name}"', f'id: "{id_}"', 'form: "A"', "answers:"]
        (place / file).write_text("\n".join([*head, *lines, *more]), "utf-8")

    hand_in("anneliese.yaml", "Anneliese Kehl", "k-4711")
    hand_in("bodo.yaml", "Bodo Wirsing", "k-4712", '  "I am": "Bodo Wirsing, k-4712"')
    hand_in("bodo late.yaml", "Bodo Wirsing", "k-4712", '  "bodo": "1"')
    hand_in("clothilde.yaml", "=Clothilde", "")
    (place / "clothilde.yaml").write_text(
        (place / "clothilde.yaml").read_text("utf-8").replace(key[CELL], "?!"), "utf-8"
    )
    (place / "dorothea.yaml").write_text("answers: [", "utf-8")
    (place / "egbert.jpg").write_bytes(b"\xff")
    return place, ["nneliese", "odo", "lothilde", "orothea", "gbert", "k-47", "Kehl", "Wirsing"]


@pytest.mark.parametrize("form", ["markdown", "html", "json", "terminal"])
def test_an_anonymous_class_names_nobody(form: str, played: Class, tmp_path: Path) -> None:
    answers, secrets = faulty(played, tmp_path / "in")
    (tmp_path / "list.csv").write_text("name,ID\nAnneliese Kehl-Odo,k-4711\n", "utf-8")
    words = ("--anonymous", "--format", form, "-o", f"{tmp_path}/out/")
    result = run("grade", played.folder, answers, *words)
    assert result.exit_code == 2
    files = {p.name: p.read_text("utf-8") for p in (tmp_path / "out").iterdir()}
    told = files.pop("names.csv")
    suffix = {"markdown": "md", "terminal": "txt"}.get(form, form)
    tables = {"class.csv", "grades.csv", "moodle.csv", "canvas.csv"}
    together = () if form == "json" else ("all",)
    pages = {f"{name}.{suffix}" for name in ("class", "next_lesson", *together)}
    assert {re.sub(r"^number_\d(_2)?\.", "N.", name) for name in files} == {
        f"N.{suffix}",
        *pages,
        *tables,
    }
    for name, text in (*files.items(), ("stdout", result.stdout)):
        for secret in secrets:
            assert secret not in text, (name, secret)
            assert secret not in name
    assert all(secret in told for secret in ("Anneliese Kehl", "k-4712", "'=Clothilde"))


def test_numbers_lead_back_to_names(played: Class, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("--anonymous", "-o", f"{out}/", "--format", "markdown")
    assert run("grade", played.folder, played.answers, *words).exit_code == 1
    names = {row["number"]: row for row in table(out / "names.csv")}
    assert [*names] == [f"number {k}" for k in range(1, 32)]
    assert [row["student"] for row in names.values()] != NAMES
    by_name = {row["student"]: row["points"] for row in table(played.marked / "class.csv")}
    for row in table(out / "class.csv"):
        assert row["points"] == by_name[names[row["student"]]["student"]]
        assert f"- **Student:** {row['student']}\n" in (
            out / f"{row['student'].replace(' ', '_')}.md"
        ).read_text("utf-8")
    again = tmp_path / "again"
    run("grade", played.folder, played.answers, "--anonymous", "-o", f"{again}/")
    assert (again / "names.csv").read_bytes() == (out / "names.csv").read_bytes()
    moodle = table(out / "moodle.csv")
    assert {row["ID number"] for row in moodle} == {*names}


def test_nobody_is_taken_for_somebody_else(played: Class, tmp_path: Path) -> None:
    """Papers without an ID, and several of a student, name nobody that a platform knows."""
    answers, _ = faulty(played, tmp_path / "in")
    run("grade", played.folder, answers, "-o", f"{tmp_path}/out/")
    rows = [row["ID number"] for row in table(tmp_path / "out" / "moodle.csv")]
    assert rows == ["k-4711", *["k-4712 (2 papers)"] * 2, "'=Clothilde"]
    whose = [(row["Student"], row["SIS User ID"]) for row in table(tmp_path / "out" / "canvas.csv")]
    assert whose[1:] == [
        ("Anneliese Kehl", "k-4711"),
        *[("Bodo Wirsing (2 papers)", "k-4712 (2 papers)")] * 2,
        ("'=Clothilde", ""),
    ]
    with pytest.raises(KeyError):
        moodle_import(tmp_path / "out" / "moodle.csv", {"k-4711": 1, "k-4712": 2})
