"""What a source prints, beside what is worked here."""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli.document.blocks import Bullets, text_of_spans
from attncli.formats import RenderOptions, render
from attncli.judging.publications import published_verdicts
from attncli.maths.numbers import decimals
from attncli.pages.check import checked
from attncli.pages.parts.selection import select
from attncli.pages.walkthrough import walkthrough
from attncli.pipeline import load, work
from attncli.scenario.file.problems import ScenarioError
from attncli.trace.published import published_numbers
from tests import oracle
from tests.auditor import audit_sentences
from tests.auditor.published import audit_published, marks_on
from tests.conftest import FEWER
from tests.helpers.pages import (
    LARGE,
    SHIPPED,
    page_of,
    page_of_cells,
    printed_otherwise,
    trace_of,
)
from tests.helpers.plain import read
from tests.helpers.strategies import recurrents, scenarios, transformers, workable

KEYS = """\
tokens: [a, b]
Q: [[1, 2], [3, 4]]
K: [[1, 2], [3, 4]]
scale: none
published:
"""


def problems_of(entries: str) -> list[str]:
    with pytest.raises(ScenarioError) as error:
        trace_of(KEYS + entries)
    return [
        f"{problem.where.line}:{problem.where.column} {problem.wrong}"
        for problem in error.value.problems
    ]


def test_everything_that_is_not_there_is_told_at_once() -> None:
    assert problems_of("""\
  scoers: [[1, 2], [3, 4]]
  scores[c, a]: 3
  scores[a]: [1, 2, 3]
  scores[a, b, a]: 3
  scores[: 4
  scores: 4
  output[a]: [1, 2]
""") == [
        "6:11 this trace has no quantity scoers",
        '7:17 scores has no "c"',
        "8:14 3 numbers for scores[a], which has 2 numbers",
        "9:20 scores is addressed by a row and a column",
        '10:12 "scores[" is not of the form name[row, column]',
        "11:11 1 number for scores, which has 2 rows of 2 numbers",
        "12:14 this trace has no quantity output",
    ]


def test_what_is_no_number_is_told_at_once() -> None:
    assert problems_of("""\
  scores[a, b]: {at: here}
  scores[a, a]: {numbers: [], where: x}
  scores[b, a]: x
  scores: [[1, 2], [3]]
  exp: [1, [2, 3]]
""") == [
        "6:17 a place without numbers",
        "7:27 this row is empty, where a row of numbers belongs",
        '7:31 unknown key "where"',
        '8:17 the text "x" is not a number',
        "9:20 this row has 1 number, the rows above 2",
        "10:12 a list where a number belongs",
    ]


@pytest.mark.parametrize(
    ("entry", "follows"),
    [
        ("scores: [[5, 11.0], [11, 25]]", [True, True, True, True]),
        ("scores[a]: [5, 12]", [True, False]),
        ("scores[a, b]: 11.000000", [True]),
        ("scores[a, 2]: 11.1", [False]),
        ("weights[a, a]: 0.002", [True]),
        ("weights[a, a]: 0.00", [True]),
        ("weights[a, a]: 0.0025", [True]),  # 148.413 / 60022.555 = 0.00247…
        ("weights[a, a]: 0.0024", [False]),
        ("exp_sum[a]: 60022.6", [True]),  # .555 goes away from zero
        ("exp_sum: [60022.555, 1.0]", [True, False]),
        ("Q[b, 2]: 4.00", [True]),
    ],
)  # fmt: skip
def test_a_number_follows_to_its_own_decimals(entry: str, follows: list[bool]) -> None:
    trace = trace_of(f"{KEYS}  {entry}\n")
    assert [f.follows for f in published_numbers(trace)] == follows


def test_too_many_numbers_are_refused() -> None:
    rows = str([[0] * 101] * 100)
    with pytest.raises(ScenarioError, match="10,100 published numbers are too much at once"):
        trace_of(f"scores: {rows}\nscale: none\npublished: {{scores: {rows}}}\n")


def test_changed_numbers_are_not_the_sources() -> None:
    text = KEYS + "  scores[a, b]: 12\n"
    assert "The source prints" in page_of(trace_of(text))
    assert "The source prints" in page_of(trace_of(text, "rounding.policy=exact"))
    assert "The source prints" not in page_of(trace_of(text, "Q[1,1]=2"))


def test_a_variant_has_its_own() -> None:
    variants = "variants: {a: {scale: 2}, b: {published: {'exp_sum[a]': 1}}}\n"
    text = f"{KEYS}  scores[a, b]: 12\n{variants}"
    trace = trace_of(text)
    assert [len(published_numbers(entry)) for entry in trace.variants.values()] == [0, 1]


def test_of_a_mapping() -> None:
    scenario = {
        "Q": [[1]],
        "K": [[2]],
        "published": {"scores[1, 1]": {"numbers": 2.5, "at": "p. 4"}},
    }
    (figure,) = published_numbers(work(load(scenario)))
    assert (figure.follows, figure.at, str(figure.theirs)) == (False, "p. 4", "2.5")


PUBLISHING = sorted(name for name, text in SHIPPED.items() if "\npublished:" in text)
SMALL = [name for name in PUBLISHING if name not in LARGE]  # whose matrices are random


@pytest.mark.parametrize("name", SMALL)
def test_what_follows_in_the_shipped_scenarios(name: str) -> None:
    """Each number against the sums of the oracle, which shares no code with the package."""
    data = read(SHIPPED[name])
    made = oracle.work(data)
    for figure in published_numbers(trace_of(SHIPPED[name])):
        if figure.quantity.name in made and not figure.assumed:
            ours = Decimal(made[figure.quantity.name][figure.row, figure.column])
            assert figure.follows == (
                ours.quantize(figure.theirs, rounding=ROUND_HALF_UP) == figure.theirs
            )
        else:
            assert figure.assumed or figure.quantity.name == "ids"  # which no sum makes


@pytest.mark.parametrize("name", SMALL)
def test_what_the_pages_say_is_true(name: str) -> None:
    trace = trace_of(SHIPPED[name])
    page, listed = page_of(trace, "json"), printed_otherwise(trace)
    assert [*audit_published(json.loads(page), read(SHIPPED[name])["published"], listed)] == []
    texts = [text for step in json.loads(page)["steps"] for text in step.get("text", ())]
    marks = marks_on("\n".join(texts), "json")
    for form, width in (("terminal", 60), ("terminal", 120), ("markdown", 80), ("latex", 80)):
        assert marks_on(page_of(trace, form, width), form) == marks


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("scores[a, b]: 11", "The source's number follows."),
        ("scores[a, b]: 12", "The source's number doesn't follow; attn check"),
        ("scores[a]: [5, 11]", "All of the source's 2 numbers follow."),
        ("scores[a]: [5, 12]", "1 of the source's 2 numbers follows; attn check scenario.yaml says which doesn't."),
        ("scores[a]: [6, 12]", "None of the source's 2 numbers follow; attn check scenario.yaml says why."),
        ("scores: [[6, 12], [11, 25]]", "2 of the source's 4 numbers follow; attn check"),
        ("weights[a, a]: 0.0024", "The source's number"),
    ],
)  # fmt: skip
def test_the_count_is_said_in_a_line(entries: str, said: str) -> None:
    page = page_of(trace_of(f"{KEYS}  {entries}\n"))
    assert f"▸ {said}" in " ".join(page.split())


def test_marks_and_count_agree_on_what_follows() -> None:
    """A number that other rounding gives is marked as such, and counted among those that follow."""
    page = " ".join(page_of(trace_of(SHIPPED["i_love_ai"])).split())
    marks = re.findall(r"▸ The source(?:, [^,]+,)? prints (.+?): (.+?)\.(?= )", page)
    assert [verdict for _, verdict in marks] == [
        "it follows with other rounding",
        "they follow with other rounding",
        "only its rounding is wrong",
    ]
    wrong = [said for said, verdict in marks if "follow" not in verdict]
    assert wrong == ["5.000 for ffn[AI, 1]"]
    assert "56 of the source's 57 numbers follow" in page


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("i_love_ai", "a lecture note on self-attention"),
        ("i_can_go_alone", "a lecture note from tokens to Transformers"),
        ("three_tokens", "a note on multi-headed self-attention"),
    ],
)
def test_a_page_names_its_source_where_it_first_says_it(name: str, source: str) -> None:
    """And nowhere else, but at its end."""
    said = re.findall(
        r"▸ The source(?:, (.*?),)? (?:prints|assumes)",
        " ".join(page_of(trace_of(SHIPPED[name])).split()),
    )
    assert said == [source, *[""] * (len(said) - 1)]
    assert "The source prints 9 for" in page_of(trace_of(f"{KEYS}  scores[a]: [5, 9]\n"))


def test_of_numbers_that_are_assumed_check_tells() -> None:
    trace = trace_of(f"{KEYS}  scores[a]: {{numbers: [6, 12], assumed: true}}\n")
    assert "source's" not in page_of(trace)
    told = render(checked(trace)[0], "terminal", RenderOptions(80))
    assert "The source assumes 2 numbers. They are used next." in told


def test_a_cells_page_says_it_too() -> None:
    cells = ["scores[met, Bob]", "scores[met, at]", "exp_sum[met]", "Q[met, 1]"]
    page = page_of_cells(trace_of(SHIPPED["alice_met_bob"]), cells)
    mark = r"The source(, a lecture note on self-attention,)? prints \S+ for (\S+(?: \S+\])?), but "
    said = [(bool(named), cell) for named, cell in re.findall(mark, " ".join(page.split()))]
    assert said == [(True, "scores[met, Bob]"), (False, "exp_sum[met]")]


def test_a_mark_stands_at_its_step_and_its_working_where_the_cell_is_asked_for() -> None:
    trace = trace_of(SHIPPED["alice_met_bob"])
    named = "▸ The source, a lecture note on self-attention, prints 0.53 for scores[met, Bob]"
    assert named in page_of(trace)
    cell = page_of_cells(trace, ["scores[met, Bob]"])
    assert f"{named}, but 0.07 + 0.40 + 0.03 = 0.50." in " ".join(cell.split())
    assert "0.7 + 0.2 + 0.1 + 0.1 = 1.1" in re.sub(
        r"\s+", " ", page_of(trace_of(SHIPPED["i_can_go_alone"]))
    )


def judged_on(name: str) -> dict[str, str]:
    """The verdicts in the table of `attn check`."""
    return {row["Number"]: row["Verdict"] for row in printed_otherwise(trace_of(SHIPPED[name]))}


@pytest.mark.parametrize("name", SMALL)
def test_check_lists_what_differs_with_its_verdict(name: str) -> None:
    trace = trace_of(SHIPPED[name])
    judge, verdicts = published_verdicts(trace)
    by_name = {
        judge.trace[v.cell.quantity].address(v.cell.row, v.cell.column): v.judgement
        for v in verdicts
    }
    wrong = {cell: block for cell, block in by_name.items() if block != "correct"}
    entries = judged_on(name)
    assert {cell: by_name[cell] for cell in entries} == entries
    assert wrong.items() <= entries.items()


@pytest.mark.parametrize("name", [n for n in SMALL if "claims:" in SHIPPED[n]] + ["meeting"])
def test_check_tells_whether_statements_are_so(name: str) -> None:
    trace = trace_of(SHIPPED[name])
    (said,) = (s for s in checked(trace)[0].sections if s.title == ("What the source says",))
    (bullets,) = (block for block in said.blocks if isinstance(block, Bullets))
    texts = [text_of_spans(item) for item in bullets.items]
    assert len(texts) == len(trace.scenario.source.claims)
    page = {**json.loads(page_of(trace, "json")), "notes": texts}
    assert [*audit_sentences(page)] == []


def test_what_follows_from_the_sources_own_numbers() -> None:
    """By the lecture notes' own numbers: e^0.53 = 1.698932, e^0.86 = 2.363161, which is no 2.365
    however the score is rounded; 2.420 + 2.575 = 4.995, and 5.000 of 5.00."""
    alice = judged_on("alice_met_bob")
    assert alice["exp[met, Bob]"] == "carried forward"
    assert alice["exp_sum[met]"] == "carried forward"
    assert alice["exp[met, Alice]"] == "rounding"  # 1.25860, cut off
    assert alice["exp[met, cafe]"] == "slip"
    love = judged_on("i_love_ai")
    assert (love["output[I, 1]"], love["ffn[AI, 1]"]) == ("correct", "rounding")


def test_a_variants_numbers_are_told_at_the_end() -> None:
    variants = "variants: {twice: {scale: 2, published: {'scaled[a, b]': 5.6}}}\n"
    page = page_of(
        trace_of(f"tokens: [a, b]\nQ: [[1, 2], [3, 4]]\nK: [[1, 2], [3, 4]]\n{variants}")
    )
    assert "▸ The source's number doesn't follow; attn check" in " ".join(page.split())


@settings(max_examples=FEWER)
@given(st.one_of(scenarios(), transformers(), recurrents()), st.data())
def test_what_is_printed_here_follows_when_it_is_published(text: str, data: st.DataObject) -> None:
    """Any number of our pages, entered as the source's, is agreed with; with another last digit it
    isn't."""
    with workable():
        trace = trace_of(text)
    quantities = [*trace.quantities.values()]
    cells = {
        quantity.address(i, j): decimals.text(quantity.number(i, j).shown).replace("∞", "inf")
        for quantity in data.draw(st.lists(st.sampled_from(quantities), min_size=1, max_size=4))
        for i, j in np.ndindex(*quantity.matrix.shape)
    }
    same = trace_of(text + published(cells))
    assert all(f.follows for f in published_numbers(same))
    assert re.search(
        r"(?:All of t|T)he source's (?:\d+ numbers follow|number follows)\.", page_of(same)
    )
    others = {cell: another(number) for cell, number in cells.items()}
    differing = published_numbers(trace_of(text + published(others)))
    assert not any(f.follows for f in differing)


@settings(max_examples=FEWER)
@given(st.one_of(scenarios(), transformers(), recurrents()), st.data())
def test_any_numbers_may_be_published(text: str, data: st.DataObject) -> None:
    """Numbers that no working could have are compared like others."""
    with workable():
        trace = trace_of(text)
    numbers = st.sampled_from(("0", "-1", "-inf", "1e300", "-1e-300", "0.125", "7.0000000000001"))
    cells = {
        quantity.address(i, j): data.draw(numbers)
        for quantity in data.draw(
            st.lists(st.sampled_from([*trace.quantities.values()]), min_size=1, max_size=3)
        )
        for i, j in np.ndindex(*quantity.matrix.shape)
    }
    trace = trace_of(text + published(cells))
    page = page_of(trace, "markdown")
    assert "The source prints " in page or "the source's" in page.lower()
    assert "nan" not in page.lower().rpartition("the source's")[2]
    document, _ = checked(trace)
    assert "nan" not in render(document, "markdown", RenderOptions())


def published(cells: dict[str, str]) -> str:
    return f"\npublished:\n{''.join(f'  {json.dumps(a)}: {n}{chr(10)}' for a, n in cells.items())}"


def another(number: str) -> str:
    """The number with one more of its last digit."""
    if "inf" in number:
        return "0"
    exact = Decimal(number)
    return decimals.text(exact + Decimal((0, (1,), exact.as_tuple().exponent)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("printed", "token", "marked"),
    [
        ("[[9, 11], [9, 9]]", "a", ["scores[a, a]"]),
        ("[[9, 11], [9, 9]]", "b", ["scores[b, a]", "scores[b, b]"]),
        ("[[5, 11], [9, 9]]", "a", []),
    ],
)
def test_a_page_of_one_query_marks_its_own_differences(
    printed: str, token: str, marked: list[str]
) -> None:
    trace = trace_of(f"{KEYS}  scores: {printed}\n")
    page = render(walkthrough(trace, select(trace, token=token)), "terminal", RenderOptions(80))
    assert [mark.cell for mark in marks_on(page, "terminal")] == marked
    assert "of the source's 4 numbers follow" in page


LEFT = "tokens: [a, b]\nscale: none\n"
LOOKUP = "Q: [[1, 0, 1]]\nK: [[1, 0, 1], [0, 1, 0]]\nV: [[1, 2], [3, 4]]\n"
EXACT = "rounding: {policy: exact, decimals: 2}\n"


@pytest.mark.parametrize(
    ("text", "printed", "right"),
    [
        # 0.7311, 0.2689, 0.7291, 0.2709
        (f"{LEFT}scores: [[1, 0], [0.99, 0]]\n", {"weights": "[[0.73, 0.27], [0.73, 0.27]]"}, "yyyy"),
        (f"{LEFT}scores: [[1, 0], [0.99, 0]]\n", {"weights": "[[0.7, 0.27], [0.729, 0.3]]"}, "yyyy"),
        (f"{LEFT}{EXACT}scores: [[1, 0], [0, 1]]\n",
         {"weights": "[[0.7349, 0.2651], [0.2689, 0.7311]]"}, "nnyy"),
        # one weight of a row rounded up, and the other one, too
        (LOOKUP, {"output": "[[1.4793, 2.4793]]"}, "yy"),
        (LOOKUP, {"output": "[[1.4795, 2.4795]]"}, "nn"),
        (LOOKUP, {"output": "[[1.480, 2.480]]"}, "yy"),  # of 0.760 and 0.240
        (LOOKUP, {"weights": "[[0.76, 0.24]]", "output": "[[1.48, 2.479]]"}, "yyyy"),
    ],
)  # fmt: skip
def test_a_figure_is_judged_by_the_decimals_that_it_is_printed_with(
    text: str, printed: dict[str, str], right: str
) -> None:
    trace = trace_of(text + published(printed))
    _, verdicts = published_verdicts(trace)
    assert "".join("ny"[v.judgement == "correct"] for v in verdicts) == right
    listed = [row["Verdict"] for row in printed_otherwise(trace)]
    assert ("slip" in listed) is ("n" in right)


def test_a_figure_that_was_cut_off_is_known_by_its_own_decimals() -> None:
    """0.6792 and 0.3208 of e^0.75 / (e^0.75 + 1), to two decimals and to four."""
    for theirs in ("[[0.67, 0.32]]", "[[0.6791, 0.3208]]"):
        text = f"scores: [[0.75, 0]]\nscale: none\n{published({'weights': theirs})}"
        _, verdicts = published_verdicts(trace_of(text))
        assert [v.judgement for v in verdicts] == ["rounding", "correct"]
        assert verdicts[0].cause is not None
        assert verdicts[0].cause.name == "truncated"
