"""A case: a scenario, a command, and what else is in the folder; all of it from one number."""

from __future__ import annotations

import io
import shlex
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from tests.drawing import Pen, RandomPen, Tree, written
from tests.fuzzing import commands, grammar
from tests.fuzzing.mutations import spoil
from tests.fuzzing.scribbles import scribble


class Case(NamedTuple):
    """What is run: the bytes of a scenario and the words behind `attn`, on a page so wide.

    The scenario is `sound` where nothing has been spoiled."""

    number: int
    scenario: bytes
    arguments: list[str]
    columns: int
    sound: bool

    def furnish(self, folder: Path) -> None:
        """Puts into a folder what a run may find there."""
        (folder / commands.SCENARIO).write_bytes(self.scenario)
        (folder / "taken.md").write_text("old")
        (folder / "there").mkdir()
        for name, data in _arrays().items():
            (folder / name).write_bytes(data)

    def said(self, *options: str) -> str:
        """What is typed behind an option, the last time it is there."""
        typed = [value for name, value in pairwise(self.arguments) if name in options]
        return typed[-1] if typed else ""

    def told(self) -> str:
        """All that somebody needs to see the run again."""
        return (
            f"python -m tests.fuzzing {self.number}   # or, with the scenario below:\n"
            f"COLUMNS={self.columns} {shlex.join(['attn', *self.arguments])}\n"
            f"--- {commands.SCENARIO}\n{self.scenario.decode(errors='backslashreplace')}\n---"
        )


def case(number: int) -> Case:
    """The case of a number, always the same."""
    pen = RandomPen(Random(number))
    times, scribbled = pen.choice(0, 0, 0, 0, 1, 1, 1, 2, 3), pen.coin(7)
    tree = spoil(pen, grammar.scenario(pen), times)
    typed = [_typed(word) for word in commands.arguments(pen, tree)]
    columns = pen.choice(80, 80, 40, 20, 1, 200)
    return Case(
        number, _data(pen, tree, scribbled=scribbled), typed, columns, times + scribbled == 0
    )


def _data(pen: Pen, tree: Tree, *, scribbled: bool) -> bytes:
    """The YAML of a tree, its text spoiled or not."""
    text = "".join(f"{written(key)}: {written(value)}\n" for key, value in tree.items())
    return scribble(pen, text) if scribbled else text.encode(errors="surrogatepass")


def _typed(word: str) -> str:
    """A word as a shell can hand it over, which knows no byte 0."""
    data = word.replace("\0", "").encode(errors="surrogatepass")
    return data.decode(sys.getfilesystemencoding(), errors="surrogateescape")


@cache
def _arrays() -> dict[str, bytes]:
    """Files of arrays that scenarios may name."""
    single, several = io.BytesIO(), io.BytesIO()
    W = np.arange(4.0).reshape(2, 2)
    np.save(single, W)
    np.savez(several, W=W, deep=np.zeros((2, 2, 2)), text=np.array([["x"]]), nan=W * np.nan)
    return {"arrays.npy": single.getvalue(), "arrays.npz": several.getvalue()}
