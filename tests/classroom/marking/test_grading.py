"""What papers written by hand are worth, and what is said of them."""

from __future__ import annotations

import csv
import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from attncli.formats import format_names
from attncli.pipeline import load, work
from tests.conftest import sampled
from tests.helpers.marking_cases import RIGHT, graded, run, verdicts, yaml_file
from tests.helpers.pages import shipped_trace


def test_a_right_paper_has_all_points(tmp_path: Path) -> None:
    data = graded(yaml_file(tmp_path / "a.yaml", RIGHT))
    assert {*verdicts(data).values()} == {"correct"}
    assert (data["points"], data["of"], data["counts"]["correct"]) == (10, 10, 10)
    assert run("grade", "i_love_ai", tmp_path / "a.yaml").exit_code == 0


@pytest.mark.parametrize("text", ["", "   ", "\t\n ", "\u00a0\u2003", "\u200b", "\ufeff \u2060"])
def test_an_answer_of_white_space_is_empty(tmp_path: Path, text: str) -> None:
    cells = dict.fromkeys(["weights[love, AI]", "attends_most[love]"], text)
    path = tmp_path / "a.yaml"
    path.write_text(json.dumps({"answers": cells}), "utf-8")
    data = graded(path)
    assert {*verdicts(data).values()} == {"blank"}
    line = " ".join(run("grade", "i_love_ai", path).stdout.split())
    assert "All answers are empty." in line
    assert "love │ – (0.576)" in line


def test_answers_that_are_only_white_space_say_so(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("answers: '  '\n", "utf-8")
    assert "All answers are empty." in run("grade", "i_love_ai", path).stdout


def test_a_wrong_number_costs_once(tmp_path: Path) -> None:
    """A score of 2 for 1: e² = 7.389, 7.389 + 1 + 2.718 = 11.107, 7.389 / 11.107 = 0.665."""
    theirs = {
        "scores[I, I]": "2", "exp[I, I]": "7.389", "exp_sum[I]": "11.107",
        "weights[I, I]": "0.665", "weights[I, love]": "0.090", "weights[I, AI]": "0.245",
    }  # fmt: skip
    path = yaml_file(tmp_path / "a.yaml", {**RIGHT, **theirs})
    data = graded(path)
    entries = {value["cell"]: value for value in data["verdicts"]}
    assert entries["scores[I, I]"]["verdict"] == "slip"
    assert {entries[cell]["verdict"] for cell in [*theirs][1:]} == {"carried forward"}
    assert entries["exp[I, I]"]["follows_from"] == ["scores[I, I]"]
    assert (data["points"], data["counts"]["carried forward"]) == (9, 5)
    assert graded(path, "--no-carry")["points"] == 4
    assert run("grade", "i_love_ai", path).exit_code == 1


def test_what_is_not_carried_forward_has_the_sign_of_a_wrong_number(tmp_path: Path) -> None:
    """e² = 7.389 for a score of 2 is wrong then, as the score is; so is a word that follows."""
    theirs = {"scores[I, I]": "2", "exp[I, I]": "7.389", "attends_most[I]": "love"}
    path = yaml_file(tmp_path / "a.yaml", {**RIGHT, **theirs, "weights[I, love]": "0.9"})
    assert verdicts(graded(path))["attends_most[I]"] == "carried forward"
    for words, sign in (((), "→"), (("--no-carry",), "! (2.718)")):
        page = " ".join(run("grade", "i_love_ai", path, *words).stdout.split())
        assert f"7.389 {sign}" in page
        assert ("→" in page) == (sign == "→")
    data = graded(path, "--no-carry")
    entry = next(value for value in data["verdicts"] if value["cell"] == "exp[I, I]")
    assert (entry["verdict"], entry["points"], entry["cause"]["name"]) == ("slip", 0, "follows")
    assert "It follows from an earlier wrong number, and earns nothing." in page
    assert verdicts(data)["attends_most[I]"] == "slip"


def test_a_verdict_has_these_keys(tmp_path: Path) -> None:
    data = graded(yaml_file(tmp_path / "a.yaml", {**RIGHT, "exp[I, I]": "7.389"}))
    value = next(value for value in data["verdicts"] if value["cell"] == "exp[I, I]")
    keys = {"cell", "given", "expected", "accepted", "verdict", "cause", "follows_from"}
    assert keys <= value.keys()
    assert (value["given"], value["expected"], value["accepted"]) == (
        "7.389",
        "2.718",
        [2.7175, 2.7185],
    )
    bounds = [bound for value in data["verdicts"] for bound in value["accepted"]]
    assert all(bound == round(bound, 4) for bound in bounds)  # and not 0.28250000000000003
    assert set(data["counts"]) == {
        "correct", "worked otherwise", "carried forward", "not worked", "rounding", "known mistake",
        "slip", "by hand", "blank", "unreadable",
    }  # fmt: skip


def test_blank_and_unreadable_answers_block_nothing(tmp_path: Path) -> None:
    path = yaml_file(tmp_path / "a.yaml", {**RIGHT, "exp[I, I]": "", "exp_sum[I]": "abc"})
    data = graded(path)
    by_name = verdicts(data)
    assert (by_name["exp[I, I]"], by_name["exp_sum[I]"]) == ("blank", "unreadable")
    assert by_name["weights[I, I]"] == "correct"
    assert data["points"] == 8
    assert f"exp_sum[I]: abc, in {path}:8" in " ".join(
        run("grade", "i_love_ai", path).output.split()
    )


def test_the_same_mistake_costs_once(tmp_path: Path) -> None:
    """Base 2 for e: 2¹ = 2, 2⁰ = 1; the sum is 5, the weights are 0.4, 0.2 and 0.4. It costs 3.5,
    half of the seven numbers of the step: the two that are made wrongly, and what follows."""
    theirs = {
        "exp[I, I]": "2", "exp[I, AI]": "2", "exp_sum[I]": "5",
        "weights[I, I]": "0.400", "weights[I, love]": "0.200", "weights[I, AI]": "0.400",
    }  # fmt: skip
    path = yaml_file(tmp_path / "a.yaml", {**RIGHT, **theirs})
    data = graded(path)
    by_name = verdicts(data)
    assert by_name["exp[I, I]"] == by_name["exp[I, AI]"] == "known mistake"
    assert by_name["weights[I, I]"] == "carried forward"
    assert data["points"] == 6.5
    assert sum(v["points"] for v in data["verdicts"]) == 6.5
    assert graded(path, "--no-carry")["points"] == 5


def test_the_report_says_what_each_cause_costs(tmp_path: Path) -> None:
    """Base 2 in two numbers, a slip, and a sum that follows from both: three numbers of seven."""
    theirs = {"scores[I, I]": "4", "exp[I, love]": "1.5", "exp[I, I]": "16", "exp[I, AI]": "2"}
    path = yaml_file(tmp_path / "a.yaml", {**RIGHT, **theirs, "exp_sum[I]": "19.5"})
    page = " ".join(run("grade", "i_love_ai", path).stdout.split())
    found = re.findall(r"(Slip|Known mistake): .*?It costs (.*?)\.(?= |$)", page)
    assert found == [("Slip", "1 point"), ("Known mistake", "3 points"), ("Slip", "1 point")]


MASKED = """\
tokens: [a, b, c]
X: [[1, 0], [0.5, 1], [1, 1]]
projection: none
scale: none
mask: causal
until: softmax
"""
UNMASKED = {
    "masked[b, a]": "0.5", "masked[b, b]": "1.25", "masked[b, c]": "1.5",
    "exp[b, a]": "1.649", "exp[b, b]": "3.490", "exp[b, c]": "4.482", "exp_sum[b]": "9.621",
    "weights[b, a]": "0.171", "weights[b, b]": "0.363", "weights[b, c]": "0.466",
}  # fmt: skip


def test_a_mistake_in_one_number_costs_its_share_of_the_step(tmp_path: Path) -> None:
    """The mask changes one of three numbers; five follow. Weights that were set to 0 after the
    softmax wouldn't be 0.466, and no mistake is another explanation of itself."""
    scenario = tmp_path / "s.yaml"
    scenario.write_text(MASKED, "utf-8")
    path = yaml_file(tmp_path / "a.yaml", UNMASKED)
    page = " ".join(run("grade", scenario, path).stdout.split())
    assert "Known mistake: Forgetting the mask. It costs 1.5 points." in page
    assert page.count("Forgetting the mask") == 1
    assert "after the softmax" not in page
    assert "5 numbers follow from this by the right working: exp[b, c], exp_sum[b]" in page
    assert graded(path, scenario=str(scenario))["points"] == 8.5
    over = tmp_path / "o.csv"
    over.write_text("student,cell,points,reason\na,mask,2.5,the sheet says so\n", "utf-8")
    by_hand = graded(path, "--overrides", str(over), scenario=str(scenario))
    assert by_hand["points"] == 9.5  # which is all that the mistake costs then


def test_numbers_are_called_as_pages_call_them(tmp_path: Path) -> None:
    """Forgetting to scale in one head: in the table, the findings, the lesson and the feedback."""
    trace = shipped_trace("encoder_block")
    scores = trace["heads[2].scores"]
    answers = {scores.address(0, j).replace("scores", "scaled"): str(scores.number(0, j).shown)
               for j in range(scores.matrix.shape[1])}  # fmt: skip
    folder = tmp_path / "in"
    folder.mkdir()
    yaml_file(folder / "ann.yaml", answers)
    run("grade", "encoder_block", folder, "-o", f"{tmp_path}/m/", "--format", "markdown")
    texts = {path.name: path.read_text("utf-8") for path in (tmp_path / "m").iterdir()}
    assert "| Head 2 · scaled |" in texts["ann.md"]
    assert "### 1 · Head 2 · `scaled[" in texts["ann.md"]
    assert "**Points for:** Head 2 · scaled " in texts["ann.md"]
    assert "In head 2, work out `scaled[" in texts["next_lesson.md"]
    assert "Head 2 · scaled[" in texts["moodle.csv"]
    for name in ("ann.md", "next_lesson.md", "moodle.csv"):
        assert "heads[" not in texts[name].replace("\\", ""), name


def test_rows_in_another_place_are_no_lesson_and_cost_one_number(tmp_path: Path) -> None:
    scenario = tmp_path / "s.yaml"
    scenario.write_text(MASKED, "utf-8")
    right = work(load(scenario))["exp"]
    shown = [[str(right.number(i, j).shown) for j in range(3)] for i in range(3)]
    answers = {right.address(i, j): shown[{0: 0, 1: 2, 2: 1}[i]][j]
               for i in range(3) for j in range(3)}  # fmt: skip
    folder = tmp_path / "in"
    folder.mkdir()
    yaml_file(folder / "ann.yaml", answers)
    page = run("grade", scenario, folder, "-o", f"{tmp_path}/m/", "--format", "markdown").stdout
    assert "These are the numbers of another row." in page
    assert "another row" not in (tmp_path / "m" / "next_lesson.md").read_text("utf-8")
    assert graded(folder / "ann.yaml", scenario=str(scenario))["points"] == 8.5


TWO_DECIMALS = {"weights[I, I]": "0.42", "weights[I, love]": "0.16", "weights[I, AI]": "0.42"}


@pytest.mark.parametrize(
    ("theirs", "verdict", "by_itself"),
    [(TWO_DECIMALS, "rounding", 8.5), ({"weights[I, AI]": "0.242"}, "known mistake", 9.5)],
)
def test_what_is_only_written_otherwise_costs_half_a_number(
    tmp_path: Path, theirs: dict[str, str], verdict: str, by_itself: float
) -> None:
    """Two decimals for three, which costs once, and 0.422 with two digits exchanged."""
    path = yaml_file(tmp_path / "a.yaml", {**RIGHT, **theirs})
    data = graded(path)
    assert {verdicts(data)[cell] for cell in theirs} == {verdict}
    assert (data["points"], graded(path, "--no-carry")["points"]) == (9.5, by_itself)


def test_points_are_those_of_the_steps(tmp_path: Path) -> None:
    path = yaml_file(tmp_path / "a.yaml", {**RIGHT, "scores[I, love]": ""})
    data = graded(path, "--points", "scores=3")
    assert (data["points"], data["of"]) == (13, 16)


def test_what_only_follows_from_zeros_earns_nothing_and_is_told(tmp_path: Path) -> None:
    zeros = {name: "0" for name in RIGHT if name.startswith("exp[")}
    path = yaml_file(tmp_path / "a.yaml", {**RIGHT, **zeros, "exp_sum[I]": "0"})
    text = " ".join(run("grade", "i_love_ai", path).output.split())
    assert "From exp on, this paper doesn't show its working: 3 wrong numbers" in text
    assert "Numbers that merely follow from wrong ones (1) earn no points" in text
    data = graded(path)
    assert verdicts(data)["exp_sum[I]"] == "not worked"
    assert (data["points"], data["doubt"]["too_few"]) == (6, True)
    assert "If they counted, there would be 1 point more." in text
    assert data["doubt"]["more"] == 1


def test_answers_of_another_form_are_refused(tmp_path: Path) -> None:
    words = ("exercise", "i_love_ai", "--step", "softmax", "--format", "yaml", "--key", "none")
    assert run(*words, "--forms", "2", "-o", tmp_path / "forms").exit_code == 0
    sheet = tmp_path / "forms" / "i_love_ai_B_sheet.yaml"
    result = run("grade", "i_love_ai", sheet)
    assert result.exit_code == 2
    assert "these are answers of form B" in result.stderr
    assert "name the file, or the folder made from it" in result.stderr
    folder = run("grade", tmp_path / "forms", sheet)
    assert folder.exit_code == 2
    assert "this folder doesn't say what its forms ask, as options made them" in folder.stderr
    exam = tmp_path / "exam.yaml"
    exam.write_text("{scenario: i_love_ai, ask: [{step: softmax}], forms: 2, seed: 1}", "utf-8")
    key = ("exercise", "i_love_ai", "--step", "softmax", "--format", "yaml", "--forms", "2")
    assert run(*key, "-o", tmp_path / "keys").exit_code == 0
    right = run("grade", exam, tmp_path / "keys" / "i_love_ai_B_key.yaml")
    assert right.exit_code == 0, right.output  # as the message says, it makes the same forms
    assert run(*words, "-o", tmp_path / "own.yaml").exit_code == 0
    assert run("grade", "i_love_ai", tmp_path / "own.yaml").exit_code == 1  # all blank
    assert run("grade", "three_tokens", tmp_path / "own.yaml").exit_code == 2


def test_the_form_itself_marks_its_answers(tmp_path: Path) -> None:
    words = ("exercise", "i_love_ai", "--step", "softmax", "--format", "yaml", "--key", "separate")
    run(*words, "-o", tmp_path / "own")
    data = graded(tmp_path / "own" / "i_love_ai_key.yaml")
    assert data["points"] == data["of"] == 21


@pytest.mark.parametrize("name", format_names())
def test_a_report_is_there_in_every_format(tmp_path: Path, name: str) -> None:
    path = yaml_file(tmp_path / "a.yaml", {**RIGHT, "exp[I, I]": "7.389", "exp_sum[I]": "x_y"})
    result = run("grade", "i_love_ai", path, "--format", name)
    assert result.exit_code == 1
    assert "7.389" in result.stdout


def test_a_class_has_a_table_and_a_paper_each(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    answers.mkdir()
    yaml_file(answers / "ann.yaml", RIGHT)
    yaml_file(answers / "ben.yaml", {**RIGHT, "exp[I, I]": "5"}, 'student: "=Ben"')
    (answers / "bad.yaml").write_text("answers: [", "utf-8")
    result = run("grade", "i_love_ai", answers, "-o", f"{tmp_path}/marked/")
    assert result.exit_code == 2  # for the broken one
    assert "bad.yaml:2:1" in result.stderr
    assert "exp[I, I]: not right in 1 of 2 papers (1 ×: without a known reason)" in result.stdout
    marked = sorted(path.name for path in (tmp_path / "marked").iterdir())
    others = ["canvas.csv", "class.csv", "class.md", "grades.csv", "moodle.csv", "next_lesson.md"]
    assert marked == sorted(["Ben.md", "ann.md", "all.md", *others])
    with (tmp_path / "marked" / "class.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [(row["student"], row["points"], row["percent"]) for row in rows] == [
        ("ann", "10", "100"), ("'=Ben", "9", "90"), ("bad", "", ""),
    ]  # fmt: skip


def test_two_numbers_in_each_others_place_are_one_finding(tmp_path: Path) -> None:
    first, second = RIGHT["exp[I, love]"], RIGHT["exp[I, AI]"]
    theirs = {**RIGHT, "exp[I, love]": second, "exp[I, AI]": first}
    page = " ".join(
        run("grade", "i_love_ai", yaml_file(tmp_path / "a.yaml", theirs)).stdout.split()
    )
    assert page.count("exchanged") == 1
    assert "Slip: exp[I, love] and exp[I, AI] were exchanged. It costs 2 points." in page
    assert "was taken for" not in page


def test_a_transposed_table_has_one_explanation(tmp_path: Path) -> None:
    """K Qᵀ for Q Kᵀ, of which one says itself that it exchanges rows and columns."""
    trace = shipped_trace("i_love_ai")
    turned, names = trace["scores"].values.T, trace["scores"].rows.names
    theirs = {f"scores[{a}, {b}]": f"{turned[i, j]:g}" for i, a in enumerate(names)
              for j, b in enumerate(names)}  # fmt: skip
    page = " ".join(
        run("grade", "i_love_ai", yaml_file(tmp_path / "a.yaml", theirs)).stdout.split()
    )
    assert "K Qᵀ, which transposes the table. It costs" in page
    assert "Rows and columns were exchanged" not in page


def test_a_wrong_choice_is_no_slip(tmp_path: Path) -> None:
    text = (
        "exam: x\nparts:\n- questions:\n"
        "  - {ask: Which?, options: [a query, a key], right: a key}\n  - {ask: One?, number: 1}\n"
    )
    (tmp_path / "e.yaml").write_text(text, "utf-8")
    path = yaml_file(tmp_path / "a.yaml", {"1": "a query", "2": "1"})
    page = " ".join(run("grade", tmp_path / "e.yaml", path).stdout.split())
    assert "2 answers: 1 correct, 1 wrong" in page
    assert "! wrong another answer is right, with the right answer in brackets" in page
    assert "lip" not in page
    table = run("grade", tmp_path / "e.yaml", path, yaml_file(tmp_path / "b.yaml", {"1": "a key"}))
    says = "! slip no working that is known gives it, or another choice is right"
    assert says in " ".join(table.stdout.split())


def test_what_one_leaves_out_that_others_answer_is_blank(tmp_path: Path) -> None:
    yaml_file(tmp_path / "ann.yaml", RIGHT)
    yaml_file(tmp_path / "ben.yaml", {"exp[I, I]": "2.718"})
    result = run("grade", "i_love_ai", tmp_path, "--format", "csv")
    assert result.exit_code == 1
    assert [row.split(",")[2:4] for row in result.stdout.splitlines()[1:3]] == [
        ["10", "10"],
        ["1", "10"],
    ]


def test_published_numbers_are_judged() -> None:
    result = run("check", "alice_met_bob", "--format", "json")
    assert result.exit_code == 1
    assert '"cell": "scores[met, Bob]"' in result.stdout
    assert run("check", "word_order").exit_code == 2  # whose source prints nothing


def test_published_numbers_that_follow_end_well(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    given = "Q: [[1]]\nK: [[2], [3]]\nV: [[1], [0]]\nscale: none\n"
    for score, status in (("2", 0), ("4", 1)):
        path.write_text(f"{given}published: {{scores: [[{score}, 3]]}}\n", "utf-8")
        assert run("check", path).exit_code == status


def test_numbers_that_a_source_prints_twice_are_judged_each() -> None:
    data = json.loads(run("check", "i_love_ai", "--format", "json").stdout)
    wrong = [value["cell"] for value in data["verdicts"] if value["verdict"] != "correct"]
    assert (sum(data["counts"].values()), wrong) == (57, ["ffn[AI, 1]"])
    page = run("check", "i_love_ai").stdout
    text = "4 numbers are printed otherwise than here. 3 of them follow"
    assert text in " ".join(page.split())


def test_of_two_numbers_for_a_cell_each_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    given = "Q: [[1]]\nK: [[2], [3]]\nscale: none\npublished:\n"
    path.write_text(f"{given}  scores: [[4, 3]]\n  scores[1, 1]: 2\n", "utf-8")
    data = json.loads(run("check", path, "--format", "json").stdout)
    pairs = [(value["given"], value["verdict"] == "correct") for value in data["verdicts"]]
    assert pairs == [("4", False), ("2", True), ("3", True)]


def test_the_numbers_of_variants_are_judged(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    given = "Q: [[1]]\nK: [[2], [3]]\nscale: none\nvariants:\n"
    for score, status in (("4", 0), ("5", 1)):
        other = f"{{K: [[2], [4]], published: {{scores: [[2, {score}]]}}}}"
        path.write_text(f"{given}  other: {other}\n", "utf-8")
        result = run("check", path, "--format", "json")
        assert result.exit_code == status
        counts = json.loads(result.stdout)["variants"]["other"]["counts"]
        assert (counts["correct"], sum(counts.values())) == (2 - status, 2)
    assert "Variant other: Numbers" in run("check", path).stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--scheme", "s.yaml", "--no-carry"), "the scheme says how marks are given"),
        (("--points", "nonsense=1"), "no such step or quantity"),
        (("--format", "docx"), "no such format"),
    ],
)
def test_wrong_options_are_told(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    path = yaml_file(tmp_path / "a.yaml", RIGHT)
    result = run("grade", "i_love_ai", path, *words)
    assert result.exit_code == 2
    assert says in result.stderr


def test_cells_that_are_not_there_are_told(tmp_path: Path) -> None:
    path = yaml_file(tmp_path / "a.yaml", {"scores[I, You]": "1", "nothing": "2"})
    result = run("grade", "i_love_ai", path)
    assert result.exit_code == 2
    assert "scores[I, You]" in result.stderr
    assert "nothing" in result.stderr


@sampled(
    2,
    scenario=["i_love_ai", "yassine_rnn", "three_tokens_two_heads"],
    blank=["all", "working", "random:0.3"],
)
def test_every_key_is_worth_all_points(tmp_path: Path, scenario: str, blank: str) -> None:
    words = ("exercise", scenario, "--format", "yaml", "--key", "separate", "--blank", blank)
    assert run(*words, "-o", f"{tmp_path}/key/").exit_code == 0
    data = graded(tmp_path / "key" / f"{scenario}_key.yaml", scenario=scenario)
    wrong = [value for value in data["verdicts"] if value["verdict"] != "correct"]
    assert not wrong


def test_a_number_inside_a_line_is_carried_forward_from_its_cell(tmp_path: Path) -> None:
    words = ("exercise", "i_love_ai", "--format", "yaml", "--key", "none", "--blank", "working")
    run(*words, "--step", "softmax", "-o", tmp_path / "sheet.yaml")
    names = [
        line.strip().strip('":') for line in (tmp_path / "sheet.yaml").read_text().splitlines()
    ]
    term = next(name for name in names if name.startswith("exp_sum[I].working"))
    for number, verdict in (("5", "slip"), ("2.718", "correct"), ("abc", "unreadable")):
        path = yaml_file(tmp_path / "a.yaml", {term: number})
        assert verdicts(graded(path)) == {term: verdict}
    theirs = {"exp[I, I]": "5", "exp[I, love]": "1", "exp[I, AI]": "2.718", term: "5"}
    data = graded(yaml_file(tmp_path / "a.yaml", theirs))
    assert verdicts(data)[term] == "carried forward"
    assert run("grade", "i_love_ai", tmp_path / "sheet.yaml").exit_code == 1
    lost = yaml_file(tmp_path / "a.yaml", {"exp_sum[I].working[99]": "1"})
    assert "no sheet asks for this number" in run("grade", "i_love_ai", lost).stderr


def test_answers_in_another_order_belong_to_their_hash(tmp_path: Path) -> None:
    """Of numbers inside lines and answers in words, too."""
    words = ("--step", "scores", "--step", "softmax", "--blank", "all", "--ask", "attends_most")
    target = ("--format", "yaml", "--key", "separate", "-o", f"{tmp_path}/key/")
    assert run("exercise", "i_love_ai", *words, *target).exit_code == 0
    path = tmp_path / "key" / "i_love_ai_key.yaml"
    lines = path.read_text("utf-8").splitlines()
    answers = [line for line in lines if line.startswith('  "')]
    head = [line for line in lines if line not in answers]
    for others in (answers[::-1], sorted(answers)):
        path.write_text("\n".join([*head, *others]), "utf-8")
        result = run("grade", "i_love_ai", path)
        assert result.exit_code == 0, result.output
        assert f"{len(answers)} of {len(answers)}" in result.stdout


def test_a_cell_may_be_written_otherwise(tmp_path: Path) -> None:
    exam = made_exam(tmp_path)
    a = next((tmp_path / "keys").glob("*_A_key.yaml"))
    text = a.read_text("utf-8").replace('"exp[I, love]"', '"exp[1,2]"')
    a.write_text(text.replace('"exp_sum[I].working[1]"', '"exp_sum[1].working[1]"'), "utf-8")
    result = run("grade", exam, a)
    assert "19 of 19" in result.stdout
    assert result.exit_code == 0
    a.write_text(f'{a.read_text("utf-8")}  "exp[I, love]": 7\n', "utf-8")
    twice = run("grade", exam, a)
    line = "exp[I, love] is answered a second time, as exp[1,2]. The first answer counts."
    assert line in " ".join(twice.stdout.split())


EXAM = """\
exercise: Attention by hand
scenario: i_love_ai
ask: [softmax, {cell: 'output[love, 1]'}]
points: {softmax: 0.5, exp_sum: 2}
forms: 3
"""


def test_an_exercise_marks_the_answers_of_its_forms(tmp_path: Path) -> None:
    exam = tmp_path / "exam.yaml"
    exam.write_text(EXAM, "utf-8")
    words = ("exercise", exam, "--format", "yaml", "--key", "separate")
    assert run(*words, "-o", f"{tmp_path}/made/").exit_code == 0
    answers = tmp_path / "answers"
    answers.mkdir()
    for path in (tmp_path / "made").rglob("*key.yaml"):
        (answers / path.name).write_bytes(path.read_bytes())
    table = run("grade", exam, answers, "--format", "csv")
    rows = [*csv.DictReader(table.stdout.splitlines())]
    assert table.exit_code == 0, table.output
    # nine exponentials and nine weights at half a point, three sums at two, one output at one
    assert [(row["form"], row["points"], row["of"]) for row in rows] == [
        ("A", "16", "16"), ("B", "16", "16"), ("C", "16", "16"),
    ]  # fmt: skip
    b = next(path for path in answers.iterdir() if "_B_" in path.name)
    foreign = tmp_path / "foreign.yaml"
    foreign.write_text(b.read_text("utf-8").replace('form: "B"', 'form: "Z"'), "utf-8")
    assert run("grade", exam, foreign).exit_code == 0  # its hash is that of B
    lines = foreign.read_text("utf-8").splitlines()
    foreign.write_text("\n".join(x for x in lines if not x.startswith("hash")), "utf-8")
    refused = run("grade", exam, foreign)
    assert refused.exit_code == 2
    assert "these are answers of form Z" in refused.stderr
    assert run("grade", exam, b, "--points", "2").exit_code == 2


def made_exam(folder: Path) -> Path:
    """An exam in a folder, and `keys` beside it: the answers of each form that its key has."""
    exam = folder / "exam.yaml"
    text = EXAM.replace("'output[love, 1]'", "'output[love, 1]', blank: all")
    exam.write_text(f"{text}tolerance: {{units: 1}}\n", "utf-8")
    assert run("exercise", exam, "-o", f"{folder}/exam/").exit_code == 0
    words = ("--format", "yaml", "--key", "separate", "-o", f"{folder}/made/")
    assert run("exercise", exam, *words).exit_code == 0
    (folder / "keys").mkdir()
    for path in (folder / "made").glob("*key.yaml"):
        path.rename(folder / "keys" / path.name)
    return folder / "exam"


def test_the_folder_of_an_exercise_marks_a_class_over_its_forms(tmp_path: Path) -> None:
    exam = made_exam(tmp_path)
    b = next((tmp_path / "keys").glob("*_B_key.yaml"))
    text = b.read_text("utf-8")
    right = re.search(r'"weights\[I, I\]": "?([\d.]+)', text)
    assert right is not None
    unit_off = str(Decimal(right[1]) + Decimal("0.001"))  # let pass by the tolerance
    b.write_text(text.replace(right[0], right[0].replace(right[1], unit_off)), "utf-8")
    for target in (exam, exam / "manifest.json"):
        table = run("grade", target, tmp_path / "keys", "--format", "csv")
        rows = [*csv.DictReader(table.stdout.splitlines())]
        # sixteen points as above, and three numbers inside a line at one
        assert table.exit_code == 0, table.output
        assert [(row["form"], row["points"], row["of"]) for row in rows] == [
            ("A", "19", "19"), ("B", "19", "19"), ("C", "19", "19"),
        ]  # fmt: skip
    assert "Student    │ Form  Points" in run("grade", exam, tmp_path / "keys").stdout
    b.write_text(re.sub("hash: .*", "hash: gdeadbee", text), "utf-8")
    refused = run("grade", exam, b)
    assert refused.exit_code == 2
    assert "these are answers of form B (gdeadbee), which" in refused.stderr
    assert run("grade", exam, b, "--decimals", "2").exit_code == 2


def test_a_form_with_other_numbers_than_its_papers_marks_nothing(tmp_path: Path) -> None:
    exam = made_exam(tmp_path)
    form = exam / "forms" / "C.yaml"
    form.write_text(form.read_text("utf-8").replace("decimals: 3", "decimals: 2"), "utf-8")
    refused = run("grade", exam, tmp_path / "keys")
    assert refused.exit_code == 2
    assert "C.yaml: its numbers aren't those that the papers of form C" in refused.stderr


def test_what_is_no_manifest_is_refused(tmp_path: Path) -> None:
    manifest = made_exam(tmp_path) / "manifest.json"
    text = manifest.read_text("utf-8")
    wrong = {'"forms/A.yaml"': '"../A.yaml"', '"units"': '"unit"', '"forms": {': '"form": {'}
    for line, instead in wrong.items():
        assert line in text
        manifest.write_text(text.replace(line, instead, 1), "utf-8")
        refused = run("grade", manifest, tmp_path / "keys")
        assert refused.exit_code == 2
        assert "manifest.json: is no manifest of an exercise" in refused.stderr


FAULTS = {
    "s2.yaml": ({"wieghts[I, I]": "0.3"}, {}),
    "s3.yaml": ({}, {"form": "B"}),
    "s4 again.yaml": ({}, {}),
    "zed.yaml": ({}, {"student": "Zed", "id": "s99"}),
}
"""Of a paper: answers to what isn't asked, and what is said at its top that isn't so."""


def class_with_faults(folder: Path) -> tuple[Path, Path]:
    """An exam for a list of students, and what was handed in of it: each paper right but for what
    is wrong about it; the last of the list handed nothing in."""
    exam, answers = folder / "exam.yaml", folder / "answers"
    exam.write_text(EXAM, "utf-8")
    names = ("Ann", "Ben", "Cy", "Di", "Ed", "Flo")
    rows = (f"{name},s{k},A" for k, name in enumerate(names, start=1))
    (folder / "list.csv").write_text("\n".join(["name,ID,form", *rows]), "utf-8")
    made = ("exercise", exam, "-o", folder / "exam", "--students", folder / "list.csv")
    assert run(*made).exit_code == 0
    keys = ("--format", "yaml", "--key", "separate", "-o", f"{folder}/made/")
    assert run("exercise", exam, *keys).exit_code == 0
    key = (folder / "made" / "exam_A_key.yaml").read_text("utf-8").partition("answers:")
    answers.mkdir()

    def hand_in(file: str, number: int, more: dict[str, str], by_name: dict[str, str]) -> None:
        own = {"student": names[number - 1], "id": f"s{number}", "form": "A", **by_name}
        mark = re.search("hash: .*", key[0])
        assert mark is not None
        head = [*(f'{name}: "{text}"' for name, text in own.items()), mark[0], "answers:"]
        others = (f'  "{cell}": {text}' for cell, text in more.items())
        text = "\n".join([*head, key[2].strip("\n"), *others])
        (answers / file).write_text(text, "utf-8")

    for number in range(1, 5):
        hand_in(f"s{number}.yaml", number, *FAULTS.get(f"s{number}.yaml", ({}, {})))
    hand_in("s4 again.yaml", 4, *FAULTS["s4 again.yaml"])
    hand_in("zed.yaml", 1, *FAULTS["zed.yaml"])
    (answers / "s5.yaml").write_text("answers: [", "utf-8")
    (answers / "photo.jpg").write_bytes(b"\xff\xd8")
    return folder / "exam", answers


def test_nothing_that_was_handed_in_is_dropped_in_silence(tmp_path: Path) -> None:
    exam, answers = class_with_faults(tmp_path)
    result = run("grade", exam, answers, "--format", "json")
    assert result.exit_code == 2  # a file can't be read
    data = json.loads(result.stdout)
    entries = {Path(value["file"]).name: (value["points"], " ".join(value["remarks"]))
            for value in data["papers"]}  # fmt: skip
    assert {points for points, _ in entries.values()} == {16}
    assert entries["s1.yaml"][1] == ""
    told = "wieghts[I, I]: 0.3 (did you mean weights[I, I]?) answers nothing that is asked"
    assert told in entries["s2.yaml"][1]
    assert "It says form B, but its hash" in entries["s3.yaml"][1]
    assert "is that of form A, by which it is marked. By form B it would" in entries["s3.yaml"][1]
    assert "There are 2 papers: " in entries["s4.yaml"][1]
    assert entries["s4.yaml"] == entries["s4 again.yaml"]
    assert entries["zed.yaml"][1] == "The list of students has nobody of this name or ID."
    without = {value["student"]: (value["id"], value["why"]) for value in data["not_marked"]}
    assert without["Flo"] == ("s6", "Nothing was handed in.")
    assert without["Ed"][0] == "s5"
    assert "s5.yaml:2:1: broken YAML" in without["Ed"][1]
    assert len(without) == 2
    assert "photo.jpg" in data["remarks"][0]
    assert data["average"] == data["of"] == 16


def test_pages_and_tables_tell_all_that_was_handed_in(tmp_path: Path) -> None:
    exam, answers = class_with_faults(tmp_path)
    page = " ".join(run("grade", exam, answers).stdout.split())
    first, _, rest = page.partition("Marks Student")
    assert "Zed (s99): The list of" in first
    assert "To look at 6 remarks below the marks" in first
    marks, _, below = rest.partition("To look at")
    for said in ("wieghts[I, I]: 0.3", "It says form B, but", "Flo (s6): Nothing was handed in.",
                 "Ed (s5): ", "photo.jpg"):  # fmt: skip
        assert said in below
    assert "Flo │ s6 A – – –" in marks
    table = run("grade", exam, answers, "--format", "csv")
    rows = {row["student"]: row for row in csv.DictReader(table.stdout.splitlines())}
    assert (rows["Flo"]["points"], rows["Flo"]["remarks"]) == ("", "Nothing was handed in.")
    assert "It says form B" in rows["Cy"]["remarks"]
    assert "broken YAML" in rows["Ed"]["remarks"]


def test_one_paper_tells_what_does_not_fit_at_its_top(tmp_path: Path) -> None:
    exam, answers = class_with_faults(tmp_path)
    page = run("grade", exam, answers / "s3.yaml")
    assert "It says form B, but its hash" in page.stdout.partition("Numbers")[0]
    assert "Nothing was handed in" not in page.stdout  # a single paper is no class
    data = json.loads(run("grade", exam, answers / "s3.yaml", "--format", "json").stdout)
    assert data["points"] == 16
    assert "It says form B" in data["remarks"][0]


def test_a_folder_is_a_class_whatever_is_in_it(tmp_path: Path) -> None:
    yaml_file(tmp_path / "ann.yaml", RIGHT)
    data = json.loads(run("grade", "i_love_ai", tmp_path, "--format", "json").stdout)
    assert [(value["student"], value["points"]) for value in data["papers"]] == [("ann", 10)]
    (tmp_path / "ann.yaml").write_text("answers: [", "utf-8")
    broken = run("grade", "i_love_ai", tmp_path, "--format", "json")
    data = json.loads(broken.stdout)
    assert (broken.exit_code, data["papers"]) == (2, [])
    assert "broken YAML" in data["not_marked"][0]["why"]
    (tmp_path / "ann.yaml").rename(tmp_path / "ann.docx")
    for form in ("terminal", "json", "csv", "html", "latex"):
        empty = run("grade", "i_love_ai", tmp_path, "--format", form)
        assert empty.exit_code == 2
        assert "there are no answers files in this folder" in empty.stderr
        assert "no answers file in YAML or CSV" in " ".join(empty.stdout.split())
