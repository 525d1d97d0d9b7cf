"""What a page begins with: its answer, whose working stands where it says, its facts, its question;
and how long it is."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from textwrap import wrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli.document.blocks import Answer, Document, text_of_spans
from attncli.formats import RenderOptions, render
from attncli.pages.parts.cell_words import ordinal
from attncli.pages.parts.selection import select
from attncli.pages.walkthrough import as_it_fits
from attncli.pipeline import load, work
from attncli.scenario.file.problems import ScenarioError
from attncli.trace import Trace
from tests.auditor.html import main_of
from tests.conftest import FEWER, sampled
from tests.helpers.pages import LIGHT, SHIPPED, WORDS_ONLY, page_of, shipped_trace, trace_of
from tests.helpers.strategies import recurrents, scenarios, transformers, workable

_N = r"−?\d+(?:\.\d+)?"
_SAID = re.compile(
    rf"In short: (?P<says>.+?)(?P<number>{_N})(?: each)? \((?:steps? (?:\d+–)?(?P<step>\d+)|given)\)\."
)
_WIDE = 99
"""Wide lines, but no room for products beside them."""
LENGTHS = {"i_love_ai": 240, "encoder_block": 330, "next_token": 400}


@lru_cache(maxsize=16)
def as_asked_for(trace: Trace, form: str = "terminal", width: int = 80) -> str:
    """A page as `attn run` writes it when nothing else is asked for."""
    return render(told(trace), form, RenderOptions(width))


@lru_cache(maxsize=16)
def told(trace: Trace) -> Document:
    return as_it_fits(trace, select(trace))


def section(page: str, number: int) -> str:
    """The section of a page in text that ends with a step."""
    parts = re.split(r"^((?:\d+–)?\d+) · ", page, flags=re.MULTILINE)
    found = [
        b
        for a, b in zip(parts[1::2], parts[2::2], strict=True)
        if a.rpartition("–")[2] == str(number)
    ]
    assert len(found) == 1
    return found[0]


def results(text: str, name: str) -> list[str]:
    """What a section says that a quantity comes to: the numbers behind the last sign of each line of
    its working, below the rule of its addition, or in its table."""
    numbers: list[str] = []
    for block in re.split(r"\n\n", text):
        own = False
        for line in block.splitlines():
            label = re.match(r"  (?=\S)(?![=+≈─])(.*?)(?: +[=≈│]|$)", line)
            own = re.match(rf"{re.escape(name)}(?![\w.])", label[1]) is not None if label else own
            table = own and "│" in block.splitlines()[0]
            shown = line.partition("│")[2] if table else re.split(r" [=≈] ", line)[-1]
            numbers += re.findall(_N, shown) if own or table else []
        first = block.splitlines()[:1]
        if first and re.match(rf"  {re.escape(name)} +│", first[0]):
            numbers += re.findall(
                _N, " ".join(line.partition("│")[2] for line in block.splitlines()[2:])
            )
    return numbers


@sampled(4, name=[name for name in SHIPPED if name != WORDS_ONLY])
def test_the_answers_number_is_a_result_of_its_step_under_its_name(name: str) -> None:
    trace = shipped_trace(name)
    page, answer = as_asked_for(trace, width=_WIDE), told(trace).answer
    assert answer is not None
    assert answer.cell is not None
    said = _SAID.search(" ".join(page.split()))
    assert said is not None
    assert " ".join(text_of_spans(answer.says).split()) in " ".join(page.split())
    cell = trace[answer.cell.quantity]
    assert number_of(trace, answer) == said["number"]
    if said["step"] is None:
        assert cell.given
        return
    part = trace.part_of(cell.name)
    assert part is not None
    in_section = results(section(page, int(said["step"])), part.place.here(cell.name))
    by_words = re.findall(_N, section(page, int(said["step"])))  # of a table of a tokenizer's
    assert said["number"] in (in_section or by_words)
    assert in_section or part.step in ("learn", "viterbi", "prune")


def number_of(trace: Trace, answer: Answer) -> str:
    """The digits of an answer's number, from the trace."""
    assert answer.cell is not None
    quantity, row, column = answer.cell
    return str(trace[quantity].number(row, column).shown).replace("-", "−")


@pytest.mark.parametrize("name", LIGHT)
def test_numbers_in_a_scenarios_own_words_are_numbers_of_it(name: str) -> None:
    """Those of a variant, too, as that of a single head where there are two."""
    said = re.findall(r"\d+\.\d+", load(name).page.show.answer.says)
    if not said:
        return
    trace = shipped_trace(name)
    shown = {
        str(number.shown)
        for each in (trace, *trace.variants.values())
        for quantity in each.quantities.values()
        for i in range(quantity.matrix.shape[0])
        for number in quantity.row(i)
    }
    assert set(said) <= shown


def test_words_alone_are_counted() -> None:
    page = " ".join(as_asked_for(shipped_trace(WORDS_ONLY)).split())
    counts = re.search(
        r"In short: the sentence is cut into (\d+) tokens, in other ways into ([\d, and]+) \(step 1\)",
        page,
    )
    assert counts is not None
    trace = shipped_trace(WORDS_ONLY)
    every = [len(t.scenario.text.tokens) for t in (trace, *trace.variants.values())]
    assert [*map(int, re.findall(r"\d+", " ".join(counts.groups())))] == every


@sampled(4, name=LIGHT)
def test_a_page_begins_with_answer_facts_and_a_question_of_three_lines(name: str) -> None:
    trace = shipped_trace(name)
    lines = as_asked_for(trace).split("\n")
    assert lines[:3] == [trace.scenario.title, "═" * len(lines[0]), ""]
    answer, facts, question = "\n".join(lines[3:]).split("\n\n")[:3]
    assert answer.startswith("In short: ")
    assert len(facts.splitlines()) == 1
    rounded = re.search(
        r"(?:^| · )\d decimals?(?: \(.*\))?(?:, rounded)? (?:at each step|only on the page)$", facts
    )
    assert (rounded is None) == (re.search(r"\d\.\d", "\n".join(lines)) is None)
    assert len(question.splitlines()) <= 3
    assert " ".join(question.split()) == " ".join(trace.scenario.page.about.split())


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_question_has_two_to_five_sentences(name: str) -> None:
    about = shipped_trace(name).scenario.page.about
    assert about.partition("?")[1]
    assert 2 <= len(re.findall(r"[.?](?= [A-Z“]|$)", about)) <= 5
    assert len(wrap(about, 80, break_on_hyphens=False)) <= 3


@pytest.mark.parametrize(("name", "most"), LENGTHS.items())
def test_a_page_is_short(name: str, most: int) -> None:
    assert as_asked_for(shipped_trace(name)).rstrip("\n").count("\n") + 1 <= most


@sampled(2, name=["i_love_ai", "encoder_block", "bpe", "next_token"])
def test_every_format_begins_with_it(name: str) -> None:
    trace = shipped_trace(name)
    answer = told(trace).answer
    assert answer is not None
    says = " ".join(text_of_spans(answer.says).split())
    assert f"In short: {says}." in " ".join(
        as_asked_for(trace, "markdown").replace("`", "").replace("$", "").split()
    )
    assert f"In short: {says}." in " ".join(as_asked_for(trace, "terminal", 60).split())
    facts = text_of_spans(told(trace).in_short).split(" · ")
    html = " ".join(main_of(as_asked_for(trace, "html")).text.split())
    assert (
        html.index("In short: ")
        < html.index(facts[0])
        <= html.index(facts[-1])
        < html.index(trace.scenario.page.about[:20])
    )
    data = json.loads(page_of(trace, "json"))
    assert data["answer"]["says"].startswith(says.split(":")[0][:10])
    assert data["answer"]["cell"] in " ".join(
        trace[q].address(*c) for q, *c in [answer.cell or ("", 0, 0)]
    )


ATTENTION = "tokens: [a, b]\nscale: none\nQ: [[1, 2], [3, 4]]\nK: [[1, 2], [3, 4]]\n"


def first_words(text: str, *changes: str) -> str:
    page = " ".join(as_asked_for(trace_of(text, *changes)).split())
    said = re.search(r"In short: (.*? \((?:steps? \S+|given)\))\.", page)
    return said[1] if said else ""


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("'weights[a, b]'", "“a” attends most to “b”: 0.998 (step 3)"),
        ("'weights[a, a]'", "“a” gives itself the weight 0.002 (step 3)"),
        ("'scores[b, 1]'", "“b” gives “a” the score 11 (step 2)"),
        ("{“b” is itself much: 'scores[b, b]'}", "“b” is itself much: 25 (step 2)"),
        ("'Q[a, 1]'", "the first number of the query for “a” is 1 (given)"),
    ],
)
def test_a_scenario_says_its_answer(said: str, words: str) -> None:
    assert first_words(f"{ATTENTION}show: {{answer: {said}}}\n") == words


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("'weights[a, c]'", '5:16 weights has no "c"'),
        ("wieghts", "5:16 this trace has no quantity wieghts"),
        ("weights", "5:16 weights is addressed by a row and a column"),
        ("{x: 'scores[a]'}", "scores is addressed by a row and a column"),
        ("{x: 'scores[a, b]', y: 'scores[a, a]'}", "2 answers where one belongs"),
        ("[1, 2]", "a cell is wanted here"),
    ],
)
def test_what_is_no_cell_is_told_with_its_place(said: str, wrong: str) -> None:
    with pytest.raises(ScenarioError) as error:
        trace_of(f"{ATTENTION}show: {{answer: {said}}}\n")
    (problem,) = error.value.problems
    assert wrong in f"{problem.where.line}:{problem.where.column} {problem.wrong}"
    assert problem.where.line == 5


def test_a_run_with_changes_has_no_words_that_were_written_of_other_numbers() -> None:
    text = f"{ATTENTION}show: {{answer: {{“b” is itself much: 'scores[b, b]'}}}}\n"
    assert first_words(text, "Q[2, 1]=0") == "“b” gives itself the score 16 (step 2)"
    assert first_words(text, "tokens=[c, d]") == "“c” attends most to “d”: 0.998 (step 3)"


def test_the_row_of_the_answer_is_the_one_that_is_worked() -> None:
    """As with `show.token`: otherwise a page by rows works the last row."""
    trace = shipped_trace("i_can_go_alone")
    assert re.search(r"^  weights\[can\] +=", as_asked_for(trace, width=_WIDE), re.MULTILINE)
    assert "that of “can” and “go” to: 19.115 (step" in as_asked_for(trace)


def test_an_answer_that_would_be_told_in_brief_is_worked() -> None:
    page = as_asked_for(shipped_trace("decoder_block"), width=_WIDE)
    told_at = section(page, 17)
    assert re.search(r"^  weights\[go\] +=", told_at, re.MULTILINE)
    assert "0.301" in results(told_at, "weights")


def test_a_changed_run_says_so_before_its_question() -> None:
    trace = work(load("i_love_ai", ["scale=sqrt_d_k"]))
    page = as_asked_for(trace)
    assert (
        page.index("In short: ")
        < page.index("Changed for this run")
        < page.index("How does “love”")
    )


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("i_love_ai", "softmax=none", "without a softmax, “love” gives “AI” the largest weight: 2"),
        ("yassine_lstm", "b_f=[-3, -3]", "at “is”, the first number of the forget gate is 0.046"),
        ("retention", "gamma=1", "the first number of difference for “AI” is 0.000"),
        ("adam_by_hand", "train.learning_rate=0.5", "in update 1, quotient of X[1, 2] is 1.000000"),
        ("hopfield_retrieval", "beta=2", "at step 2, p of “right” is 0.997"),
        ("bpe", "vocabulary_size=24", "in round 1, the count of “s s” is 14"),
        ("contrastive_loss", "t=2", "p_text of “car.jpg” and “a dog” is 0.892"),
        (
            "meeting",
            "weights[1]=[0, 0, 0, 1]",
            "the number for “I” in the output of “alone” is 0.60",
        ),
        ("softmax_gradient", "targets=[dog]", "the gradient at logits[photo, cat] is 0.231"),
        ("learning_to_attend", "train.learning_rate=0.5", "update 1 changes the loss by: −0.72"),
        (
            "unigram",
            "vocabulary_size=18",
            "in round 1, growth of “happi” is 18.234",
        ),
    ],
)
def test_a_changed_scenario_says_in_words_what_its_number_is(
    name: str, change: str, words: str
) -> None:
    trace = work(load(name, [change]))
    answer = told(trace).answer
    assert answer is not None
    assert text_of_spans(answer.says).rpartition(" (")[0] == words


@pytest.mark.parametrize(
    ("name", "step", "words"),
    [
        ("i_love_ai", "scores", "“love” gives “AI” the score 2"),
        ("i_love_ai", "ffn", "the first number of the network's output for “love” is 4.728"),
        ("three_tokens", "scores", "token 3 gives token 1 the score 1.96"),
        ("next_token", "unembed", "“go” gives “alone” the logit 2.372"),
        (
            "next_token",
            "split",
            "in layer 2, head 2, the first number of the value for “go” is 0.853",
        ),
        ("decoder_block", "mask", "“go” gives itself the score 0.402"),
        ("yassine_gru", "state", "at “king”, the first number of the state is 0.405"),
        ("learning_to_attend", "loss", "after update 2, the cross-entropy is 0.19"),
        ("learning_to_attend", "update", "after update 2, W_V[2, 1] is 0.47"),
    ],
)
def test_a_page_of_a_step_says_in_words_what_its_number_is(
    name: str, step: str, words: str
) -> None:
    trace = shipped_trace(name)
    answer = as_it_fits(trace, select(trace, (step,))).answer
    assert answer is not None
    assert text_of_spans(answer.says).rpartition(" (")[0] == words


def test_ordinals_are_written_as_people_do() -> None:
    written = [ordinal(k - 1) for k in (1, 3, 10, 11, 12, 13, 21, 22, 23, 24, 111, 121)]
    assert " ".join(written) == "first third tenth 11th 12th 13th 21st 22nd 23rd 24th 111th 121st"


@settings(max_examples=FEWER)
@given(st.one_of(scenarios(), transformers(), recurrents()))
def test_any_page_begins_with_a_number_of_its_own(text: str) -> None:
    with workable():
        trace = trace_of(text)
    answer = told(trace).answer
    if answer is None or answer.cell is None:
        return
    page = as_asked_for(trace, width=_WIDE)
    says = " ".join(text_of_spans(answer.says).split())
    assert f"In short: {says}." in " ".join(page.split())
    if answer.step is not None:
        assert number_of(trace, answer) in section(page, answer.step)
