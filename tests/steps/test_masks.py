"""Masks name keys as the page does, whatever the queries are called."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli import ScenarioError
from attncli.steps.order import step_of
from tests import oracle
from tests.helpers.marking_cases import graded, run, yaml_file
from tests.helpers.pages import trace_of
from tests.helpers.plain import read

QUERIES, KEYS = ("a", "b", "c", "7"), ("x", "y", "z", "2")
KINDS = ("K", "scores", "inputs", "memory", "cache", "heads", "second")


class Case(NamedTuple):
    """A scenario up to its mask, where that is, and what its keys are called."""

    text: str
    masked: str
    keys: tuple[str, ...]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Queries and keys with names of their own, some of them shared, in every way to give them."""
    queries = tuple(draw(st.permutations((*QUERIES, "x")))[: draw(st.integers(1, 3))])
    keys = tuple(draw(st.permutations((*KEYS, "a")))[: draw(st.integers(2, 4))])
    return _given(queries, keys, named=draw(st.booleans()))[draw(st.sampled_from(KINDS))]


def _given(queries: tuple[str, ...], keys: tuple[str, ...], *, named: bool) -> dict[str, Case]:
    """The same queries and keys, given in each way; with the sentence as well or without."""
    inside = [f"Q: {_rows(queries)}", f"K: {_rows(keys)}", f"V: {_rows(keys)}"]
    head = f"{{{', '.join(inside)}}}"
    sentence = f"tokens: [{', '.join(map(_quoted, queries))}]\n" if named else ""
    x = f"X: {_rows(queries)}\nprojection: none\n"
    own = f"keys: {_rows(keys)}\nvalues: {_rows(keys)}\n"
    cached = f"cache: {{tokens: [p, q], K: {_rows('pq')}, V: {_rows('pq')}}}\n"
    counted = tuple(str(k + 1) for k in range(len(keys)))
    layers = f"block: attention\nlayers: [{head}, {{projection: none, mask: MASK}}]\n"
    return {
        "K": Case("\n".join([sentence, *inside, ""]), "masked", keys),
        "scores": Case(f"scores: {_rows(queries, len(keys))}\nscale: none\n", "masked", counted),
        "inputs": Case(f"{x}{own}", "masked", keys),
        "memory": Case(f"{x}memory: {_rows(keys)}\n", "masked", keys),
        "cache": Case(f"{x}{cached}", "masked", ("p", "q", *queries)),
        "heads": Case(f"{sentence}heads: [{head}, {head}]\n", "heads[2].masked", keys),
        "second": Case(f"{sentence}{layers}", "layers[2].masked", queries),
    }


def _quoted(name: str) -> str:
    return f"'{name}'"


def _rows(names: tuple[str, ...] | str, width: int = 2) -> str:
    rows = (f"{_quoted(name)}: {[k + 1 + j for j in range(width)]}" for k, name in enumerate(names))
    return f"{{{', '.join(rows)}}}"


def with_mask(case: Case, named: list[str]) -> str:
    mask = f"{{padding: [{', '.join(map(_quoted, named))}]}}"
    own = case.text.replace("MASK", mask)
    return own if own != case.text else f"{own}mask: {mask}\n"


def hidden(name: str, keys: tuple[str, ...]) -> int:
    """The place of a key: the one that is called so, else the one at that position."""
    return keys.index(name) if name in keys else int(name) - 1


@given(case=cases(), data=st.data())
def test_padding_hides_the_keys_that_it_names(case: Case, data: st.DataObject) -> None:
    positions = tuple(str(k + 1) for k in range(len(case.keys)))
    hiding = st.sampled_from((*case.keys, *positions))
    named = data.draw(st.lists(hiding, min_size=1, max_size=2, unique=True))
    places = {hidden(name, case.keys) for name in named}
    text = with_mask(case, named)
    if len(places) == len(case.keys):
        return
    masked = trace_of(text)[case.masked]
    assert masked.columns.names == case.keys
    expected = np.isin(np.arange(len(case.keys)), [*places])
    assert (np.isneginf(masked.values) == expected).all()
    assert (np.isneginf(np.array(oracle.work(read(text))[case.masked], float)) == expected).all()


@given(case=cases())
def test_other_names_are_refused(case: Case) -> None:
    """A query's name, where no key is called so; and a position that no key has."""
    names = ({*QUERIES, *KEYS, "p"} | {"99"}) - {*case.keys}
    for name in sorted(names):
        if name.isdigit() and int(name) <= len(case.keys):
            continue
        with pytest.raises(ScenarioError, match="is none of the keys") as told:
            trace_of(with_mask(case, [name]))
        assert f"name one of {', '.join(case.keys)}" in str(told.value)


@pytest.mark.parametrize(
    ("mask", "keys", "told"),
    [
        ("causal", "abc", True),
        ("causal", "abcd", True),  # the last query stands at the last key
        ("[causal, {window: 2}]", "abc", False),
        ("[causal, {padding: [2]}]", "abc", False),
        ("{window: 2}", "abc", False),
    ],
)
def test_that_the_last_row_hides_nothing_is_told_where_it_is_so(
    mask: str, keys: str, told: bool
) -> None:
    trace = trace_of(f"Q: {_rows('abc')}\nK: {_rows(keys)}\nV: {_rows(keys)}\nmask: {mask}\n")
    (part,) = (part for part in trace.story if part.step == "mask")
    says = str(step_of(part).happens_at(part.place))
    assert ("the last row hides nothing" in says) is told
    assert bool(np.isfinite(trace["masked"].values[-1]).all()) is told


@pytest.mark.wing("classroom")
@pytest.mark.parametrize(("asked", "told"), [
    (("--step", "mask", "--token", "love"), False), (("--step", "mask"), True),
    (("--cell", "masked[love, I]"), False), (("--cell", "masked[., I]"), True),
])  # fmt: skip
def test_what_the_last_row_hides_is_told_where_that_is_shown(
    asked: tuple[str, ...], told: bool
) -> None:
    sheet = run("exercise", "i_love_tennis_causal", *asked).stdout
    assert ("the last row hides nothing" in " ".join(sheet.split())) is told


@pytest.mark.wing("classroom")
def test_a_mask_earns_nothing_by_itself() -> None:
    """Zeros and ones that a rule says aren't asked for, nor told beside what they are used for."""
    sheet = run("exercise", "i_love_tennis_causal", "--step", "mask").stdout
    assert "Compute the 16 masked scores.\n" in sheet
    assert "\n  mask " not in sheet.replace("\n  mask[", "")
    text = run("exercise", "i_love_tennis_causal", "--cell", "mask[love, I]").stdout
    assert "Compute mask[love, I].\n" in text
    both = run("exercise", "i_love_tennis_causal", "--step", "softmax", "--step", "mask")
    assert "Points of 52" in both.stdout


@pytest.mark.wing("classroom")
def test_a_sheet_that_was_printed_with_a_mask_to_fill_in_is_marked(tmp_path: Path) -> None:
    tokens = ("I", "love", "Tennis", ".")
    places = [(i, j) for i in range(4) for j in range(4)]
    seen = {f"mask[{tokens[i]}, {tokens[j]}]": str(int(j <= i)) for i, j in places}
    left = {f"masked[{tokens[i]}, {tokens[j]}]": "" for i, j in places}
    path = yaml_file(tmp_path / "a.yaml", {**seen, **left}, 'form: "own"\nhash: "hbf43634"')
    data = graded(path, scenario="i_love_tennis_causal")
    assert (data["points"], data["counts"]["correct"], data["counts"]["blank"]) == (16, 16, 16)
