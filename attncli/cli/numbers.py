"""Whole numbers as people type them."""

from __future__ import annotations

from attncli.writing import OutputError


def whole(option: str, text: str, least: int, most: int) -> int:
    """The whole number of an option. Raises OutputError for anything else, and for one that is
    too small or too large."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        wrong = "is no whole number"
    elif text != digits or int(digits[:_LONGEST]) < least:
        wrong = "is too few"
    elif len(digits) > _LONGEST or int(digits) > most:
        wrong = "is too many"
    else:
        return int(digits)
    raise OutputError.of(f"{option} {text}", wrong, f"give one from {least} to {most}")


_LONGEST = 30
"""More digits than any number has that is taken."""
