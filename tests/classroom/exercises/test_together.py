"""Many forms at once are what they are one by one: in one array, and in several processes."""

from __future__ import annotations

import numpy as np

from attncli.classroom.exercises.fingerprint import MadeFrom, fingerprint
from attncli.classroom.forms.search import SearchRequest, search
from attncli.maths.equations import deciding
from attncli.trace import Trace
from tests.helpers.pages import SHIPPED, trace_of


def forms_of(name: str, count: int) -> list[Trace]:
    return [
        *search(trace_of(SHIPPED[name]).scenario, SearchRequest(count, 5, allow=("difficulty",)))
    ]


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
