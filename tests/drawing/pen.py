"""Plain draws: coins, sizes, choices, numbers, matrices; and the YAML of what was drawn."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st

Tree = dict[str, Any]
TOKENS = ("the", "cat", "no", "1", "null", "~", "on", "1.0", "été", "猫")
NAMES = ("the", "cat", "été", "猫")  # what no one takes for a position

# numbers as people write them, from −1 to 1, the plainest first
CELLS = (
    "0", "1", "-1", "0.5", "1.0", "-0.5",
    *(f"{sign}0.{tenth}" for tenth in range(1, 10) for sign in ("", "-")),
    *(f"{sign}0.{hundredth:02}" for hundredth in range(5, 100, 9) for sign in ("", "-")),
)  # fmt: skip


_PLAIN = re.compile(r"[^\W_][^\n:#,{}\[\]&*!|>'\"%@`?\s]*|-?\.?[\d.]+|-inf|~")


def written(value: Any) -> str:
    """YAML in flow style; texts that would be read as something else are in quotes."""
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{_text(key)}: {written(data)}" for key, data in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(written(data) for data in value) + "]"
    return _text(value)


def _text(value: Any) -> str:
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


class Pen:
    """Plain draws: coins, sizes, choices, matrices."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def coin(self, out_of: int = 2) -> bool:
        """Once in so many times."""
        return self.size(0, out_of - 1) == out_of - 1

    def size(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def choice(self, *values: Any) -> Any:
        return self._draw(st.sampled_from(values))

    def some(self, out_of: int, **values: tuple[str, ...]) -> Tree:
        """Each of some keys once in so many times, with one of its values."""
        return {key: self.choice(*texts) for key, texts in values.items() if self.coin(out_of)}

    def several(self, low: int, high: int, values: Sequence[str]) -> list[str]:
        return self._draw(st.lists(st.sampled_from(values), min_size=low, max_size=high))

    def cells(self, count: int, *values: str) -> list[str]:
        return self.several(count, count, values or CELLS)

    def tokens(self, low: int, high: int, *, known: tuple[str, ...] = TOKENS) -> list[str]:
        return self.several(low, high, known)

    def matrix(self, rows: int, columns: int, *values: str) -> list[list[str]]:
        numbers = self.cells(rows * columns, *values)
        return [numbers[i * columns : (i + 1) * columns] for i in range(rows)]

    def weight(self, rows: int, columns: int, *, turned: bool) -> Any:
        """A matrix used as x W, given as it is or turned; now and then a random one."""
        shape = (columns, rows) if turned else (rows, columns)
        if not self.coin(8):
            return self.matrix(*shape)
        kinds = {"normal": {"std": "0.5"}, "uniform": {"low": "-1", "high": "1"}}
        kind = self.choice("normal", "uniform")
        seed = self.size(0, 99)
        return {"random": kind, "seed": seed, **kinds[kind], "shape": list(shape)}

    def table(self, n: int, m: int, *, seen: tuple[str, ...], hidden: str) -> list[list[str]]:
        """A table of seen and hidden keys; each query sees the first key and its own."""
        rows = self.matrix(n, m, *seen, hidden)
        for i, row in enumerate(rows):
            row[0] = seen[0]
            row[max(i + m - n, 0)] = seen[0]
        return rows


class RandomPen(Pen):
    """Draws that are a seed's, the same again and again."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def size(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def choice(self, *values: Any) -> Any:
        return self.rng.choice(values)

    def several(self, low: int, high: int, values: Sequence[str]) -> list[str]:
        return self.rng.choices(values, k=self.rng.randint(low, high))
