"""Worksheets, keys and hints: what is asked, what is accepted, and that nothing is given away."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from math import erf, pi, sqrt

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attncli import load, work
from attncli.classroom.exercises.functions_told import with_functions_told
from attncli.classroom.exercises.line_blanks import is_in_words, source_of
from attncli.document.blocks import Document, PageData, Section
from attncli.document.languages import words_of
from attncli.document.tables import MatrixBlock
from attncli.formats import RenderOptions, render
from attncli.maths.equations.elision import elided_rows
from attncli.maths.equations.tree import (
    Apply,
    Blank,
    Equation,
    Location,
    Number,
    Symbol,
)
from attncli.maths.notation import plain
from attncli.maths.operations.rearranging import TakeRows
from attncli.names import Name, below
from attncli.pages.parts.selection import shown_parts
from attncli.trace import Quantity, Trace
from tests.classroom.made import (
    BLANKINGS,
    SHEET_FORMATS,
    Papers,
    blanks,
    laid_out,
    numbers,
    papers,
    questions,
    request_for,
)
from tests.classroom.stress import trial
from tests.conftest import FEWER, sampled, share
from tests.helpers.pages import LARGE, SHIPPED, WORDS_ONLY, trace_of
from tests.helpers.plain import read
from tests.helpers.strategies import recurrents, scenarios, transformers, workable

SMALL = [name for name in SHIPPED if name not in {*LARGE, "i_love_tennis", WORDS_ONLY}]
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w])")


def made(name: str, blank: str = "results", *steps: str) -> Papers:
    trace = trace_of(SHIPPED[name])
    return papers(trace, request_for(trace, blank, steps=steps))


def steps_of(trace: Trace) -> list[str]:
    """Those that make numbers which can be asked for: an empty memory is told in words."""
    steps = (
        p for p in shown_parts(trace) if any(not is_in_words(trace, d.name) for d in p.definitions)
    )
    return list(dict.fromkeys(p.step for p in steps))


def digits(document: Document, form: str) -> set[str]:
    """The numbers printed on a page."""
    return set(NUMBER.findall(render(document, form, RenderOptions(80)).replace("\u2009", "")))


def allowed(trace: Trace, papers: Papers) -> set[str]:
    """The numbers that may stand on a student's page: what is given, what is shown on purpose (by
    the structure of the sheet, not its text), the facts."""
    shown = {str(abs(value.shown)) for value in numbers(papers.sheet.in_lines)}
    given = {
        str(abs(matrix.number(i, j).shown))
        for matrix in trace.scenario.given.matrices.values()
        for i in range(matrix.shape[0])
        for j in range(matrix.shape[1])
    }
    facts = papers.sheet._replace(sections=(), opening=(), data=PageData())
    as_data = {
        f"{Decimal(number).normalize():f}" for number in shown | given if number[0].isdigit()
    }
    return shown | given | as_data | digits(facts, "terminal") | digits(facts, "markdown")


def leaks(trace: Trace, papers: Papers) -> list[str]:
    """Answers that a student's file of any format tells although nothing shows them."""
    answers = {str(abs(q.key.number.shown)) for q in questions(papers.whole) if q.key is not None}
    telling = {a for a in answers - allowed(trace, papers) if len(a.replace(".", "")) > 3}
    return [
        f"{form}, {document.paper.kind}: {answer}"
        for form in SHEET_FORMATS
        for document in (papers.sheet, papers.hints)
        if document.paper is not None and not (document is papers.hints and form in {"yaml", "csv"})
        for answer in telling & digits(document, form)
    ]


def hidden_numbers(trace: Trace, papers: Papers) -> list[str]:
    """Numbers on the sheet that are cells asked for as results."""
    results = {blank.id for blank in blanks(papers.sheet) if ".working[" not in blank.id}
    texts = []
    on_paper = (number for number in laid_out(papers.sheet) if isinstance(number, Number))
    for number in (*numbers(papers.sheet), *on_paper):
        if number.cell is not None and number.cell.quantity in trace:
            address = trace[number.cell.quantity].address(*number.cell[1:])
            texts += [address] if address in results else []
    return texts


def check(trace: Trace, papers: Papers) -> None:
    ids = [blank.id for blank in blanks(papers.sheet)]
    asked = [question.id for question in questions(papers.sheet)]
    assert sorted(ids) == sorted(asked), "every blank is asked once"
    assert len(set(asked)) == len(asked), "ids are unique"
    on_paper = [blank for blank in laid_out(papers.sheet) if isinstance(blank, Blank)]
    ids_on_paper = [blank.id for blank in on_paper if blank.id]
    assert len(set(ids_on_paper)) == len(ids_on_paper), "a product asks once, too"
    assert {*ids_on_paper} <= {*asked}
    assert all(blank.answer is None for blank in on_paper)
    assert asked == [question.id for question in questions(papers.key)], "the key fits the sheet"
    assert all(question.key is None for question in questions(papers.sheet))
    assert all(blank.answer is None for blank in blanks(papers.sheet))
    assert not any(section.solution for section in papers.sheet.sections)
    for block in papers.sheet.data.given:
        assert not any(block.matrix.has(*place) for place in block.blanks)
    answers = {q.id: q.key.number.shown for q in questions(papers.whole) if q.key is not None}
    for blank in blanks(papers.whole):
        assert blank.answer is not None
        assert answers[blank.id] == blank.answer.shown
    assert hidden_numbers(trace, papers) == []
    assert leaks(trace, papers) == []


@sampled(43, name=SMALL, blank=BLANKINGS)
def test_shipped_scenarios(name: str, blank: str) -> None:
    trace = trace_of(SHIPPED[name])
    check(trace, papers(trace, request_for(trace, blank)))


@sampled(101, name=SMALL, blanking=[("results", None), ("results", "full"), ("all", "rows")])
def test_each_step_of_shipped_scenarios(name: str, blanking: tuple[str, str | None]) -> None:
    trace = trace_of(SHIPPED[name])
    blank, detail = blanking
    for step in steps_of(trace):
        check(trace, papers(trace, request_for(trace, blank, steps=[step], detail=detail)))


@settings(max_examples=FEWER)
@given(st.one_of(scenarios(), transformers(), recurrents()), st.data())
def test_random_scenarios(text: str, data: st.DataObject) -> None:
    with workable():
        trace = trace_of(text)
    steps = data.draw(st.lists(st.sampled_from(steps_of(trace)), max_size=3, unique=True))
    blank = data.draw(st.sampled_from(BLANKINGS))
    detail = data.draw(st.sampled_from([None, "summary", "rows", "full"]))
    with workable():
        entry = papers(trace, request_for(trace, blank, steps=steps, detail=detail))
    check(trace, entry)


def test_what_is_accepted() -> None:
    """exp_sum[I] is 2.718 + 1.000 + 2.718 = 6.436 with carry, and 2e + 1 = 6.43656… exactly."""
    keys = {q.id: q.key for q in questions(made("i_love_ai", "results", "softmax").whole)}
    key = keys["exp_sum[I]"]
    assert key is not None
    assert key.carry is not None
    assert key.exact is not None
    assert (key.carry.shown, key.exact.shown) == (Decimal("6.436"), Decimal("6.437"))
    assert (key.accepted.low, key.accepted.high) == (Decimal("6.4345"), Decimal("6.4385"))


def test_what_nobody_has_to_round_is_exact() -> None:
    """Also where floats are off: 0.35 + 1.21 is 1.56, and −0.35 + 1.21 isn't quite 0.86."""
    text = "Q: [[0.7, -1.1]]\nK: [[-0.5, -1.1], [0.5, -1.1]]\nscale: none\nuntil: scores\n"
    trace = trace_of(text)
    for item in questions(papers(trace, request_for(trace, steps=("scores",))).whole):
        low, high = item.right.accepted
        assert high - low == Decimal("0.001")


def test_a_key_names_mistakes_that_give_a_number_that_counts_as_right() -> None:
    """e^0 is 1, as 2^0 and 10^0 are; of the row of “AI” the sum is that of its column. Beside cells
    that show a mistake it is caught."""
    trace, heading = trace_of(SHIPPED["i_love_ai"]), "Known mistakes that aren’t caught"
    for cell, missed in (
        ("exp[I, love]", r"Raising 2 instead of e to the scores. In exp\[I, love\]."),
        ("exp_sum[AI]", r"Adding up the columns instead of the rows. In exp\_sum\[AI\]."),
    ):
        asked = papers(trace, request_for(trace, cells=[cell]))
        _, told = render(asked.key, "markdown", RenderOptions()).split(heading, 1)
        assert missed in told
    every = render(made("i_love_ai", "results", "softmax").key, "markdown", RenderOptions())
    assert heading not in every


def test_what_a_key_says_of_exact_numbers_agrees_with_its_ranges() -> None:
    key = render(made("i_love_ai").key, "markdown", RenderOptions())
    assert "Where nobody rounds anything, it accepts half a unit around the number." in key
    assert "2.9995 to 3.0005" in key


def test_the_same_under_exact() -> None:
    trace = trace_of(SHIPPED["i_love_ai"], "rounding.policy=exact")
    keys = {q.id: q.key for q in questions(papers(trace, request_for(trace)).whole)}
    key = keys["exp_sum[I]"]
    assert key is not None
    assert str(key.number.shown) == "6.437"
    assert (str(key.accepted.low), str(key.accepted.high)) == ("6.4345", "6.4385")


def test_a_term_is_asked_by_its_place_in_the_line() -> None:
    papers = made("i_love_ai", "working", "softmax")
    keys = {q.id: q.key for q in questions(papers.whole)}
    key = keys["exp_sum[love].working[3]"]
    assert key is not None
    assert str(key.number.shown) == "7.389"
    assert "12.825" in digits(papers.sheet, "terminal")


@given(
    policy=st.sampled_from(["carry", "exact"]),
    before=st.integers(1, 6),
    after=st.integers(1, 6),
    name=st.sampled_from(["yassine_rnn", "yassine_gru", "shifted"]),
)
@settings(max_examples=FEWER)
def test_a_term_is_accepted_as_finely_as_what_it_comes_from(
    policy: str, before: int, after: int, name: str
) -> None:
    """−z as z is, 1 − u as u is, a score less the largest one as the scores are: half a unit of
    their decimals beyond what honest paths give, whatever the line is rounded to."""
    asked, says = {
        "yassine_rnn": ("y[1][1].working[1]", f"{{ya: {before}, z_y: {before}, y: {after}}}"),
        "yassine_gru": ("a[2][1].working[3]", f"{{update: {before}, a: {after}}}"),
        "shifted": ("exp[1, 1].working[3]", f"{{scores: {before}, exp: {after}}}"),
    }[name]
    text = SHIPPED.get(name, "Q: [[300.5, 1]]\nK: [[4, 1], [4.5, 1]]\nscale: none\n")
    trace = trace_of(text, f"rounding.quantities={says}", f"rounding.policy={policy}")
    keys = {q.id: q.key for q in questions(papers(trace, request_for(trace, "working")).whole)}
    key = keys[asked]
    assert key is not None
    assert key.carry is not None
    assert key.exact is not None
    half = Decimal(5).scaleb(-before - 1)
    known = [
        Decimal(f"{x.full:.12f}").quantize(Decimal(1).scaleb(-before), ROUND_HALF_UP)
        for x in (key.carry, key.exact)
    ]
    assert key.half == half
    assert key.accepted.low <= min(known) - half < max(known) + half <= key.accepted.high


def test_what_follows_from_an_answer_off_the_page_is_not_told() -> None:
    trace = trace_of(SHIPPED["i_love_ai"], "scale=2")
    entry = papers(trace, request_for(trace, steps=["scores", "softmax"]))
    page = render(entry.sheet, "terminal", RenderOptions(80))
    assert "It goes on from what you have worked out" in page
    assert "scaled = scores / 2" in page
    names = {
        block.name
        for s in entry.sheet.sections
        for block in s.blocks
        if isinstance(block, MatrixBlock) and block.matrix.has(0, 0)
    }
    assert "scaled" not in names  # which has room to be carried over, and no numbers
    check(trace, entry)


def test_inputs_are_asked_for_only_by_name() -> None:
    trace = trace_of(SHIPPED["i_love_ai"])
    assert not any(
        q.id.startswith(("W", "b", "embeddings"))
        for q in questions(papers(trace, request_for(trace)).whole)
    )
    entry = papers(trace, request_for(trace, cells=["W_K[1, 2]", "weights[love, AI]"]))
    assert [q.id for q in questions(entry.whole)] == ["W_K[1, 2]", "weights[love, AI]"]
    check(trace, entry)


def test_a_seeded_share() -> None:
    trace = trace_of(SHIPPED["i_love_ai"])
    everything = len(questions(papers(trace, request_for(trace, "all")).whole))
    some = questions(papers(trace, request_for(trace, "random:0.25")).whole)
    assert len(some) == round(everything * 0.25)
    again = questions(papers(trace, request_for(trace, "random:0.25")).whole)
    others = questions(papers(trace, request_for(trace, "random:0.25", seed="8")).whole)
    assert [q.id for q in some] == [q.id for q in again]
    assert [q.id for q in some] != [q.id for q in others]


def test_blanks_are_of_one_width() -> None:
    """In Markdown one in formulas, and one in the sums in fenced blocks."""
    sheet = made("i_love_ai", "all").sheet
    rule = re.compile(r"(?<![_\\])_{3,}|\\hspace\{\w+\}")
    for form, looks in (("terminal", {"______"}), ("markdown", {r"\hspace{3em}", "______"})):
        page = render(sheet, form, RenderOptions(120)).split("Embeddings")[1]
        assert set(rule.findall(page)) == looks


def test_of_a_step_that_isnt_finished_what_it_makes_is_asked_for() -> None:
    """Without W2 the network ends with what its activation makes."""
    text = "tokens: [a]\nX: [[1, 2]]\nprojection: none\nblock: attention\nW1: [[3], [4]]\n"
    trace = trace_of(text)
    entry = papers(trace, request_for(trace, steps=["ffn"]))
    check(trace, entry)
    assert [q.id for q in questions(entry.whole)] == ["hidden[a, 1]", "activated[a, 1]"]


def goes_there(trace: Trace, quantity: Quantity, row: int) -> bool:
    """Whether a token's share of an expert that makes a quantity isn't 0; True of any other."""
    share, made = below(quantity.name.path, "share"), quantity.definition
    routed = share in trace and made is not None and made.step == "ffn"
    return not routed or bool(trace[share].values[row, 0])


def test_everything_that_is_made_is_asked_for_once() -> None:
    """By the trace's own list of quantities: nothing of what is told may be forgotten."""
    for name in share(7, SMALL, of="asked for once"):
        trace = trace_of(SHIPPED[name])
        shown = trace.scenario.page.show.queries
        asked = {q.id for q in questions(papers(trace, request_for(trace)).whole)}
        made = [
            q
            for q in trace.quantities.values()
            if q.definition and not q.definition.operation.untold and not is_in_words(trace, q.name)
        ]
        cells = {
            q.address(i, j): source_of(trace, Location(q.name, i, j))
            for q in made
            for i in elided_rows(q.matrix.shape[0], of_list=q.is_list)
            for j in range(q.matrix.shape[1])
            if i is not None
            if not shown or q.rows.names[i] in shown
            if goes_there(trace, q, i)
        }
        sources = [cells[id_] for id_ in asked]
        assert len(sources) == len(set(sources)), name
        if not shown:
            given = {cell for q in made for cell in given_all_the_same(trace, q)}
            made_here = {cell for cell in cells.values() if not trace[cell.quantity].given}
            assert set(sources) == made_here - given, name


def given_all_the_same(trace: Trace, quantity: Quantity) -> set[Location]:
    """The cells of a quantity that are looked up, or that a mask alone settles, by its zeros."""
    assert quantity.definition is not None
    rows, columns = quantity.matrix.shape
    every = {Location(quantity.name, i, j) for i in range(rows) for j in range(columns)}
    is_looked_up = isinstance(quantity.definition.operation, TakeRows)
    if is_looked_up and trace[quantity.definition.operands[0]].given:
        return every
    mask = below(quantity.name.path, "mask")
    if mask not in trace or quantity.local not in ("masked", "exp", "weights"):
        return set()
    seen = trace[mask].values != 0
    alone = {i for i in range(rows) if seen[i].sum() == 1 and quantity.local == "weights"}
    is_mask = quantity.local == "masked"
    return {c for c in every if is_mask or c.row in alone or not seen[c.row, c.column]}


@sampled(5, seed=range(6), detail=["summary", "full"])
def test_no_copy_of_an_answer_is_told(seed: int, detail: str) -> None:
    """A head's Q is a run of Q's columns, concat has the heads' outputs side by side."""
    trace = trace_of(SHIPPED["three_tokens_two_heads"])
    entry = papers(trace, request_for(trace, "random:0.4", detail=detail, seed=str(seed)))
    asked = {q.id for q in questions(entry.whole)}
    texts = {
        trace[n.cell.quantity].address(*n.cell[1:])
        for n in numbers(entry.sheet)
        if n.cell is not None and n.cell.quantity in trace
    } | {
        trace[block.quantity].address(i, j)
        for section in entry.sheet.sections
        for block in section.blocks
        if isinstance(block, MatrixBlock)
        for i in range(block.matrix.shape[0])
        for j in range(block.matrix.shape[1])
        if block.matrix.has(i, j)
    }
    copies = {
        f"{source}[{i}, {j + 2 * head}]": f"heads[{head + 1}].{source}[{i}, {j}]"
        for source in "QKV"
        for head in (0, 1)
        for i in (1, 2, 3)
        for j in (1, 2)
    }
    copies |= {
        f"heads[{head + 1}].output[{i}, {j}]": f"concat[{i}, {j + 2 * head}]"
        for head in (0, 1)
        for i in (1, 2, 3)
        for j in (1, 2)
    }
    assert asked & copies.keys()
    assert not {copies[address] for address in asked & copies.keys()} & texts


def test_what_is_masked_is_asked_for_as_well() -> None:
    trace = trace_of(SHIPPED["i_love_tennis_causal"])
    keys = {q.id: q.key for q in questions(papers(trace, request_for(trace, steps=["mask"])).whole)}
    key = keys["masked[I, love]"]
    assert key is not None
    assert key.accepted.low == key.accepted.high == key.number.shown == Decimal("-Infinity")
    assert len([id_ for id_ in keys if id_.startswith("masked")]) == 16


def test_a_tiny_answer_is_never_told_as_zero() -> None:
    changes = ("rounding.policy=exact", "rounding.decimals=1", "W_Q[1,1]=6")
    trace = trace_of(SHIPPED["i_love_ai"], *changes)
    keys = {q.id: q.key for q in questions(papers(trace, request_for(trace)).whole)}
    key = keys["weights[I, love]"]
    assert key is not None
    assert str(key.number.shown) == "0.001"
    assert (str(key.accepted.low), str(key.accepted.high)) == ("-0.15", "0.15")


def test_keys_start_from_what_the_sheet_shows() -> None:
    """The scaled score 0.92 of the sheet stands for 0.919…: e^0.92 / Σ has another last digit."""
    trace = trace_of(SHIPPED["three_tokens_two_heads"], "scale=sqrt_d_k")
    keys = {
        q.id: q.key for q in questions(papers(trace, request_for(trace, steps=["softmax"])).whole)
    }
    key = keys["heads[1].weights[2, 1]"]
    assert key is not None
    scaled = [Decimal(str(x)) for x in trace["heads[1].scaled"].values[1]]
    exact = scaled[0].exp() / sum(x.exp() for x in scaled)
    assert key.exact is not None
    assert round(exact, 2) == key.exact.shown
    assert key.accepted.low <= exact <= key.accepted.high


def test_a_tiny_number_is_compared_as_it_is_rounded() -> None:
    """0.26 × 0.47 / 2.5 = 0.0489 is shown as 0.05, and is 0.0 with a decimal; from the sheet's
    Q of 0.3 it is 0.0564, and with 0.141 rounded in between 0.04."""
    text = (
        "X: [[1]]\nW_Q: [[0.26]]\nK: [[0.47]]\nscale: 2.5\nrounding: {policy: exact, decimals: 1}\n"
    )
    trace = trace_of(text)
    wanted = request_for(trace, steps=["scores", "scale"])
    keys = {q.id: q.key for q in questions(papers(trace, wanted).whole)}
    key = keys["scaled[1, 1]"]
    assert key is not None
    assert str(key.number.shown) == "0.05"
    assert (str(key.accepted.low), str(key.accepted.high)) == ("-0.15", "0.25")
    assert trial(read(text), None, trace, wanted, "A").disagreements == ()


def test_keys_where_carry_cannot_be_worked() -> None:
    text = "scores: [[-90, -91]]\nscale: none\nrounding: {policy: exact}\n"
    trace = trace_of(text)
    wanted = request_for(trace, steps=["softmax"])
    keys = {q.id: q.key for q in questions(papers(trace, wanted).whole)}
    key = keys["weights[1, 1]"]
    assert key is not None
    assert key.carry is None
    assert (str(key.accepted.low), str(key.accepted.high)) == ("0.7295", "0.7325")
    assert trial(read(text), None, trace, wanted, "A").disagreements == ()


@settings(max_examples=FEWER)
@given(st.one_of(scenarios(), transformers(), recurrents()), st.data())
def test_the_oracle_agrees_with_every_key(text: str, data: st.DataObject) -> None:
    with workable():
        trace = trace_of(text)
    steps = data.draw(st.lists(st.sampled_from(steps_of(trace)), max_size=2, unique=True))
    wanted = request_for(trace, data.draw(st.sampled_from(BLANKINGS)), steps=steps)
    with workable():
        found = trial(read(text), None, trace, wanted, "A")
    assert found.disagreements == ()


@settings(max_examples=max(FEWER // 2, 1))
@given(st.one_of(transformers(), recurrents()), st.data())
def test_a_copy_has_the_decimals_of_what_it_copies(text: str, data: st.DataObject) -> None:
    """Of whichever quantity is rounded by itself, more coarsely or more finely than the rest."""
    entries = read(text)
    with workable():
        names = copied(work(load(entries)))
        assume(names)
        name, decimals = data.draw(st.sampled_from(names)), data.draw(st.integers(1, 8))
        entries["rounding"]["quantities"] = {name: decimals}
        trace = work(load(entries))
    wanted = request_for(trace, data.draw(st.sampled_from(["results", "all"])))
    assert trial(entries, None, trace, wanted, "A").disagreements == ()


def copied(trace: Trace) -> list[str]:
    """The quantities that a scenario's steps make and others copy."""
    copying = [definition for definition in trace.plan if definition.operation.copies]
    sources = dict.fromkeys(name for definition in copying for name in definition.operands)
    return [
        name for name in sources if name in {m.name for m in trace.plan} - {m.name for m in copying}
    ]


def test_a_copy_of_a_given_number_beside_finer_ones() -> None:
    """A cached value is accepted as it is by the scenario's decimals, however many the new values
    in the same table have."""
    data = read(
        "X: [[0.32, 0.05], [-0.5, -0.68]]\nW_Q: [[1], [0.5]]\nW_K: [[0.5], [1]]\n"
        "W_V: [[0.9], [0.23]]\ncache: {tokens: [old], K: [[0.32]], V: [[1]]}\n"
        "rounding: {policy: exact, quantities: {V_new: 8}}\n"
    )
    trace = work(load(data))
    wanted = request_for(trace, "all", cells=["V[old, 1]"])
    keys = {q.id: q.key for q in questions(papers(trace, wanted).whole)}
    key = keys["V[old, 1]"]
    assert key is not None
    assert (key.accepted.low, key.accepted.high) == (Decimal("0.9995"), Decimal("1.0005"))
    assert trial(data, None, trace, wanted, "A").disagreements == ()


def test_a_copy_of_coarser_numbers() -> None:
    """What is filtered is 1.50 of two decimals as the logits are, and so is the largest error."""
    text = (
        "X: [[1]]\nW_Q: [[1]]\nW_K: [[1]]\nW_V: [[1.502]]\nunembedding: [[1, -1]]\n"
        "vocabulary: {a: 0, b: 1}\nnext: {top_k: 1}\nrounding: {quantities: {logits: 2}}\n"
    )
    trace = trace_of(text)
    keys = {q.id: q.key for q in questions(papers(trace, request_for(trace)).whole)}
    found = {
        name: (str(key.accepted.low), str(key.accepted.high))
        for name in ("logits[1, a]", "next.filtered[1, a]")
        if (key := keys.get(name)) is not None
    }
    assert found["next.filtered[1, a]"] == found.get("logits[1, a]", ("1.495", "1.505"))


def test_the_formula_of_a_function_stands_once_where_it_is_first_needed() -> None:
    for name, told in (
        (
            "yassine_lstm",
            ("sigmoid(x) = 1 / (1 + e^(−x))", "tanh(x) = (e^x − e^(−x)) / (e^x + e^(−x))"),
        ),
        (
            "next_token",
            (
                "gelu(x) = x × (1 + erf(x / √2)) / 2",
                "erf(x) = (x − x^3 / 3 ",
                "until a term no longer changes",
            ),
        ),
        ("selective_state_space", ("softplus(x) = ln(1 + e^x)",)),
        ("i_love_ai", ("relu(x) = max(0, x)",)),
    ):
        page = render(made(name).sheet, "terminal", RenderOptions(200))
        assert [page.count(formula) for formula in told] == [1] * len(told)
    softmax = render(made("i_love_ai", "results", "softmax").sheet, "terminal", RenderOptions(200))
    assert "(x) =" not in softmax


def test_the_series_of_the_error_function_is_right() -> None:
    """The first term that it leaves out, of those that alternate, is the most that it is off."""
    x, known = Symbol(Name("x")), {"sqrt": sqrt, "pi": pi, "x": 0.8}
    section = Section("", 1, (), (Equation(x, Apply("erf", (x,))),), ())
    (told,) = with_functions_told([section], words_of("en").tasks)
    text = plain(told.formulas[-1].right).replace("\u00a0", " ").replace(" + …", "")
    for ours, pythons in {"^": "**", "×": "*", "−": "-", "√π": "sqrt(pi)"}.items():
        text = text.replace(ours, pythons)
    assert 0 < eval(text, known) - erf(0.8) < 0.8**11 / 1320 * 2 / sqrt(pi)
