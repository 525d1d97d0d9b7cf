"""Lessons on sizes: numbers that hold, in every format, and refusals."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.document.blocks import Derivation, Line, Table, text_of_spans
from attncli.maths.notation import plain
from attncli.pages.topics import TOPICS, topic
from tests.auditor.calculator import value
from tests.conftest import sampled


def asked(*words: str) -> str:
    result = CliRunner().invoke(app, ["explain", *words])
    assert result.exit_code == 0, result.output
    return result.output


def table_of(name: str) -> Table:
    return next(block for block in topic(name).closing if isinstance(block, Table))


@pytest.mark.parametrize("name", TOPICS)
def test_every_equation_is_true(name: str) -> None:
    lines = [
        line
        for block in topic(name).closing
        if isinstance(block, Derivation)
        for line in block.lines
        if isinstance(line, Line)
    ]
    assert lines
    for line in lines:
        first, *others = (part for _, part in line.parts)
        for (relation, _), other in zip(line.parts[1:], others, strict=True):
            apart = abs(value(plain(first), _no_name) - value(plain(other), _no_name))
            assert apart == 0 if relation == "=" else apart < Decimal("0.0005")


def _no_name(name: str) -> Decimal:
    raise ValueError(name)


@sampled(2, name=TOPICS, form=["terminal", "markdown", "latex", "html", "json"])
def test_every_format_has_it(name: str, form: str) -> None:
    page = asked(name, "--format", form)
    assert re.search("64" if name == "why_sqrt_d_k" else "768", page)
    assert text_of_spans((topic(name).title,)).split()[0] in page


def test_the_variance_is_d_k_and_scaling_undoes_it() -> None:
    for row in table_of("why_sqrt_d_k").rows:
        size, _, variance, scaled, weight, tamed = (float(str(cell)) for cell in row)
        assert abs(variance / size - 1) < 0.1
        assert abs(scaled - 1) < 0.1
        assert tamed <= weight
        assert 0.3 < tamed < 0.4


def test_lessons_are_listed_and_others_refused() -> None:
    steps = CliRunner().invoke(app, ["list", "steps"]).output
    assert all(name in steps for name in TOPICS)
    refused = CliRunner().invoke(app, ["explain", "why_not"])
    assert refused.exit_code != 0
    assert CliRunner().invoke(app, ["explain", "why_768", "--step", "softmax"]).exit_code != 0
