"""The page that works itself again while a reader changes its numbers, in a real browser: beside
what the program makes of the same changes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from attncli.commands.arguments import Arguments, ForThisRun, PageOptions
from attncli.commands.pages import run
from attncli.document.blocks import Document
from attncli.document.changing import ITSELF, VARIANT
from attncli.formats import RenderOptions, render
from attncli.maths.notation import plain
from attncli.names import Name
from attncli.pipeline import load, work
from attncli.scenario.file.editing import edited
from attncli.scenario.file.problems import ScenarioError
from attncli.steps.schema import SCENARIO
from attncli.trace import Trace
from tests.conftest import THOROUGH, sampled, share
from tests.helpers.browser import findings, opened
from tests.helpers.pages import SHIPPED

STILL = {
    "dictionary": "a tokenizer is learned",
    "bpe": "a tokenizer is learned",
    "unigram": "a tokenizer is learned",
    "wordpiece": "a tokenizer is learned",
    "sentencepiece": "a tokenizer is learned",
    "tokenizers": "there are no numbers",
    "embedding_table": "a table has millions of numbers",
    "i_can_go_alone": "the numbers are drawn",
}
"""The scenarios whose page has no fields, and why."""
LIVE = [name for name in SHIPPED if name not in STILL]
DRAWN = 200 if THOROUGH else 4
"""Changes of each scenario."""
Changes = Sequence[tuple[str, str]]


def page_of(name: str, changes: Changes = (), *, pictures: bool = False) -> Document:
    sets = [f"{key}={value}" for key, value in changes]
    page = PageOptions(form="html")
    changed = ForThisRun(set_=sets or None)
    made: Document = run(Arguments(name, changed=changed, page=page, pictures=pictures)).page
    return made


@contextmanager
def shown(chromium: Any, document: Document, path: Path, address: str = "") -> Iterator[Any]:
    path.write_text(render(document, "html", RenderOptions()), "utf-8")
    with opened(chromium, path) as page:
        if address:
            page.goto(f"{path.as_uri()}{address}")
            page.reload()
        page.wait_for_function("() => window.attncli?.live")
        yield page


def drawn(document: Document, rng: random.Random, *, varied: bool = True) -> Changes:
    """One or two numbers, a policy, decimals, perhaps another scale or mask, or a variant; the
    temperature, where there is one."""
    changeable = document.interactive.changeable
    assert changeable is not None
    keys = [key for key in changeable.numbers.values() if key != TEMPERATURE]
    made = {}
    if len(keys) < len(changeable.numbers) and rng.random() < 0.5:
        made[TEMPERATURE] = rng.choice(["0.5", "2", f"{rng.uniform(0.1, 3):.2f}"])
    for _ in range(rng.randint(1, 2)):
        number = rng.choice(
            ["0", "1", "-1", "3", f"{rng.uniform(-2, 2):.1f}", f"{rng.gauss(0, 1):.3f}"]
        )
        made[rng.choice(keys)] = number
    for choice in changeable.choices:
        values = choice.values[1:] if choice.name == "Decimals" else choice.values
        if choice.key.startswith("rounding") or rng.random() < 0.3:
            made[choice.key] = rng.choice(values)
    if not varied:
        made.pop(VARIANT, None)
    return [*worked_alone(made, {c.key: c.value for c in changeable.choices}).items()]


def worked_alone(made: dict[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Changes without those words that a page doesn't have together with others."""
    for key in (SENTENCE, VARIANT):  # which stand on a page by themselves
        if made.get(key, own.get(key)) != own.get(key):
            made.update({other: own[other] for other in WORDS if other in made and other != key})
    if made.get(VARIANT) == ITSELF:
        made.pop(VARIANT)
    return made


TEMPERATURE, SENTENCE = "next.temperature", "sentence"
WORDS = ("scale", "mask", SENTENCE, VARIANT)


def worked(name: str, changes: Changes) -> Trace:
    """What the program makes of changes, one of which may be to a variant. Raises ScenarioError."""
    variant = dict(changes).get(VARIANT)
    scenario = load(name, [f"{key}={value}" for key, value in changes if key != VARIANT])
    return work(scenario.alone()) if variant is None else work(scenario).variants[variant]


def wrong_in(page: Any, name: str, changes: Changes) -> list[str]:
    """The numbers that the page has otherwise than the program; what one refuses and the other
    doesn't."""
    page.evaluate("changes => attncli.live.changeTo(changes)", changes)
    refused = page.locator(".made.wrong").count() > 0
    try:
        trace = worked(name, changes)
    except ScenarioError as error:
        return [] if refused else [f"{name} {changes}: the program refuses: {error}"]
    if refused:
        return [f"{name} {changes}: the page refuses: {page.inner_text('.made')}"]
    found = dict(page.evaluate("attncli.live.numbers()"))
    found.pop(TEMPERATURE, None)  # which is no quantity
    expected = {
        str(q.name): [plain(q.number(i, j)) for i in range(n) for j in range(m)]
        for q in trace.quantities.values()
        if q.name not in trace.untold
        for n, m in [q.matrix.shape]
    }
    if [*found] != [*expected]:
        return [f"{name} {changes}: other quantities: {found.keys() ^ expected.keys()}"]
    return [
        f"{name} {changes}: {quantity} {here} is {numbers}"
        for quantity, numbers in found.items()
        if (here := expected[quantity]) != numbers
    ]


@sampled(4, name=LIVE)
def test_every_number_is_ours(chromium: Any, tmp_path: Path, name: str) -> None:
    """Under both policies, with 1 to 6 decimals, with another scale and another mask."""
    document, rng = page_of(name), random.Random(name)
    with shown(chromium, document, tmp_path / "page.html") as page:
        for _ in range(DRAWN):
            wrong = wrong_in(page, name, drawn(document, rng))
            assert wrong == []


ROWS = """() => [...document.querySelectorAll(
    "main > section:not(#s0) :is(.working, .quantity, .vectors, .addition)")]
  .filter(table => !table.closest(".told"))
  .map(table => [...table.rows].map(row => row.innerText.replace(/[\\s\\u00a0]+/g, " ").trim()))"""
SENTENCES = "which => [...document.querySelectorAll(which)].map(one => one.innerText)"
LINES_MAY_DIFFER = {
    "decoder_block", "graph_attention", "i_love_tennis_causal", "learning_to_attend",
    "linear_attention", "rnn_backward_through_time", "sparsemax_attention", "tennis_and_rafael",
    "three_tokens", "three_tokens_two_heads", "word_order", "yassine_rnn_sentence",
}  # fmt: skip
"""Those that tell other rows or tables when they are changed, such as the row of the largest
number, or the other branch of a choice."""


def answer_of(name: str, document: Document) -> Changes:
    """The change that keeps the cell of a page's answer, as the page does."""
    trace = work(load(name).alone())
    if document.answer is None or (cell := document.answer.cell) is None:
        return []
    if trace.scenario.page.show.answer.cell:
        return []
    return [("show.answer", plain(trace[cell.quantity].symbol(cell.row, cell.column)))]


@sampled(5, name=LIVE)
def test_every_line_is_ours(chromium: Any, tmp_path: Path, name: str) -> None:
    """Tables, lines of working with their signs, and the sentences that are told again: what stands
    on the page is what the program writes for the changed scenario."""
    document, rng = page_of(name), random.Random(f"{name} lines")
    for _ in range(20 if THOROUGH else 1):
        changes = drawn(document, rng, varied=False)
        try:
            told = page_of(name, [*changes, *answer_of(name, document)])
        except ScenarioError:
            continue
        with shown(chromium, document, tmp_path / "page.html") as page:
            page.evaluate("changes => attncli.live.changeTo(changes)", changes)
            found = page.evaluate(ROWS)
            sentences = page.evaluate(SENTENCES, "aside.retold:not([hidden])")
        with shown(chromium, told, tmp_path / "expected.html") as page:
            assert name in LINES_MAY_DIFFER or found == page.evaluate(ROWS), changes
            expected = page.evaluate(SENTENCES, "aside")
        if name in LINES_MAY_DIFFER:  # which may be told in full where one row was
            expected += [text for text in sentences if text.startswith("One row of each table")]
        assert [text for text in sentences if text not in expected] == [], changes


def test_a_number_is_changed_where_it_stands(chromium: Any, tmp_path: Path) -> None:
    """In its cell; what follows is marked, its working is told, and what was said before stands
    back."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        number = page.locator('.quantity [data-set="W_Q[1,1]"]').first
        number.click()
        field = page.get_by_label("W_Q[1,1], changed to")
        assert field.input_value() == "1"
        field.fill("−0,5")
        field.press("Enter")
        assert number.inner_text() == "−0.5"
        assert page.locator(".made").inner_text().startswith("Changed: W_Q[1, 1] 1 → −0.5. ")
        page.locator("details.lines").evaluate_all("all => all.forEach((one) => {one.open = true})")
        line = page.locator("tr", has_text="Q[AI]").first.inner_text().replace("\t", " ")
        assert line == "Q[AI] = [1, 1] × W_Q = [1×(−0.5) + 1×0, 1×0 + 1×1] = [−0.5, 1.0]"
        page.locator("tr", has_text="scores[AI, AI]").locator("[data-n]").last.click()
        card = page.locator("#how .line").inner_text()
        assert card == "scores[AI, AI] = −0.5 × 1 + 1.0 × 2 = −0.5 + 2.0 = 1.5"
        assert page.locator("section.before").count() > 3
        page.get_by_role("button", name="Start again").click()
        assert number.inner_text() == "1"
        assert page.locator("section.before").count() == 0
        assert "#" not in page.url


def test_what_was_changed_can_be_sent(chromium: Any, tmp_path: Path) -> None:
    """By the address, and as the scenario, laid out as its author has it."""
    changes = [
        ("embeddings[love,2]", "0.25"),
        ("scale", "sqrt_d_k"),
        ("mask", "causal"),
        ("rounding.decimals", "2"),
    ]
    document = page_of("i_love_ai")
    assert document.interactive.changeable is not None
    with shown(chromium, document, tmp_path / "page.html") as page:
        page.evaluate("changes => attncli.live.changeTo(changes)", changes)
        address, numbers = page.url.partition("#")[2], page.evaluate("attncli.live.numbers()")
        text = page.evaluate("attncli.live.asScenario()")
        with page.expect_download() as heard:
            page.get_by_role("button", name="Save as a file (YAML)").click()
        assert heard.value.suggested_filename == "i_love_ai.yaml"
        assert heard.value.path().read_text("utf-8") == text
    sets = [f"{key}={value}" for key, value in changes]
    assert text == edited(document.interactive.changeable.text, sets, SCENARIO.known)
    with shown(chromium, document, tmp_path / "page.html", f"#{address}") as page:
        assert page.evaluate("attncli.live.numbers()") == numbers
        assert page.locator("select[data-key=mask]").input_value() == "causal"


def test_another_sentence_is_chosen(chromium: Any, tmp_path: Path) -> None:
    """Two words exchanged, or another one in the place of one: its names, its words and its numbers
    are the program's, what was changed before stays, and it goes into the scenario."""
    document, key = page_of("i_love_ai"), "sentence"
    with shown(chromium, document, tmp_path / "page.html") as page:
        offered = page.locator(f"[data-key={key}] option").all_inner_texts()
        assert offered[0] == "I love AI"
        assert {"love I AI", "AI love I", "I AI love", "I love I"} <= {*offered}
        for sentence in offered:
            changes = [("W_Q[1,1]", "2"), (key, sentence)]
            assert wrong_in(page, "i_love_ai", changes) == []
        page.evaluate("attncli.live.changeTo([['W_Q[1,1]', '2']])")
        page.get_by_label("Sentence").select_option("AI love I")
        assert page.inner_text(".made").startswith(
            "Changed: W_Q[1, 1] 1 → 2; sentence I love AI → AI love I. "
        )
        assert page.locator("#s1 table.words td:nth-child(2)").all_inner_texts() == [
            "AI",
            "love",
            "I",
        ]
        answer = "In short: “love” attends most to “AI”: 0.576 (step 5)."
        assert page.inner_text(".answer") == answer
        assert "sentence: AI love I\n" in page.evaluate("attncli.live.asScenario()")
        page.get_by_label("Scale").focus()
        page.get_by_label("Scale").select_option("√d_k")
        assert (
            page.inner_text("#why")
            == "with scale √d_k and sentence AI love I this can't be worked here"
        )


def test_a_number_in_another_ones_place_is_changed_and_not_saved(
    chromium: Any, tmp_path: Path
) -> None:
    """K is Q under another name (`&vectors`): each is changed alone, as the program does, and a
    file has no place for that."""
    changes = [("Q[met,1]", "0.5"), ("scale", "sqrt_d_k"), ("rounding.decimals", "3")]
    with shown(chromium, page_of("alice_met_bob"), tmp_path / "page.html") as page:
        assert page.locator("#changes select:visible").count() == 4
        assert wrong_in(page, "alice_met_bob", changes) == []
        save = page.locator("[data-do=save]")
        assert save.is_hidden()
        assert wrong_in(page, "alice_met_bob", changes[1:]) == []
        assert save.is_visible()


IN_SIGHT = """selector => [...document.querySelectorAll(selector)].map(one => {
  const box = one.getBoundingClientRect();
  return box.width > 0 && box.top >= 0 && box.bottom <= document.getElementById("bar").getBoundingClientRect().top
    && box.left >= 0 && box.right <= innerWidth; })"""


@pytest.mark.parametrize("name", ["i_love_ai", "next_token", "word_order", "yassine_lstm"])
def test_settings_answer_and_picture_are_in_sight(chromium: Any, tmp_path: Path, name: str) -> None:
    """On a laptop, first of all and also where the page is moved down and a number is changed; the
    map, too, whose boxes lead to the steps, and the contents in a fold behind it."""
    with shown(chromium, page_of(name), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": 1280, "height": 800})
        at = ["#changes .bar :is(select, input)", ".answer", "nav.contents svg a:first-of-type"]
        at += [] if name == "yassine_lstm" else ["#sight svg"]
        page.locator("nav.contents svg a").first.wait_for()
        for _ in range(2):
            for what in at:
                found = page.evaluate(IN_SIGHT, what)
                assert found, what
                assert all(found), what
            page.evaluate("scrollTo({top: 1500, behavior: 'instant'})")
            page.evaluate("document.querySelector('#changes').scrollTo({top: 500})")
            at = at[:2]
        assert page.locator("nav.contents li").first.is_hidden()
        page.locator("nav.contents summary").click()
        assert page.locator("nav.contents li").first.is_visible()


def test_two_keys_of_a_map_that_is_not_there_are_one(chromium: Any, tmp_path: Path) -> None:
    source = tmp_path / "mine.yaml"
    source.write_text(
        "X: [[1, 0], [0, 1]]  # two tokens\nblock: attention\nW_Q: [[1, 2], [0, 1]]\nW_K: [[1, 0], [1, 1]]\n"
    )
    with shown(chromium, page_of(str(source)), tmp_path / "page.html") as page:
        page.evaluate(
            "attncli.live.changeTo([['rounding.policy', 'exact'], ['X[2,1]', '3'], ['rounding.decimals', '2']])"
        )
        source.write_text(page.evaluate("attncli.live.asScenario()"))
    scenario = load(str(source))
    assert (scenario.rounding.policy, scenario.rounding.decimals) == ("exact", 2)
    assert scenario.given.matrices[Name("X")].values.tolist() == [[1, 0], [3, 1]]
    assert "# two tokens" in source.read_text()


@pytest.mark.parametrize(
    ("name", "changes", "says"),
    [
        ("i_love_ai", [("W_Q[1,1]", "abc")], "“abc” is not a number; give one such as 0.5 or -2"),
        ("i_love_ai", [("W_Q[7,1]", "1")], "W_Q[7,1] can't be changed here"),
        (
            "i_love_ai",
            [("W_Q[1,1]", "9e40")],
            "Q: a number with 3 decimals has more than 15 digits",
        ),
        ("i_love_ai", [("scale", "7")], "with scale 7 this can't be worked"),
        ("i_love_ai", [("W_Q[1,1]", "-99"), ("W_Q[1,2]", "-99")], "weights: a divisor is 0"),
        (
            "adam_by_hand",
            [("X[1,1]", "-2.423"), ("rounding.decimals", "5")],
            "quotient.X: what it is divided by rounds to 0; take more decimals",
        ),
    ],
)
def test_what_cannot_be_worked_is_refused(
    chromium: Any, tmp_path: Path, name: str, changes: Changes, says: str
) -> None:
    """And the page stays what it was."""
    with shown(chromium, page_of(name), tmp_path / "page.html") as page:
        before = page.inner_text("main > section:last-child")
        page.evaluate("changes => attncli.live.changeTo(changes)", changes)
        assert says in page.inner_text(".made.wrong")
        assert page.inner_text("main > section:last-child") == before


def focused(page: Any) -> str:
    """What has the focus: a field by what it changes, a number that is given by its key."""
    told: str = page.evaluate(
        "(on => on.ariaLabel || on.dataset.set || on.textContent)(document.activeElement)"
    )
    return told


def reached(page: Any, key: str, wanted: str) -> None:
    """Presses a key until something has the focus."""
    for _ in range(60):
        if focused(page) == wanted:
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} doesn't lead to {wanted}")


def test_a_number_is_changed_and_changed_back_by_keys_alone(chromium: Any, tmp_path: Path) -> None:
    """What differs is seen, with what it was, and nothing else is marked; the focus is never
    lost."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        press = page.keyboard.press
        before = page.evaluate(CELLS)
        reached(page, "Tab", "embeddings[I,1]")
        reached(page, "ArrowRight", "W_Q[1,1]")
        press("Enter")
        assert focused(page) == "W_Q[1,1], changed to"
        page.keyboard.type("3")
        press("Enter")
        assert focused(page) == "W_Q[1,1]"
        after = page.evaluate(CELLS)
        assert [(now, was) for (now, _), (was, _) in zip(after, before, strict=True) if now != was]
        for (now, marked), (was, _) in zip(after, before, strict=True):
            assert marked == (None if now == was else was)
        status = page.inner_text(".made")
        assert status == f"Changed: W_Q[1, 1] 1 → 3. {page.evaluate(DIFFERING)} numbers differ."
        reached(page, "Tab", "Undo")
        press("Enter")
        assert focused(page) == "W_Q[1,1]"
        assert page.evaluate(CELLS) == before
        assert page.inner_text(".made") == ""


def on_a_laptop(page: Any) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    page.emulate_media(reduced_motion="reduce")


def test_tab_leads_from_table_to_table_and_arrows_inside_and_on(
    chromium: Any, tmp_path: Path
) -> None:
    """Of given numbers; up and down in the column, also into the next table."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        on_a_laptop(page)
        press = page.keyboard.press
        page.locator('#changes [data-set="embeddings[I,1]"]').focus()
        for keys, wanted in (
            ("Tab", "W_Q[1,1]"),
            ("Tab", "W_K[1,1]"),
            ("ArrowUp", "W_Q[2,1]"),
            ("ArrowUp", "W_Q[1,1]"),
            ("ArrowUp", "embeddings[AI,1]"),
            ("ArrowRight", "embeddings[AI,2]"),
            ("ArrowDown", "W_Q[1,2]"),
            ("Enter", "W_Q[1,2], changed to"),
            ("Escape", "W_Q[1,2]"),
            ("Shift+Tab", "embeddings[AI,2]"),
            ("Tab", "W_Q[1,2]"),
            ("Tab", "W_K[1,1]"),
        ):
            press(keys)
            assert focused(page) == wanted, keys


def test_the_text_stays_while_keys_lead_through_the_columns(chromium: Any, tmp_path: Path) -> None:
    """On a laptop, both ways."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        on_a_laptop(page)
        column = "document.activeElement.closest('#changes, #sight')?.id"
        for start, key, columns in (
            ("#changes nav figure a", "Shift+Tab", {"changes"}),
            ("#changes nav figure a", "Tab", {"changes", "sight"}),
        ):
            page.evaluate("document.querySelector('#s5').scrollIntoView()")
            page.locator(start).first.evaluate("one => one.focus({preventScroll: true})")
            top, seen = page.evaluate("scrollY"), set()
            while (at := page.evaluate(column)) is not None:
                seen.add(at)
                assert page.evaluate("scrollY") == top, focused(page)
                page.keyboard.press(key)
            assert seen == columns
            assert top > 1000


def test_a_picture_is_one_tab_stop(chromium: Any, tmp_path: Path) -> None:
    """Arrows lead from token to token; after Escape no cell is outlined for it."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        on_a_laptop(page)
        page.locator("#sight svg [data-row]").first.focus()
        for key, word in (("ArrowDown", "love"), ("ArrowDown", "AI"), ("ArrowUp", "love")):
            page.keyboard.press(key)
            assert focused(page) == f"{word}: its row and what that blends"
        assert page.locator("#how").inner_text().startswith("output[love] = ")
        page.keyboard.press("Escape")
        assert page.locator("main .now:is([data-n], td)").count() == 0
        page.keyboard.press("Shift+Tab")
        assert focused(page) == "step 5"


def test_what_was_changed_is_told_clear_of_all_else(chromium: Any, tmp_path: Path) -> None:
    """It covers nothing beside the page, and moves nothing there; a number that was is clear of the
    frame of its cell, a highlight of the label above it."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        on_a_laptop(page)
        before = page.evaluate(BESIDE)
        page.evaluate("attncli.live.changeTo([['W_Q[1,1]', '3']])")
        assert page.evaluate(BESIDE) == before
        told, picture = (
            page.locator(f"#sight {one}").bounding_box() for one in (".done", "figure")
        )
        assert told["y"] >= picture["y"] + picture["height"]
        assert min(page.evaluate(WAS)) >= 4
        assert min(page.evaluate(ABOVE)) > 0
        page.set_viewport_size({"width": 1366, "height": 400})
        assert all(page.evaluate(IN_SIGHT, ".made, .done button:not([hidden])"))


BESIDE = """[...document.querySelectorAll("#changes .bar, #changes svg .box, #sight svg text[data-n]")]
  .map(one => Math.round(one.getBoundingClientRect().top))"""
"""How high stands what is beside the page."""
ABOVE = """[...document.querySelectorAll("#sight svg text[data-was]")].map(number => {
  const box = number.getBBox(), half = parseFloat(getComputedStyle(number).strokeWidth) / 2;
  const label = number.ownerSVGElement.querySelector(`g > text[data-cell="${number.dataset.n}"]`);
  const font = parseFloat(getComputedStyle(number).fontSize), digits = 0.75 * font;
  return Number(number.getAttribute("y")) - digits - half - Number(label.getAttribute("y")); })"""
"""How far a highlight is from the line on which the label above it stands."""


def test_scales_are_offered_from_none(chromium: Any, tmp_path: Path) -> None:
    """So that the next one is below it."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        scale = page.get_by_label("Scale")
        assert scale.locator("option").all_inner_texts() == ["none", "√d_k"]
        scale.focus()
        page.keyboard.press("ArrowDown")
        assert scale.input_value() == "sqrt_d_k"


CELLS = """() => [...document.querySelectorAll("td > [data-n]")]
  .map(one => [one.textContent, one.parentElement.dataset.was ?? null])"""
DIFFERING = """new Set([...document.querySelectorAll("main .changed[data-n]")]
  .map(one => attncli.entry(Number(one.dataset.n))[0])).size"""


@sampled(3, width=[360, 768, 1280])
def test_fields_by_keys(chromium: Any, tmp_path: Path, width: int) -> None:
    """Arrows go by steps of the last decimal, Escape leaves what was, Tab goes on."""
    document = page_of("i_love_ai", [("W_V[1,1]", "0.50")])
    with shown(chromium, document, tmp_path / "page.html") as page:
        page.set_viewport_size({"width": width, "height": 740})
        press, cell = page.keyboard.press, page.locator('td > [data-set="W_V[1,1]"]').first
        cell.focus()
        for keys, value in (("ArrowUp", "0.51"), ("PageDown", "0.41"), ("ArrowUp", "0.42")):
            if keys == "ArrowUp" and value == "0.51":
                press("Enter")
            press(keys)
            assert cell.inner_text() == value
        press("Escape")
        assert (cell.inner_text(), focused(page)) == ("0.50", "W_V[1,1]")
        page.keyboard.type("0.75")
        press("Tab")
        assert (cell.inner_text(), focused(page)) == ("0.75", "W_V[1,2], changed to")
        press("Shift+Tab")
        assert focused(page) == "W_V[1,1], changed to"


@sampled(3, width=[360, 768, 1280])
def test_what_is_no_number_is_told_at_its_field(chromium: Any, tmp_path: Path, width: int) -> None:
    """Inside the window, and the field stays."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": width, "height": 740})
        press = page.keyboard.press
        page.locator('td > [data-set="W_V[1,2]"]').first.focus()
        press("Enter")
        page.keyboard.type("much")
        press("Tab")
        assert focused(page) == "W_V[1,2], changed to"
        why = page.locator("#why")
        assert why.inner_text() == "“much” is not a number; give one such as 0.5 or -2"
        assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "why"
        box, field = why.bounding_box(), page.locator("input.change").bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
        assert 0 <= box["y"] <= box["y"] + box["height"] <= 740
        assert (
            min(
                abs(box["y"] - field["y"] - field["height"]),
                abs(field["y"] - box["y"] - box["height"]),
            )
            < 10
        )
        press("Escape")
        assert (focused(page), why.is_visible()) == ("W_V[1,2]", False)
        assert page.locator('td > [data-set="W_V[1,2]"]').first.inner_text() == "2"


def test_a_number_is_dragged(chromium: Any, tmp_path: Path) -> None:
    """To and fro; it is one change, which one step takes back."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        cell = page.locator('td > [data-set="W_K[2,1]"]').first
        cell.scroll_into_view_if_needed()
        box = cell.bounding_box()
        page.mouse.move(box["x"] + 3, box["y"] + 5)
        page.mouse.down()
        page.mouse.move(box["x"] + 9, box["y"] + 5)
        page.mouse.move(box["x"] + 33, box["y"] + 5)
        page.mouse.up()
        page.wait_for_function(
            "() => document.querySelector('td > [data-set=\"W_K[2,1]\"]').textContent == '5'"
        )
        assert page.locator("input.change").count() == 0
        page.get_by_role("button", name="Undo").click()
        assert cell.inner_text() == "0"
        assert page.locator(".changed").count() == 0


@sampled(2, key=["scale", "mask", "rounding.decimals"])
def test_what_is_chosen_marks_what_differs(chromium: Any, tmp_path: Path, key: str) -> None:
    """A number of the same name in the scenario itself is what it is compared with."""
    document = page_of("i_love_ai")
    with shown(chromium, document, tmp_path / "page.html") as page:
        own = dict(page.evaluate(NAMED))
        values = {"scale": "sqrt_d_k", "mask": "causal", "rounding.decimals": "1"}
        select = page.locator(f'[data-key="{key}"]')
        select.focus()
        select.select_option(values[key])
        assert page.evaluate("document.activeElement.dataset.key") == key
        found = page.evaluate(NAMED_NOW)
        assert any(was for _, _, was in found)
        for name, now, was in filter(itemgetter(0), found):  # the others are sums of rows
            assert was == (None if own.get(name) == now else own.get(name, "")), name
        page.get_by_role("button", name="Start again").press("Enter")
        assert page.evaluate("document.activeElement.dataset.key") == key
        assert page.locator(".changed").count() == 0


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("i_love_ai", [("scale", "sqrt_d_k")]),
        ("encoder_block", [("mask", "causal"), ("scale", "none")]),
    ],
)
def test_what_is_chosen_is_told_as_the_program_tells_it(
    chromium: Any, tmp_path: Path, name: str, choices: Changes
) -> None:
    """Line by line, and back: a page has its other versions by the lines that aren't its own."""
    with shown(chromium, page_of(name), tmp_path / "page.html") as page:
        before = page.evaluate(TOLD)
        found = []
        for choice in choices:
            page.evaluate("changes => attncli.live.changeTo(changes)", [choice])
            found.append(page.evaluate(TOLD))
        page.evaluate("attncli.live.changeTo([])")
        assert page.evaluate(TOLD) == before
    for choice, there in zip(choices, found, strict=True):
        with shown(chromium, page_of(name, [choice]), tmp_path / "page.html") as page:
            assert there == page.evaluate(TOLD), choice


TOLD = """() => [...document.querySelectorAll("main > section:not(#s0)")].map(section => {
  const text = section.cloneNode(true);
  text.querySelectorAll("svg, button, figure").forEach(one => one.remove());
  return text.textContent.split("\\n").map(line => line.trim()).filter(Boolean);
})"""
"""The lines of a page's steps, without what tells of changes."""


NAMED = """() => [...document.querySelectorAll("td > [data-n]")]
  .map(one => [attncli.entry(Number(one.dataset.n))[0], one.textContent])"""
NAMED_NOW = """() => [...document.querySelectorAll("td > [data-n]")]
  .map(one => [attncli.entry(Number(one.dataset.n))[0], one.textContent, one.dataset.was ?? null])"""


def test_that_a_change_leaves_the_answer_is_said(chromium: Any, tmp_path: Path) -> None:
    """Beside how many numbers differ, and only then."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        on_a_laptop(page)
        said = """async (change) => { attncli.live.changeTo(change);
          return [document.querySelector(".answer [data-n]").textContent,
            getComputedStyle(document.querySelector(".made"), "::after").content] }"""
        answer, nothing = page.evaluate(said, [])
        assert nothing == "none"
        assert page.evaluate(said, [["W1[1,1]", "3"]]) == [answer, '" Not the answer\'s."']
        other, nothing = page.evaluate(said, [["W_K[1,2]", "3"]])
        assert other != answer
        assert nothing == "none"


BESIDE_FIELD = """field => {
  const { left, right } = field.getBoundingClientRect(), range = document.createRange();
  return [...field.closest("tr").cells].filter((cell) => cell !== field.parentElement && cell.textContent.trim())
    .map((cell) => { range.selectNodeContents(cell); return range.getBoundingClientRect(); })
    .filter((text) => text.right > left && text.left < right).length; }"""
"""How many texts of its row a field covers."""


@pytest.mark.parametrize("width", [768, 1280, 1366])
@pytest.mark.parametrize("name", ["i_love_ai", "next_token", "word_order"])
def test_a_field_covers_no_number(chromium: Any, tmp_path: Path, name: str, width: int) -> None:
    """Nor the row's name, in the page and beside it; it grows with what is typed."""
    with shown(chromium, page_of(name), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("wide => document.body.matches('.bench') == wide", arg=width >= 1100)
        numbers = page.locator("main td > [data-set]")
        for number in [number for number in numbers.all() if number.is_visible()][:40:3]:
            number.evaluate("one => one.click()")
            field = page.locator("input.change")
            assert field.evaluate(BESIDE_FIELD) == 0, number.get_attribute("data-set")
            assert field.evaluate("one => one.scrollWidth <= one.clientWidth")
            page.keyboard.press("Escape")
        numbers.first.evaluate("one => one.click()")
        before = field.bounding_box()["width"]
        page.keyboard.type("-0.125")
        assert field.bounding_box()["width"] > before


@sampled(2, width=[360, 768, 1099, 1920, 1280, 1100])
def test_a_workbench_where_there_is_room(chromium: Any, tmp_path: Path, width: int) -> None:
    """What is given stands at the left and in sight, what comes of it at the right; else the page
    is one column, in the order in which it is printed. Each id is one element's."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("wide => document.body.matches('.bench') == wide", arg=width >= 1100)
        for _ in range(2):
            assert page.evaluate(TWICE) == []
            assert page.locator("main").evaluate("main => main.scrollWidth <= main.clientWidth")
            cell, figure = (
                page.locator('td > [data-set="embeddings[I,1]"]'),
                page.locator("#sight figure"),
            )
            assert cell.count() == 1
            if width >= 1100:
                left, middle, right = (
                    box.bounding_box() for box in (cell, page.locator("#s5"), figure)
                )
                assert left["x"] + left["width"] < middle["x"]
                assert middle["x"] + middle["width"] < right["x"]
                assert right["x"] + right["width"] <= width
                assert page.locator("#changes").bounding_box()["y"] == pytest.approx(0, abs=1)
                if width >= 1280:
                    assert middle["width"] >= 44 * 16
            else:
                assert figure.count() == 0
                assert cell.locator("xpath=ancestor::section").get_attribute("id") == "s2"
            page.evaluate("document.querySelector('#s5').scrollIntoView({behavior: 'instant'})")


def test_a_page_is_printed_in_its_order(chromium: Any, tmp_path: Path) -> None:
    """What stands at its sides goes back to where it belongs, as it does on a narrow screen."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        page.wait_for_function("() => document.body.matches('.bench')")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        printed = page.evaluate(ORDER)
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.set_viewport_size({"width": 700, "height": 900})
        page.wait_for_function("() => !document.body.matches('.bench')")
        narrow = page.evaluate(ORDER)
        assert printed == narrow
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": 700, "height": 900})
        page.reload()
        page.wait_for_function("() => window.attncli?.live")
        assert page.evaluate(ORDER) == narrow


@sampled(3, scheme=["light", "dark"], name=["i_love_ai", "next_token", "word_order"])
def test_axe_finds_nothing_on_a_changed_page(
    chromium: Any, tmp_path: Path, name: str, scheme: str
) -> None:
    """As it is written; with marks, a field that is open, and an error at it; while it is stepped
    through then."""
    path = tmp_path / "page.html"
    path.write_text(render(page_of(name), "html", RenderOptions()), "utf-8")
    with opened(chromium, path, color_scheme=scheme, reduced_motion="reduce") as page:
        page.wait_for_function("() => window.attncli?.live")
        assert findings(page) == []
        cell = page.locator("#changes td > [data-set]").first
        cell.focus()
        page.keyboard.type("3")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.keyboard.type("x")
        page.keyboard.press("Enter")
        assert page.locator("#why").is_visible()
        assert page.locator("td.changed").count() > 3
        assert findings(page) == []
        page.keyboard.press("Escape")
        for _ in range(3):
            page.get_by_role("button", name="Next").click()
        assert page.locator("body.stepping").count() == 1
        hidden = "all => all.map(one => getComputedStyle(one, '::after').visibility)"
        assert {*page.locator("td.later[data-was]").evaluate_all(hidden)} == {"hidden"}
        assert findings(page) == []


TWICE = """() => [...document.querySelectorAll("[id]")].map(one => one.id)
  .filter((id, k, all) => all.indexOf(id) != k)"""
ORDER = """() => [...document.querySelectorAll("main > section table")]
  .map(table => [table.closest("main > section").id, table.textContent])"""
"""The tables of a page with their sections."""


ADDRESSES = (
    "a=%", "W_Q[1,1]=%", "%=1", "=", "=1", "a=1&b", "&", "&&=&", "%E0%A4%A=%FF", "W_Q[1,1]=1=2", "scale=%",
    "constructor=1", "__proto__=1", "W_Q[1,1]=1&constructor", "rounding.decimals=1e9", "rounding.decimals=99999",
    "rounding.policy=both", "mask=constructor", "W_Q[1,1]", "W_Q[1,1]=", "a=<script>alert(1)</script>",
)  # fmt: skip
"""Of which none says what the page can be changed to."""


def test_an_address_that_says_nothing_is_told(chromium: Any, tmp_path: Path) -> None:
    """Without an error of the script, which `opened` would hear, and the page is as it was."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        numbers = page.evaluate("attncli.live.numbers()")
        for address in share(3, ADDRESSES, ""):
            page.goto("about:blank")
            page.goto(f"{(tmp_path / 'page.html').as_uri()}#{address}")
            page.wait_for_function("() => window.attncli?.live")
            assert page.locator(".made.wrong").count() == ("=" in address), address
            assert page.evaluate("attncli.live.numbers()") == numbers, address
            assert "Changed" not in page.inner_text(".made")


def test_variants_follow(chromium: Any, tmp_path: Path) -> None:
    """Those that are told at the end of a page are worked again with it, and each of them is a page
    of its own."""
    changes = [("W_Q[1,1]", "2"), ("W_V[2,2]", "-0.5")]
    traces = work(load("word_order", [f"{key}={value}" for key, value in changes])).variants
    with shown(chromium, page_of("word_order"), tmp_path / "page.html") as page:
        before = page.evaluate(VARIED)
        page.evaluate("changes => attncli.live.changeTo(changes)", changes)
        found = page.evaluate(VARIED)
        for (rows, follows, marks), (told, *_), trace in zip(
            found, before, traces.values(), strict=True
        ):
            output = trace["output"]
            shape = output.matrix.shape
            assert rows == [
                [name, *(plain(output.number(i, j)) for j in range(shape[1]))]
                for i, name in zip(range(shape[0]), output.rows.names, strict=True)
            ]
            assert follows
            assert marks == [
                was if was != now else None
                for olds, news in zip(told, rows, strict=True)
                for was, now in zip(olds[1:], news[1:], strict=True)
            ]
        for name in ("reversed, with positions", "reversed"):
            page.select_option("[data-key=variant]", name)
            assert f"variant none → {name}. " in page.inner_text(".made")
        assert page.inner_text("h1") == "Word order: reversed"
        heads = page.locator("table.words tbody td").all_inner_texts()
        assert heads == ["alone", "go", "can", "I"]
        page.locator("[data-key=mask]").focus()
        page.select_option("[data-key=mask]", "causal")
        why = page.inner_text("#why")
        assert why == "with mask causal and variant reversed this can't be worked here"
        assert page.input_value("[data-key=variant]") == "reversed"


VARIED = """() => [...document.querySelectorAll(".told table.variant")].map(table => [
  [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent)),
  Boolean(table.closest(".retold")),
  [...table.querySelectorAll("td")].map(cell => cell.matches(".changed") ? cell.dataset.was : null)])"""
PASSES = """() => [[...document.querySelector(".told .passes").tBodies[0].rows]
  .map(row => [...row.cells].slice(-2).map(cell => cell.textContent)),
  document.querySelector(".told .otherwise:not([hidden])")?.textContent ?? ""]"""


def test_generated_tokens_follow(chromium: Any, tmp_path: Path) -> None:
    """While the text is the same one: else it is said which token would be the next there."""
    document, rng = page_of("next_token"), random.Random(7)
    others = 0
    with shown(chromium, document, tmp_path / "page.html") as page:
        own = [token for token, _ in page.evaluate(PASSES)[0]]
        changed: list[Changes] = [[(TEMPERATURE, "2")], [("unembedding[3,4]", "-0.9")]]
        changed += [drawn(document, rng) for _ in range(40 if THOROUGH else 4)]
        for changes in changed:
            changes = [pair for pair in changes if pair[0] not in WORDS]
            page.evaluate("changes => attncli.live.changeTo(changes)", changes)
            rows, says = page.evaluate(PASSES)
            first = work(load("next_token", [f"{key}={value}" for key, value in changes]))
            expected, other = [], ""
            for trace, told in zip((first, *first.generated), own, strict=False):
                word, shares = trace.next_word(), trace.next_token
                assert word is not None
                assert shares is not None
                place = shares.matrix.shape[0] - 1, shares.columns.names.index(word)
                expected.append([word, plain(shares.number(*place))])
                if word != told:
                    other = word
                    break
            expected += [["–", "–"]] * (len(own) - len(expected))
            others += bool(other)
            assert rows == expected, changes
            assert says.startswith(
                f"With these numbers the next token there is “{other}”, "
            ) == bool(other)
            assert not other or "attn run next_token --set" in says
            assert all(f"--set '{key}={value}'" in says for key, value in changes if other)
    assert others


def test_a_temperature_is_changed_in_its_field_and_in_its_line(
    chromium: Any, tmp_path: Path
) -> None:
    """What names it follows, or isn't shown any more."""
    with shown(chromium, page_of("next_token"), tmp_path / "page.html") as page:
        field = page.get_by_label("Temperature", exact=True)
        field.focus()
        field.press("ArrowUp")
        assert field.input_value() == "0.9"
        section = page.locator("main > section", has=page.locator("h2", has_text="Next token"))
        assert "the temperature 0.9:" in section.inner_text()
        assert "T = 0.8" not in section.inner_text()
        assert section.locator("math", has_text="0.8").count() == 0
        field.fill("-1")
        field.press("Enter")
        assert page.inner_text("#why") == "next.temperature: a setting is above 0"
        field.fill("1.5")
        field.press("Enter")
        assert page.locator("#why").is_hidden()
        assert "next.temperature 0.8 → 1.5." in page.inner_text(".made")


def test_the_answer_keeps_its_cell(chromium: Any, tmp_path: Path) -> None:
    """Where another scale or mask is chosen, too; its words and its number are of what is worked
    now."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        answer = page.locator(".answer")
        for changes, says in (
            ([], "In short: “love” attends most to “AI”: 0.576 (step 5)."),
            ([("scale", "sqrt_d_k")], "In short: “love” attends most to “AI”: 0.503 (step 6)."),
            ([("W_Q[2,1]", "-3")], "In short: “love” attends most to itself: 0.844 (step 5)."),
        ):
            page.evaluate("changes => attncli.live.changeTo(changes)", changes)
            assert answer.inner_text() == says
            name = page.evaluate(
                "attncli.entry(Number(document.querySelector('.answer [data-n]').dataset.n))[0]"
            )
            assert name == ("weights[love, love]" if "itself" in says else "weights[love, AI]")
            number = answer.locator("[data-n]").inner_text()
            assert number == dict(page.evaluate(NAMED))[name]


WAS = """[...document.querySelectorAll('main td[data-was]:not([data-was=""])')].filter(
  cell => cell.checkVisibility()).map(cell => {
    const number = cell.querySelector("[data-n]").getBoundingClientRect();
    const below = parseFloat(getComputedStyle(cell, "::after").height);
    return cell.getBoundingClientRect().bottom - number.bottom - below; })"""
"""The room below each number for what it was, besides what that takes."""
SIZES = """[...document.querySelectorAll('main td[data-was]:not([data-was=""])')]
  .map(cell => parseFloat(getComputedStyle(cell, "::after").fontSize))"""
"""How large what numbers were is written, in pixels."""
ROWS = """[...document.querySelectorAll('.product')].flatMap(product => {
  const tops = kind => [...product.querySelectorAll(`:scope > .${kind} tbody tr`)].map(
    row => row.getBoundingClientRect().top);
  return tops("left").map((top, k) => Math.abs(top - tops("result")[k])); })"""
"""How far rows of results stand from those of their left operands."""


@pytest.mark.parametrize("width", [360, 1280])
def test_what_was_stands_below_what_is(chromium: Any, tmp_path: Path, width: int) -> None:
    """It has room of its own, and the rows of a product stay in line."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(
            "changes => attncli.live.changeTo(changes)", [("scale", "sqrt_d_k"), ("W_Q[1,1]", "3")]
        )
        sizes = page.evaluate(SIZES)
        assert len(sizes) > 20
        assert min(sizes) >= 11
        rooms, rows = page.evaluate(WAS), page.evaluate(ROWS)
        assert len(rooms) > 20
        assert min(rooms) >= 0
        assert rows
        assert max(rows) <= 1


def test_the_answer_leads_to_its_step(chromium: Any, tmp_path: Path) -> None:
    """Also where the step has another number."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        for scale in ("none", "sqrt_d_k"):
            page.evaluate("scale => attncli.live.changeTo([['scale', scale]])", scale)
            link = page.locator(".answer a")
            heading = page.locator(f"{link.get_attribute('href')} h2").inner_text()
            assert heading == f"{link.inner_text().removeprefix('step ')} · Softmax"


def test_keys_undo_a_change(chromium: Any, tmp_path: Path) -> None:
    """On the page; in a field they are the field's. A choice is called by its sign."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        page.get_by_label("Scale").select_option("√d_k")
        assert page.inner_text(".made").startswith("Changed: scale none → √d_k. ")
        page.locator('td > [data-set="W_V[1,2]"] >> visible=true').first.click()
        page.keyboard.press("Control+z")
        assert page.inner_text(".made").startswith("Changed")
        page.keyboard.press("Escape")
        page.keyboard.press("Control+z")
        assert page.inner_text(".made") == ""
        assert page.get_by_label("Scale").input_value() == "none"


LOOKED_AT = """() => {
  const heading = [...document.querySelectorAll("h2")].find(one => one.textContent.endsWith("Softmax"));
  const column = document.querySelector("#changes"), row = column.querySelector('tr:has([data-set="W_Q[1,1]"])');
  return [heading, ...(document.body.matches(".bench") ? [column.querySelector("nav summary"), row] : [])]
    .map(one => Math.round(one.getBoundingClientRect().top)); }"""
"""Where the section that is read stands, and what stands in the column."""


@pytest.mark.parametrize("width", [390, 1280])
def test_what_is_looked_at_stays_where_it_is(chromium: Any, tmp_path: Path, width: int) -> None:
    """Whatever is chosen or typed, and where it is taken back; also if there is a step more above
    it."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(reduced_motion="reduce")
        page.evaluate("document.querySelector('#s5').scrollIntoView({behavior: 'instant'})")
        page.wait_for_timeout(100)
        before = pytest.approx(page.evaluate(LOOKED_AT), abs=1)
        sections = page.locator("main > section").count()
        undo = page.get_by_role("button", name="Undo")

        def clicked(what: Any) -> None:  # by the mouse: Playwright's own click moves the page
            box = what.bounding_box()
            page.mouse.click(box["x"] + 4, box["y"] + 5)

        if width == 390:
            clicked(page.get_by_role("button", name="Settings"))
            assert page.evaluate(LOOKED_AT) == before
        for key, value in (("scale", "sqrt_d_k"), ("mask", "causal"), ("rounding.decimals", "1")):
            page.locator(f'[data-key="{key}"]').select_option(value)
            assert page.evaluate(LOOKED_AT) == before, key
        assert page.locator("main > section").count() == sections + 2
        if width == 1280:
            clicked(page.locator('#changes [data-set="W_Q[1,1]"]'))
            page.keyboard.type("2")
            assert page.evaluate(LOOKED_AT) == before
            page.keyboard.press("Enter")
            assert page.evaluate(LOOKED_AT) == before
            clicked(undo)
        for _ in range(3):
            clicked(undo)
            assert page.evaluate(LOOKED_AT) == before
        assert undo.is_hidden()


def test_what_was_opened_stays_open(chromium: Any, tmp_path: Path) -> None:
    """Whatever is chosen: what is folded away in a step, and the contents."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        folds = page.locator("main > section details")
        for summary in ("Q line by line", "scores line by line", "More on this"):
            page.locator("main > section summary", has_text=summary).first.click()
        page.locator("nav.contents summary").click()
        is_open = "all => all.filter(one => one.open).map(one => one.firstElementChild.textContent)"
        before = folds.evaluate_all(is_open)
        assert len(before) == 3
        for key, value in (("scale", "sqrt_d_k"), ("mask", "causal"), ("scale", "none")):
            page.locator(f'[data-key="{key}"]').select_option(value)
            assert folds.evaluate_all(is_open) == before
            assert page.locator("nav.contents li").first.is_visible()


def test_what_is_opened_opens_downwards(chromium: Any, tmp_path: Path) -> None:
    """Also above a number that is worked at, which a browser would keep in its place."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": 1280, "height": 720})
        page.evaluate("document.querySelector('#s3').scrollIntoView({behavior: 'instant'})")
        cell = page.locator('main [data-set="W_Q[1,1]"]').first.bounding_box()
        page.mouse.click(cell["x"] + 4, cell["y"] + 5)
        for value in ("2", "1"):
            page.keyboard.type(value)
            page.keyboard.press("Enter")
        summary = page.locator("#s3 summary", has_text="More on this").first
        page.mouse.move(600, 300)
        page.mouse.wheel(0, summary.bounding_box()["y"] - 40)
        page.wait_for_timeout(200)
        before = summary.bounding_box()
        page.mouse.click(before["x"] + 9, before["y"] + 9)
        page.wait_for_timeout(200)
        assert summary.bounding_box()["y"] == pytest.approx(before["y"], abs=1)


def test_where_nothing_is_changed_it_is_said(chromium: Any, tmp_path: Path) -> None:
    """What was changed is told in sight, however far the column is moved."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": 1280, "height": 800})
        made, cell = page.locator(".made"), page.locator('#changes [data-set="W_Q[1,1]"]')
        for value, says in (
            ("2", "Changed: W_Q[1, 1] 1 → 2. "),
            ("1", "Everything is as at first."),
        ):
            cell.click()
            page.keyboard.type(value)
            page.keyboard.press("Enter")
            assert made.inner_text().startswith(says)
            page.evaluate("document.querySelector('#changes').scrollTo({top: 500})")
            assert all(page.evaluate(IN_SIGHT, ".made, [data-do=undo]"))
        page.get_by_label("Rounding").select_option("exact: round at the end")
        assert made.inner_text().startswith("Changed: rounding.policy carry → exact. ")


COLUMN = """() => [...document.querySelectorAll("#changes table")].map(table =>
  [...table.querySelectorAll("tr")].map(row => [...row.cells].slice(-2).map(cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect().right; })))"""
"""Where the last two texts of each row of each table end."""


def test_the_column_of_given_numbers(chromium: Any, tmp_path: Path) -> None:
    """The first weight matrix is in sight, headings stand above their numbers, a field covers no
    neighbour, and the contents are one line whatever is read."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": 1280, "height": 800})
        assert all(page.evaluate(IN_SIGHT, '#changes [data-set^="W_Q"]'))
        for table in page.evaluate(COLUMN)[:4]:
            for row in table[1:]:
                assert row == pytest.approx(table[0], abs=1)
        left, right = (page.locator(f'#changes td:has([data-set="W_Q[1,{k}]"])') for k in (1, 2))
        left.click()
        field = page.locator("input.change").bounding_box()
        assert field["x"] + field["width"] <= right.bounding_box()["x"] + 1
        assert field["x"] >= left.bounding_box()["x"]
        summary = page.locator("nav.contents summary")
        heights = set()
        for k in (1, 3):
            page.evaluate("k => attncli.mark(k)", k)
            heights.add(summary.bounding_box()["height"])
        assert len(heights) == 1


def test_other_pages_have_no_fields() -> None:
    for name, why in STILL.items():
        if name not in ("embedding_table", "i_can_go_alone"):
            assert page_of(name).interactive.changeable is None, why
    assert 'id="live"' not in render(page_of("bpe"), "html", RenderOptions())


def test_the_page_of_the_first_scenario_stays_small() -> None:
    assert len(render(page_of("i_love_ai"), "html", RenderOptions()).encode()) <= 260_000
