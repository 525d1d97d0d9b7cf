"""Sheets that check themselves, in a real browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from attncli.classroom.exercises.papers import self_checking
from attncli.cli import app
from attncli.document.blocks import Document, Paragraph, Section, WordBlank
from attncli.document.questions import Interval, Item, Paper, RightAnswer, RightWords
from attncli.formats import RenderOptions, render
from attncli.maths.equations.tree import Blank, Number
from attncli.names import Word
from tests.classroom.exercises.test_no_leak import SCENARIOS, digits, distinctive
from tests.classroom.exercises.test_students import make
from tests.classroom.made import papers, questions, request_for
from tests.conftest import sampled
from tests.helpers.browser import findings, opened
from tests.helpers.pages import SHIPPED, trace_of
from tests.maths.numbers.test_numerals import UNREAD, WRITTEN

FIELDS = ".field[data-kind=number]"
KINDS = (("sheet", 21), ("key", 0))
FINER = Decimal("1e-9")


def key_of(low: Decimal, high: Decimal) -> RightAnswer:
    return RightAnswer(Number(low, low), Interval(low, high), None, None)


def sheet_with(asked: Mapping[Item, Any]) -> Document:
    """A sheet that asks these, each in a block of its own."""
    section = Section("softmax", 1, ("Softmax",), (), tuple(asked.values()), questions=(*asked,))
    paper = Paper("exercise", "A", "g1234567", Word("attn"), len(asked))
    return self_checking(Document(Word("Sheet"), (section,), paper=paper))


def numbers_asked(keys: Sequence[RightAnswer]) -> Document:
    """A sheet with a field for each key."""
    ids = [f"x[{k}]" for k in range(len(keys))]
    asked = zip(ids, keys, strict=True)
    return sheet_with(
        {Item(id_, key=key): Paragraph((Blank(id_, key.number),)) for id_, key in asked}
    )


@sampled(3, name=SCENARIOS, blank=["results", "random:0.4", "all"])
def test_no_answer_is_to_be_read_in_the_file(name: str, blank: str) -> None:
    steps = {"sentencepiece": ["viterbi"]}.get(name, [])
    entry = papers(
        trace_of(SHIPPED[name]), request_for(trace_of(SHIPPED[name]), blank, steps=steps)
    )
    sheet = self_checking(entry.whole)
    page, plain = (
        render(sheet, "html", RenderOptions(80)),
        render(entry.sheet, "html", RenderOptions(80)),
    )
    answers = {distinctive(question) for question in questions(entry.whole)} - {""}
    assert answers
    assert not answers & (digits(page) - digits(plain))
    assert not sheet.interactive.origins
    assert "data-n=" not in page
    assert "attn exercise" not in page
    assert page.count('class="field"') == len(questions(entry.whole))
    assert page == render(self_checking(entry.whole), "html", RenderOptions(80))


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["exercise", "i_love_ai", "--step", "softmax", *words])


def test_no_key_goes_into_the_file_that_students_get(tmp_path: Path) -> None:
    refused = run("--format", "html", "--key", "embedded")
    assert refused.exit_code == 2
    assert "say none or separate" in refused.output
    assert make(tmp_path, "name,id\nAda,1\nBen,2\n", "--format", "html").exit_code == 0
    folder = tmp_path / "exam"
    fields = {
        path.stem: path.read_text("utf-8").count('class="field"') for path in folder.rglob("*.html")
    }
    forms = {f"exam_{form}_{kind}": fields_of for form in "ABC" for kind, fields_of in KINDS}
    assert fields == {**forms, "1_sheet": 21, "2_sheet": 21, "exam_print": 42}


def states(page: Any, typed: Sequence[str], kind: str = FIELDS) -> list[str]:
    """What is said of texts, each typed in a field."""
    found: list[str] = page.evaluate(
        """([kind, typed]) => [...document.querySelectorAll(kind)].map((field, k) => {
          const input = field.querySelector("input");
          input.value = typed[k];
          input.dispatchEvent(new Event("change", {bubbles: true}));
          return field.dataset.state;
        })""",
        [kind, [*typed]],
    )
    assert len(found) == len(typed)
    return found


class TestInTheBrowser:
    @pytest.fixture
    def sheet(self, tmp_path: Path) -> Path:
        path = tmp_path / "sheet.html"
        assert run("-o", str(path)).exit_code == 0
        return path

    def test_numbers_are_read_as_the_program_reads_them(
        self, chromium: Any, tmp_path: Path
    ) -> None:
        numbers = [Decimal(number) for number, _ in WRITTEN.values()]
        unread = [*(text for text in UNREAD if text.strip()), "9e400", "9" * 310, "1 1/2"]
        more = {"٠٫٥": "0.5", "2/3": None, "1E-400": None, "0.1345000000000000000000001": None}
        path = tmp_path / "sheet.html"
        keys = [key_of(n, n) for n in [*numbers, Decimal("0.5")]]
        keys += [key_of(Decimal("0.6665"), Decimal("0.6675")), key_of(Decimal(0), Decimal("1e-9"))]
        keys += [key_of(Decimal("0.1345"), Decimal("0.1355"))] * (1 + len(unread))
        path.write_text(render(numbers_asked(keys), "html", RenderOptions(80)), "utf-8")
        with opened(chromium, path) as page:
            texts = states(page, [*WRITTEN, *more, *unread])
            by_name = dict(zip([*WRITTEN, *more, *unread], texts, strict=True))
        assert by_name == dict.fromkeys([*WRITTEN, *more], "right") | dict.fromkeys(
            unread, "unreadable"
        )

    def test_of_a_number_by_its_key_all_that_is_accepted_and_nothing_else(
        self, chromium: Any, tmp_path: Path
    ) -> None:
        trace = trace_of(SHIPPED["i_love_tennis_causal"])
        whole = papers(trace, request_for(trace, steps=["mask", "softmax"])).whole
        keys = [q.key for q in questions(whole) if q.key is not None]
        finite = [r.number.shown.is_finite() for r in keys]
        assert not all(finite)
        path = tmp_path / "sheet.html"
        path.write_text(render(numbers_asked(keys), "html", RenderOptions(80)), "utf-8")
        with opened(chromium, path) as page:
            for ends in ("low", "high"):
                typed = [f"{getattr(r.accepted, ends):f}".replace(".", ",") for r in keys]
                assert {*states(page, typed)} == {"right"}
            assert page.locator("#check .tally").inner_text() == f"{len(keys)} of {len(keys)} right"
            assert {*states(page, [f"{r.number.shown}" for r in keys])} == {"right"}
            below = [f"{r.accepted.low - FINER}" for r in keys]
            above = [f"{r.accepted.high + FINER}" for r in keys]
            for typed in (below, above):
                texts = states(page, typed)
                assert texts == ["wrong" if own else "right" for own in finite]
            assert {*states(page, ["x"] * len(keys))} == {"unreadable"}
            assert {*states(page, [""] * len(keys))} == {""}

    def test_of_any_interval_what_lies_in_it(self, chromium: Any, tmp_path: Path) -> None:
        """Its ends too, however near to them another number is."""
        rng, path = Random(3), tmp_path / "sheet.html"
        lows = [Decimal(rng.randint(-(10**6), 10**6)).scaleb(-rng.randint(0, 6)) for _ in range(60)]
        keys = [key_of(low, low + Decimal(rng.randint(0, 9000)).scaleb(-3)) for low in lows]
        path.write_text(render(numbers_asked(keys), "html", RenderOptions(80)), "utf-8")
        with opened(chromium, path) as page:
            for part in (0, 1, Decimal(rng.random()), -1, 2):
                for finer in (0, FINER, -FINER):
                    typed = [(1 - part) * k.accepted.low + part * k.accepted.high for k in keys]
                    typed = [number + finer for number in typed]
                    told = states(page, [f"{number:f}" for number in typed])
                    found = [state == "right" for state in told]
                    pairs = zip(keys, typed, strict=True)
                    assert found == [k.accepted.low <= n <= k.accepted.high for k, n in pairs]

    def test_a_small_number_with_fewer_decimals(self, chromium: Any, tmp_path: Path) -> None:
        key = key_of(Decimal("-0.0214"), Decimal("-0.0212"))
        path = tmp_path / "sheet.html"
        path.write_text(render(numbers_asked([key] * 6), "html", RenderOptions(80)), "utf-8")
        with opened(chromium, path) as page:
            told = states(page, ["-0.021", "-0.02", "-0.0", "0", "-0.020", "-1/50"])
        assert told == ["few", "few", "wrong", "wrong", "wrong", "wrong"]

    def test_words_are_chosen_or_written(self, chromium: Any, tmp_path: Path) -> None:
        options = (Word("AI"), Word("u g"), Word("ß"))
        chosen = Item("a", words=RightWords(options, (1,), ("A", "B", "C")))
        written = [Item(f"w[{k}]", words=RightWords(options, (k,))) for k in (0, 1, 2)]
        asked = {chosen: WordBlank("a", ("Which?",), options, ("A", "B", "C"))}
        asked |= {item: WordBlank(item.id, (f"Which? {item.id}",)) for item in written}
        path = tmp_path / "sheet.html"
        path.write_text(render(sheet_with(asked), "html", RenderOptions(80)), "utf-8")
        with opened(chromium, path) as page:
            field = page.get_by_role("radiogroup", name="Which?", exact=True)
            for label, state in (("A) AI", "wrong"), ("B) u g", "right"), ("C) ß", "wrong")):
                field.get_by_label(label).check()
                assert page.locator("[data-kind=choice]").get_attribute("data-state") == state
            words = "[data-kind=words]"
            assert states(page, ["ai", "(U, g)", "SS"], words) == ["right"] * 3
            assert states(page, ["u g", "gu", "s"], words) == ["wrong"] * 3
            assert findings(page) == []

    def test_by_keys(self, chromium: Any, sheet: Path) -> None:
        with opened(chromium, sheet) as page:
            page.locator(f"{FIELDS} input").first.focus()
            for text in ("2.718", "1", "2,72", "3.5", "n"):
                page.keyboard.type(text)
                page.keyboard.press("Tab")
            value = page.locator(".said").all_inner_texts()
            few = "~ right so far; it needs 3 decimals"
            assert value[:6] == ["✓ right", "✓ right", few, "✗ not yet", "? not a number", ""]
            assert page.get_by_role("status").inner_text() == "? not a number (exp[love, love])"
            assert page.locator("section .tally").inner_text() == "2 of 21 right"
            name = page.evaluate("document.activeElement.getAttribute('aria-label')")
            assert name == "exp[love, AI]"
            page.get_by_role("button", name="Check all").press("Enter")
            assert page.locator(".field[data-state=wrong]").count() == 17
            page.get_by_role("button", name="Clear").press("Enter")
            assert page.locator("[data-state=right], [data-state=wrong]").count() == 0
            assert page.locator("input").first.input_value() == ""

    def test_known_mistakes_are_named_and_hints_given(self, chromium: Any, sheet: Path) -> None:
        """By one's own numbers; a hint has the working with them, and no number that is asked."""
        with opened(chromium, sheet) as page:
            for name, number, said in (
                ("exp[love, AI]", "4", "✗ not yet: Raising 2 instead of e to the scores."),
                ("exp[love, love]", "9.999", "✗ not yet"),
                ("exp_sum[love]", "12", "✗ not yet"),
                ("weights[love, AI]", "0.333", "→ follows from an earlier wrong number"),
            ):
                field = page.get_by_label(name, exact=True).first
                field.fill(number)
                field.blur()
                assert field.locator("xpath=..").locator(".said").inner_text() == said
            field.focus()
            hint, told = page.get_by_role("button", name="Hint"), page.locator("#check .help")
            hint.click()
            assert told.inner_text().split() == [
                "weights[love,",
                "AI]",
                "=",
                "exp[love,",
                "AI]",
                "/",
                "exp_sum[love]",
            ]
            hint.click()
            assert told.inner_text().split() == ["weights[love,", "AI]", "=", "4", "/", "12"]
            page.get_by_label("weights[AI, AI]", exact=True).first.focus()
            assert told.inner_text() == ""
            hint.click()
            hint.click()
            assert told.inner_text().split() == ["weights[AI,", "AI]", "=", "▢", "/", "▢"]
            assert findings(page) == []

    def test_a_phone(self, chromium: Any, sheet: Path) -> None:
        small = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
        with opened(chromium, sheet, **small) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            first = page.locator(f"{FIELDS} input").first
            first.tap()
            assert first.get_attribute("inputmode") == "decimal"

    def test_words_that_may_not_be_broken_on_a_phone(self, chromium: Any, tmp_path: Path) -> None:
        cut = "\N{NO-BREAK SPACE}".join(("understanding",) * 6)  # pieces and a count stay together
        section = Section("wordpiece", 1, ("Pieces",), (), (Paragraph((cut,)),))
        path = tmp_path / "sheet.html"
        path.write_text(
            render(Document(Word("Sheet"), (section,)), "html", RenderOptions(80)), "utf-8"
        )
        narrow = {"width": 360, "height": 740}
        with opened(chromium, path, viewport=narrow) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= 360

    def test_axe_finds_nothing(self, chromium: Any, sheet: Path) -> None:
        with opened(chromium, sheet) as page:
            page.locator("input").first.fill("2.718")
            page.get_by_role("button", name="Check all").click()
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert findings(page) == []

    def test_on_paper(self, chromium: Any, sheet: Path) -> None:
        with opened(chromium, sheet, color_scheme="dark") as page:
            page.get_by_role("button", name="Check all").click()
            page.emulate_media(media="print")
            assert page.locator("#check, .tally, .said").locator("visible=true").count() == 0
            borders = page.evaluate(
                "[...'Top Right Bottom'.split(' ')].map((side) => "
                "getComputedStyle(document.querySelector('.field input'))[`border${side}Width`])"
            )
            assert borders == ["0px", "0px", "1px"]

    def test_what_follows_goes_with_the_number_that_it_follows_from(
        self, chromium: Any, sheet: Path
    ) -> None:
        """A number that is mended later on takes what followed from it along."""
        with opened(chromium, sheet) as page:

            def said(**typed: str) -> list[str]:
                for name, text in typed.items():
                    field = page.get_by_label(f"{name}[I]" if name == "exp_sum" else name)
                    field.fill(text)
                    field.blur()
                told = page.locator(".field[data-state]:not([data-state='']) .said")
                return list(told.all_inner_texts())

            for name, text in (("exp[I, I]", "2.718"), ("exp[I, love]", "1"), ("exp[I, AI]", "9")):
                page.get_by_label(name).fill(text)
            right, wrong, follows = "✓ right", "✗ not yet", "→ follows from an earlier wrong number"
            assert said(exp_sum="12.718") == [right, right, wrong, follows]
            page.get_by_label("exp[I, AI]").fill("2.718")
            assert said(exp_sum="12.718") == [right, right, right, wrong]
            assert said(exp_sum="6.436") == [right] * 4
