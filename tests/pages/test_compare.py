"""Two scenarios side by side, held against plain NumPy."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.formats import format_names
from attncli.pipeline import load, work
from attncli.trace import Trace
from tests.auditor import audit
from tests.conftest import sampled
from tests.helpers import hostile
from tests.helpers.pages import SHIPPED
from tests.pages.test_golden import check
from tests.project.test_hostile import READERS

SCALED = ("i_love_ai", "--set", "scale=sqrt_d_k")
CAUSAL = ("i_love_tennis", "i_love_tennis_causal")
HEADS = ("three_tokens", "three_tokens_two_heads")
DRIFT = ("i_love_ai", "--rounding", "exact")
PAGES = {"scaled": SCALED, "causal": CAUSAL, "heads": HEADS, "drift": DRIFT}


def attn(*arguments: str, code: int = 1) -> str:
    result = CliRunner().invoke(app, ["compare", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout


def data(*arguments: str, code: int = 1) -> Any:
    return json.loads(attn(*arguments, "--format", "json", code=code))


def alone(name: str, *changes: str) -> Trace:
    return work(load(name, changes).alone())


def differing(own: Trace, other: Trace, name: str) -> set[str]:
    """The cells of a quantity with the same names that differ, by a loop over all names."""
    quantity, two = own[name], other[name]
    found = set()
    for i, row in enumerate(quantity.rows.names):
        for j, column in enumerate(quantity.columns.names or [None]):
            if row in two.rows.names and (column is None or column in two.columns.names):
                k = two.rows.names.index(row)
                m = 0 if column is None else two.columns.names.index(column)
                if not np.isclose(quantity.values[i, j], two.values[k, m], 1e-9, 1e-12):
                    found.add(quantity.address(i, j))
    return found


CASES = [
    ("i_love_ai", (), "i_love_ai", ("scale=sqrt_d_k",)),
    ("i_love_tennis", (), "i_love_tennis_causal", ()),
    ("word_order", (), "word_order", ("sentence=alone go can I",)),
    ("next_token", (), "next_token", ("temperature=2",)),
    ("yassine_rnn_sentence", (), "yassine_rnn_sentence", ("W_aa[1,1]=0.9",)),
]


@sampled(3, case=CASES)
def test_the_cells_that_differ(case: tuple[str, tuple[str, ...], str, tuple[str, ...]]) -> None:
    name, changes, other, others = case
    first, second = alone(name, *changes), alone(other, *others)
    typed = [f"--set={text}" for text in others]
    value = data(name, *([] if name == other else [other]), *typed)
    by_name = {
        entry["first"]: {cell["cell"] for cell in entry["cells"]} for entry in value["quantities"]
    }
    common = [text for text in first if text in second]
    assert by_name.keys() >= {*common} - {*value["nothing_in_common"]}
    expected = {text: differing(first, second, text) for text in common}
    assert {text: by_name.get(text, set()) for text in common} == expected
    made = [text for text in common if not (first[text].given and second[text].given)]
    begins = next(text for text in made if expected[text])
    assert value["first_difference"]["cell"] in expected[begins]
    assert value["only"]["first"] == [text for text in first if text not in second]
    assert value["only"]["second"] == [text for text in second if text not in first]


def test_heads_stand_beside_what_has_none() -> None:
    first, second = alone(HEADS[0]), alone(HEADS[1])
    value = data(*HEADS)
    pairs = {(entry["first"], entry["second"]): entry for entry in value["quantities"]}
    for k in (1, 2):
        pair = pairs["weights", f"heads[{k}].weights"]
        off = ~np.isclose(first["weights"].values, second[f"heads[{k}].weights"].values)
        assert len(pair["cells"]) == off.sum()
    assert "output" in value["only"]["first"]  # four columns are no two


def test_the_drift() -> None:
    """Against the same sums in plain floats, in units of the last place."""
    rounded, full = alone("i_love_ai"), alone("i_love_ai", "rounding.policy=exact")
    value = data(*DRIFT, "--detail", "full")["drift"]
    units = {cell["cell"]: cell["units"] for cell in value["cells"]}
    made = [q for q in rounded.quantities.values() if not q.given]
    expected = {
        q.address(i, j): (q.values[i, j] - full[q.name].values[i, j]) * 1000
        for q in made
        for i, j in np.ndindex(*q.values.shape)
    }
    assert units.keys() == expected.keys()
    assert all(abs(units[cell] - expected[cell]) < 0.006 for cell in units)
    assert value["begins"] == next(cell for cell in expected if abs(expected[cell]) > 0.5)
    assert abs(expected[value["worst"]]) == pytest.approx(max(map(abs, expected.values())))


@pytest.mark.parametrize("scenario", ["i_love_tennis", "tokenizers"])
def test_nothing_drifts_where_all_is_given(scenario: str) -> None:
    result = CliRunner().invoke(app, ["compare", scenario, "--rounding", "exact"])
    assert "Nothing is rounded here" in result.stdout, result.output


def test_units_are_those_of_the_numbers_beside_them() -> None:
    rows = re.findall(r"│ +(\S+) +(\S+) +([+−]\d+\.\d+)$", attn(*DRIFT), re.MULTILINE)
    rows = [row for row in rows if "[" not in "".join(row)]
    assert len(rows) > 9
    for first, second, units in rows:
        off = (Decimal(first) - Decimal(second)) * 1000
        assert off == Decimal(units.replace("−", "-"))


@pytest.mark.parametrize("typed", [SCALED, CAUSAL, HEADS, DRIFT, ("i_love_tennis", "bpe")])
def test_signs_are_true(typed: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    report = audit(attn(*typed, "--detail", "full"), "terminal", None)
    assert report.false == []
    assert report.checked or "bpe" in typed


def test_exit_statuses_and_parts() -> None:
    attn("i_love_ai", "i_love_ai", code=0)
    attn(*SCALED, "--step", "project", code=0)
    softmax = data(*SCALED, "--step", "softmax", "--token", "love")
    cells = [cell["cell"] for value in softmax["quantities"] for cell in value["cells"]]
    assert [cell for cell in cells if cell.startswith("weights")] == [
        f"weights[love, {key}]" for key in ("I", "love", "AI")
    ]
    assert all("[love" in cell for cell in cells)
    head = data(*HEADS, "--head", "2")
    assert {value["second"] for value in head["quantities"]} == {
        f"heads[2].{name}" for name in ("scores", "exp", "exp_sum", "weights")
    }
    change = ("word_order", "--set", "mask=causal")
    for detail, more in (("summary", "rows"), ("rows", "full")):
        assert len(attn(*change, "--detail", detail)) < len(attn(*change, "--detail", more))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["i_love_ai"], "there is nothing to compare it with"),
        (["i_love_ai", "nothing.yaml"], "nothing.yaml"),
        ([*SCALED, "--token", "dogs"], "--token dogs"),
        ([*SCALED, "--detail", "all"], "--detail all: no such detail"),
        ([*HEADS, "--head", "3"], "--head 3: no such head"),
        (["i_love_ai", "--set", "scal=1"], "scal"),
    ],
)
def test_what_cannot_be_compared_is_said(typed: list[str], said: str) -> None:
    result = CliRunner().invoke(app, ["compare", *typed])
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize("command", ["compare", "why"])
@pytest.mark.parametrize("form", sorted(READERS.keys() & {*format_names()}))
def test_words_are_data(command: str, form: str, tmp_path: Any) -> None:
    """Tokens and titles of any kind."""
    words = [text for text in hostile.WORDS if text.strip() and not set(text) & {"\0"}][::7]
    tokens = dict.fromkeys(words)
    scenario = {
        "title": words[0], "tokens": [*tokens], "mask": "causal",
        "Q": [[k, 1] for k in range(len(tokens))], "K": [[1, k] for k in range(len(tokens))],
        "V": [[k, k] for k in range(len(tokens))],
    }  # fmt: skip
    path = hostile.written(scenario, tmp_path / "s.yaml")
    typed = (
        ["compare", str(path), "--set", "scale=2", "--set", f"title={words[1]}"]
        if command == "compare"
        else ["why", "output[3, 1]", str(path), "--depth", "all"]
    )
    result = CliRunner().invoke(app, [*typed, "--format", form])
    assert result.exit_code in (0, 1), result.output
    READERS[form](result.stdout)


@pytest.mark.parametrize("width", [40, 60])
@pytest.mark.parametrize("typed", [SCALED, DRIFT])
def test_no_line_runs_over(
    typed: tuple[str, ...], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = attn(*typed)
    monkeypatch.setenv("COLUMNS", str(width))
    page = attn(*typed)
    assert max(map(len, page.splitlines())) <= width
    digits = re.compile(r"\d+\.\d+")
    assert not set(digits.findall(wide)) - set(digits.findall(page))


@pytest.mark.parametrize("name", ["scaled", "drift", "heads"])
def test_pages(name: str, rewrite: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    check(f"compare_{name}.txt", attn(*PAGES[name]), rewrite=rewrite)


def test_page_in_markdown(rewrite: bool) -> None:
    check("compare_scaled.md", attn(*SCALED, "--format", "markdown"), rewrite=rewrite)


def test_merges_and_tokens_are_compared_place_by_place() -> None:
    value = data("bpe", "--set", "tokenizer=wordpiece")
    own, other = alone("bpe"), alone("bpe", "tokenizer=wordpiece")
    tokens = [list(trace.scenario.text.tokens) for trace in (own, other)]
    merges, cut = value["lists"]
    assert merges["name"] == "merges"
    assert merges["first"][:2] == ["s s", "a p"]
    assert merges["second"] == ["##l ##y", "##i ##ly"]
    assert (merges["compared"], merges["differ"]) == (13, 13)
    assert [cut["first"], cut["second"]] == tokens
    page = " ".join(attn("bpe", "--set", "tokenizer=wordpiece").split())
    assert "What can be compared is the same" not in page
    found = "No worked number can be compared. merges[1] is the first that differs: “s s” and “##l ##y”."
    assert page.partition("What changed in the input")[0].strip().endswith(found)


def test_of_words_only_those_that_differ_are_told() -> None:
    shorter = ("bpe", "--set", "vocabulary_size=24")
    merges, _ = data(*shorter)["lists"]
    assert merges["first"][:-2] == merges["second"]
    assert merges["differ"] == 2
    page = attn(*shorter)
    assert re.search(r"12 │ ne ss +–\n +13 │ i ne +–\n", page)
    assert " 11 │ u n " not in page
    assert " 11 │ u n " in attn(*shorter, "--detail", "full")
    assert [words["name"] for words in data(*shorter, "--step", "tokenize")["lists"]] == ["tokens"]
    assert data("bpe", "--set", "show.token=un", code=0)["lists"] == []
    assert "No worked number" not in page


def test_it_begins_with_what_it_found() -> None:
    """Behind the names of both: how many quantities differ, the first number, and what both find."""
    opening = " ".join(attn("i_love_ai", "--set", "scale=sqrt_d_k").split()).partition("What cha")[
        0
    ]
    assert opening.endswith(
        "7 of the 12 quantities that both have differ. The first number that differs is"
        " exp[I, I]: 2.718 → 2.028. • The first: “love” attends most to “AI” (0.576)."
        " • The second: “love” attends most to “AI” (0.503). "
    )


def test_cells_of_given_matrices_are_named(tmp_path: Path) -> None:
    page = attn("i_love_ai", "--set", "W_Q[1,1]=3", "--set", "embeddings[love,2]=2")
    changed = page.partition("What changed in the input")[2].partition("Every quantity")[0]
    rows = [tuple(re.split(r"\s*│\s*|\s{2,}", line.strip())) for line in changed.splitlines()]
    assert ("W_Q[1, 1]", "1", "3") in rows
    assert ("embeddings[102, 2]", "1", "2") in rows
    assert "numbers" not in changed
    other = tmp_path / "other.yaml"
    other.write_text(
        SHIPPED["i_love_ai"].replace("  - [1, 2]\n  - [2, 1]", "  - [7, 2]\n  - [2, 8]")
    )
    page = attn("i_love_ai", str(other))
    assert "W_V[1, 1] │     1       7" in page
    assert "W_V[2, 2] │     1       8" in page


def test_of_many_cells_the_first_are_named(tmp_path: Path) -> None:
    own, other = ({"X": [[n] * 5] * 5, "projection": "none"} for n in (1, 2))
    paths = [tmp_path / name for name in ("a.yaml", "b.yaml")]
    for path, said in zip(paths, (own, other), strict=True):
        path.write_text(json.dumps(said))
    page = attn(*map(str, paths))
    assert re.search(r"X\[3, 2\] │ +1 +2", page)
    assert "X[3, 3]" not in page.partition("Every quantity")[0]
    assert re.search(r"X +│ 13 more", page)


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        (
            ("encoder_block", "--set", "norm=pre"),
            "Head 2: “alone” attends most to “I” (0.308)",
            "Head 2: “alone” attends most to itself (0.302)",
        ),
        (
            CAUSAL, "“I” attends most to itself (0.7)", "“I” attends only to itself (1.000)",
        ),
        (
            ("word_order", "encoder_block"),
            "“go” attends most to “can” and to itself (0.358 each)",
            "Head 2: “go” attends most to “alone” (0.281)",
        ),
    ],
)  # fmt: skip
def test_both_answers_are_of_the_same_token(
    arguments: tuple[str, ...], first: str, second: str
) -> None:
    page = " ".join(attn(*arguments).split())
    assert f"• The first: {first}. • The second: {second}. " in page


def test_traces_that_have_no_token_in_common_come_to_nothing_together() -> None:
    assert "The first:" not in attn("i_love_ai", "word_order")
