"""What commands do with a scenario, in times of what it takes to work it; each declares it for
itself, so that what would take too long is refused before any of it is done."""

from __future__ import annotations

from dataclasses import dataclass

MOST_PAPERS = 1000
"""Forms, students or papers that are handled at once, which takes half a minute or so."""


@dataclass(frozen=True)
class Effort:
    """What a command takes, in times of what it takes to work its scenario: of the time for each
    step at its place, of that for each number that is made, and of the memory for these. Each was
    measured as the costs of a scenario
    were (`scenario.scenario`)."""

    steps: float = 1
    numbers: float = 1
    memory: float = 1

    def at_least(self, other: Effort) -> Effort:
        """What takes as much as the greater of both."""
        return Effort(
            max(self.steps, other.steps),
            max(self.numbers, other.numbers),
            max(self.memory, other.memory),
        )


WORKING = Effort()
SHEETS = Effort(numbers=8, memory=7.5)
"""What sheets, keys and marks take: what each number may be on all honest ways."""
