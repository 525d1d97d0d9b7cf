"""When no numbers are found."""

from __future__ import annotations

from attncli.refusals import Refusal


class Unsatisfied(Refusal):
    """Rules that no numbers were found for."""
