"""What Moodle gives for answers, and how wide it makes a field."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Context, Decimal
from itertools import combinations

from tests.classroom.cloze.grammar import Alternative, Field
from tests.classroom.cloze.reader import Cloze

EXACT = Context(prec=200)  # sums of numbers as people write them lose no digit

# What Moodle's numerical questions take for a number: the beginning of what was typed.
LEADING = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?", re.ASCII)
POWER = re.compile(r"(?:e|E|[x*×]10(?:\^|\*\*))([+-]?\d+)", re.ASCII)

SHOWN_DIGITS = 14  # PHP's own setting `precision`
WIDEST = 60


def mark(field: Field, answer: str) -> tuple[Decimal, str]:
    """The share of a field's weight that an answer earns, and what is said to it: of a numerical
    field, of a short answer, or of a choice.

    The first alternative in order whose interval, both ends included, has the answer. Moodle
    compares floats, and so widens the interval by 1e-14 times the larger of the value and the
    tolerance (older ones: of the value and 1); here it is exact, so that an answer which needs
    that slack is found.
    """
    if field.kind in ("shortanswer", "multichoice"):
        return _mark_text(field, answer)
    if field.kind != "numerical":
        raise ValueError(f"numerical fields and short answers are marked, not {field.kind}")
    given = typed(answer)
    if given is None:  # nothing, or no number: wrong even where there is a catch-all
        return Decimal(0), ""
    for alternative in field.alternatives:
        if _accepts(alternative, given):
            return alternative.share, alternative.feedback
    return Decimal(0), ""


def _mark_text(field: Field, answer: str) -> tuple[Decimal, str]:
    """The first alternative that is the same text, whatever its case; without wildcards."""
    for alternative in field.alternatives:
        if alternative.text.strip().casefold() == answer.strip().casefold():
            return alternative.share, alternative.feedback
    return Decimal(0), ""


def marks(question: Cloze, answers: Sequence[str]) -> Decimal:
    """The weighted share of a question's marks that these answers earn, 0 to 1; 0 where nothing
    weighs anything, which Moodle takes for marked (qtype_multianswer_question::grade_response)."""
    pairs = list(zip(question.fields, answers, strict=True))
    earned = sum((field.weight * mark(field, answer)[0] for field, answer in pairs), Decimal(0))
    return earned / (sum(field.weight for field in question.fields) or 1)


def overlaps(field: Field) -> list[tuple[Alternative, Alternative]]:
    """Pairs of alternatives whose closed intervals share a point; catch-alls don't count."""
    return [pair for pair in combinations(field.alternatives, 2) if _touch(*pair)]


def visible_size(field: Field) -> int:
    """How many characters wide Moodle makes a field that nothing was typed into yet: as its
    longest answer, right or wrong, as stored. (It then adds at random up to 15 %, in whole
    characters: nothing up to 6.)"""
    longest = max(len(stored(a)) for a in field.alternatives)
    return min(WIDEST, max(1, longest))


def stored(alternative: Alternative) -> str:
    """An answer as Moodle keeps it: a number is no text but a number of PHP, so that 0.50
    becomes 0.5 and 12.0 becomes 12."""
    if alternative.value is None:
        return alternative.text.strip()
    if re.fullmatch(r"-?[0-9]{1,18}", alternative.text):
        return str(int(alternative.text))
    return _as_php(float(alternative.value))


def typed(answer: str) -> Decimal | None:
    """The number in what somebody typed; what follows it is taken for a unit and ignored."""
    text = POWER.sub(r"e\1", answer.replace(" ", ""))
    # A lone comma is a decimal point; beside a point, or twice, commas part thousands.
    grouped = "." in text or text.count(",") > 1
    match = LEADING.match(text.strip().replace(",", "" if grouped else "."))
    return Decimal(match[0]) if match else None


def _accepts(alternative: Alternative, given: Decimal) -> bool:
    if alternative.catches_all:
        return True
    if alternative.value is None:
        return False
    return _apart(given, alternative.value) <= _reach(alternative)


def _touch(alternative: Alternative, other: Alternative) -> bool:
    if alternative.value is None or other.value is None:
        return False
    return _apart(alternative.value, other.value) <= EXACT.add(_reach(alternative), _reach(other))


def _apart(number: Decimal, other: Decimal) -> Decimal:
    return EXACT.abs(EXACT.subtract(number, other))


def _reach(alternative: Alternative) -> Decimal:
    return EXACT.abs(alternative.tolerance or Decimal(0))


def _as_php(number: float) -> str:
    """A float as PHP writes it: plain from 1.0E-4 up to its digits, with an exponent beyond."""
    if number == 0:
        return "0"
    mantissa, exponent = f"{number:.{SHOWN_DIGITS - 1}e}".split("e")
    if -4 <= int(exponent) < SHOWN_DIGITS:
        return f"{Decimal(f'{mantissa}e{exponent}').normalize():f}"
    digits = mantissa.rstrip("0")
    return f"{digits}{'0' if digits.endswith('.') else ''}E{int(exponent):+d}"
