"""Questions: found by their words, answered with numbers that are worked, with commands that run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from attncli import explain, load, work
from attncli.cli import app
from attncli.document.blocks import (
    Callout,
    Derivation,
    Document,
    Line,
    Paragraph,
    Table,
    Term,
    text_of_spans,
)
from attncli.maths.notation import plain
from attncli.pages.answers import questions_page
from attncli.pages.explain import find_cell
from attncli.pages.question_page import question_page
from attncli.pages.questions import Question, questions, questions_with
from attncli.pages.topics import LESSONS, lesson_blocks
from attncli.scenario.file import shipped
from attncli.steps.order import STORY
from attncli.trace import Trace
from tests.auditor.calculator import value
from tests.conftest import sampled

ALL = questions()


def told(*words: str, width: int = 80, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["explain", *words], env={"COLUMNS": str(width)})
    assert result.exit_code == code, result.output
    return result.output


def in_one_line(text: str) -> str:
    return " ".join(text.split())


@cache
def trace_of(scenario: str, changes: tuple[str, ...]) -> Trace:
    return work(load(scenario, changes))


# -- found


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("why divide by sqrt d_k", "why_sqrt_d_k"),
        ("Why are scores divided by √d_k?", "why_sqrt_d_k"),
        ("why is the dot product scaled", "why_sqrt_d_k"),
        ("what happens without softmax", "without_softmax"),
        ("leave the softmax out", "without_softmax"),
        ("why -inf and not 0", "why_infinity"),
        ("why −∞ and not 0", "why_infinity"),
        ("what is masking", "why_mask"),
        ("what does W_O do", "what_W_O"),
        ("what do two heads have that one hasn't", "why_two_heads"),
        ("why multi-head attention", "why_two_heads"),
        ("why positions", "why_positions"),
        ("positional encoding", "why_positions"),
        ("what is learned", "what_is_learned"),
        ("which parameters are trained", "what_is_learned"),
        ("BPE or WordPiece", "bpe_or_wordpiece"),
        ("how large is the kv cache", "kv_cache"),
        ("kv", "kv_cache"),
        ("temperature of sampling", "what_temperature"),
        ("norm before or after", "norm_before_or_after"),
        ("pre-norm or post-norm?", "norm_before_or_after"),
        ("where does the gradient go", "where_gradients_go"),
        ("backpropagation", "where_gradients_go"),
        ("why 768", "why_768"),
        ("why is there a mask", "why_mask"),
        ("why does the causal mask hide the future", "why_mask"),
        ("why softmax", "why_softmax"),
        ("why do the weights add up to 1", "why_softmax"),
        ("why residual", "why_residual"),
        ("what is a query", "what_query_key_value"),
        ("what is a key", "what_query_key_value"),
        ("what is a value", "what_query_key_value"),
        ("what is d_k", "what_d_k"),
        ("what is a logit", "what_logit"),
        ("what is attention", "what_attention"),
        ("what is self-attention", "what_attention"),
        ("what is cross-attention", "what_cross_attention"),
        ("the difference between encoder and decoder", "what_cross_attention"),
        ("what is layer norm", "what_norm"),
        ("what is relu", "what_feed_forward"),
        ("what is an embedding", "what_embedding"),
        ("how are words split into tokens", "what_token"),
        ("how does the model choose the next word", "how_next_word"),
        ("what is cross entropy", "what_loss"),
        ("what is perplexity", "what_loss"),
        ("what does an LSTM do", "what_rnn"),
        ("why do gradients vanish", "why_vanish"),
        ("what is a mixture of experts", "what_experts"),
        ("what is Adam", "what_adam"),
        ("what is the learning rate", "what_adam"),
        ("what is linear attention", "what_linear_attention"),
        ("does attention know the word order", "why_positions"),
        ("multiply embeddings by sqrt d_model", "why_sqrt_d_model"),
    ],
)
def test_a_question_is_found_by_its_words(typed: str, key: str) -> None:
    assert [question.key for question in questions_with(typed)] == [key]


@pytest.mark.parametrize("question", ALL.values(), ids=list(ALL))
def test_a_question_is_found_by_its_title_and_its_key(question: Question) -> None:
    assert questions_with(question.title) == [question]
    assert told(question.key).startswith(question.title[:20])


def test_words_are_typed_with_or_without_quotes_and_in_a_program() -> None:
    typed = "why divide by sqrt d_k"
    assert told(*typed.split()) == told(typed) == told("why_sqrt_d_k")
    assert str(explain(typed)).strip() == told(typed).strip()


def test_alone_it_lists_the_questions() -> None:
    page = in_one_line(told())
    assert all(f"{key} {question.title}" in page for key, question in ALL.items())
    assert not {*ALL} & {*STORY, *shipped.names()}  # whose lessons these names ask for


@pytest.mark.parametrize("typed", ["why positions", "why softmax", "what is layer norm"])
def test_an_answer_begins_with_the_answer(typed: str) -> None:
    (question,) = questions_with(typed)
    begins = _BRACES.split(question.says)[0]
    page = in_one_line(told(*typed.split()))
    assert page.removeprefix(question.title).lstrip("═ ").startswith(in_one_line(begins))
    assert page.count(f"attn explain {typed.rsplit(maxsplit=1)[-1]} ") <= 1


def test_words_that_name_a_step_and_no_question_show_the_step() -> None:
    assert told("what", "is", "dropout", "for").startswith("Dropout\n═══════\n")
    assert "attn explain rotate" in told("what", "is", "a", "rotary", "position", "embedding")


@pytest.mark.parametrize(
    ("step", "key"), [("temperature", "what_temperature"), ("norm", "what_norm")]
)
def test_a_step_leads_to_its_questions(step: str, key: str) -> None:
    assert f"{ALL[key].title} attn explain {key}" in in_one_line(told(step))


def test_several_that_share_as_much_are_listed() -> None:
    found = questions_with("sqrt")
    assert [question.key for question in found] == ["why_sqrt_d_k", "why_sqrt_d_model"]
    page = told("sqrt")
    assert all(f"{question.key} " in page for question in found)
    assert "kv_cache" not in page


def test_what_is_only_near_is_said_to_be() -> None:
    """A question that has hardly a word of what is asked isn't taken for it; a step that is asked for is named."""
    page = told("which", "colour", "has", "the", "longest", "gradient", "tomorrow")
    assert page.startswith("No question has these words. Nearest to them:\n")
    assert "where_gradients_go" in page
    page = told("what", "is", "layer", "norm")
    assert page.count("The step by itself? attn explain norm") == 1
    assert "Nearest to" not in told("norm", "before", "or", "after")


@sampled(2, key=ALL)
def test_settings_differ_in_what_is_set_side_by_side(key: str) -> None:
    """No table of a row that several settings have says the same of all of them."""
    question = ALL[key]
    if len(question.settings) < 2:
        return
    for section in question_page(question).sections:
        for table in (block for block in section.blocks if isinstance(block, Table)):
            assert len(table.rows) == 1 or len({row[1:] for row in table.rows}) > 1
    assert not re.search(
        r"\d,\d{3}\b", "".join(line for line in told(question.key).splitlines() if "│" in line)
    )


def test_what_no_question_asks_is_said() -> None:
    assert "no question has these words; see attn explain" in told("foo", "bar", code=2)
    assert "did you mean i_love_ai?" in told("i_love_a", code=2)
    for option in (["--step", "softmax"], ["--set", "scale=2"], ["--detail", "rows"]):
        refused = told("why_768", *option, code=2)
        assert f"{option[0]} asks for a part of a scenario" in refused
    assert "attn explain: --set asks for a part" in told("--set", "scale=2", code=2)


@pytest.mark.parametrize(
    ("word", "line", "then"),
    [
        ("W_O", "W_O output weights, [heads · d_v, d_model]", "It mixes what the heads found."),
        ("w_o", "W_O output weights, [heads · d_v, d_model]", "It mixes what the heads found."),
        ("kv_heads", "kv_heads how many heads of keys and values", "How large is the cache"),
        ("exp_sum", "exp_sum made by the step softmax", "Common mistakes"),
        ("d_ff", "d_ff", "Feed-forward network"),
        ("title", "title what the page is called", "attn help title"),
    ],
)
def test_a_name_begins_with_the_line_that_says_what_it_is(word: str, line: str, then: str) -> None:
    page = in_one_line(told(word))
    assert line in page[:300]
    assert then in page


# -- answered

_BRACES = re.compile(r"\{[^{}]+\}")
_NUMBER = re.compile(r"\d+\.\d+")


@pytest.mark.parametrize("question", ALL.values(), ids=list(ALL))
def test_no_sentence_has_a_number_of_its_own(question: Question) -> None:
    """Numbers with decimals are worked, or name a setting."""
    text = " ".join(_BRACES.sub("", part) for part in (question.says, *question.more))
    settings = " ".join(question.settings)
    assert [number for number in _NUMBER.findall(text) if number not in settings] == []
    assert question.lesson or _BRACES.search(question.says)


@sampled(2, key=ALL)
def test_numbers_in_sentences_are_those_of_the_scenario(key: str) -> None:
    """Each cell in braces is worked again from the same settings, by the library."""
    question = ALL[key]
    page = question_page(question)
    shown = in_one_line(" ".join(_texts(page)))
    traces = {name: trace_of(question.scenario, tuple(c)) for name, c in _settings(question)}
    for text in _BRACES.findall(" ".join((question.says, *question.more))):
        setting, colon, cell = in_one_line(text[1:-1]).rpartition(": ")
        trace = traces[setting] if colon else next(iter(traces.values()))
        if re.match(r"(most|sum|rows|columns) |tokens$|kv_cache$", cell):
            continue
        name, address = find_cell(trace, cell)
        number = trace[name].number(*trace[name].find(address))
        assert plain(number) in shown, text


def _settings(question: Question) -> Iterator[tuple[str, Sequence[str]]]:
    yield from question.settings.items() if question.scenario else ()


def _texts(page: Document) -> Iterator[str]:
    for block in (*page.about, *page.sections[0].blocks):
        if isinstance(block, Paragraph):
            yield text_of_spans(block.text)


def test_another_scenario_gives_other_numbers() -> None:
    question = ALL["without_softmax"]
    changed = {name: (*c, "W_V[1, 1]=5") for name, c in question.settings.items()}
    own, other = (
        text_of_spans(question_page(q).about[0].text)  # type: ignore[union-attr]
        for q in (question, question._replace(settings=changed))
    )
    assert "9 in its first place instead of 2.364" in own
    assert "21 in its first place instead of 5.516" in other


CLAIMS = {
    "why_sqrt_d_k": [
        ("not divided: weights[king, Yassine]", ">", "divided by √d_k: weights[king, Yassine]")
    ],
    "without_softmax": [("without: output[love, 1]", ">", "with a softmax: output[love, 1]")],
    "why_infinity": [
        ("0 for hidden scores: weights[I, love]", ">", "−∞ for hidden scores: weights[I, love]"),
        ("0 for hidden scores: weights[I, I]", "<", "−∞ for hidden scores: weights[I, I]"),
    ],
    "what_W_O": [("W_O leaves all as it is: attention[go, 1]", "=", "with W_O: concat[go, 1]")],
    "why_two_heads": [
        ("two heads: heads[1].weights[drank, milk]", ">", "one head: weights[drank, milk]"),
        (
            "two heads: heads[1].weights[drank, milk]",
            "=",
            "two heads: heads[1].weights[drank, cat]",
        ),
        (
            "two heads: heads[1].weights[drank, milk]",
            ">",
            "two heads: heads[1].weights[drank, the]",
        ),
        (
            "two heads: heads[2].weights[drank, cat]",
            ">",
            "two heads: heads[2].weights[drank, milk]",
        ),
    ],
    "why_softmax": [("as it is: weights[love, AI]", ">", "as it is: weights[love, I]")],
    "why_mask": [("without: weights[love, Tennis]", ">", "with the mask: weights[love, Tennis]")],
    "how_next_word": [
        ("one token: probabilities[go, alone]", ">", "one token: probabilities[go, home]")
    ],
    "why_vanish": [("as it is: factor_norm[1]", "<", "as it is: factor_norm[4]")],
    "what_loss": [("as it is: train[1].cross_entropy", "<", "as it is: cross_entropy")],
    "what_experts": [("as it is: routing[mice, 2]", ">", "as it is: routing[mice, 1]")],
    "what_linear_attention": [("as it is: output[AI, 1]", "=", "as it is: causal_output[3][1]")],
    "what_adam": [("as it is: grad.X[1, 1]", ">", "as it is: grad.X[1, 2]")],
    "why_positions": [
        ("I can go alone: output[go, 1]", "=", "alone go can I: output[go, 1]"),
        (
            "I can go alone, with positions: output[go, 1]",
            ">",
            "alone go can I, with positions: output[go, 1]",
        ),
    ],
    "what_is_learned": [
        ("as it is: train[2].weights[it, cat]", ">", "as it is: weights[it, cat]"),
        ("as it is: train[2].cross_entropy", "<", "as it is: train[1].cross_entropy"),
        ("as it is: train[1].cross_entropy", "<", "as it is: cross_entropy"),
    ],
    "norm_before_or_after": [
        (
            "before (pre): grad.layers[1].residual2.layers[2].residual1[I, 4]",
            "=",
            "before (pre): grad.layers[2].residual1[I, 4]",
        ),
        (
            "after (post): grad.layers[1].norm2.normed[I, 4]",
            ">",
            "after (post): grad.layers[1].residual2[I, 4]",
        ),
        (
            "before (pre): layers[2].residual2[go, 3]",
            ">",
            "before (pre): layers[1].residual1[go, 3]",
        ),
    ],
    "what_temperature": [
        ("T = 0.25: probabilities[go, alone]", ">", "T = 1: probabilities[go, alone]"),
        ("T = 2: probabilities[go, alone]", "<", "T = 1: probabilities[go, alone]"),
    ],
    "bpe_or_wordpiece": [
        ('WordPiece: rounds[1].scores["##l ##y"]', ">", 'WordPiece: rounds[1].scores["##s ##s"]'),
    ],
    "where_gradients_go": [
        ("as it is: grad.logits[it, cat]", "<", "as it is: grad.logits[it, the]")
    ],
}
"""What the sentences say of their numbers, with words such as *instead of* and *grows*."""


@pytest.mark.parametrize(
    ("key", "claim"), [(key, claim) for key, claims in CLAIMS.items() for claim in claims]
)
def test_what_sentences_say_of_numbers_holds(key: str, claim: tuple[str, str, str]) -> None:
    left, sign, right = claim
    a, b = (_worked(ALL[key], text) for text in (left, right))
    assert {"<": a < b, ">": a > b, "=": a == b}[sign], (a, b)


def _worked(question: Question, text: str) -> Decimal:
    setting, _, cell = text.rpartition(": ")
    trace = trace_of(question.scenario, tuple(question.settings[setting]))
    name, address = find_cell(trace, cell)
    return trace[name].number(*trace[name].find(address)).shown


@sampled(3, key=ALL)
def test_every_equation_is_true(key: str) -> None:
    question = ALL[key]
    lines = [
        line
        for block in question_page(question).sections[0].blocks
        if isinstance(block, Derivation)
        for line in block.lines
        if isinstance(line, Line)
    ]
    assert lines
    for line in lines:
        first, *others = (part for _, part in line.parts)
        for (relation, _), other in zip(line.parts[1:], others, strict=True):
            apart = abs(value(plain(first), _no_name) - value(plain(other), _no_name))
            places = -int(value(plain(other), _no_name).as_tuple().exponent)
            assert apart <= Decimal(5).scaleb(-places - 1) if relation == "=" else apart < 1


def _no_name(name: str) -> Decimal:
    raise ValueError(name)


COMMANDS = sorted(
    {typed for question in ALL.values() for typed in question.tries.values()}
    | {
        text_of_spans((span,))
        for block in questions_page().closing if isinstance(block, Callout)
        for span in block.text if isinstance(span, Term)
    }
)  # fmt: skip


@sampled(4, typed=COMMANDS)
def test_every_command_that_is_proposed_does_something(typed: str) -> None:
    program, *words = shlex.split(typed)
    assert program == "attn"
    result = CliRunner().invoke(app, words)
    assert result.exit_code == (1 if words[0] == "compare" else 0), result.output
    assert result.stdout.strip()


def test_without_norms_there_are_none() -> None:
    """What is proposed for a model without norms leaves none; after the sums, no norm follows the last of them."""
    question = ALL["norm_before_or_after"]
    (typed,) = (typed for says, typed in question.tries.items() if "none" in says)
    page = CliRunner().invoke(app, shlex.split(typed)[1:]).stdout
    assert "normed" not in page
    assert "final_norm.normed" in CliRunner().invoke(app, ["run", question.scenario]).stdout
    rows = [
        line.split("│")
        for line in told(question.key).splitlines()
        if line.startswith("  after (post) │")
    ]
    assert [len(cells.split()) for _, cells in rows] == [2, 0]


@sampled(3, key=ALL)
def test_every_question_proposes_what_to_try(key: str) -> None:
    question = ALL[key]
    assert question.tries
    assert all(says.endswith("?") for says in question.tries)
    page = in_one_line(told(question.key))
    assert all(f"{says} {typed}" in page for says, typed in question.tries.items())


@sampled(3, key=[*ALL, ""], width=[60, 80, 120])
def test_an_answer_is_as_wide_as_the_screen(key: str, width: int) -> None:
    lines = told(*filter(None, [key]), width=width).splitlines()
    too_long = [line for line in lines if cell_len(line) > width]
    assert [line for line in too_long if "attn " not in line] == []  # a command stays on its line


@sampled(7, key=[*ALL, ""], form=["terminal", "markdown", "latex", "html", "json"])
def test_every_format_has_it(key: str, form: str) -> None:
    page = told(*filter(None, [key]), "--format", form)
    title = ALL[key].title if key else "What does the temperature change?"
    assert title.split()[-1].strip("?√_ ") in page


# -- lessons on drawn numbers


def test_every_lesson_is_behind_a_question() -> None:
    assert {question.lesson for question in ALL.values()} - {""} == {*LESSONS}


def test_the_variance_is_d_k_and_scaling_undoes_it() -> None:
    tables = (block for block in lesson_blocks("why_sqrt_d_k") if isinstance(block, Table))
    for row in next(tables).rows:
        size, _, variance, scaled, weight, tamed = (float(str(cell)) for cell in row)
        assert abs(variance / size - 1) < 0.1
        assert abs(scaled - 1) < 0.1
        assert tamed <= weight
        assert 0.3 < tamed < 0.4


def test_the_list_of_steps_says_where_questions_are() -> None:
    assert "attn explain" in CliRunner().invoke(app, ["list", "steps"]).output
