"""Common mistakes, made by the oracle from the first number to the last: `attn grade` names each of
them, blames the numbers in which it shows and no others, and takes half of their step once. Other right ways
are told, and keep their points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attncli.pipeline import load, work
from attncli.scenario.file.address import parse_address
from tests.classroom.planted.sheet import rounded
from tests.classroom.planted.shipped import paper
from tests.conftest import sampled, share
from tests.helpers.marking_cases import changed_by, cost_of_mistakes, graded, run, yaml_file
from tests.helpers.pages import shipped_trace
from tests.helpers.plain import read

CAUSAL, ENCODER, DECODER = "i_love_tennis_causal", "encoder_block", "decoder_block"
GPT, BERT, HEADS, LECTURE = "next_token", "masked_word", "three_tokens_two_heads", "i_love_ai"
GRU, ATTEND, LOSS = "yassine_gru", "learning_to_attend", "softmax_gradient"
TRAINED = "embedding_before_during_after"
FOLLOWS = ("correct", "carried forward", "blank")

MISTAKES: list[tuple[str, str, str, tuple[str, ...]]] = [
    ("not_masked", "not_masked", "masked", (CAUSAL, DECODER, GPT)),
    ("mask_not_applied", "not_masked", "masked", (CAUSAL, DECODER, GPT)),
    ("masked_scores_not_used", "not_masked", "exp", (CAUSAL, DECODER, GPT)),
    ("sees_the_next", "sees_the_next", "masked", (CAUSAL, DECODER, GPT)),
    ("W_O_left_out", "W_O_left_out", "attention", (ENCODER, HEADS, GPT)),
    ("added_to_X", "added_to_X", "residual", (ENCODER, DECODER, GPT, BERT)),
    ("relu_for_gelu", "relu_for_another", "activated", (GPT, BERT)),
    ("exponent_negated", "exponent_negated", "exp", (CAUSAL, ENCODER, LECTURE, BERT, LOSS)),
    ("V_by_W_K", "V_by_W_K", "V", (CAUSAL, ENCODER, LECTURE, GPT)),
    ("root_forgotten", "root_forgotten", "deviation", (ENCODER, DECODER, GPT)),
    ("root_forgotten_epsilon", "root_forgotten", "deviation", (ENCODER, DECODER)),
    ("not_divided", "sum_for_mean", "mean", (ENCODER, DECODER, BERT)),
    ("squares_not_divided", "sum_for_mean", "variance", (ENCODER, DECODER)),
    ("loss_not_divided", "sum_for_mean", "cross_entropy", (TRAINED,)),
    ("reset_ignored", "reset_ignored", "reset_a", (GRU,)),
    ("reset_ignored_later", "reset_ignored", "z_candidate", (GRU,)),
    ("scaled", "scaled", "exp", (LECTURE,)),
    ("scaled_and_rounded", "scaled", "exp", (LECTURE,)),
    ("column_sums", "columns_added_up", "exp_sum", (CAUSAL, ENCODER, LECTURE)),
    ("column_sums_by_column", "columns_added_up", "exp_sum", (CAUSAL, ENCODER, LECTURE, GPT)),
    ("transpose_forgotten", "transpose_forgotten", "V", (ATTEND,)),
    ("exchanged", "exchanged", "logits", (ATTEND, LOSS, TRAINED)),
]
"""What is made, what it is called, the quantity that it is made in, and on which scenarios."""


@cache
def asked(scenario: str, folder: Path, *changes: str) -> tuple[str, ...]:
    """All that the answers file of a scenario asks for, if each of its steps is named: what a mask
    hides, too, and what is looked up."""
    path = folder / "asked.yaml"
    parts = (part for part in shipped_trace(scenario).story if part.definitions)
    steps = [word for name in dict.fromkeys(p.called for p in parts) for word in ("--step", name)]
    words = ("exercise", scenario, *steps, *changes, "--format", "yaml", "--key", "none", "--force")
    assert run(*words, "-o", path).exit_code == 0
    return tuple(read(path.read_text("utf-8"))["answers"])


def answers(written: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, str]:
    """The answers file of a paper: its numbers, row by row; nothing for what it hasn't."""
    cells: Counter[str] = Counter()
    found = {}
    for name in names:
        quantity = quantity_of(name)
        if quantity in written:
            number = written[quantity].ravel()[cells[quantity]]
            cells[quantity] += 1
            found[name] = _text(number)
    assert all(count == written[name].size for name, count in cells.items())
    return found


def _text(number: float) -> str:
    """As somebody writes it who leaves out what can't be worked."""
    if np.isnan(number):
        return ""
    return f"{number:.3f}" if np.isfinite(number) else str(number)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("papers")


def marked(scenario: str, mistake: str, folder: Path, *more: str) -> dict[str, Any]:
    given = answers(paper(scenario, mistake), asked(scenario, folder))
    return graded(yaml_file(folder / "paper.yaml", given), *more, scenario=scenario)


def wrong(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [value for value in data["verdicts"] if value["verdict"] not in FOLLOWS]


def shows(data: Mapping[str, Any]) -> bool:
    """Whether a number is none of those that are accepted."""
    low, high = map(float, data["accepted"])
    return not low - 1e-9 <= float(data["given"]) <= high + 1e-9


def quantity_of(cell: str) -> str:
    """`grad.heads[2].V` of `grad.heads[2].V[love, 1]`."""
    return str(parse_address(cell).name)


def local(cell: str) -> str:
    """`V` of that, and `residual` of `residual2`."""
    return quantity_of(cell).rpartition(".")[2].rstrip("0123456789")


@pytest.mark.parametrize(
    ("mistake", "name", "quantity", "scenario"),
    [
        (mistake, name, made, scenario)
        for mistake, name, made, scenarios in share(4, MISTAKES, "named where it is made")
        for scenario in share(min(len(scenarios), 3), scenarios, mistake)
    ],
)
def test_a_mistake_is_named_where_it_is_made(
    mistake: str, name: str, quantity: str, scenario: str, folder: Path
) -> None:
    data = marked(scenario, mistake, folder)
    found = wrong(data)
    assert {(e["verdict"], e["cause"]["name"]) for e in found} == {("known mistake", name)}
    assert {local(e["cell"]) for e in found} == {quantity}
    assert all(map(shows, found))
    assert data["of"] - data["points"] == cost_of_mistakes(data, shipped_trace(scenario))
    costly = [value["cell"] for value in data["verdicts"] if value["points"] < 1]
    assert {*costly} <= changed_by(data, {value["cell"] for value in found})


@sampled(3, scenario=[CAUSAL, ENCODER, DECODER, GPT, BERT, HEADS, LECTURE, GRU, ATTEND, LOSS])
def test_a_right_paper_keeps_every_point(scenario: str, folder: Path) -> None:
    data = marked(scenario, "", folder)
    assert wrong(data) == []
    assert data["points"] == data["of"]


def test_a_number_written_down_wrongly_hides_no_mistake_behind_it(folder: Path) -> None:
    """All behind it is worked from the right one, as the right numbers there show."""
    given = answers(paper(ENCODER, "added_to_X"), asked(ENCODER, folder))
    first = next(cell for cell in given if cell.startswith("Q["))
    data = graded(yaml_file(folder / "p.yaml", {**given, first: "7.777"}), scenario=ENCODER)
    (typed, *others) = wrong(data)
    assert typed["cell"] == first
    assert {(e["cause"]["name"], local(e["cell"])) for e in others} == {("added_to_X", "residual")}
    assert data["of"] - data["points"] == 1 + cost_of_mistakes(data, shipped_trace(ENCODER))


def test_a_reset_after_the_product_is_ignored(folder: Path) -> None:
    changes = ("--set", "reset=after")
    written = paper(GRU, "reset_ignored", reset="after")
    given = answers(written, asked(GRU, folder, *changes))
    data = graded(yaml_file(folder / "paper.yaml", given), *changes, scenario=GRU)
    found = {(local(e["cell"]), e["cause"]["name"]) for e in wrong(data)}
    assert found == {("reset_a", "reset_ignored")}
    trace = work(load(GRU, {"reset": "after"}))
    assert data["of"] - data["points"] == cost_of_mistakes(data, trace)


@sampled(2, scenario=[CAUSAL, DECODER, GPT])
def test_a_mask_may_hide_too_much(scenario: str, folder: Path) -> None:
    """The first token sees nothing then, and its later numbers can't be worked."""
    data = marked(scenario, "does_not_see_itself", folder)
    found = {(local(e["cell"]), e["cause"]["name"]) for e in wrong(data)}
    assert found == {("masked", "does_not_see_itself")}
    blanks = sum(value["verdict"] == "blank" for value in data["verdicts"])
    lost = data["of"] - data["points"]
    assert lost == blanks + cost_of_mistakes(data, shipped_trace(scenario))


ROUNDINGS: list[tuple[str, set[str], tuple[str, ...]]] = [
    ("three_digits", {"exp"}, (CAUSAL, ENCODER, DECODER, LECTURE, LOSS)),
    ("root_rounded", {"scaled"}, (CAUSAL, ENCODER, DECODER, GPT)),
    ("products_rounded", {"scores"}, (CAUSAL,)),
    ("products_rounded", {"scores", "output"}, (HEADS,)),
    ("products_rounded", {"scores", "output", "ffn"}, (DECODER,)),
    ("products_rounded", {"V", "scores", "attention", "hidden", "ffn"}, (ENCODER,)),
    ("products_rounded", {"Q", "K", "V", "attention", "hidden", "ffn"}, (GPT,)),
]
"""What is rounded inside lines of working, and the quantities in which that shows."""


@pytest.mark.parametrize(
    ("name", "quantities", "scenario"),
    [
        (name, shown, one)
        for name, shown, scenarios in share(2, ROUNDINGS, "rounded inside a line")
        for one in share(min(len(scenarios), 3), scenarios, name)
    ],
)
def test_what_is_rounded_inside_a_line_is_named(
    name: str, quantities: set[str], scenario: str, folder: Path
) -> None:
    data = marked(scenario, name, folder)
    found = wrong(data)
    assert {(e["verdict"], e["cause"]["name"]) for e in found} == {("rounding", name)}
    assert {local(e["cell"]) for e in found} == quantities
    assert all(map(shows, found))
    assert data["of"] - data["points"] == 0.5


@sampled(4, quantity=["exp", "scaled", "scores"])
def test_fewer_decimals_throughout_are_not_rounded_inside_lines(
    quantity: str, folder: Path
) -> None:
    written = {name: rounded(x, 2) for name, x in paper(ENCODER).items()}
    given = answers(written, asked(ENCODER, folder))
    given = {name: f"{float(x):.2f}" for name, x in given.items()}
    data = graded(yaml_file(folder / "paper.yaml", given), scenario=ENCODER)
    found = [e for e in wrong(data) if local(e["cell"]) == quantity and e["cause"]]
    causes = {e["cause"]["name"] for e in found}
    assert causes
    assert not causes & {name for name, _, _ in ROUNDINGS}


@sampled(
    5,
    scenario=[CAUSAL, DECODER],
    case=[
        (("mask", "masked"), "exp"),
        (("mask", "masked", "exp", "exp_sum"), "weights"),
        (("mask", "masked", "exp", "exp_sum", "weights"), "output"),
    ],
)
def test_a_forgotten_mask_is_named_where_it_shows_first(
    scenario: str, case: tuple[tuple[str, ...], str], folder: Path
) -> None:
    """Also where the numbers between aren't asked for."""
    left_out, first = case
    written = {k: x for k, x in paper(scenario, "not_masked").items() if k not in left_out}
    given = answers(written, asked(scenario, folder))
    data = graded(yaml_file(folder / "paper.yaml", given), scenario=scenario)
    assert {(local(e["cell"]), e["cause"]["name"]) for e in wrong(data)} == {(first, "not_masked")}
    blanks = sum(value["verdict"] == "blank" for value in data["verdicts"])
    lost = data["of"] - data["points"]
    assert lost == blanks + cost_of_mistakes(data, shipped_trace(scenario))


SOFTMAXES = [CAUSAL, ENCODER, DECODER, GPT, BERT, HEADS, LECTURE, ATTEND, LOSS]


@sampled(2, scenario=SOFTMAXES)
def test_a_softmax_may_subtract_the_maximum_first(scenario: str, folder: Path) -> None:
    data = marked(scenario, "maximum_subtracted", folder)
    others = [value for value in data["verdicts"] if value["verdict"] != "correct"]
    assert {value["verdict"] for value in others} == {"worked otherwise"}
    assert {local(value["cell"]) for value in others} == {"exp", "exp_sum"}
    assert {value["cause"]["says"] for value in others} == {"with the row's maximum subtracted."}
    assert data["points"] == data["of"]
    (folder / "scheme.yaml").write_text("costs: {otherwise: 0.5}", "utf-8")
    half = marked(scenario, "maximum_subtracted", folder, "--scheme", str(folder / "scheme.yaml"))
    assert data["of"] - half["points"] == len(others) / 2
    result = run("grade", scenario, folder / "paper.yaml")
    assert result.exit_code == 0
    assert "with the row's maximum subtracted" in " ".join(result.stdout.split())


def test_the_maximum_may_be_subtracted_where_no_exponential_is_asked(folder: Path) -> None:
    for left_out in (("exp",), ("exp", "exp_sum")):
        paper_ = paper(CAUSAL, "maximum_subtracted")
        written = {name: x for name, x in paper_.items() if name not in left_out}
        given = answers(written, asked(CAUSAL, folder))
        data = graded(yaml_file(folder / "paper.yaml", given), scenario=CAUSAL)
        assert wrong(data) == [e for e in wrong(data) if e["verdict"] == "worked otherwise"]
        assert {value["points"] for value in data["verdicts"] if value["given"]} == {1}


@pytest.mark.parametrize("number", ["1", "0.001", "0"])
def test_what_tells_nothing_is_no_softmax_with_its_maximum_subtracted(
    number: str, folder: Path
) -> None:
    """The largest power of each row is 1 then, which anybody may write down."""
    names = [name for name in asked(LECTURE, folder) if quantity_of(name) == "exp"]
    path = yaml_file(folder / "paper.yaml", dict.fromkeys(names, number))
    assert graded(path)["counts"]["worked otherwise"] == 0
    some = {"exp[I, I]": "1", "exp[I, love]": number, "exp[I, AI]": "1"}
    assert graded(yaml_file(folder / "paper.yaml", some))["counts"]["worked otherwise"] == 0


def test_a_wrong_sum_of_powers_with_the_maximum_subtracted_is_wrong(folder: Path) -> None:
    written = {**paper(LECTURE, "maximum_subtracted")}
    written["exp_sum"] = written["exp_sum"] + np.array([[0.0], [0.2], [0.0]])
    given = answers(written, asked(LECTURE, folder))
    data = graded(yaml_file(folder / "paper.yaml", given))
    entries = {value["cell"]: value["verdict"] for value in data["verdicts"]}
    assert entries["exp_sum[love]"] == "slip"
    assert entries["exp_sum[I]"] == entries["exp_sum[AI]"] == "worked otherwise"
    assert data["of"] - data["points"] == 1
