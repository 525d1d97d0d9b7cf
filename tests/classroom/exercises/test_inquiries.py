"""Questions that are answered in words: what is asked, what is right, and how answers are read."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli.classroom.exercises.requests import ExerciseRequest, WordsWanted
from attncli.classroom.marking.word_answers import chosen, questions_at
from attncli.cli import app
from attncli.document.blocks import WordBlank
from attncli.document.questions import labels_of
from attncli.formats import RenderOptions, files_of, render
from attncli.maths.notation.escaping import printed
from attncli.output_files import packed
from attncli.steps import STORY, step_named
from attncli.steps.order import inquiries
from tests.classroom import cloze, qti
from tests.classroom.exercises.test_moodle import NASTY
from tests.classroom.made import SHEET_FORMATS, Papers, papers
from tests.classroom.qti.schema import QTI, faults
from tests.conftest import sampled
from tests.helpers.pages import SHIPPED, trace_of

WITH_WEIGHTS = [
    name
    for name in ("i_love_ai", "three_tokens_two_heads", "alice_met_bob", "llama_block", "pasta")
    if name in SHIPPED
]


def asking(name: str, *questions: str, written: bool = False) -> Papers:
    words = tuple(WordsWanted(question, written=written) for question in questions)
    return papers(trace_of(SHIPPED[name]), ExerciseRequest((), seed="7", words=words))


def test_the_order_names_the_questions_of_each_step() -> None:
    steps = map(step_named, STORY)
    assert inquiries() == {i.name: step.name for step in steps for i in step.inquiries}


@sampled(3, name=WITH_WEIGHTS)
def test_most_is_where_the_largest_weight_is(name: str) -> None:
    trace = trace_of(SHIPPED[name])
    keys = {q.id: q.words for s in asking(name, "attends_most").whole.sections for q in s.questions}
    asked = questions_at(trace, "attends_most")
    assert len(asked) == len(keys)
    for question in asked:
        key, weights = keys[question.id], trace[question.reads].values[question.asked.row]
        assert key is not None
        assert key.answer.raw == trace[question.reads].columns.names[int(np.argmax(weights))]
        unit = 10.0**-trace.rounding.decimals
        assert all(weights[k] >= weights.max() - 2 * unit for k in key.right)
        assert set(np.flatnonzero(weights == weights.max())) <= set(key.right)


def counted_pairs(words: Sequence[tuple[str, ...]], times: Sequence[int]) -> Counter[str]:
    """How often each pair of neighbours occurs."""
    found: Counter[str] = Counter()
    for word, count in zip(words, times, strict=True):
        found.update({" ".join(pair): 0 for pair in pairwise(word)})
        for pair in pairwise(word):
            found[" ".join(pair)] += count
    return found


def test_the_pair_that_occurs_most_often_is_merged() -> None:
    """Counted here round by round, and of equal pairs that of the smaller IDs taken."""
    trace = trace_of(SHIPPED["bpe"])
    times = trace["word_counts"].values[:, 0].astype(int).tolist()
    words = [tuple(word) for word in trace["word_counts"].rows.names]
    ids = sorted({letter for word in words for letter in word})
    for question in questions_at(trace, "merged"):
        pairs = counted_pairs(words, times)
        most = max(pairs.values())
        best = min((p for p, n in pairs.items() if n == most), key=lambda p: order(p, ids))
        held = trace[question.reads].values
        assert [question.asked.options[k] for k in question.asked.right(held, held)] == [best]
        assert best in [question.asked.options[k] for k in question.asked.listed]
        words = [merged(word, best) for word in words]
        ids.append(best.replace(" ", ""))


def order(pair: str, ids: Sequence[str]) -> list[int]:
    return [ids.index(part) for part in pair.split(" ")]


def merged(word: tuple[str, ...], pair: str) -> tuple[str, ...]:
    text = f" {' '.join(word)} ".replace(f" {pair} ", f" {pair.replace(' ', '')} ")
    return tuple(text.split())


@sampled(3, call=[["--ask", "merged"], ["--step", "learn", "--ask", "merged"]], form=SHEET_FORMATS)
def test_a_sheet_does_not_tell_which_pair_is_merged(form: str, call: list[str]) -> None:
    """No piece that it would make, and lists go by names."""
    key = ["--key", "none", "--format", form]
    text = CliRunner().invoke(app, ["exercise", "bpe", *call, *key]).output
    last = 1 if "--step" not in call else len(questions_at(trace_of(SHIPPED["bpe"]), "merged"))
    assert f"rounds[{last}].merged" in text or f"in round {last}?" in text
    assert f"round {last + 1}" not in text
    asked = re.findall(rf"rounds\[{last}\]\.counts\[(.*?)\]", text)
    assert asked == sorted(asked)


def test_a_pair_that_a_sheet_tells_is_refused() -> None:
    call = ["exercise", "bpe", "--step", "learn", "--ask", "rounds[1].merged"]
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 2
    assert "--ask rounds[1].merged: the sheet would tell the answer" in result.output


@pytest.mark.parametrize("name", ["i_love_tennis_causal"])
def test_one_of_the_masks_is_the_right_one(name: str) -> None:
    trace = trace_of(SHIPPED[name])
    for question in questions_at(trace, "which_mask"):
        held = trace[question.reads].values
        tables = [table.values for table in question.asked.tables]
        (right,) = question.asked.right(held, held)
        np.testing.assert_array_equal(tables[right], np.tril(np.ones(held.shape)))
        assert len({table.tobytes() for table in tables}) == len(tables) > 2


def test_what_is_right_of_a_tie_is_said_whether_there_is_one_or_not() -> None:
    """i_love_ai has rows with two largest weights, learned numbers have none."""
    for name in ("i_love_ai", "three_tokens_two_heads"):
        sheet = CliRunner().invoke(app, ["exercise", name, "--ask", "attends_most"]).stdout
        text = "If several tokens share the largest weight, each of them is right."
        assert text in " ".join(sheet.split())


def test_a_mask_that_a_sheet_tells_is_refused() -> None:
    """Masked scores tell it; where these are asked for as well, nothing does."""
    call = ["exercise", "i_love_tennis_causal", "--ask", "which_mask", "--step", "softmax"]
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 2
    assert "the sheet shows masked, which tells the answer" in result.output
    assert CliRunner().invoke(app, [*call, "--step", "mask"]).exit_code == 0


@pytest.mark.parametrize("form", SHEET_FORMATS)
@pytest.mark.parametrize("written", [False, True])
def test_a_sheet_is_the_same_whatever_is_right(form: str, written: bool) -> None:
    """Nor does it tell the weights, of which it asks the largest."""
    sheet = asking("three_tokens_two_heads", "attends_most", written=written).sheet
    blanks = [b for s in sheet.sections for b in s.blocks if isinstance(b, WordBlank)]
    assert blanks
    assert all(blank.answer is None for blank in blanks)
    assert all(q.key is None and q.words is None for s in sheet.sections for q in s.questions)
    text = render(sheet, form, RenderOptions(80))
    trace = trace_of(SHIPPED["three_tokens_two_heads"])
    weights = [trace[question.reads] for question in questions_at(trace, "attends_most")]
    shown = {str(w.number(i, j).shown) for w in weights for i in range(3) for j in range(3)}
    assert not [number for number in shown if len(number) > 4 and number in text]


def test_a_file_with_both_sheet_and_key_keeps_answers_to_the_key() -> None:
    """What is in `\\fillin[…]` the class `exam` prints with the answers alone."""
    call = ["exercise", "i_love_ai", "--ask", "attends_most", "--format", "latex"]
    text = CliRunner().invoke(app, call).output
    places = re.findall(r"\\mbox\{Answer (\S*)\[\d+mm\]\}", text)
    assert places == [r"\fillin[I]", r"\fillin[AI]", r"\fillin[AI]"]
    assert text.count(r"\mbox{Answer") == 3


PAIRS = ("u n", "un g", "h u")


@pytest.mark.parametrize(
    ("text", "options", "meant"),
    [
        ("AI", ("I", "love", "AI"), 2),
        ("i", ("I", "love", "AI"), 0),
        (" b ", ("I", "love", "AI"), 1),
        ("(C)", ("I", "love", "AI"), 2),
        ("B.", ("I", "love", "AI"), 1),
        ("lov", ("I", "love", "AI"), None),
        ("A", ("B", "A", "C"), 1),  # the token, since the list has numbers
        ("2", ("B", "A", "C"), 1),
        ("(u, n)", PAIRS, 0),
        ("un", PAIRS, 0),
        ("ung", PAIRS, 1),
        ("u+n", PAIRS, 0),
        ("the", ("the (1)", "cat", "the (3)"), None),
        ("ab c", ("a bc", "ab c"), 1),
        ("abc", ("a bc", "ab c"), None),
    ],
)
def test_answers_are_read_as_people_write_them(
    text: str, options: tuple[str, ...], meant: int | None
) -> None:
    assert chosen(text, options, labels_of(options)) == meant


def graded(folder: Path, answers: Mapping[str, str], scenario: str = "i_love_ai") -> dict[str, Any]:
    """The verdicts on some answers to a scenario, by what they answer."""
    lines = (f'  "{id_}": {answer}' for id_, answer in answers.items())
    path = folder / "answers.yaml"
    path.write_text("\n".join(["answers:", *lines]) + "\n", "utf-8")
    result = CliRunner().invoke(app, ["grade", scenario, str(path), "--format", "json"])
    assert result.exit_code in (0, 1), result.output
    return {value["cell"]: value for value in json.loads(result.output)["verdicts"]}


def test_marking_knows_right_wrong_and_what_follows(tmp_path: Path) -> None:
    ids = ["attends_most[I]", "attends_most[love]", "attends_most[AI]"]
    data = graded(tmp_path, dict(zip(ids, ["c", "love", "''"], strict=True)))
    assert [data[id_]["verdict"] for id_ in ids] == ["correct", "slip", "blank"]
    assert data[ids[1]]["accepted"] == ["AI"]
    assert graded(tmp_path, {ids[1]: "nobody"})[ids[1]]["verdict"] == "unreadable"
    own = {"scores[love, I]": "4", ids[1]: "I"}  # 4 is wrong, and the largest of its row
    assert graded(tmp_path, own)[ids[1]]["verdict"] == "carried forward"
    shown = {"scores[love, I]": "4", "weights[love, love]": "0.9", ids[1]: "love"}
    assert graded(tmp_path, shown)[ids[1]]["verdict"] == "carried forward"


def test_a_wrong_way_that_gives_the_words_is_named(tmp_path: Path) -> None:
    """Found here by other means: the column's largest weight, the table turned over, the pair met
    first; a right answer that the way would have missed speaks against it."""

    def cause(scenario: str, answers: Mapping[str, str]) -> str | None:
        value = graded(tmp_path, answers, scenario)[[*answers][-1]]
        assert (value["verdict"] == "known mistake") == (value["cause"] is not None)
        return None if value["cause"] is None else str(value["cause"]["name"])

    love = "attends_most[love]"
    weights = trace_of(SHIPPED["i_love_ai"])["weights"].values
    most = ["I", "love", "AI"][int(weights[:, 1].argmax())]
    assert cause("i_love_ai", {love: most}) == "read_down_the_column"
    assert cause("i_love_ai", {"attends_most[I]": "AI", love: most}) is None
    causal = trace_of(SHIPPED["i_love_tennis_causal"])
    (masks,) = questions_at(causal, "which_mask")
    tables = [table.values for table in masks.asked.tables]
    turned = next(
        k for k, array in enumerate(tables) if np.array_equal(array, np.triu(array * 0 + 1))
    )
    chosen_mask = {"which_mask": masks.asked.options[turned]}
    assert cause("i_love_tennis_causal", chosen_mask) == "row_and_column"
    # unhappily comes first, in which h a is met before a p, as frequent, whose IDs are smaller
    assert cause("bpe", {"rounds[2].merged": "h a"}) == "other_tie_rule"


def test_an_exercise_of_questions_is_made_and_marked(tmp_path: Path) -> None:
    """From its file into a folder, from its key to all of the points; points go by names."""
    exam = tmp_path / "exam.yaml"
    asked = "[{step: softmax, token: love}, {question: 'attends_most[love]', written: true}]"
    exam.write_text(
        f"scenario: i_love_ai\nask: {asked}\npoints: {{attends_most: 2.5}}\nforms: 2\n", "utf-8"
    )
    run = CliRunner().invoke
    made = run(app, ["exercise", str(exam), "-o", f"{tmp_path}/exam/"])
    assert made.exit_code == 0, made.output
    key = run(app, ["exercise", str(exam), "--format", "yaml", "--key", "separate",
                    "-o", f"{tmp_path}/keys/"])  # fmt: skip
    assert key.exit_code == 0, key.output
    manifest = json.loads((tmp_path / "exam" / "manifest.json").read_text("utf-8"))
    assert manifest["forms"]["A"]["parts"][0]["asked"]["attends_most[love]"] == 2.5
    for place in (str(exam), f"{tmp_path}/exam/"):
        keys = sorted(str(path) for path in (tmp_path / "keys").rglob("*key*"))
        result = run(app, ["grade", place, *keys])
        assert result.exit_code == 0, result.output


FEW = r"""
tokens: ["}~", "#\\", "{1:NUMERICAL:=1}", "*", "\\(x\\) <b>&"]
X: [[1, 2], [2, 1], [1, 0.5], [0.5, 1], [1, 3]]
projection: none
"""


@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("scenario", ["three_tokens_two_heads", "nasty", "nasty and few"])
def test_moodle_and_qti_mark_them(scenario: str, written: bool) -> None:
    """Read back by readers of their own, with tokens that Moodle or XML would obey, too."""
    text = SHIPPED[scenario] if scenario in SHIPPED else NASTY.replace("sentence: x\n", "")
    trace = trace_of(FEW if scenario == "nasty and few" else text)
    words = (WordsWanted("attends_most", written=written),)
    whole = papers(trace, ExerciseRequest((), seed="7", words=words)).whole
    keys = [q.words for s in whole.sections for q in s.questions if q.words is not None]
    (question,) = cloze.questions(render(whole, "moodle", RenderOptions(80)))
    assert len(question.fields) == len(keys)
    for field, key in zip(question.fields, keys, strict=True):
        assert field.kind == ("shortanswer" if written or not key.labels else "multichoice")
        right = {answer.raw for answer in key.answers}
        shares = {html.unescape(a.text): a.share for a in field.alternatives}
        for option in key.options:
            if field.kind == "multichoice":
                assert shares[printed(option)] == (option.raw in right)
            else:
                assert cloze.mark(field, option.raw)[0] == (option.raw in right)
    package = qti.opened(packed(files_of([whole], "qti", RenderOptions(80))))
    (item,) = package.items.values()
    assert not [*faults(item)]
    names = [e.attrib["identifier"] for e in item.iter(f"{{{QTI}}}responseDeclaration")]
    typed = [f"option{key.right[0] + 1}" if key.labels else key.answer.raw for key in keys]
    score = qti.mark(item, dict(zip(names, typed, strict=True))).score
    assert score == len(keys)
    assert qti.mark(item, dict.fromkeys(names, "nothing")).score == 0
