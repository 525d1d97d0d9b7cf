"""The form to type papers into, in a real browser and by its keyboard alone."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from attncli.classroom.files.ids import id_meant
from attncli.classroom.marking.exam import cell_of
from attncli.cli import app
from attncli.errors import UserError
from attncli.maths.equations.tree import Location
from attncli.maths.notation.escaping import guarded, unguarded
from attncli.names import Word
from attncli.pipeline import load, work
from attncli.trace import Trace
from tests.classroom.exercises.test_exam import EXAM, HAND, graded, key_of, manifest, run
from tests.conftest import sampled
from tests.helpers.browser import findings, opened

LIST = "name,ID,form\n=Ada,1,A\nBen,2,B\nCid,3,C\n"
CHOICE = "4/q1"

pytestmark = pytest.mark.real("chromium")


def made(place: Path, text: str, *words: str) -> Path:
    """The folder of an exam, with the scenarios that a browser needn't see."""
    (place / "e.yaml").write_text(text, "utf-8")
    options = ("-o", place / "e", "--format", "terminal", *words)
    result = CliRunner().invoke(app, ["exam", str(place / "e.yaml"), *map(str, options)])
    assert result.exit_code == 0, result.output
    return place / "e"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("entry")
    (place / "list.csv").write_text(LIST, "utf-8")
    return made(place, EXAM, "--students", str(place / "list.csv"))


@pytest.fixture
def page(chromium: Any, folder: Path) -> Iterator[Any]:
    """The form; it asks for nothing that isn't inside, and the console stays empty."""
    with opened(chromium, folder / "e_entry.html") as value:
        yield value


class Typist:
    """Types with the keys of a keyboard, and counts them."""

    def __init__(self, page: Any) -> None:
        self.page, self.keys = page, 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1

    def enter(self, text: str) -> None:
        self.page.keyboard.type(text)
        self.keys += len(text)
        self.press("Enter")

    def paste(self, text: str) -> None:
        """Enters a text that comes at once, which is as good where keys aren't what is tested."""
        self.page.keyboard.insert_text(text)
        self.press("Enter")

    @property
    def at(self) -> str:
        """What has the focus: a blank by its address, or a field by its label."""
        label: str = self.page.evaluate("document.activeElement.labels?.[0]?.textContent ?? ''")
        return label

    @property
    def states(self) -> dict[str, str]:
        found: dict[str, str] = self.page.evaluate(
            """Object.fromEntries([...document.querySelectorAll(".field")].map(
              field => [field.querySelector("label").textContent, field.dataset.state]))"""
        )
        return found

    def saved(self, path: Path) -> list[list[str]]:
        """The table that Ctrl+S saves."""
        with self.page.expect_download() as download:
            self.press("Control+s")
        assert download.value.suggested_filename == "e_class.csv"
        download.value.save_as(path)
        with path.open(encoding="utf-8", newline="") as file:
            return [*csv.reader(file)]

    @property
    def status(self) -> str:
        text: str = self.page.text_content("#status")
        return text


@contextmanager
def asking(page: Any, *, accept: bool) -> Iterator[list[str]]:
    """Answers all that the page asks meanwhile, which it gives; other tests share its window."""
    asked: list[str] = []

    def answer(dialog: Any) -> None:
        asked.append(dialog.message)
        dialog.accept() if accept else dialog.dismiss()

    page.on("dialog", answer)
    try:
        yield asked
    finally:
        page.remove_listener("dialog", answer)


def rounded(number: Decimal) -> str:
    return str(number.quantize(Decimal("0.001"), ROUND_HALF_UP))


def carried(folder: Path) -> dict[str, str]:
    """The answers of a paper of form B with one number wrong, and what is worked from it by hand:
    the sum of its row, its weights, and the output."""
    answers = {**key_of(folder, "B"), "1/exp[love, love]": "3.5"}
    words = ("I", "love", "AI")
    row = [Decimal(answers[f"1/exp[love, {word}]"]) for word in words]
    total = answers["1/exp_sum[love]"] = rounded(sum(row, Decimal(0)))
    weights = [rounded(number / Decimal(total)) for number in row]
    answers |= {f"1/weights[love, {word}]": w for word, w in zip(words, weights, strict=True)}
    V = work(load(folder / "forms" / "B_1.yaml"))["V"]
    for j in range(2):
        terms = (Decimal(w) * V.number(i, j).shown for i, w in enumerate(weights))
        answers[f"1/output[love, {j + 1}]"] = rounded(sum(terms, Decimal(0)))
    return answers


def all_right(typist: Typist, folder: Path) -> Mapping[str, str]:
    """A paper with all of it right, the choice by its letter: a key for each character, and one for
    each blank."""
    answers = {**key_of(folder, "A"), HAND: "2.5"}
    options = manifest(folder)["forms"]["A"]["parts"][3]["choices"]["q1"]["options"]
    typed = {**answers, CHOICE: "ab"[options.index(answers[CHOICE])]}
    typist.enter("=a")
    for id_, text in typed.items():
        assert typist.at == id_
        assert typist.page.input_value("#form") == "A"
        typist.enter(text)
    assert typist.at == "Student"
    assert typist.keys == len("=a") + 1 + sum(len(text) + 1 for text in typed.values())
    return answers


def carried_forward(typist: Typist, folder: Path) -> Mapping[str, str]:
    """A paper with a number of the student's own, kept by typing it again, what follows from it,
    and a blank."""
    answers = {**carried(folder), "2/z[1][2]": ""}
    typist.enter("2")
    asked = []
    for id_, text in answers.items():
        typist.paste(text or "-")
        if typist.at == id_:
            asked.append(id_)
            assert "look again" in typist.status
            typist.paste(text)
    assert asked == ["1/exp[love, love]"]
    return answers


def mistyped(typist: Typist, folder: Path) -> Mapping[str, str]:
    """A paper with a typing error that is mended, a number that is kept by a key, and a blank."""
    mended, own = "1/weights[AI, love]", "3/scores[love, AI]"
    answers = {**key_of(folder, "C"), own: "-77", HAND: "", CHOICE: "what it offers"}
    typist.enter("Cid")
    for id_, text in answers.items():
        typist.paste(f"9{text}" if id_ == mended else text)
        if id_ in (mended, own):
            assert (typist.at, typist.states[id_]) == (id_, "doubt")
            typist.enter(text) if id_ == mended else typist.press("*")
    assert typist.at == "Student"
    return answers


def test_a_class_is_typed_in_and_marked_like_its_table(
    page: Any, folder: Path, tmp_path: Path
) -> None:
    typist = Typist(page)
    papers = [paper(typist, folder) for paper in (all_right, carried_forward, mistyped)]
    assert page.text_content("#count") == "3 of 3 papers done"
    assert "look at" not in page.text_content("#papers")
    rows = typist.saved(tmp_path / "typed.csv")
    empty = [*csv.reader((folder / "e_class.csv").read_text("utf-8").splitlines())]
    assert [row[:3] for row in rows] == [row[:3] for row in empty]
    assert rows[0] == empty[0]

    by_hand = tmp_path / "by_hand.csv"
    with by_hand.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(empty[0])
        for row, answers in zip(empty[1:], papers, strict=True):
            table.writerow([*row[:3], *(answers[id_meant(unguarded(i))] for i in empty[0][3:])])
    marks = graded(folder, tmp_path / "typed.csv")
    assert marks == json.loads(
        json.dumps(graded(folder, by_hand)).replace(by_hand.name, "typed.csv")
    )
    assert [paper["points"] for paper in marks.values()] == [31.0, 31.0, 25.5]


def test_what_is_typed_is_there_again(page: Any, folder: Path, tmp_path: Path) -> None:
    key, typist = key_of(folder, "B"), Typist(page)
    first, second, *_ = key
    typist.enter("ben")
    typist.enter(key[first])
    typist.enter("99")
    typist.press("Enter")  # it is left as it is
    assert typist.states[second] == "doubt"
    page.reload()
    assert (page.input_value("#name"), page.input_value("#form")) == ("Ben", "B")
    assert (typist.states[first], typist.states[second]) == ("right", "doubt")
    assert typist.at == [*key][2]
    typist.press("Control+Enter")  # which asks for it once more
    assert typist.at == second
    typist.press("Control+Enter")
    assert typist.at == "Student"
    assert "1 to look at" in page.text_content("#papers")
    rows = typist.saved(tmp_path / "one.csv")
    assert [row[0] for row in rows] == ["student", "'=Ada", "Ben", "Cid"]
    assert rows[2][3:6] == [key[first], "99", ""]

    typist.enter("2")  # the paper of who was typed in is opened again, where it is to be looked at
    assert typist.at == second
    typist.enter(key[second])
    assert typist.states[second] == "right"
    again = typist.saved(tmp_path / "two.csv")
    assert again[2][4] == key[second]


@pytest.mark.parametrize(
    "kept",
    [
        "{", "7", "[]", "null", '{"papers": 5, "now": 0}', '{"papers": [], "now": 0}', '{"papers": [null], "now": 0}',
        '{"papers": [{"form": "B"}], "now": 0}', '{"papers": [{"form": "Z", "name": "", "id": "", "answers": {}, "kept": {}, "done": false}], "now": 0}',
        '{"papers": [{"form": "B", "name": "Ben", "id": "2", "answers": null, "kept": {}, "done": false}], "now": 0}',
        '{"papers": [{"form": "B", "name": "Ben", "id": "2", "answers": {"a": 1}, "kept": {}, "done": false}], "now": 0}',
        '{"papers": [{"form": "B", "name": "Ben", "id": "2", "answers": {}, "kept": {}, "done": false}], "now": 3}',
    ],
)  # fmt: skip
def test_what_another_page_kept_is_not_taken(page: Any, kept: str) -> None:
    """Pages of one server, or of one folder, share what a browser keeps."""
    typist = Typist(page)
    typist.enter("ben")
    (key,) = page.evaluate("Object.keys(localStorage)")
    page.evaluate("([key, kept]) => localStorage.setItem(key, kept)", [key, kept])
    page.reload()
    assert (page.input_value("#name"), page.input_value("#form")) == ("", "A")
    page.wait_for_function("document.hasFocus() && document.activeElement.id === 'name'")
    typist.enter("ben")
    page.wait_for_function("document.querySelector('#name').value === 'Ben'")
    page.reload()
    assert (page.input_value("#name"), page.input_value("#form")) == ("Ben", "B")


def test_a_table_is_taken_in_and_given_back(page: Any, folder: Path, tmp_path: Path) -> None:
    key = key_of(folder, "C")
    headings = next(csv.reader((folder / "e_class.csv").open(encoding="utf-8", newline="")))
    path = tmp_path / "there.csv"
    texts = {**key, "1/exp[I, I]": "99", "1/exp[I, AI]": "0,5", CHOICE: 'what, "he" said'}
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter=";")
        rows.writerow(headings)
        rows.writerow(
            ["O'Neil; Ana", "'+4", "C", *(texts[id_meant(unguarded(i))] for i in headings[3:])]
        )
        rows.writerow(["Nobody", "5", "X", "1"])
    typist = Typist(page)
    with page.expect_file_chooser() as chooser:
        page.wait_for_timeout(300)  # until the driver listens
        typist.press("Control+o")
    chooser.value.set_files(path)
    page.wait_for_selector("#status:not(:empty)")
    assert typist.status.startswith("Papers loaded: 1, of which to look at: 1. Left out, ")
    rows_again = typist.saved(tmp_path / "again.csv")
    assert rows_again[-1] == [
        "O'Neil; Ana",
        "'+4",
        "C",
        *(texts[id_meant(unguarded(i))] for i in headings[3:]),
    ]
    typist.enter("+4")
    assert {id_ for id_, state in typist.states.items() if state == "doubt"} == {
        "1/exp[I, I]", "1/exp[I, AI]", CHOICE,
    }  # fmt: skip


def test_keys_lead_through_the_blanks_and_out_of_them(page: Any, folder: Path) -> None:
    ids, typist = [*key_of(folder, "A")], Typist(page)
    typist.press("Control+Enter")
    typist.enter("a new one")  # on no list
    assert typist.at == "ID"
    typist.enter("77")
    assert typist.at == "Form"
    typist.press("b", "Enter")
    assert page.input_value("#form") == "B"
    for key, at in (("Tab", 1), ("ArrowDown", 2), ("Enter", 3), ("ArrowUp", 2), ("Shift+Tab", 1)):
        assert typist.at != ids[at]
        typist.press(key)
        assert typist.at == ids[at]
    typist.press("9", "9", "Tab")
    assert typist.at == ids[1]
    typist.press("Tab")  # no trap
    assert typist.at == ids[2]
    for text, says in (("x", "is no number"), ("1/0", "is no number")):
        typist.enter(text)
        assert says in typist.status
    for _ in ids[3:]:
        typist.press("Tab")
    for text in ("4", "1/3"):  # more than there are, and what may be one of three
        typist.enter(text)
        assert "isn’t between 0 and 3" in typist.status


def test_tab_leads_from_a_known_name_to_the_blanks(page: Any, folder: Path) -> None:
    ids, typist = [*key_of(folder, "B")], Typist(page)
    typist.press(*"ben", "Tab")
    assert (typist.at, page.input_value("#number")) == (ids[0], "2")
    typist.press(*("Tab",) * ids.index("4/q2"))
    typist.enter("23,040,000")
    assert typist.states["4/q2"] == "right"


def test_a_paper_is_of_one_student(page: Any, folder: Path, tmp_path: Path) -> None:
    key, typist = key_of(folder, "A"), Typist(page)
    first = next(iter(key))
    typist.press("Tab", "Tab", "Tab")  # nobody's yet
    typist.enter(key[first])
    typist.press("Control+Enter")
    assert (typist.at, typist.status) == ("Student", "Whose paper is it? Type a name or an ID.")
    typist.press(*"ben", "Control+Enter")
    assert typist.status == "The paper of Ben is in."
    typist.enter("cid")
    typist.enter(key[first])
    page.focus("#name")
    page.fill("#name", "")
    page.fill("#number", "2")
    typist.press("Enter")
    assert typist.status == "The paper of Ben is open; that of Cid is kept."
    assert (page.input_value("#name"), typist.at) == ("Ben", first)
    page.focus("#name")
    typist.press("Control+a")
    typist.enter("Cid")
    typist.press("Control+Enter", "Control+Enter")  # its number is none of form C
    assert typist.status == "The paper of Cid is in."
    rows = typist.saved(tmp_path / "two.csv")
    assert typist.status == "Papers saved as e_class.csv: 2. Missing: =Ada"
    assert [row[0] for row in rows[1:] if row[3]] == ["Ben", "Cid"]
    page.reload()
    assert page.text_content("#count") == "2 of 3 papers done. Missing: =Ada"


def type_one(typist: Typist, name: str, number: str) -> None:
    """A paper with one number in its first blank, of somebody who is on the list or has a paper."""
    typist.enter(name)
    typist.press("Control+a")
    typist.enter(number)
    typist.press("Control+Enter", "Control+Enter")


@pytest.mark.parametrize("leave", ["Enter", "Tab"])
def test_a_name_typed_over_another_opens_its_paper(leave: str, page: Any, folder: Path) -> None:
    """The ID of the paper that is open still stands beside it."""
    first, typist = next(iter(key_of(folder, "A"))), Typist(page)
    type_one(typist, "ben", "1")
    type_one(typist, "cid", "2")
    typist.enter("ben")
    for name, other, number in (("Cid", "Ben", "2"), ("Ben", "Cid", "1")):
        page.focus("#name")
        typist.press("Control+a", *name, leave)
        assert typist.status == f"The paper of {name} is open; that of {other} is kept."
        assert (typist.at, page.input_value("#name")) == (first, name)
        assert page.evaluate("document.activeElement.value") == number


@pytest.mark.parametrize("leave", ["Enter", "Tab"])
@pytest.mark.parametrize("name", ["=Ada", "Zoe"])
def test_a_name_without_a_paper_typed_over_another_is_asked_about(
    leave: str, name: str, page: Any, folder: Path, tmp_path: Path
) -> None:
    """A new paper is begun, or the name of the paper that is open was wrong."""
    typist = Typist(page)
    id_, first = ("1", next(iter(key_of(folder, "A")))) if name == "=Ada" else ("", "ID")
    type_one(typist, "ben", "1")
    typist.enter("ben")
    page.focus("#name")
    with asking(page, accept=True):
        typist.press("Control+a", *name, leave)
    assert typist.status == f"A new paper for {name} is open; that of Ben is kept."
    assert (page.input_value("#name"), page.input_value("#number")) == (name, id_)
    assert (page.input_value("#b0"), typist.at) == ("", first)
    page.focus("#name")
    typist.press("Control+a", *"Ben", "Enter")
    assert page.input_value("#b0") == "1"
    page.focus("#name")
    with asking(page, accept=False):
        typist.press("Control+a", *name, leave)
    assert typist.status == f"This paper is now {name}’s, no longer Ben’s."
    assert (page.input_value("#b0"), page.input_value("#number")) == ("1", id_)
    rows = typist.saved(tmp_path / "one.csv")
    assert [unguarded(row[0]) for row in rows[1:] if row[3]] == [name]


def test_a_name_that_is_like_another_is_mended_without_a_question(page: Any) -> None:
    """The list has nobody of the name that stood there; its own ID stays with a paper."""
    typist = Typist(page)
    typist.enter("Cidd")
    typist.enter("30")
    typist.press("Tab", "1")
    for name, id_ in (("Zoe", "30"), ("Cidd", "30"), ("Cid", "3")):
        page.focus("#name")
        with asking(page, accept=False) as asked:
            typist.press("Control+a", *name, "Enter")
        assert (page.input_value("#name"), page.input_value("#number")) == (name, id_)
        assert [text.partition("? ")[0] for text in asked] == (
            [f"Begin a new paper for {name}"] if id_ == "30" else []
        )


def test_what_is_saved_is_of_the_name_that_stands_there(page: Any, tmp_path: Path) -> None:
    typist = Typist(page)
    typist.press("Tab", "Tab", "Tab", "1")
    page.focus("#name")
    typist.press(*"ben")
    assert [row[:2] for row in typist.saved(tmp_path / "one.csv") if row[3] == "1"] == [
        ["Ben", "2"]
    ]


def test_who_is_not_on_the_list_is_told_at_once(page: Any) -> None:
    typist, names = Typist(page), ("=ada", "ben", "Cidd")
    for name in names[:2]:
        type_one(typist, name, "1")
    typist.enter("Cidd")
    assert page.text_content("#who") == "not on the list; did you mean Cid (3)?"
    typist.enter("30")
    typist.press("Tab")
    typist.enter("1")
    typist.press("Control+Enter", "Control+Enter")
    assert page.text_content("#who") == ""
    done = "2 of 3 papers done, 1 not on the list. Missing: Cid"
    assert page.text_content("#count") == done
    assert "Cidd, form B, 1 to look at, not on the list" in page.text_content("#papers")
    page.fill("#name", "Nobody at all")
    typist.press("Enter")
    assert page.text_content("#who") == "not on the list"
    page.fill("#name", "")
    typist.enter("Cidd")
    page.focus("#name")
    page.fill("#name", "Cid")
    typist.press("Enter")  # the ID that was wrong goes with the name
    assert (page.text_content("#who"), page.input_value("#number")) == ("", "3")
    assert page.text_content("#count") == "3 of 3 papers done"


def test_what_a_form_has_no_place_for_is_kept_and_told(chromium: Any, tmp_path: Path) -> None:
    """What was drawn in one form isn't asked in the other."""
    pool = "pool: [{cell: 'weights[I, I]'}, {cell: 'weights[love, love]'}], take: 1"
    exam = f"exam: x\nforms: 2\nseed: 2\nparts: [{{scenario: i_love_ai, {pool}}}]\n"
    with opened(chromium, made(tmp_path, exam) / "e_entry.html") as page:
        typist = Typist(page)
        typist.press(*"ben", "Tab", "Tab", "Tab")
        own = typist.at
        typist.enter("0.25")
        page.select_option("#form", "B")
        assert own not in typist.states
        assert typist.status.startswith("Answers without a place in form B: 1. They are kept")
        page.select_option("#form", "A")
        assert typist.status == ""
        assert page.input_value("#b0") == "0.25"


def test_a_table_asks_before_it_replaces_what_is_typed_in(
    page: Any, folder: Path, tmp_path: Path
) -> None:
    headings, typist = (
        next(csv.reader((folder / "e_class.csv").open(encoding="utf-8"))),
        Typist(page),
    )
    type_one(typist, "ben", "1")
    type_one(typist, "cid", "2")
    rows = [["Ben", "2", "B", "9"], ["Cid", "3", "C", "2"]]
    with (tmp_path / "in.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([headings, *rows])

    def load(*, take: bool) -> list[str]:
        page.evaluate("document.querySelector('#status').textContent = ''")
        with asking(page, accept=take) as asked:
            page.set_input_files("#file", tmp_path / "in.csv")
            page.wait_for_selector("#status:not(:empty)")
        return asked

    assert load(take=False) == [
        "Typed in here with other answers than in the table: Ben. Take those of the table?"
    ]
    assert typist.status == ("Papers loaded: 1, of which to look at: 1. Left as typed in here: 1.")
    typist.enter("ben")
    assert page.input_value("#b0") == "1"
    load(take=True)
    typist.enter("ben")
    assert page.input_value("#b0") == "9"


def test_a_dash_is_no_answer_to_what_a_person_marks(
    page: Any, folder: Path, tmp_path: Path
) -> None:
    """It is saved as 0 points; an empty blank is still to be marked."""
    typist, ids = Typist(page), [*key_of(folder, "A")]
    typist.enter("=a")
    typist.press(*("Tab",) * ids.index(HAND))
    assert typist.at == HAND
    typist.press("-", "ArrowUp")
    assert typist.states[HAND] == "taken"
    typist.enter("5")
    page.focus("#name")
    rows = typist.saved(tmp_path / "one.csv")
    assert rows[1][rows[0].index(HAND)] == "0"
    assert rows[2][rows[0].index(HAND)] == ""


def test_a_known_mistake_is_no_typing_error(page: Any) -> None:
    typist = Typist(page)
    items = page.evaluate("entry.forms.A.items")
    k, item = next((k, item) for k, item in enumerate(items) if item.get("slips"))
    low, high, says = item["slips"][0]
    typist.enter("1")
    typist.press(*("Tab",) * k)
    typist.enter(f"{(low + high) / 2:.3f}")
    assert typist.states[item["id"]] == "slip"
    assert typist.at != item["id"]
    assert says in page.text_content("#blanks")


def test_a_mistake_that_only_marking_knows_is_no_verdict(
    page: Any, folder: Path, tmp_path: Path
) -> None:
    """The page says of two rows that were swapped that they aren't as expected; what follows from
    them follows."""
    key, typist = key_of(folder, "A"), Typist(page)
    rows = {id_: id_.replace("[love,", "[AI,") for id_ in key if id_.startswith("1/exp[love,")}
    rows |= {there: here for here, there in rows.items()}
    typist.enter("1")
    asked = set()
    for id_ in key:
        if id_ not in rows:
            typist.press("Tab")
            continue
        typist.paste(key[rows[id_]])
        if typist.at == id_:
            asked.add(typist.status.removeprefix(f"{id_}: “{key[rows[id_]]}” "))
            typist.press("*")
    assert asked == {"isn’t as expected: look again. Type it again, or * to keep it."}
    assert "doubt" not in typist.states.values()
    typist.saved(tmp_path / "one.csv")
    told = run("grade", folder, tmp_path / "one.csv", "--format", "json").stdout
    assert "These are the numbers of another row." in told


def wrong_papers(trace: Trace, cells: Mapping[str, Location]) -> dict[str, dict[str, str]]:
    """Papers by the blank that is wrong in them: the first of each quantity, from which all else is
    worked as the program works it again."""
    found: dict[str, dict[str, str]] = {}
    for name in dict.fromkeys(cell.quantity for cell in cells.values()):
        id_, (_, i, j) = next((i, cell) for i, cell in cells.items() if cell.quantity == name)
        values = trace[name].values.copy()
        values[i, j] += 0.37
        with suppress(UserError):  # where nothing follows, as of a variance below 0
            found[id_] = shown_in(trace.replay({name: values.round(3)}), cells)
    return found


def mistyped_papers(trace: Trace, cells: Mapping[str, Location]) -> dict[str, dict[str, str]]:
    """Papers with one digit mistyped, by its blank; not the last, which may be rounded so."""
    right, found = shown_in(trace, cells), {}
    for id_, text in right.items():
        if "." in text and text[0] != "0" and trace[cells[id_].quantity].definition:
            turned = str((int(text[-2]) + 5) % 10) if text[-2].isdigit() else ""
            found[id_] = {**right, id_: f"{text[:-2]}{turned}{text[-1]}"}
    return found if len(found) < 15 else dict([*found.items()][:: len(found) // 15])


def shown_in(trace: Trace, cells: Mapping[str, Location]) -> dict[str, str]:
    return {id_: str(trace[name].number(i, j).shown) for id_, (name, i, j) in cells.items()}


def doubts(page: Any, folder: Path, papers: Mapping[str, Mapping[str, str]]) -> list[set[str]]:
    """What is asked for again of each paper of a table."""
    found = states_of(page, folder, [*papers.values()])
    return [{id_ for id_, state in states.items() if state == "doubt"} for states in found]


@pytest.mark.parametrize("separator", ",;")
def test_the_table_is_guarded_as_elsewhere(
    separator: str, page: Any, folder: Path, tmp_path: Path
) -> None:
    """Names, IDs and answers come back from the page's table as they went in, and stand in it as
    in any table of the program."""
    headings = next(csv.reader((folder / "e_class.csv").open(encoding="utf-8", newline="")))
    words = ("=1+1", "Anna;=1", 'x; "@y"', "'x", "'t Hart", "0012", "2/1", "12e5", "-2+3", "a;;-b")
    texts = ("1/3", "=2", "-2.5", "2,5", "-1/2", "1e3", "x;=1")
    place = headings.index("1/exp[I, I]")
    with (tmp_path / "in.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter=separator)
        rows.writerow(headings)
        for k, word in enumerate(words):
            own = [""] * len(headings)
            own[:3] = guarded(Word(word)), guarded(Word(word)), "A"
            own[place] = guarded(Word(texts[k % len(texts)]))
            rows.writerow(own)
    page.set_input_files("#file", tmp_path / "in.csv")
    page.wait_for_selector("#status:not(:empty)")
    found = {unguarded(row[1]): row for row in Typist(page).saved(tmp_path / "out.csv")[1:]}
    for k, word in enumerate(words):
        text = texts[k % len(texts)]
        plain = text in ("-2.5", "2,5")
        assert found[word][:2] == [guarded(Word(word))] * 2
        assert found[word][place] == (text if plain else guarded(Word(text)))


def states_of(page: Any, folder: Path, papers: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """What the form says of each number of the papers of a table."""
    with (folder / "e_class.csv").open(encoding="utf-8", newline="") as file:
        headings = next(csv.reader(file))
    with (folder / "papers.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(headings)
        for k, answers in enumerate(papers):
            own = (answers.get(id_meant(unguarded(id_)), "") for id_ in headings[3:])
            table.writerow([f"paper {k}", "", "A", *own])
    page.set_input_files("#file", folder / "papers.csv")
    page.wait_for_selector("#status:not(:empty)")
    found = []
    for k in range(len(papers)):
        page.evaluate("k => document.querySelectorAll('#papers button')[k].click()", k)
        found.append(Typist(page).states)
    return found


@sampled(3, name=["yassine_lstm", "masked_word", "mixture_of_experts"])
def test_what_follows_isnt_asked_for_again(name: str, chromium: Any, tmp_path: Path) -> None:
    """Of papers of whole scenarios, their gates, layer norms, GELU and routers; a typing error
    is."""
    folder = made(tmp_path, f"exam: x\nforms: 1\nparts: [scenario: {name}]\n")
    trace = work(load(folder / "forms" / "A.yaml"))
    cells = {
        id_: cell_of(trace, id_) for id_ in manifest(folder)["forms"]["A"]["parts"][0]["asked"]
    }
    wrong, typed = wrong_papers(trace, cells), mistyped_papers(trace, cells)
    with opened(chromium, folder / "e_entry.html") as page:
        for id_, found in zip(wrong, doubts(page, folder, wrong), strict=True):
            assert found <= {id_}
    with opened(chromium, folder / "e_entry.html") as page:
        told = zip(typed, doubts(page, folder, typed), strict=True)
        missed = [id_ for id_, found in told if found != {id_}]
    assert len(wrong) > 10
    assert len(missed) <= len(typed) // 8, missed  # which are what a known mistake gives


def test_words_are_only_words(chromium: Any, tmp_path: Path) -> None:
    """Nobody's title, option or name is obeyed, by the page or by a spreadsheet."""
    wild = "</script><img src=x onerror=alert(1)>$data"
    (tmp_path / "list.csv").write_text(f"name,ID\n{wild},=1+1\n", "utf-8")
    asks = f"{{ask: a, options: ['{wild}', b], right: b}}", "{ask: b, number: 1}"
    parts = ", ".join(f"{{title: '{wild}', questions: [{ask}]}}" for ask in asks)
    exam = f"exam: '{wild}'\nforms: 1\nparts: [{parts}]\n"
    folder = made(tmp_path, exam, "--students", str(tmp_path / "list.csv"))
    with opened(chromium, folder / "e_entry.html") as page:
        assert page.text_content("h1") == f"{wild}: typing in the papers"
        typist = Typist(page)
        typist.enter("</s")
        typist.enter(wild)
        typist.enter("1")
        assert wild in page.text_content("#papers")
        rows = typist.saved(tmp_path / "wild.csv")
    assert rows == [
        ["student", "id", "form", "1/q1", "2/q1"],
        [wild, "'=1+1", "A", wild, "1"],
    ]
    assert graded(folder, tmp_path / "wild.csv")[wild]["points"] == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_it(scheme: str, chromium: Any, folder: Path) -> None:
    with opened(chromium, folder / "e_entry.html", color_scheme=scheme) as page:
        typist = Typist(page)
        typist.enter("Ben")
        typist.enter("99")
        assert findings(page) == []
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.evaluate("document.querySelector('header').clientHeight") < 740 / 3


def test_blanks_side_by_side_are_level(page: Any) -> None:
    """Also where what stands over one of them goes over two lines, or what is said below it."""
    tops = page.evaluate(
        """() => {
          const row = [...document.querySelectorAll(".row")].find(row => row.children.length > 2);
          row.querySelector("label").textContent += " and a second line of words";
          row.querySelector("div:nth-child(2) .said").textContent = "a long remark ".repeat(5);
          return [...row.querySelectorAll("input")].map(input => input.getBoundingClientRect().top);
        }"""
    )
    assert len(set(tops)) == 1
