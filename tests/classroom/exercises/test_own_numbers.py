"""Pages judge numbers in a real browser as papers are marked: each by its author's own before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from attncli.classroom.exercises import worked_in_browser
from attncli.classroom.exercises.papers import self_checking
from attncli.classroom.marking.exam import Exam, cell_of, judged_term
from attncli.document.blocks import Document
from attncli.document.questions import AcceptedAnswer, Item, JudgedPlace
from attncli.errors import UserError
from attncli.formats import RenderOptions, render
from attncli.judging.judging import Judge
from attncli.judging.known_mistakes import KnownMistakes
from attncli.judging.verdicts import Verdict, read_number
from attncli.maths.equations.tree import Location
from attncli.maths.operations.rearranging import Same
from attncli.pages.parts.sentences import printed_roots
from attncli.pipeline import load, work
from attncli.trace import Trace
from tests.classroom.exercises.test_entry_form import made, states_of
from tests.classroom.exercises.test_exam import key_of, manifest
from tests.classroom.exercises.test_no_leak import NUMBER
from tests.classroom.made import papers, request_for
from tests.conftest import THOROUGH, sampled
from tests.helpers.browser import opened
from tests.helpers.honest_papers import WAYS, answers
from tests.helpers.pages import SHIPPED, trace_of

pytestmark = pytest.mark.real("chromium")

Typed = Mapping[Location, str]
"""What somebody types into the fields of a sheet."""
COMPARED = ["i_love_ai", "three_tokens_two_heads", "yassine_gru", "encoder_block"]
ATTENTION = [name for name in COMPARED if name != "yassine_gru"]
_SLIPS = 12 if THOROUGH else 4
_WRITTEN = 0.9
"""The share of numbers that is written."""


def state_of(verdict: Verdict) -> str:
    """What a page says where that is the verdict; which mistake was made it doesn't know."""
    match verdict.judgement:
        case "correct" | "worked otherwise":
            return "right"
        case "carried forward":
            return "follows"
        case "rounding" if verdict.cause is not None and verdict.cause.name == "other_decimals":
            return "few"
        case _:
            return "wrong"


def without_mistakes(exam: Exam) -> Judge:
    """Who judges alike, but knows no mistake that somebody may have made: neither does a page."""
    judge = exam.judge
    other = Judge(judge.trace, judge.shown, judge.tolerance, judge.printed)
    mistakes = KnownMistakes(judge.trace, judge.tolerance)
    vars(mistakes)["ways"] = ()
    vars(other)["hypotheses"] = mistakes
    return other


class Sheet(NamedTuple):
    """What somebody works: the trace, who marks it, and the cells that are asked for."""

    trace: Trace
    exam: Exam
    cells: list[Location]

    @property
    def places(self) -> dict[str, int]:
        return {name: self.exam.judge.unwritten.decimals(name) for name in self.trace}

    def written(self, places: Mapping[str, int], way: str = "carried") -> Typed:
        """What an honest author writes, to so many decimals."""
        found = answers(self.trace, places, way, self.cells)
        return {at: given.text for at, given in found.items()}

    @property
    def honest(self) -> Iterator[Typed]:
        """Papers that are right, kept and rounded in all honest ways."""
        yield from (self.written(self.places, way) for way in WAYS)

    @property
    def slips(self) -> Iterator[Typed]:
        """Papers with a number that is off, alone and with all that follows from it, of which some
        isn't written."""
        rng, right = Random(7), self.written(self.places)
        finite = [at for at in self.cells if Decimal(right[at]).is_finite()]
        for cell in rng.sample(finite, _SLIPS):
            name, i, j = cell
            off = Decimal(rng.choice([370, -200, 1000, 5, -11])).scaleb(-self.places[name])
            text = str(Decimal(right[cell]) + off)
            yield {**right, cell: text}
            values = self.trace[name].values.copy()
            values[i, j] = float(text)
            with suppress(UserError):  # where nothing follows
                other = self.trace.replay({name: values})
                typed = {at: str(other[at.quantity].number(*at[1:]).shown) for at in self.cells}
                yield {at: text if rng.random() < _WRITTEN else "" for at, text in typed.items()}

    @property
    def wild(self) -> Iterator[Typed]:
        """Papers that known mistakes give some numbers of by chance: with too few decimals, of which
        some leave out the powers of e, and of who writes the same everywhere."""
        for fewer, way in product((1, 2), ("carried", "stable")):
            places = {name: max(k - fewer, 0) for name, k in self.places.items()}
            typed = self.written(places, way)
            yield typed
            yield {at: "" if at.quantity.endswith("exp") else text for at, text in typed.items()}
        yield from (dict.fromkeys(self.cells, text) for text in ("0", "1", "0.001"))

    @property
    def papers(self) -> Iterator[tuple[Typed, Judge]]:
        """All of them, each with who says what the page has to say of it."""
        yield from ((typed, self.exam.judge) for typed in (*self.honest, *self.slips))
        judge = without_mistakes(self.exam)
        yield from ((typed, judge) for typed in self.wild)


def sheet_of(trace: Trace, whole: Document) -> Sheet:
    exam = Exam(trace, whole.items, printed=printed_roots(trace))
    return Sheet(trace, exam, [item.cell for item in whole.items if item.cell is not None])


def differing(said: Mapping[Location, str], judge: Judge, typed: Typed) -> list[str]:
    """What a page says of numbers otherwise than who marks them."""
    verdicts = judge.verdicts({at: read_number(text) for at, text in typed.items()})
    assert len(verdicts) == len(said)
    return [
        f"{v.cell}: {v.given.text} is {said[v.cell]} on the page, {state_of(v)} when it is marked"
        for v in verdicts
        if said[v.cell] != state_of(v)
    ]


_ANSWER = """typed => {
  const fields = [...document.querySelectorAll(".field")];
  fields.forEach((field, k) => { field.querySelector("input").value = typed[k]; });
  document.querySelector("#check .all").click();
  return fields.map((field) => field.dataset.state);
}"""


@sampled(5, name=COMPARED, policy=["carry", "exact"])
def test_a_sheet_says_what_its_marks_will_say(
    name: str, policy: str, chromium: Any, tmp_path: Path
) -> None:
    trace = trace_of(SHIPPED[name], f"rounding.policy={policy}")
    whole = papers(trace, request_for(trace)).whole
    page_of_sheet, own = self_checking(whole), sheet_of(trace, whole)
    assert page_of_sheet.answers.check is not None
    assert all(
        isinstance(known, JudgedPlace) for known in page_of_sheet.answers.check.answers.values()
    )
    path = tmp_path / "sheet.html"
    path.write_text(render(page_of_sheet, "html", RenderOptions(80)), "utf-8")
    by_id = {item.id: item.cell for item in whole.items if item.cell is not None}
    counts = Counter[str]()
    with opened(chromium, path) as page:
        names = page.locator(".field input").evaluate_all("all => all.map(one => one.ariaLabel)")
        order = [by_id[text] for text in names]
        for typed, judge in own.papers:
            said = page.evaluate(_ANSWER, [typed[cell] for cell in order])
            assert differing(dict(zip(order, said, strict=True)), judge, typed) == []
            counts.update(said)
    assert counts.keys() == {"right", "follows", "few", "wrong"}
    print(name, policy, sum(counts.values()), dict(counts))


@sampled(3, name=["i_love_ai", "yassine_lstm", "mixture_of_experts"])
def test_the_form_to_type_papers_into_says_so_too(name: str, chromium: Any, tmp_path: Path) -> None:
    folder = made(tmp_path, f"exam: x\nforms: 1\nparts: [scenario: {name}]\n")
    trace = work(load(folder / "forms" / "A.yaml"))
    asked = manifest(folder)["forms"]["A"]["parts"][0]["asked"]
    cells = {id_: cell_of(trace, id_) for id_ in asked}
    items = tuple(Item(id_, cell=cell) for id_, cell in cells.items())
    own = Sheet(trace, Exam(trace, items, printed=printed_roots(trace)), [*cells.values()])
    each, counts = [*own.papers], Counter[str]()
    rows = [{id_: typed[cell] for id_, cell in cells.items()} for typed, _ in each]
    with opened(chromium, folder / "e_entry.html") as page:
        for (typed, judge), states in zip(each, states_of(page, folder, rows), strict=True):
            said = {cells[id_]: _SAYS.get(state, "wrong") for id_, state in states.items()}
            assert differing(said, judge, typed) == []
            counts.update(said.values())
    print(name, sum(counts.values()), dict(counts))


_SAYS = {"right": "right", "follows": "follows", "few": "few"}
"""What is said of a number by the state of its field; else it is looked at again."""


def test_numbers_inside_lines_are_told_as_they_are_marked(chromium: Any, tmp_path: Path) -> None:
    """By the key, or with fewer decimals."""
    trace = trace_of(SHIPPED["i_love_ai"])
    whole = papers(trace, request_for(trace, "all")).whole
    path = tmp_path / "sheet.html"
    path.write_text(render(self_checking(whole), "html", RenderOptions(80)), "utf-8")
    items = [item for item in whole.items if item.key is not None]
    own, counts = {item.cell for item in items if item.cell is not None}, Counter[str]()
    shown = {item.id: item.right.number.shown for item in items}
    with opened(chromium, path) as page:
        names = page.locator(".field input").evaluate_all("all => all.map(one => one.ariaLabel)")
        for change in (Decimal, lambda x: round(x, 2), lambda x: round(x, 1), lambda x: x + 1):
            typed = {id_: str(change(number)) for id_, number in shown.items()}
            said = dict(zip(names, page.evaluate(_ANSWER, [typed[n] for n in names]), strict=True))
            given = {item.cell: read_number(typed[item.id]) for item in items if item.cell in own}
            for item in items:
                if item.cell is None:
                    term = judged_term(item, read_number(typed[item.id]), given)
                    assert said[item.id] == _MARKED[term.judgement], (item.id, typed[item.id])
                    counts[term.judgement] += 1
    assert counts.keys() >= {"correct", "rounding", "slip"}


_MARKED = {"correct": "right", "rounding": "few", "carried forward": "follows", "slip": "wrong"}


def test_each_part_of_an_exam_is_judged_by_itself(chromium: Any, tmp_path: Path) -> None:
    parts = "[{scenario: i_love_ai, ask: [softmax]}, {scenario: i_love_ai, ask: [scores]}]"
    folder = made(tmp_path, f"exam: x\nforms: 1\nparts: {parts}\n", "--format", "html")
    key, (path,) = key_of(folder, "A"), folder.rglob("*_sheet.html")
    with opened(chromium, path) as page:
        names = page.locator(".field input").evaluate_all("all => all.map(one => one.ariaLabel)")
        assert {name[:2] for name in names} == {"1/", "2/"}
        assert {*page.evaluate(_ANSWER, [key[name] for name in names])} == {"right"}
        off = ("1/exp[I, I]", "1/exp_sum[I]")
        typed = {**key, **{name: str(Decimal(key[name]) + Decimal("0.5")) for name in off}}
        said = page.evaluate(_ANSWER, [typed[name] for name in names])
        found = {name: state for name, state in zip(names, said, strict=True) if state != "right"}
    assert found == {off[0]: "wrong", off[1]: "follows"}


def test_what_no_formula_leads_to_is_told_by_the_key(
    chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As is what is worked from that; and no number is called wrong that isn't the key's."""
    monkeypatch.setattr(worked_in_browser, "_SIGNS", worked_in_browser._SIGNS - {"/"})
    trace = trace_of(SHIPPED["i_love_ai"])
    whole = papers(trace, request_for(trace, steps=["softmax", "weighted_sum"])).whole
    sheet, path = self_checking(whole), tmp_path / "sheet.html"
    path.write_text(render(sheet, "html", RenderOptions(80)), "utf-8")
    assert sheet.answers.check is not None
    answers = sheet.answers.check.answers
    by_key = {id_ for id_, known in answers.items() if isinstance(known, AcceptedAnswer)}
    names = {id_.partition("[")[0] for id_ in answers}
    assert {id_.partition("[")[0] for id_ in by_key} == {"weights", "output"} < names
    shown = {item.id: item.right.number.shown for item in whole.items}
    with opened(chromium, path) as page:
        order = page.locator(".field input").evaluate_all("all => all.map(one => one.ariaLabel)")
        assert {*page.evaluate(_ANSWER, [str(shown[name]) for name in order])} == {"right"}
        said = page.evaluate(_ANSWER, [str(shown[name] + 3) for name in order])
    by_name = dict(zip(order, said, strict=True))
    assert {by_name[id_] for id_ in by_key} == {"unlike"}
    assert "unlike" not in {by_name[id_] for id_ in shown.keys() - by_key}


@sampled(4, name=ATTENTION, blank=["results", "random:0.4", "all"], policy=["carry", "exact"])
def test_a_sheet_starts_from_what_it_prints(name: str, blank: str, policy: str) -> None:
    """Or from what is given; of what is asked for it has the formulas only."""
    trace = trace_of(SHIPPED[name], f"rounding.policy={policy}")
    entry = papers(trace, request_for(trace, blank, steps=["softmax", "weighted_sum"]))
    check = self_checking(entry.whole).answers.check
    assert check is not None
    held = {
        value
        for part in check.parts
        for quantity in part.get("quantities", ())
        for key in ("numbers", "low", "high")
        for value in quantity.get(key, ())
    }
    given = {float(x) for q in trace.quantities.values() if q.given for x in q.values.ravel()}
    printed = {*map(float, NUMBER.findall(render(entry.sheet, "html", RenderOptions(80))))}
    assert held
    assert {abs(x) for x in held if x is not None and x not in given} <= printed


def test_a_form_without_a_formula_goes_on_from_what_is_typed(
    chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What no formula leads to is right by the key; what is worked from it follows all the same."""
    signs = worked_in_browser._SIGNS - {"^"}
    monkeypatch.setattr(worked_in_browser, "_SIGNS", signs)
    monkeypatch.setattr(worked_in_browser, "Exponential", Same)
    part = "{scenario: i_love_ai, ask: [softmax]}"
    folder = made(tmp_path, f"exam: x\nforms: 1\nparts: [{part}]\n")
    key = key_of(folder, "A")
    right = {id_.removeprefix("1/"): text for id_, text in key.items()}
    asked = manifest(folder)["forms"]["A"]["parts"][0]["asked"]
    typed = {id_: right[id_] for id_ in asked}
    off = ("exp[I, I]", "exp_sum[I]")
    wrong = {**typed, **{name: str(Decimal(typed[name]) + Decimal("0.5")) for name in off}}
    with opened(chromium, folder / "e_entry.html") as page:
        first, second = states_of(page, folder, [typed, wrong])
    assert {*first.values()} == {"right"}
    assert (second[off[0]], second[off[1]]) == ("doubt", "follows")
