"""Names that a spreadsheet takes: of sheets, and of ranges of cells."""

from __future__ import annotations

import re

_LONGEST_SHEET, _LONGEST_NAME, _LONGEST_GROUP = 31, 200, 14
_NOT_IN_SHEETS = r"[\[\]:*?/\\\x00-\x1f\x7f]+"
_ADDRESS = r"[A-Za-z]{1,3}\d+|[RrCc]\d*|[Rr]\d*[Cc]\d*"
"""What is read as an address, in one of two styles."""


class SheetNames:
    """The names of the sheets of one workbook, each other than all before it."""

    def __init__(self) -> None:
        self._taken = {"history"}  # which Excel keeps for itself

    def new(self, wanted: str, group: str = "") -> str:
        """A name as near to the wanted one as a sheet may have, behind that of its group."""
        wanted = f"{group[:_LONGEST_GROUP].rstrip()} · {wanted}" if group else wanted
        plain = re.sub(_NOT_IN_SHEETS, " ", wanted.replace("'", "’")).strip() or "Sheet"
        return _untaken(plain, self._taken, " ({})", _LONGEST_SHEET)


class RangeNames:
    """The names of ranges of one workbook."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, quantity: str) -> str:
        """`heads_1_weights`; with a `_` before it where it would be read as an address."""
        plain = re.sub(r"[^A-Za-z0-9_]+", "_", quantity).strip("_") or "_"
        if re.fullmatch(_ADDRESS, plain) or not re.match("[A-Za-z_]", plain):
            plain = f"_{plain}"
        return _untaken(plain, self._taken, "_{}", _LONGEST_NAME)


def _untaken(wanted: str, taken: set[str], behind: str, longest: int) -> str:
    """A name that is not taken, whether in large letters or small."""
    name, k = wanted[:longest].rstrip(), 2
    while name.lower() in taken:
        end = behind.format(k)
        name, k = f"{wanted[: longest - len(end)].rstrip()}{end}", k + 1
    taken.add(name.lower())
    return name
