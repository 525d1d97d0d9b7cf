"""JSON of large traces: made in pieces, and the same as if each number were written by itself."""

from __future__ import annotations

import json
import math
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli import load, work
from attncli.formats import RenderOptions, render, stream_of
from attncli.maths.equations.matrix import Matrix
from attncli.maths.notation import plain
from attncli.maths.notation.rows import plain_rows
from attncli.output_files import write_file
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough

ODD = [0.0, -0.0, 0.0005, -0.0005, 0.00049999, 9.6e-5, 9.5e-5, 1.5e-5, 1e-7, 1.5e-7, 3e-30, -4e-300,
       0.1235, 2.6755, 0.9995, 999999.9995, 1e14, 123456789012345.5, 1e15, 7e22, 1e300, -math.inf]  # fmt: skip


@given(
    st.lists(
        st.sampled_from(ODD) | st.floats(-1e6, 1e6) | st.floats(-1e-3, 1e-3), min_size=1, max_size=8
    ),
    st.sampled_from([0, 1, 3, 8, 12]),
    st.booleans(),
)
def test_rows_are_written_as_their_numbers_are(
    numbers: list[float], places: int, carry: bool
) -> None:
    finite = [x if math.isfinite(x) and (not carry or abs(x) < 1e9) else 0.5 for x in numbers]
    matrix = Matrix.of_array(np.array([finite, finite[::-1]]), places, carry=carry)
    if not carry:
        matrix = Matrix(np.array([numbers, numbers[::-1]]), None, places)
    entries = [[plain(matrix.number(i, j)) for j in range(len(numbers))] for i in (0, 1)]
    texts = ["; ".join(row) for row in entries]
    assert [*plain_rows(matrix, (0, 1), "; ")] == texts
    assert [*plain_rows(matrix, (1,), "; ")] == texts[1:]


def big(policy: str, size: int) -> dict[str, Any]:
    """A scenario whose weights are small, as those of many tokens are."""
    rng = np.random.default_rng(5)
    matrices = {name: rng.normal(size=(size, size)) / 5 for name in ("X", "W_Q", "W_K", "W_V")}
    return {**matrices, "mask": "causal", "rounding": {"policy": policy, "decimals": 2}}


def test_every_text_of_a_large_trace_is_that_of_its_number() -> None:
    trace = work(load(big("exact", 50)))
    data = json.loads(render(walkthrough(trace, Selection()), "json", RenderOptions()))
    made = {entry["name"]: entry for step in data["steps"] for entry in step["quantities"]}
    rng = np.random.default_rng(6)
    for name in ("scores", "exp", "weights", "output", "masked"):
        quantity = trace[name]
        for i, j in rng.integers(0, quantity.matrix.shape, (60, 2)).tolist():
            value = quantity.values[i, j]
            assert made[name]["text"][i][j] == plain(quantity.number(i, j))
            assert made[name]["values"][i][j] == (value if math.isfinite(value) else None)


def test_a_large_page_is_never_a_whole() -> None:
    small, page = (walkthrough(work(load(big("carry", size))), Selection()) for size in (4, 80))
    assert "".join(
        map(str, stream_of(small, "json", RenderOptions()))
    )  # modules are in memory by now
    tracemalloc.start()
    lengths = [*map(len, map(str, stream_of(page, "json", RenderOptions())))]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert max(lengths) < 5_000
    assert most < sum(lengths) / 2


def test_what_comes_in_pieces_gets_to_its_file_whole_or_not_at_all(tmp_path: Path) -> None:
    there, broken = tmp_path / "there.json", tmp_path / "broken.json"
    pieces = [f"{k}é\n" for k in range(40_000)]
    write_file(str(there), (piece for piece in pieces), force=False)
    assert there.read_text("utf-8") == "".join(pieces)

    def breaking() -> Iterator[str]:
        yield from pieces
        raise ZeroDivisionError

    for path in (there, broken):
        with pytest.raises(ZeroDivisionError):
            write_file(str(path), breaking(), force=True)
    assert there.read_text("utf-8") == "".join(pieces)
    assert [*tmp_path.iterdir()] == [there]
