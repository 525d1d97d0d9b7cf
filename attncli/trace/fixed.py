"""What is given for just so many tokens, and so can't go with a sentence that grows."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.file.problems import Problems
from attncli.scenario.scenario import Scenario
from attncli.trace.axes import names_along, place_of


def check_generation(scenario: Scenario, problems: Problems) -> None:
    """Says what stands in the way of generating more than one token."""
    more = scenario.prediction.generate - 1
    if more < 1:
        return
    for name in _fixed(scenario):
        problems.add(
            scenario.where(name), f"{name} is for this sentence only, and generation makes it"
            " longer", "leave it out, or generate 1 token",
        )  # fmt: skip
    cached = scenario.stack.layers[0].attention.cached or ()
    for positions in scenario.stack.positions:
        table = scenario.given.get(positions.table)
        start = positions.said.values.get("start", 0)
        wanted = start + len(cached) + len(scenario.text.tokens) + more
        if table is not None and table.shape[0] < wanted:
            problems.add(
                scenario.where(positions.table),
                f"{positions.table} has {table.shape[0]} rows, and {wanted} are needed to generate"
                f" {more + 1} tokens",
                f"give it {wanted} rows",
            )


def _fixed(scenario: Scenario) -> Iterator[str]:
    """The names of what has a row or column for each token of the sentence."""
    if scenario.prediction.loss:
        yield "targets"
    if scenario.stack.segments:
        yield "segments"
    for name in scenario.given:
        place = place_of(name, scenario)
        elsewhere = (
            place.stack is not scenario.stack or name.path.local == "cache" or name == "memory"
        )
        roles = {names_along(name, side, scenario)[0] for side in (0, 1)}
        growing = {"token", "Q"} if place.attention.sees_memory else {"token", "Q", "K"}
        if not elsewhere and roles & growing:
            yield name
