"""Plain draws: coins, sizes, choices, figures, matrices; and the YAML of what was drawn."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Tree = dict[str, Any]
TOKENS = ("the", "cat", "no", "1", "null", "~", "on", "1.0", "été", "猫")
NAMES = ("the", "cat", "été", "猫")  # what no one takes for a position

# figures as people write them, from −1 to 1, the plainest first
CELLS = (
    "0", "1", "-1", "0.5", "1.0", "-0.5",
    *(f"{sign}0.{tenth}" for tenth in range(1, 10) for sign in ("", "-")),
    *(f"{sign}0.{hundredth:02}" for hundredth in range(5, 100, 9) for sign in ("", "-")),
)  # fmt: skip


def written(value: Any) -> str:
    """YAML in flow style."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {written(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(written(one) for one in value) + "]"
    return str(value)


class Pen:
    """Plain draws: coins, sizes, choices, matrices."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def coin(self, out_of: int = 2) -> bool:
        """Once in so many times."""
        return self._draw(st.integers(0, out_of - 1)) == out_of - 1

    def size(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def choice(self, *values: Any) -> Any:
        return self._draw(st.sampled_from(values))

    def cells(self, count: int, *values: str) -> list[str]:
        one = st.sampled_from(values or CELLS)
        return self._draw(st.lists(one, min_size=count, max_size=count))

    def tokens(self, low: int, high: int, *, known: tuple[str, ...] = TOKENS) -> list[str]:
        return self._draw(st.lists(st.sampled_from(known), min_size=low, max_size=high))

    def matrix(self, rows: int, columns: int, *values: str) -> list[list[str]]:
        figures = self.cells(rows * columns, *values)
        return [figures[i * columns : (i + 1) * columns] for i in range(rows)]

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
