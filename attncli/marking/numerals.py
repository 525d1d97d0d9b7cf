"""Numbers as people write them: `0,422`, `.422`, `2/3`, `42.2%`, `1e-3`, `−0.5`, `-inf`."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, localcontext

from attncli.marking.verdicts import Given

_NUMBER = re.compile(r"([+-]?)(\d*(?:[.,]\d*)?)(?:(?:e|×10\^)([+-]?\d{1,4}))?(%?)")
_FRACTION = re.compile(r"([+-]?)(\d{1,60})/(\d{1,60})(%?)")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:(?:,\d{3})+\.\d*|(?:\.\d{3})+,\d*)")
"""Thousands by commas before a point, or by points before a comma."""
_SPACE = re.compile(r"(?<=\d) +(?=\d(?!\d\d(?!\d)))")
"""A space that keeps two numbers apart: no three digits follow it."""
_ENDLESS = re.compile(r"([+-]?)(?:inf|infinity|∞)")
_SIGNS = str.maketrans(dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d", "-"))
"""Whatever people, and what they type with, take for a minus."""
_ASIDE = str.maketrans(dict.fromkeys("\u066b", ".")) | str.maketrans(dict.fromkeys("'’_", None))
"""Another decimal point, and what stands between thousands."""
_LONGEST = 200
"""Characters of an answer that is looked at."""
_LARGEST = 300
"""The exponent up to which numbers can be worked with."""
_FRACTION_DIGITS = 50


def read_number(text: str, where: str = "") -> Given:
    """What somebody wrote for a number, in the file and line of `where`; unreadable where it is
    none."""
    found = _number(_plainly(text)) if len(text) <= _LONGEST else None
    if found is None or (found[0].is_finite() and found[0].adjusted() > _LARGEST):
        return Given(text, None, where=where)
    return Given(text, *found, where)


def _plainly(text: str) -> str:
    """The text without spaces, its digits and signs those of a keyboard; `=` before it is of no
    account."""
    known = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS | _ASIDE)
    known = known.replace("\u2044", "/")
    parts = _SPACE.split(" ".join(known.split()).lower().removeprefix("="))
    joined = "|".join(part.replace(" ", "") for part in parts)
    return joined.replace("·10^", "×10^").replace("*10^", "×10^")


def _number(text: str) -> tuple[Decimal, int | None] | None:
    """A number and the decimals that it is written with, None of a fraction."""
    if match := _ENDLESS.fullmatch(text):
        return Decimal(f"{match[1]}Infinity"), 0
    if match := _FRACTION.fullmatch(text):
        return _fraction(match)
    if _GROUPED.fullmatch(text):
        point = max(text.rfind("."), text.rfind(","))
        text = f"{text[:point].replace(',', '').replace('.', '')}.{text[point + 1 :]}"
    match = _NUMBER.fullmatch(text)
    if match is None or not any(map(str.isdigit, match[2])):
        return None
    sign, digits, exponent, percent = match.groups()
    shift = int(exponent or 0) - (2 if percent else 0)
    number = Decimal(f"{sign}{digits.replace(',', '.')}E{shift}")
    places = number.as_tuple().exponent
    assert isinstance(places, int)
    return number, max(0, -places)


def _fraction(match: re.Match[str]) -> tuple[Decimal, None] | None:
    sign, above, below, percent = match.groups()
    if not int(below):
        return None
    with localcontext() as context:
        context.prec = _FRACTION_DIGITS
        number = Decimal(f"{sign}{above}") / (Decimal(below) * (100 if percent else 1))
    return number, None
