"""Forms that are made together cost the same and show the known mistakes: counted and played again
from the YAML of the forms, by plain decimals and by NumPy, which share no code with the program."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Decimal, getcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import yaml

from attncli import load, work
from attncli.classroom.forms.candidate_quantity import attempts
from attncli.classroom.forms.costs import LIMITS, cost_of
from attncli.classroom.forms.search import SearchRequest, forms, search
from attncli.classroom.forms.showing import Blanks, shows
from tests.conftest import THOROUGH
from tests.helpers.marking_cases import run
from tests.helpers.pages import trace_of

getcontext().prec = 50

Rows = list[list[Decimal]]
Floats = np.ndarray[Any, np.dtype[np.float64]]


class Table(NamedTuple):
    """The table of a folder, and what it says below."""

    rows: dict[str, dict[str, str]]
    bullets: dict[str, list[str]]


def table_of(text: str) -> Table:
    """A page in Markdown, read."""
    lines = text.splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line[:1] == "|"]
    headings, _, *rows = cells
    bullets: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("## "):
            bullets[line[3:]] = under = []
        elif line.startswith("- "):
            under.append(line[2:])
    return Table({row[0]: dict(zip(headings, row, strict=True)) for row in rows}, bullets)


def designed(folder: Path, *words: object) -> tuple[Table, dict[str, Any]]:
    """What `attn design` writes: the table, and the forms with their numbers as texts."""
    made = run("design", *words, "-o", f"{folder}/")
    assert made.exit_code == 0, made.output
    texts = {path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.yaml"))}
    forms_ = {name: yaml.load(text, Loader=yaml.BaseLoader) for name, text in texts.items()}
    return table_of((folder / "costs.md").read_text("utf-8")), forms_


# ── what forms cost ──


def matrix(rows: Any) -> Rows:
    return [[Decimal(number) for number in row] for row in rows]


def rounded(number: Decimal, places: int) -> Decimal:
    unit = Decimal(1).scaleb(-places)
    return abs(number).quantize(unit, ROUND_HALF_UP) * (-1 if number < 0 else 1)


class Counted:
    """Products, digits and negative operands, one product after the other."""

    def __init__(self) -> None:
        self.products = self.digits = self.negative = 0

    def times(self, x: Decimal, x_places: int, w: Decimal, w_places: int) -> Decimal:
        if x and w:
            self.products += 1
            self.digits += digits(x, x_places) * digits(w, w_places)
            self.negative += (x < 0) + (w < 0)
        return x * w

    def product(self, x: Rows, W: Rows, x_places: int, w_places: int) -> Rows:
        return [
            [
                sum((self.times(a, x_places, row[j], w_places) for a, row in zip(one, W, strict=True)), Decimal(0))
                for j in range(len(W[0]))
            ]
            for one in x
        ]  # fmt: skip


def digits(number: Decimal, places: int) -> int:
    return 0 if abs(number) == 1 else len(str(int(abs(number).scaleb(places))))


def counted(form: Any) -> Counted:
    """All steps of I love AI, from its embeddings to the network, for each token."""
    count, d = Counted(), 3
    X = matrix(form["embeddings"].values())
    W_Q, W_K, W_V, W1, W2 = (matrix(form[name]) for name in ("W_Q", "W_K", "W_V", "W1", "W2"))
    Q, K = count.product(X, W_Q, 0, 1), count.product(X, W_K, 0, 1)
    V = count.product(X, W_V, 0, 0)
    scores = count.product(Q, [list(column) for column in zip(*K, strict=True)], 1, 1)
    powers = [[rounded(score.exp(), d) for score in row] for row in scores]
    weights = [[rounded(power / sum(row), d) for power in row] for row in powers]
    output = [[rounded(x, d) for x in row] for row in count.product(weights, V, d, 0)]
    hidden = [[max(Decimal(0), x) for x in row] for row in count.product(output, W1, d, 0)]
    count.product(hidden, W2, d, 0)
    return count


@pytest.mark.parametrize("seed", [1, 7])
def test_the_table_has_what_one_counts(seed: int, tmp_path: Path) -> None:
    table, made = designed(tmp_path, "i_love_ai", "--forms", 8, "--seed", seed)
    assert [*table.rows] == [*made] == [*"ABCDEFGH"]
    found = [counted(form) for form in made.values()]
    for row, count in zip(table.rows.values(), found, strict=True):
        assert int(row["products"]) == count.products
        assert int(row["digits"]) == count.digits
        assert int(row["negative"]) == count.negative
    assert len({row["points"] for row in table.rows.values()}) == 1
    numbers = {json.dumps({key: form[key] for key in form if key[0] in "We"}) for form in made.values()}  # fmt: skip
    assert len(numbers) == 8


def test_many_forms_stay_within_the_limits(tmp_path: Path) -> None:
    _, made = designed(tmp_path, "i_love_ai", "--forms", 26 if THOROUGH else 8, "--seed", 3)
    found = [counted(form) for form in made.values()]
    for name in ("products", "digits", "negative"):
        costs = [getattr(count, name) for count in found]
        share, _ = LIMITS[name]
        assert max(costs) / (1 + share) <= min(costs) / (1 - share), name


def test_what_is_asked_for_alone_is_counted(tmp_path: Path) -> None:
    table, made = designed(tmp_path, "i_love_ai", "--step", "scores", "--forms", 3)
    for row, form in zip(table.rows.values(), made.values(), strict=True):
        count, X = Counted(), matrix(form["embeddings"].values())
        Q, K = (Counted().product(X, matrix(form[name]), 0, 1) for name in ("W_Q", "W_K"))
        count.product(Q, [list(column) for column in zip(*K, strict=True)], 1, 1)
        assert [int(row[name]) for name in ("products", "digits", "negative")] == [
            count.products,
            count.digits,
            count.negative,
        ]
    (own,) = table_of(run("design", "i_love_ai", "--step", "softmax", "--format", "markdown").stdout).rows.values()  # fmt: skip
    assert (own["form"], own["products"], own["digits"]) == ("own", "0", "0")


def test_products_of_any_equation_are_counted() -> None:
    """Of a gated product, not only of matrices; and only those of a row that is asked for."""
    trace = trace_of("Q: [[20, -1], [3, 0]]\nK: [[30, 5]]\nscale: none")
    # 20 × 30, −1 × 5, 3 × 30; the last factor is 0
    assert cost_of(trace, ["scores"])[:3] == (3, 2 * 2 + 0 + 1 * 2, 1)
    only = np.array([[False], [True]])
    assert cost_of(trace, ["scores"], {"scores": only})[:3] == (1, 2, 0)
    lstm = work(load("yassine_lstm"))
    gate, memory = (lstm[name].values for name in ("gates[2].output", "tanh_c[2]"))
    cost = cost_of(lstm, ["a[2]"])
    assert cost.products == np.count_nonzero(gate * memory) == 2
    assert cost.negative == np.count_nonzero(memory < 0)
    assert cost.digits == sum(
        digits(Decimal(str(a)), 3) * digits(Decimal(str(b)), 3)
        for a, b in zip(gate[:, 0].round(3).tolist(), memory[:, 0].round(3).tolist(), strict=True)
    )


# ── which mistakes show ──


def softmax(x: Floats, base: float = math.e) -> Floats:
    powers = np.power(base, x)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def at(values: Floats, places: int | None) -> Floats:
    """Rounded half away from zero, or in full."""
    if places is None:
        return values
    return np.copysign(np.floor(np.abs(values) * 10.0**places + 0.5 + 1e-9), values) / 10.0**places


def honest(scores: Floats, root: float) -> Iterator[tuple[Floats, Floats]]:
    """The scaled scores and weights of who rounds on the way as asked, less, or not at all."""
    for a, b, c in itertools.product((3, 4, None), repeat=3):
        scaled = at(scores / root, a)
        powers = at(np.exp(scaled), b)
        yield scaled, powers / at(powers.sum(axis=1, keepdims=True), c)


Play = Callable[[Floats, Floats], tuple[Floats, Floats]]
PLAYS: dict[str, Play] = {
    "Taking keys as rows": lambda scores, _: (scores, scores.T),
    "itself instead of its square root": lambda scores, _: (scores / math.sqrt(2), scores / 2),
    "Multiplying instead of dividing": lambda scores, _: (
        scores / math.sqrt(2),
        scores * math.sqrt(2),
    ),
    "Forgetting to scale": lambda scores, _: (scores / math.sqrt(2), scores),
    "Dividing by the sum of the column": lambda _, x: (
        softmax(x),
        np.exp(x) / np.exp(x).sum(axis=0),
    ),
    "Dividing the scores themselves": lambda _, x: (softmax(x), x / x.sum(axis=1, keepdims=True)),
    "Raising 2 instead": lambda _, x: (np.exp(x), 2.0**x),
    "Raising 10 instead": lambda _, x: (np.exp(x), 10.0**x),
    "Raising e to the negated": lambda _, x: (np.exp(x), np.exp(-x)),
    "Dividing by the sum of the whole": lambda _, x: (softmax(x), np.exp(x) / np.exp(x).sum()),
}
"""What is right, and what comes of a mistake, from the scores and the scaled ones."""


def scaled_scenario(folder: Path) -> Path:
    """I love AI with its scores divided by √2."""
    path = folder / "scaled.yaml"
    text = (Path(__file__).parents[3] / "scenarios" / "i_love_ai.yaml").read_text("utf-8")
    data = yaml.safe_load(text)
    kept = ("sentence", "embeddings", "W_Q", "W_K", "W_V")
    scenario = {key: data[key] for key in kept} | {"scale": "sqrt_d_k", "rounding": {"decimals": 3}}
    path.write_text(yaml.safe_dump(scenario, sort_keys=False), "utf-8")
    return path


@pytest.mark.parametrize("seed", [2, 5])
def test_each_mistake_changes_a_number_by_more_than_rounding(seed: int, tmp_path: Path) -> None:
    steps = [word for step in ("scores", "scale", "softmax") for word in ("--step", step)]
    place = scaled_scenario(tmp_path)
    table, made = designed(tmp_path / "forms", place, *steps, "--forms", 6, "--seed", seed)
    said = table.bullets["Mistakes that show"]
    assert "Mistakes that don't show" not in table.bullets
    for form in made.values():
        X = np.array([*form["embeddings"].values()], float)
        scores = (X @ np.array(form["W_Q"], float)) @ (X @ np.array(form["W_K"], float)).T
        paths = [*honest(scores, math.sqrt(2)), *honest(scores, 1.414)]
        spread_of_scaled, spread_of_weights = (
            np.ptp([p[k] for p in paths], axis=0) for k in (0, 1)
        )
        x = at(scores / math.sqrt(2), 3)
        for name, play in PLAYS.items():
            assert any(name in line for line in said), name
            right, wrong = play(scores, x)
            # honest powers of e are as far apart as the scaled scores are, times themselves
            spread = {
                True: spread_of_weights,
                False: np.exp(x) * 2 * spread_of_scaled + spread_of_scaled,
            }[bool(np.allclose(right.sum(axis=1), 1))]
            assert (np.abs(wrong - right) > spread + 0.0015).any(), (name, form)


def test_mistakes_that_cannot_show_are_named(tmp_path: Path) -> None:
    """The queries are the keys there, so that the table of scores is its own transpose."""
    table, made = designed(tmp_path / "forms", "alice_met_bob", "--forms", 2)
    for form in made.values():
        assert form["Q"] == form["K"]
    hidden = table.bullets["Mistakes that don't show"]
    assert any("in A, B: " in line and "which transposes the table" in line for line in hidden)
    assert not any("transposes" in line for line in table.bullets["Mistakes that show"])
    may = len(hidden) + len(table.bullets["Mistakes that show"])
    for row in table.rows.values():
        assert row["mistakes"] == f"{may - len(hidden)} of {may}"
    made_too = run("exercise", "alice_met_bob", "--forms", 2, "-o", f"{tmp_path}/papers/")
    said, _, where = made_too.stdout.partition("; `attn design` tells in which")
    named = said.partition("may not be visible in every form: ")[2].split(", ")
    assert where
    assert len(named) == len(hidden)
    assert "scores: queries_and_keys_swapped" in [name.strip() for name in named]
    nothing = run("exercise", "i_love_ai", "--forms", 2, "-o", f"{tmp_path}/others/")
    assert nothing.stdout == ""


def test_a_mask_that_is_forgotten_shows(tmp_path: Path) -> None:
    """A sheet asks for the masked scores alone, not for the mask."""
    text = "scenario: i_love_tennis_causal\nask: [{step: mask, token: love}]\n"
    (tmp_path / "x.yaml").write_text(text, "utf-8")
    page = run("design", tmp_path / "x.yaml", "--format", "markdown").stdout
    shown = page.partition("Mistakes that show")[2]
    assert "Mask: Forgetting the mask." in shown


def test_the_tanh_of_a_memory_is_told_from_the_memory() -> None:
    """Where all of it is small, its tanh is the same to three decimals."""
    for form in forms(load("yassine_lstm"), 8, 7):
        trace = work(form)
        memories = [q for q in trace.quantities.values() if q.local == "c"]
        told = [np.abs(np.tanh(q.values) - q.values).max() for q in memories]
        assert told
        assert max(told) > 0.0015


@pytest.mark.parametrize("name", ["i_love_ai", "yassine_lstm", "decoder_block", "alice_met_bob"])
def test_many_forms_are_judged_as_each_alone_is(name: str) -> None:
    """However rough the bounds are by which many are judged at once."""
    traces = [*search(load(name), SearchRequest(4, 1, allow=["mistakes"]))]
    slips = [*attempts(traces[0])]
    together = shows(traces, slips, Blanks())
    for k, trace in enumerate(traces):
        alone = shows([trace], slips, Blanks())
        for slip, many, one in zip(slips, together, alone, strict=True):
            assert (many is None) == (one is None), slip.mistake.says
            if many is not None and one is not None:
                assert many[k] == one[0], slip.mistake.says


# ── what is written ──


def test_the_forms_are_those_of_the_exercise(tmp_path: Path) -> None:
    words = ("i_love_ai", "--step", "softmax", "--forms", 3, "--seed", 5)
    _, made = designed(tmp_path / "forms", *words)
    papers = tmp_path / "papers"
    assert run("exercise", *words, "--format", "json", "-o", f"{papers}/").exit_code == 0
    for name, form in made.items():
        paper = json.loads((papers / f"i_love_ai_{name}_sheet.json").read_text("utf-8"))
        given = {block["name"]: block["values"] for block in paper["given"]}
        assert given["W_Q"] == [[float(x) for x in row] for row in form["W_Q"]]


def test_an_exercise_file_says_what_is_asked(tmp_path: Path) -> None:
    exam = tmp_path / "exam.yaml"
    exam.write_text("scenario: i_love_ai\nask: [scores]\nforms: 2\nseed: 4\n", "utf-8")
    by_file, _ = designed(tmp_path / "a", exam)
    by_options, _ = designed(tmp_path / "b", "i_love_ai", "--step", "scores", "--forms", 2, "--seed", 4)  # fmt: skip
    assert by_file == by_options
    refused = run("design", exam, "--forms", 3)
    assert refused.exit_code == 2
    assert "--forms: the exercise file says what is asked" in refused.stderr


def test_new_scenarios_have_forms_too(tmp_path: Path) -> None:
    table, made = designed(tmp_path, "--tokens", 3, "--forms", 3, "--seed", 7)
    assert len({json.dumps(form["W_Q"]) for form in made.values()}) == 3
    assert len({form["sentence"] for form in made.values()}) == 1
    assert [*table.rows] == ["A", "B", "C"]
    again = run("design", "--tokens", 3, "--forms", 3, "--seed", 7, "--format", "markdown")
    assert table_of(again.stdout) == table
    one = tmp_path / "one"  # a file, where a format is said for it
    assert run("design", "--forms", 3, "--format", "latex", "-o", one).exit_code == 0
    assert one.read_text("utf-8").startswith("\\documentclass")
    there = run("design", "--forms", 3, "-o", f"{tmp_path}/")
    assert there.exit_code == 2
    assert "--force" in there.stderr


@pytest.mark.parametrize("form", ["terminal", "json", "html", "latex"])
def test_the_table_is_told_in_other_formats(form: str) -> None:
    words = ("--step", "scores", "--forms", 2, "--seed", 1)
    made = run("design", "i_love_ai", *words, "--format", form)
    assert made.exit_code == 0, made.output
    known = table_of(run("design", "i_love_ai", *words, "--format", "markdown").stdout)
    for row in known.rows.values():
        assert all(number in made.stdout for number in row.values() if " of " not in number)
    if form == "json":
        for data, row in zip(json.loads(made.stdout)["forms"], known.rows.values(), strict=True):
            own = [shows for shows in data["mistakes"].values() if shows is not None]
            assert row["mistakes"] == f"{sum(own)} of {len(own)}"
            assert [str(data[name]) for name in row if name != "mistakes"] == [*row.values()][:-1]


def test_what_is_wrong_is_said_at_once() -> None:
    refused = run("design", "i_love_ai", "--tokens", 4, "--forms", 0, "--allow", "tie")
    assert refused.exit_code == 2
    places = [line.partition(":")[0] for line in refused.stderr.splitlines()]
    assert places == ["--tokens", "--forms 0", "--allow tie"]
    assert run("design", "--step", "softmax").stderr.startswith(
        "--step or --format: is for a table"
    )
    rules = ("i_love_ai", "--forms", 2, "--allow", "difficulty", "--format", "markdown")
    assert "cost the same" not in run("design", *rules).stdout


def test_an_exam_of_several_parts_is_costed_whole(tmp_path: Path) -> None:
    parts = (
        "parts:\n- {scenario: i_love_ai, ask: [scores]}\n- {scenario: i_love_ai, ask: [project]}"
    )
    exam = tmp_path / "exam.yaml"
    exam.write_text(f"exam: Attention\nforms: 2\nseed: 4\n{parts}\n", "utf-8")
    table, made = designed(tmp_path / "forms", exam)
    assert [*made] == ["A_1", "A_2", "B_1", "B_2"]
    for name, row in table.rows.items():
        count = Counted()
        one, other = (made[f"{name}_{k}"] for k in (1, 2))
        X = matrix(one["embeddings"].values())
        Q, K = (Counted().product(X, matrix(one[key]), 0, 1) for key in ("W_Q", "W_K"))
        count.product(Q, [list(column) for column in zip(*K, strict=True)], 1, 1)
        X = matrix(other["embeddings"].values())
        for key, places in (("W_Q", 1), ("W_K", 1), ("W_V", 0)):
            count.product(X, matrix(other[key]), 0, places)
        assert [int(row[key]) for key in ("products", "digits", "negative")] == [
            count.products,
            count.digits,
            count.negative,
        ]
    assert all(line.startswith("I love AI · ") for line in table.bullets["Mistakes that show"])
    only_words = tmp_path / "words.yaml"
    question = "{says: Why is e raised to the scores?, written: true, points: 2}"
    only_words.write_text(f"exam: Words\nparts:\n- questions: [{question}]\n", "utf-8")
    assert run("design", only_words).exit_code == 2
