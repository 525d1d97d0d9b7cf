"""The cell that a scenario says is the answer of its page."""

from __future__ import annotations

from attncli.maths.equations.tree import Location
from attncli.scenario.file.address import AddressError, parse_address
from attncli.scenario.file.problems import scenario_error
from attncli.trace.published import quantity_at
from attncli.trace.trace import Trace


def check_answer(trace: Trace) -> None:
    """Raises ScenarioError where what a scenario says is its answer is no cell of its trace; what
    was changed may have lost the cell."""
    scenario = trace.scenario
    if not scenario.page.show.answer.cell or scenario.file.changed.made or scenario.file.varied:
        return
    try:
        _cell(trace)
    except AddressError as error:
        raise scenario_error(scenario.where("show.answer"), error.wrong, error.right) from None


def said_answer(trace: Trace) -> Location | None:
    """Returns the cell that the scenario says is its page's answer; None if it says none, or if
    this trace, as that of a variant, has no such cell."""
    if not trace.scenario.page.show.answer.cell:
        return None
    try:
        return _cell(trace)
    except AddressError:
        return None


def _cell(trace: Trace) -> Location:
    """Finds the cell. Raises AddressError."""
    address = parse_address(trace.scenario.page.show.answer.cell)
    quantity, indices = quantity_at(trace, {}, address)
    return Location(quantity.name, *quantity.find(address._replace(indices=indices)))
