"""The table of a class for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from attncli.render.exercises.csv import guarded


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows as CSV, lines ended as RFC 4180 has it. In the first and the last column are
    somebody's words, which no spreadsheet is to obey."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(
        (guarded(name), *others, guarded(last)) for name, *others, last in rows
    )
    return text.getvalue()
