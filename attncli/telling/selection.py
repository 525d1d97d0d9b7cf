"""Which part of a trace is told, and how closely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import MOST_PARTS, elided
from attncli.choices import DETAILS
from attncli.scenario import STORY, Scenario
from attncli.scenario.address import Address, AddressError, Index, parse_address
from attncli.scenario.problems import nearest
from attncli.trace import Axis, Quantity, Trace
from attncli.trace.quantity import told_apart


class SelectionError(ValueError):
    """A step, a token or a cell that isn't there."""


class Selection(NamedTuple):
    """What to tell: some steps (none: all), the rows of one query, how closely."""

    steps: tuple[str, ...] = ()
    query: int | None = None
    detail: str = "full"

    def includes(self, step: str) -> bool:
        return not self.steps or step in self.steps

    def rows(self, quantity: Quantity) -> tuple[int, ...]:
        """The rows of a quantity that are shown: one query's, or all."""
        if self.query is not None and quantity.rows.role in ("Q", "token"):
            return (self.query,)
        return tuple(range(quantity.matrix.shape[0]))

    def worked_rows(self, quantity: Quantity) -> list[int | None]:
        """The rows whose working is shown; None for those left out."""
        if self.query is not None:
            return [self.query] if quantity.rows.role in ("Q", "token") else []
        return list(elided(quantity.matrix.shape[0], MOST_PARTS))


def select(trace: Trace, steps: Sequence[str], token: str | None, detail: str) -> Selection:
    """The selection that options ask for. Raises SelectionError."""
    query = None if token is None else find_query(trace, token)
    return Selection(tuple(steps), query, detail)


def check_steps(steps: Sequence[str]) -> None:
    """Raises SelectionError, naming all of them, for steps that are none of the story."""
    wrong = [step for step in steps if step not in STORY]
    if wrong:
        raise SelectionError(
            "\n".join(f"--step {step}: no such step; {nearest(step, STORY)}" for step in wrong)
        )


def check_detail(detail: str) -> None:
    """Raises SelectionError for a detail that is none."""
    if detail not in DETAILS:
        raise SelectionError(f"--detail {detail}: no such detail; {nearest(detail, DETAILS)}")


def find_query(trace: Trace, token: str) -> int:
    """The place, from 0, of the query that `--token` names: a token, or else a position.

    Raises SelectionError.
    """
    axis = _queries(trace)
    try:
        return axis.find(_index_of_token(token), "the sentence")
    except AddressError as error:
        raise SelectionError(f"--token {token}: {error}") from None


def _index_of_token(token: str) -> Index:
    """`2` is a position and `"2"` a name, as in the address of a cell."""
    try:
        (index,) = parse_address(f"token[{token}]").indices
    except (AddressError, ValueError):
        return Index(token)
    return index


def _queries(trace: Trace) -> Axis:
    axes = [trace[name].rows for name in trace if trace[name].rows.role == "Q"]
    return axes[0] if axes else sentence_axis(trace.scenario)


def find_cells(
    trace: Trace, texts: Sequence[str], steps: Sequence[str], token: str | None
) -> list[tuple[str, Address]]:
    """The cells that `--cell` names, all of them. Raises SelectionError."""
    cells, wrong = [], []
    for text in texts:
        try:
            cells.append(find_cell(trace, text))
        except SelectionError as error:
            wrong.append(str(error))
    for option, given in (("--step", steps), ("--token", token)):
        if given:
            wrong.append(f"{option}: a cell is one figure; leave {option} out, or --cell")
    if wrong:
        raise SelectionError("\n".join(wrong))
    return cells


def find_cell(trace: Trace, text: str) -> tuple[str, Address]:
    """The quantity and the address that `--cell` names. Raises SelectionError."""
    lists = [name for name in ("tokens", "ids") if getattr(trace.scenario, name)]
    try:
        address = parse_address(text)
        if address.name in trace:
            trace[address.name].find(address)
        elif address.name in lists:
            place_in_list(trace.scenario, address)
        else:
            known = nearest(address.name, [*trace, *lists])
            raise AddressError(f"this trace has no quantity {address.name}; {known}")
    except AddressError as error:
        raise SelectionError(f"--cell {text}: {error}") from None
    return address.name, address


def place_in_list(scenario: Scenario, address: Address) -> int:
    """The place, from 0, of the token that an index of `tokens` or `ids` means."""
    axis = sentence_axis(scenario)
    if len(address.indices) != 1:
        raise AddressError(
            f"{address.name} is addressed by a token, like {address.name}[{axis.index(0)}]"
        )
    return axis.find(address.indices[0], "the sentence")


def sentence_axis(scenario: Scenario) -> Axis:
    """The tokens of the sentence as names."""
    return Axis(told_apart(scenario.tokens), "Q")
