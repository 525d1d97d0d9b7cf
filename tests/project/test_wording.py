"""Patterns of language that made readers stop occur on no page, in no help and in no report."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from typer.testing import CliRunner

from attncli.cli import app
from attncli.pages.catalogue import topics
from attncli.steps import steps
from tests.conftest import ROOT, sampled
from tests.helpers.pages import LIGHT, SHIPPED, page_of, trace_of
from tests.helpers.reference_tables import COMMANDS


class Pattern(NamedTuple):
    """A pattern of language, and what is said instead."""

    found: str
    """The pattern, as a regular expression."""
    better: str
    """What is said instead."""


PATTERNS = (
    Pattern(r"\blikel(?:iest|ier)\b", "most likely, more probable"),
    Pattern(r"\bthree parts\b", "three roles"),
    Pattern(
        r"(?:\d|maximum|score|sum|least|mean) less (?:the\b|\d)|\bless the (?:max|row)", "minus"
    ),
    Pattern(r"(?:> |< |= |\bis )[−\d]+, else\b", "otherwise"),
    Pattern(r"\bat time \d|\bthe time stands|\bmore times? alike\b|\bat each time\b", "step"),
    Pattern(r"\b(?:is|are|was|were|be) (?:all )?made of\b", "computed from"),
    Pattern(r"\bgo(?:es|ne|ing)? on with\b", "continues from, uses next"),
    Pattern(
        r"\b(?:comes|coming) to (?!an end)\b|\bcome to (?:lie|be near)\b", "end up, the result"
    ),
    Pattern(r"\bas strongly as their score\b", "in proportion to the other's numbers"),
    Pattern(r"\bwhat really came\b", "the true class"),
    Pattern(r"\b(?:slope|gradient) promise[sd]\b|\bpromised\b", "predicted by the gradient"),
    Pattern(r"\bthe trace ends here\b", "nothing"),
    Pattern(r"≈ ?[−\d.]+[^.=]{0,12}\baccepted\b", "any value from … to … is accepted"),
    Pattern(r"\b(?:has|have|rounding:) 0 decimals\b", "rounded to whole numbers"),
    Pattern(r"\bcan't be told\b|\bnothing can be told\b", "looks the same, nothing can be said"),
    Pattern(r"\bsettings as they were\b|\b[A-Z]\d* as (?:they were|it was)\b", "unchanged"),
    Pattern(r"\bgives rise to\b", "wrong"),
    Pattern(r"\btaken out\b", "left out, left blank, removed"),
    Pattern(r"\b(?:is|are|was|were|be) read out\b", "turned into, the read-out"),
    Pattern(r"\bwithout a reason\b|\bwhat only follows from wrong\b", "unexplained"),
    Pattern(r"\bto all that there are only\b", "full marks only if everything is right"),
    Pattern(r"\bare no points\b", "isn't a number of points"),
    Pattern(r"\bMade from\b", "Paper code"),
    Pattern(r"^\W*(?:Sits|Not yet) {2,}", "Mastered, To repeat"),
    Pattern(r"\bneedn't show in each form\b", "may not be visible in every form"),
    Pattern(r"\bNegative are\b", "some factors are negative"),
    Pattern(r"\btimes its loss's\b", "the gradient of a logit is p − y, times that of its loss"),
    Pattern(r"\bthe other has less left to do\b", "the other has less to gain"),
    Pattern(r"\bturns a hand\b", "turns the vector by the same angle"),
    Pattern(r"\bDraws of neither\b", "words other than … are drawn"),
    Pattern(r"\bwould be others\b", "are printed otherwise, another"),
    Pattern(r"\bcan be checked from the digits\b", "holds for the digits shown"),
    Pattern(r"\((?:partly )?ours\)", "chosen"),
    Pattern(r"\bForm +own\b", "the numbers of the scenario"),
    Pattern(r"\blooks most at dimension\b", "prefers keys that are …"),
    Pattern(r"\bNot to be read\b", "no number can be read, there is no cell"),
    Pattern(r"\bcannot start any token\b", "begins with a tab"),
    Pattern(r"\b(?:is|are|isn't|aren't) (?:always )?told\b(?! apart)", "is shown, is named"),
    Pattern(r"\bwhat (?:it|they|its \w+) comes? to\b", "the result"),
)
"""What readers stopped at; `better` is what a failing test suggests."""
VERBS = r"attends? (?:most |only )?to|looks? (?:most )?at|goes to|comes next after"
BARE_TOKEN = re.compile(rf"(?:^|[.:;] )[^“”.:;]*\b({VERBS}) (?!itself\b)([a-z]+) \(\d")
"""A token in prose that stands without quotes, before its number in brackets."""


def stopped_at(text: str) -> Iterator[str]:
    """Yields each place where a text has one of the patterns, with what is better there."""
    lines = [" ".join(line.split(" ")) for line in text.splitlines()]
    flowing = re.sub(r"\s*\n\s*(?=[a-zé(“0-9])", " ", "\n".join(lines))
    for pattern in PATTERNS:
        for match in re.finditer(pattern.found, flowing, re.MULTILINE):
            around = flowing[max(match.start() - 40, 0) : match.end() + 30].replace("\n", " ")
            yield f"…{around}… → {pattern.better}"
    for line in flowing.splitlines():
        if found := BARE_TOKEN.search(line):
            yield f"…{found[0]}… → a token in prose stands in quotes"


@pytest.mark.parametrize(
    "text",
    [
        "the attends most to it (0.49).", "For it the likeliest is it.", "3 less 2", "x > 0, else 0",
        "at time 2", "is made of", "the model goes on\n  with it", "comes to 3", "the slope promises",
        "nothing can be told", "4 numbers would be others", "W_Q (ours)", "Form  own", "It has 0 decimals", "Not to be read: a", "A, C, D as they were",
    ],
)  # fmt: skip
def test_a_pattern_is_found(text: str) -> None:
    assert [*stopped_at(text)]


@pytest.mark.parametrize(
    "text",
    [
        "“the” attends most to “it” (0.49).", "unless the weights differ", "at step 2",
        "are told apart", "a token attends to all alike", "less than the sum",
    ],
)  # fmt: skip
def test_what_is_well_said_is_not_found(text: str) -> None:
    assert [*stopped_at(text)] == []


@pytest.mark.parametrize("name", LIGHT)
def test_pages_of_shipped_scenarios(name: str) -> None:
    trace = trace_of(SHIPPED[name])
    assert [*stopped_at(page_of(trace))] == []
    assert [*stopped_at(page_of(trace, detail="summary"))] == []


LONGEST = 25
"""Words of a sentence."""


def long_sentences(text: str) -> list[str]:
    sentences = re.split(r"(?<=[.!?])\s+", text)
    return [sentence for sentence in sentences if len(sentence.split()) > LONGEST]


def test_sentences_of_steps_are_short() -> None:
    """Of what each is for, and what is said to those who want to know more."""
    said = [text for step in steps() for text in (step.words.why, step.words.more)]
    said += [step.why_here(None) for step in steps()]
    assert [found for text in said for found in long_sentences(text)] == []
    assert long_sentences("so " * 26)


@pytest.mark.parametrize("name", SHIPPED)
def test_sentences_about_scenarios_are_short(name: str) -> None:
    about = yaml.load(SHIPPED[name], yaml.BaseLoader).get("about", "")
    assert long_sentences(about) == []


@pytest.mark.parametrize("name", LIGHT)
def test_what_a_scenario_says(name: str) -> None:
    assert [*stopped_at(SHIPPED[name])] == []


def said(*words: str) -> str:
    """What a command prints."""
    result = CliRunner().invoke(app, [*words])
    assert result.exit_code in (0, 1), result.output
    return result.output


@sampled(3, step=[step.name for step in steps()])
def test_explanations_of_steps(step: str) -> None:
    assert [*stopped_at(said("explain", "--step", step))] == []


@pytest.mark.parametrize(
    "words",
    [
        *(("help", name) for name in topics()),
        *((name, "--help") for name in COMMANDS),
        ("help",), ("list",), ("list", "steps"), ("schema",),
    ],
    ids=" ".join,
)  # fmt: skip
def test_the_reference_and_the_help_of_commands(words: tuple[str, ...]) -> None:
    assert [*stopped_at(said(*words))] == []


@pytest.mark.parametrize("name", ["README.md", "scenarios/README.md", "scenarios/documents.md"])
def test_documents(name: str) -> None:
    assert [*stopped_at((ROOT / name).read_text("utf-8"))] == []


@pytest.mark.parametrize(
    "words",
    [
        ("check", "i_love_ai"), ("lint", "i_love_ai"),
        ("lint", "next_token"), ("compare", "i_love_ai", "--set", "scale=sqrt_d_k"),
        ("compare", "three_tokens", "three_tokens_two_heads"), ("why", "weights[love, AI]", "i_love_ai"),
        ("run", "encoder_block", "--detail", "cost"), ("exercise", "next_token"),
        ("exercise", "i_love_ai", "--key", "embedded", "--language", "de"),
        ("exercise", "bpe"), ("design", "i_love_ai"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_reports(words: tuple[str, ...]) -> None:
    assert [*stopped_at(said(*words))] == []


def test_what_practice_says() -> None:
    typed = "9\n2.7\n?\nskip\nquit\n"
    result = CliRunner().invoke(app, ["practice", "i_love_ai", "--step", "softmax"], input=typed)
    assert "To repeat" in result.output
    assert [*stopped_at(result.output)] == []


def test_what_marking_says(tmp_path: Path) -> None:
    """Of papers with a known mistake, slips, numbers with too few decimals, and words for numbers;
    of one without any."""
    exp = {"exp[I, I]": "2", "exp[I, love]": "1", "exp[I, AI]": "2", "exp_sum[I]": "5"}
    weights = {"weights[I, I]": "0", "weights[I, love]": "0.9", "weights[I, AI]": "much"}
    papers = {"a": {**exp, **weights}, "b": dict.fromkeys((*exp, *weights), "7.77"), "c": {}}
    for name, answers in papers.items():
        (tmp_path / f"{name}.yaml").write_text(json.dumps({"answers": answers}), "utf-8")
    reports = [said("grade", "i_love_ai", str(tmp_path / f"{name}.yaml")) for name in papers]
    reports.append(said("grade", "i_love_ai", str(tmp_path)))
    for expected, report in zip(
        ("No answer can be read", "7.77", "empty", "b"), reports, strict=True
    ):
        assert expected in report
        assert [*stopped_at(report)] == []
