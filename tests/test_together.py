"""Many forms at once are what they are one by one: in one array, and in several processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli import load, work
from attncli.arithmetic import evaluation
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Rounding
from attncli.cli import app
from attncli.cli.exercising import papers
from attncli.cli.processes import cores, side_by_side
from attncli.design.search import SearchRequest, search
from attncli.design.unrounded import Start, unrounded
from attncli.file.problems import ScenarioError
from attncli.marking.judging import Judge
from attncli.marking.together import together
from attncli.name import Name
from attncli.records import replace
from attncli.telling.exercise import groups
from attncli.telling.exercise.blanked import shown_rows
from attncli.telling.exercise.fingerprint import MadeFrom, fingerprint
from attncli.trace import Trace
from attncli.trace.at_once import retold_at_once
from tests.conftest import sampled
from tests.pages import SHIPPED, trace_of


def forms_of(name: str, count: int) -> list[Trace]:
    return [
        *search(trace_of(SHIPPED[name]).scenario, SearchRequest(count, 5, allow=("difficulty",)))
    ]


@pytest.mark.parametrize("name", ["i_love_ai", "yassine_gru", "yassine_lstm", "encoder_block"])
def test_paths_that_are_worked_together_lead_where_they_lead_alone(name: str) -> None:
    forms = forms_of(name, 3)
    shown = forms[0].plan[0].name
    alone = [Judge(trace, [shown]).right for trace in forms]
    many = together([Judge(trace, [shown]).right for trace in forms])
    for one, beside in zip(alone, many, strict=True):
        assert beside.together is not None
        for quantity in one.trace:
            for ask in ("made", "gone_on_with", "written"):
                own, other = (getattr(paths, ask)(quantity) for paths in (one, beside))
                np.testing.assert_allclose(other, own, rtol=1e-11, atol=1e-11, err_msg=quantity)


def test_traces_that_tell_different_stories_are_worked_alone() -> None:
    both = [Judge(trace_of(SHIPPED[name])).right for name in ("i_love_ai", "word_order")]
    assert all(one is other for one, other in zip(together(both), both, strict=True))


@pytest.mark.parametrize(
    ("name", "shown"),
    [("i_love_ai", ()), ("i_love_ai", ("scores",)), ("encoder_block", ()), ("yassine_lstm", ())],
)
def test_numbers_without_rounding_are_those_of_each_form_alone(
    name: str, shown: tuple[str, ...]
) -> None:
    forms = forms_of(name, 4)
    rows = [{one: shown_rows(trace[one]) for one in shown} for trace in forms]
    starts = [
        Start(trace, {one: Matrix.of_written(own) for one, own in kept.items()})
        for trace, kept in zip(forms, rows, strict=True)
    ]
    wanted = "weights" if shown else forms[0].plan[-1].name
    many = unrounded(starts, [wanted])
    for trace, kept, known in zip(forms, rows, many, strict=True):
        assert known is not None
        alone = trace.under("exact", kept)
        for one in known.made.keys() - shown:
            number_of, own = known.matrix(one).number, alone[one].numbers.number
            cells = [*np.ndindex(alone[one].matrix.shape)]
            sure = [(i, j) for i, j in cells if known.is_certain(number_of(i, j))]
            assert [str(number_of(*cell).shown) for cell in sure] == [
                str(own(*cell).shown) for cell in sure
            ]


def test_what_floats_may_not_tell_is_worked_alone() -> None:
    own = {"X": [[2]], "W_Q": [[1]], "W_K": [[1]]}
    trace = work(load({**own, "rounding": {"policy": "carry", "decimals": 3}}))

    def start(X: str, W_K: str) -> Start:
        new = {Name("X"): X, Name("W_K"): W_K}
        matrices = {name: Matrix.of_written([[Decimal(one)]]) for name, one in new.items()}
        given = {**trace.scenario.given, **matrices}
        return Start(trace.retold(replace(trace.scenario, given=given)), {})

    plain, huge, half = start("2", "0.50000"), start("99999", "0.50000"), start("2", "0.00025")
    known, unknown, doubtful = unrounded([plain, huge, half], ["scores"])
    assert known is not None
    assert known.is_certain(known.matrix("K").number(0, 0))
    assert unknown is None
    assert doubtful is not None
    assert not doubtful.is_certain(doubtful.matrix("K").number(0, 0))
    assert unrounded([plain, start("2", "0.5")], ["scores"]) == [None, None]  # other decimals
    assert unrounded([plain], ["scores"]) == [None]


def test_what_forms_are_made_from_is_told_once() -> None:
    first, second = forms_of("i_love_ai", 2)
    told = MadeFrom.told_of(first.scenario)
    assert told.like(second.scenario) is told
    other = trace_of(SHIPPED["yassine_gru"]).scenario
    assert told.like(other) == MadeFrom.told_of(other)
    assert fingerprint(second, [], told) == fingerprint(second, []) != fingerprint(first, [])


def test_a_number_that_carries_is_what_its_line_comes_to() -> None:
    """What `working` leaves undone, since it must be so: each form of a line gives the number."""
    for trace in forms_of("encoder_block", 2):
        for quantity in trace.quantities.values():
            definition = quantity.definition
            if definition is None or definition.operation.copies:
                continue
            assert quantity.matrix.is_shown_in_full
            operands = trace.operands(definition)
            for i, j in np.ndindex(quantity.matrix.shape):
                form = definition.operation.cell(i, j, *operands)[-1]
                assert evaluation.relation(form, quantity.number(i, j)) == "="


@sampled(3, decimals=[2, 3], name=["i_love_ai", "encoder_block", "yassine_lstm", "next_token"])
def test_forms_that_are_worked_at_once_are_those_worked_alone_to_the_bit(
    name: str, decimals: int
) -> None:
    """With few decimals some numbers are halves, which no float settles."""
    rounding = Rounding("carry", decimals)
    forms = [replace(one.scenario.alone(), rounding=rounding) for one in forms_of(name, 4)]
    trace = work(forms[0])
    many = retold_at_once(trace, forms)
    assert many is not None
    for scenario, told in zip(forms, many, strict=True):
        alone = trace.retold(scenario)
        assert told.scenario is scenario
        assert [*told] == [*alone]
        for quantity in alone.quantities.values():
            own, other = quantity.matrix, told[quantity.name].matrix
            assert own.values.tobytes() == other.values.tobytes(), quantity.name
            assert (own.places, own.decimals) == (other.places, other.decimals)
            assert own.written == other.written


def test_what_one_of_many_cannot_be_worked_with_is_left_to_each_alone() -> None:
    trace = work(load({"X": [[2]], "W_Q": [[1]], "W_K": [[1]]}))
    wide = Matrix.of_written([[Decimal("9999999999999")]])  # whose square is too long to carry
    other = replace(trace.scenario, given={**trace.scenario.given, Name("X"): wide})
    assert retold_at_once(trace, [trace.scenario, other]) is None
    with pytest.raises(ScenarioError):
        trace.retold(other)


def test_processes_give_in_order_what_one_would() -> None:
    made = list(side_by_side(lambda n: (n * n, os.getpid()), iter(range(9))))
    assert [(n, square) for n, (square, _) in made] == [(n, n * n) for n in range(9)]
    assert made[0][1][1] == os.getpid()
    assert (cores() == 1) or made[1][1][1] != os.getpid()


def test_an_error_of_a_process_is_that_of_the_work() -> None:
    heard: list[int] = []

    def work(n: int) -> int:
        return 12 // (4 - n)

    def each() -> Iterator[int]:
        for n, _ in side_by_side(work, range(9)):
            heard.append(n)
            yield n

    with pytest.raises(ZeroDivisionError):
        list(each())
    assert heard == [0, 1, 2, 3]


def test_many_forms_are_the_same_whoever_makes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "_AT_ONCE", 2)
    texts = []
    for most in (5, 6):  # by processes, and by one
        monkeypatch.setattr(papers, "_MANY", most)
        folder = tmp_path / "forms"
        words = "exercise i_love_ai --cell scores[1,2] --forms 5 --format markdown --force -o"
        result = CliRunner().invoke(app, [*words.split(), str(folder)])
        assert result.exit_code == 0, result.output
        texts.append({path.name: path.read_bytes() for path in folder.iterdir()})
        assert len(texts[-1]) == 10
    assert texts[0] == texts[1]
