"""How long bugs are sought for, in which rows, and how little is worked where all follows."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest

from attncli import load, work
from attncli.errors import UserError
from attncli.judging.wrong_ways import WrongWay
from attncli.maths.equations.enclosures import Enclosure
from attncli.maths.equations.stored_matrix import Stored
from attncli.maths.numbers.rounding import Array
from attncli.maths.operations.intervals import enclosing
from attncli.models.diff_page import in_short, report
from attncli.models.dumps.departures import Comparison
from attncli.models.dumps.floats import Floats, Grain
from attncli.models.dumps.suspects import SEEK, Search, Suspects
from attncli.models.dumps.tensors import taken_apart
from attncli.scenario.file.dump_files import Tensor
from attncli.trace import Trace
from tests.trace.test_stored import LAYOUTS, scenario

WAYS = [WrongWay(name, "", ()) for name in "abcdef"]


def worked(name: str) -> Trace:
    return work(load(name, {"rounding.policy": "exact"}))


def comparison(changed: float, seek: float = SEEK) -> Comparison:
    """One whose scores are others."""
    trace = worked("i_love_ai")
    dump = {name: Tensor(trace[name].values, "float64") for name in ("Q", "K", "scores")}
    scores = dump["scores"].values * changed + 1e-3 * (changed != 1)
    dump["scores"] = Tensor(scores, "float64")
    return Comparison(trace, taken_apart(dump, trace, {}, "dump"), seek=seek)


def test_a_search_ends_when_its_time_is_spent() -> None:
    ticks = count()
    search = Search(2.0, clock=lambda: float(next(ticks)))  # each try takes one second
    assert [way.name for way in search.each(WAYS, "Q")] == ["a", "b"]
    assert [*search.each(WAYS, "K")] == []
    assert (search.tried, search.untried, search.ended_at) == (2, 10, ["Q", "K"])


def test_the_report_says_that_a_search_ended() -> None:
    found = comparison(1.37, seek=1)
    ticks = count()
    found.search.clock = lambda: float(next(ticks))
    assert found.first is not None
    assert (found.first.name, found.first.causes) == ("scores", ())
    text = str(in_short(found))
    assert "The search ended before a bug was found" in text
    data = report(found, "dump").data.told
    assert data["search"] == {
        "seconds": 1, "tried": 1, "untried": found.search.untried, "ended_at": ["scores"],
    }  # fmt: skip
    assert found.search.untried > 0


def test_without_time_nothing_is_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Suspects, "_gives", None)
    found = comparison(1.37, seek=0)
    assert found.first is not None
    assert (found.first.name, found.first.causes) == ("scores", ())
    assert "No bug was sought (seek: 0)" in str(in_short(found))
    assert comparison(1.0, seek=0).first is None


@pytest.mark.real("torch")
@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_a_time_that_is_none_is_refused(seconds: float) -> None:
    pytest.importorskip("torch")
    from attncli.torch import compare

    with pytest.raises(UserError, match="give seconds, or 0 to seek nothing"):
        compare({"Q": np.ones((2, 2))}, like="i_love_ai", seek=seconds)


@pytest.mark.parametrize(
    "name", ["i_love_ai", "encoder_block", "decoder_block", "three_tokens_two_heads"]
)
def test_some_rows_are_those_of_the_whole(name: str) -> None:
    trace = worked(name)
    whole, part = (Floats(trace, Grain("float64")) for _ in range(2))
    for quantity in trace:
        value = whole.value(quantity)
        rows = (len(value) - 1, 0)
        assert part.rows(quantity, rows) == pytest.approx(value[list(rows)], rel=1e-12), quantity


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bounds_of_products_with_stored_weights_are_those_of_others(
    tmp_path: Path, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = work(scenario(saved_model(tmp_path), in_place=True, layout=layout))
    assert isinstance(trace["W_Q"].matrix, Stored)
    grain = Grain("float32")
    known = {"X": grain.around(Enclosure.of(trace["X"].values))}
    monkeypatch.setattr(Stored, "values", property(lambda _: pytest.fail("all of a weight")))
    made = {name: Floats(trace, grain, known).made(name) for name in ("Q", "K")}
    monkeypatch.undo()
    for name, bounds in made.items():
        definition = trace[name].definition
        assert definition is not None
        operands = [known.get(x) or Enclosure.of(trace[x].values) for x in definition.operands]
        numbers = [trace[x].matrix for x in definition.operands]
        wide = enclosing(definition.operation, numbers, operands, grain.worked)
        assert_alike(bounds, wide)


def saved_model(folder: Path) -> Path:
    from tests.trace.test_stored import saved

    saved(folder)
    return folder


def assert_alike(bounds: Enclosure, other: Enclosure) -> None:
    """Bounds take in the others, and are hardly wider."""
    width: Array = other.high - other.low
    assert (bounds.low <= other.low + 1e-9 * width).all()
    assert (bounds.high >= other.high - 1e-9 * width).all()
    assert ((bounds.high - bounds.low) <= 1.01 * width).all()


def test_what_follows_is_freed_when_all_is_compared() -> None:
    found = comparison(1.0)
    assert [c.standing for c in found.compared] == ["agrees"] * 3
    assert not found.floats._made
    assert not found.floats._values
