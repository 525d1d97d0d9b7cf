"""The effort of commands, in times of working the scenario, by which long ones are refused."""

from __future__ import annotations

from dataclasses import dataclass

MOST_PAPERS = 1000
"""Forms, students or papers that are handled at once, which takes half a minute or so."""


@dataclass(frozen=True)
class Effort:
    """A cost of a command, in times of what working its scenario costs. Each factor was measured as
    the costs of a scenario were (`scenario.scenario`)."""

    steps: float = 1
    """The time for each step at its place."""
    numbers: float = 1
    """The time for each number that is made."""
    memory: float = 1
    """The memory for these numbers."""

    def at_least(self, other: Effort) -> Effort:
        """Returns the effort whose factors are the greater of the two."""
        return Effort(
            max(self.steps, other.steps),
            max(self.numbers, other.numbers),
            max(self.memory, other.memory),
        )


WORKING = Effort()
SHEETS = Effort(numbers=8, memory=7.5)
"""What sheets, keys and marks take: what each number may be on all honest ways."""
