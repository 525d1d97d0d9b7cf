"""The changes that options make to a scenario for one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from attncli.scenario.settings import Change


def changes_of(
    sets: Sequence[str] | None, decimals: str | None, rounding: str | None
) -> list[str | Change]:
    """`--set`, then `--decimals` (of every step) and `--rounding`."""
    from attncli.scenario.settings import Change

    changes: list[str | Change] = list(sets or ())
    if decimals is not None:
        option = f"--decimals {decimals}"
        changes.append(Change(option, "rounding.decimals", decimals))
        changes.append(Change(option, "rounding.steps", "{}"))
    if rounding is not None:
        changes.append(Change(f"--rounding {rounding}", "rounding.policy", rounding))
    return changes
