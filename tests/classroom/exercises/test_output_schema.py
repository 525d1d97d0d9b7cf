"""The JSON Schema of the output: real pages keep to it, and broken ones don't."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.formats import RenderOptions, render
from attncli.steps.schema import SCENARIO
from tests.classroom.exercises.test_exercise_pages import KINDS, made
from tests.conftest import sampled
from tests.helpers.pages import LARGE, SHIPPED, page_of, trace_of

SMALL = [name for name in SHIPPED if name not in LARGE]
TYPED = (
    "run three_tokens_two_heads --pictures --step softmax",
    "run i_love_ai --cell weights[love,AI]",
    "run yassine_lstm --rounding exact",
    "explain i_love_ai --step scores",
    "explain without_softmax",
    "exercise i_love_ai --ask attends_most",
    "run three_tokens_two_heads --values-only",
    "run three_tokens_two_heads --pictures --step softmax --values-only",
    "run learning_to_attend --values-only",
    "explain i_love_ai --step scores --values-only",
    "exercise i_love_ai --ask attends_most --values-only",
)


def printed(typed: str) -> str:
    result = CliRunner().invoke(app, typed.split())
    assert result.exit_code == 0, result.output
    return result.stdout


@cache
def validator() -> Any:
    schema = json.loads(printed("schema output"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@sampled(3, name=SMALL)
def test_pages_of_scenarios(name: str) -> None:
    validator().validate(json.loads(page_of(trace_of(SHIPPED[name]), "json")))


@pytest.mark.parametrize("kind", KINDS)
def test_papers(kind: str) -> None:
    paper = getattr(made("i_love_ai"), kind)
    validator().validate(json.loads(render(paper, "json", RenderOptions())))


@pytest.mark.parametrize("typed", TYPED)
def test_pages_of_commands(typed: str) -> None:
    validator().validate(json.loads(printed(f"{typed} --format json")))


def broken(page: Any) -> Iterator[Any]:
    """The page with one thing wrong, each time another."""
    changes: tuple[Callable[[Any], Any], ...] = (
        lambda it: it.update(attncli=0),
        lambda it: it.update(titel="x"),
        lambda it: it.pop("steps"),
        lambda it: it["rounding"].update(policy="floor"),
        lambda it: it["rounding"].update(decimals=-1),
        lambda it: it["given"][0].pop("values"),
        lambda it: it["steps"][0].pop("working"),
        lambda it: it["steps"][-1]["working"][0].update(value="0.5"),
        lambda it: it["steps"][-1]["quantities"][0]["values"][0].append({}),
        lambda it: it["steps"][-1]["quantities"][0]["text"].append(0.5),
        lambda it: it["notes"].append(1),
    )
    for change in changes:
        copy = deepcopy(page)
        change(copy)
        yield copy


def test_a_broken_page_is_found() -> None:
    page = json.loads(page_of(trace_of(SHIPPED["i_love_ai"]), "json"))
    validator().validate(page)
    assert not [wrong for wrong in broken(page) if validator().is_valid(wrong)]


def test_the_schema_of_scenarios_is_short() -> None:
    text = printed("schema")
    assert json.loads(text)["properties"].keys() == {key.name for key in SCENARIO.keys}
    assert len(text.encode()) < 128_000
    said = Counter(part for part in parts_of(json.loads(text)) if len(part) > 80)
    assert not [part for part, times in said.items() if times > 1]


def parts_of(schema: Any) -> Iterator[str]:
    """All maps and lists in a schema, as texts."""
    inside = schema.values() if isinstance(schema, dict) else schema
    if isinstance(schema, dict | list):
        yield json.dumps(schema)
        for part in inside:
            yield from parts_of(part)


def test_of_what_there_is_no_schema() -> None:
    result = CliRunner().invoke(app, ["schema", "outputs"])
    assert result.exit_code == 2
    assert "scenario or exercise or exam or output" in result.output
