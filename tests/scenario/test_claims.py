"""What a source says in words, judged row by row, and what it doesn't have."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.scenario.file.problems import ScenarioError
from attncli.trace.claims import judged_claims
from tests.helpers.pages import page_of, trace_of

GIVEN = """\
source: a note
tokens: [a, b, c]
block: attention
weights: [[0.6, 0.2, 0.2], [0.4, 0.2, 0.4], [0.5, 0.4, 0.2]]
V: [[1, 0], [0, 1], [1, 1]]
"""


def failing(claims: str) -> list[tuple[int, ...]]:
    return [claim.failing for claim in judged_claims(trace_of(f"{GIVEN}claims: {claims}\n"))]


@pytest.mark.parametrize(
    ("claims", "rows"),
    [
        ("{weights: {largest: itself}}", (1, 2)),
        ("{weights: {largest: a}}", (1,)),  # of a tie no column is the largest
        ("{'weights[c]': {largest: a}}", ()),
        ("{'weights[c]': {largest: itself}}", (2,)),
        ("{weights: {total: 1.0}}", (2,)),
        ("{weights: {total: 1}}", ()),  # 1.1 is 1 to no decimals
        ("{weights: {largest: a, total: 1.0}}", (1, 2)),
    ],
)  # fmt: skip
def test_rows_that_are_not_so(claims: str, rows: tuple[int, ...]) -> None:
    assert failing(claims) == [rows]


def test_a_total_is_from_the_digits_shown() -> None:
    (claim,) = judged_claims(trace_of(f"{GIVEN}claims: {{weights: {{total: 1.0}}}}\n"))
    assert [claim.total(i) for i in claim.rows] == [Decimal("1.0"), Decimal("1.0"), Decimal("1.1")]


def test_what_is_not_there_is_told_at_once() -> None:
    text = "claims: {wieghts: {total: 1}, 'weights[d]': {total: 1}}\nours: [output, W_Q]\n"
    with pytest.raises(ScenarioError) as error:
        trace_of(GIVEN + text)
    assert [problem.wrong for problem in error.value.problems] == [
        "this trace has no quantity wieghts",
        'weights has no "d"',
        "output isn't given",
        "this trace has no quantity W_Q",
    ]


def test_ours_is_marked_and_the_rest_is_given() -> None:
    page = page_of(trace_of(f"{GIVEN}ours: [V, 'weights[c]']\n"), "terminal")
    assert "V (chosen)" in page
    assert "weights (partly chosen)" in page
    assert "(given)" not in page
    assert "chosen for this example: V, weights[c]" in page
    whole = page_of(trace_of(f"{GIVEN}ours: all\n"), "terminal")
    assert "weights (chosen)" in whole
    assert "chosen for this example: all given numbers" in whole


def test_ours_is_data_too() -> None:
    data = json.loads(page_of(trace_of(f"{GIVEN}ours: [V]\n"), "json"))
    assert {block["name"]: block.get("origin") for block in data["given"]} == {
        "weights": None,
        "V": "chosen",
    }


@pytest.mark.parametrize("form", ["terminal", "markdown", "latex", "html", "json"])
def test_a_claim_is_judged_by_check_in_every_format(form: str, tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(f"{GIVEN}claims: {{weights: {{total: 1.0}}}}\n", "utf-8")
    page = CliRunner().invoke(app, ["check", str(path), "--format", form]).stdout
    assert "1.1" in page
    assert "The source says" in page.replace("\n", " ")


def test_a_change_of_numbers_leaves_claims_out() -> None:
    from attncli import load, work

    assert judged_claims(work(load("i_love_ai")))
    assert not judged_claims(work(load("i_love_ai", "scale=sqrt_d_k")))
