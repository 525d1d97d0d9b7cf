"""A scenario ends in little time and memory, or says what is too much of it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from attncli import load, work
from attncli.telling.selection import Selection
from attncli.telling.walkthrough import walkthrough
from tests.growing import GROWING

SMALL = {
    "layers": 30,
    "times": 12,
    "gates": 3,
    "vocabulary": 2000,
    "characters": 5000,
    "letters, bpe": 500,
    "letters, wordpiece": 1000,
}
"""Where what is done is as much as the scenario is long, a length that takes a while."""

LONGER, MORE = 8, 20
"""Something that is linear takes about 8 times as long then, something quadratic 64 times."""


def seconds(text: str, file: Path) -> float:
    """The time of the processor from a file to what is told of it."""
    file.write_text(text)
    began = time.process_time()
    walkthrough(work(load(file)), Selection())
    return time.process_time() - began


@pytest.mark.parametrize("kind", SMALL)
def test_what_is_longer_costs_in_proportion(kind: str, tmp_path: Path) -> None:
    file, grown = tmp_path / "scenario.yaml", GROWING[kind]
    seconds(grown(4), file)  # imports what it needs
    small = min(seconds(grown(SMALL[kind]), file) for _ in range(3))
    assert seconds(grown(LONGER * SMALL[kind]), file) < MORE * small
