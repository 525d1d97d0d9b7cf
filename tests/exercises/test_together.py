"""Many forms at once are what they are one by one: in one array, and in several processes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.equations import deciding
from attncli.exercises import papers as sheets
from attncli.exercises.fingerprint import MadeFrom, fingerprint
from attncli.marking.honest_paths import together
from attncli.marking.judging import Judge
from attncli.nice_numbers.search import SearchRequest, search
from attncli.trace import Trace
from tests.helpers.pages import SHIPPED, trace_of


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
    for entry, beside in zip(alone, many, strict=True):
        assert beside.together is not None
        for quantity in entry.trace:
            for ask in ("made", "carried", "written"):
                own, other = (getattr(paths, ask)(quantity) for paths in (entry, beside))
                np.testing.assert_allclose(other, own, rtol=1e-11, atol=1e-11, err_msg=quantity)


def test_traces_that_tell_different_stories_are_worked_alone() -> None:
    both = [Judge(trace_of(SHIPPED[name])).right for name in ("i_love_ai", "word_order")]
    assert all(paths is other for paths, other in zip(together(both), both, strict=True))


def test_what_forms_are_made_from_is_told_once() -> None:
    first, second = forms_of("i_love_ai", 2)
    made_from = MadeFrom.of_scenario(first.scenario)
    assert made_from.like(second.scenario) is made_from
    other = trace_of(SHIPPED["yassine_gru"]).scenario
    assert made_from.like(other) == MadeFrom.of_scenario(other)
    assert fingerprint(second, [], made_from) == fingerprint(second, []) != fingerprint(first, [])


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
                assert deciding.relation(form, quantity.number(i, j)) == "="


def test_many_forms_are_the_same_however_many_are_made_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = []
    for most in (2, 5):
        monkeypatch.setattr(sheets, "_AT_ONCE", most)
        folder = tmp_path / "forms"
        words = "exercise i_love_ai --cell scores[1,2] --forms 5 --format markdown --force -o"
        result = CliRunner().invoke(app, [*words.split(), str(folder)])
        assert result.exit_code == 0, result.output
        texts.append({path.name: path.read_bytes() for path in folder.iterdir()})
        assert len(texts[-1]) == 10
    assert texts[0] == texts[1]
