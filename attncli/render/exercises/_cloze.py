"""Fields of Moodle's cloze questions: `{2:NUMERICAL:=0.42:0.005#why~%50%0.58:0.005#why}`.

How Moodle reads them (question/type/multianswer/questiontype.php, question/type/numerical):

* A field ends at the first `}` without a backslash before it, an alternative at such a `~`, an
  answer at such a `#`. A feedback then has its HTML entities decoded, and `\\}` and `\\#` replaced
  by `}` and `#`; nothing turns `\\~` or `\\\\` back, so that these are written as entities.
* An answer is a number and how far from it one may be, both ends included.
* The visible size of a field is that of its longest answer, as a number and not as it was written:
  zeros in front or behind are lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import count

from attncli.arithmetic import decimals
from attncli.questions import MistakenAnswer, Question, RightAnswer
from attncli.records import NamedTuple

_HALF = Decimal("0.5")
_SLACK = Decimal("1e-13")
"""Moodle widens an interval by 10^-14 at either end, times the number where that is above 1."""
_LONGEST = 30
_LEAST_WIDTH, _MOST_WIDTH = 6, 18
"""Moodle makes fields of more than some characters longer by chance; 18 digits keep a whole
number from becoming a fraction with an exponent."""
_KEPT = re.compile(r"[\\~{}]")


class AcceptedRange(NamedTuple):
    """What is accepted: from `low` to `high`, both included."""

    low: Decimal
    high: Decimal

    @property
    def centre(self) -> Decimal:
        return decimals.product(decimals.total((self.low, self.high)), _HALF)

    @property
    def tolerance(self) -> Decimal:
        return decimals.product(decimals.difference(self.high, self.low), _HALF)

    @property
    def text(self) -> str:
        """The interval as an answer of a field."""
        return f"{number_text(self.centre)}:{number_text(self.tolerance)}"

    def is_apart(self, other: AcceptedRange) -> bool:
        """Whether no number belongs to both, not even one at an end as Moodle takes it."""
        first, second = sorted((self, other))
        largest = max(Decimal(1), *map(abs, (*first, *second)))
        gap = decimals.difference(second.low, first.high)
        return gap > decimals.product(_SLACK, largest)


class RightRange(NamedTuple):
    """What is right: all that is accepted, and the answer itself."""

    answer: Decimal
    accepted: AcceptedRange

    @property
    def texts(self) -> list[str]:
        """What is right as answers of a field: first the one that Moodle shows, with as much
        around it as is accepted on both sides, then all that is accepted."""
        low, high = self.accepted
        below, above = decimals.difference(self.answer, low), decimals.difference(high, self.answer)
        near = max(Decimal(0), min(below, above))
        first = f"{number_text(self.answer)}:{number_text(near)}"
        return list(dict.fromkeys((first, self.accepted.text)))


class Alternatives(NamedTuple):
    """What is right for a blank, and the mistakes that are apart from it and each other."""

    right: RightRange
    slips: tuple[tuple[MistakenAnswer, AcceptedRange], ...]

    @classmethod
    def of(cls, key: RightAnswer) -> Alternatives:
        right = AcceptedRange(key.low, key.high)
        whole = RightRange(key.number.shown, right)
        kept: list[tuple[MistakenAnswer, AcceptedRange]] = []
        for slip in key.slips:
            interval = AcceptedRange(slip.low, slip.high)
            if all(interval.is_apart(other) for other in (right, *(i for _, i in kept))):
                kept.append((slip, interval))
        return cls(whole, tuple(kept))

    @property
    def intervals(self) -> tuple[AcceptedRange, ...]:
        return (self.right.accepted, *(interval for _, interval in self.slips))

    @property
    def numbers(self) -> tuple[Decimal, ...]:
        """The numbers by which its answers are written."""
        return (self.right.answer, *(interval.centre for interval in self.intervals))


class TakenWrong(NamedTuple):
    """What is accepted as a mistake, what it earns in per cent, and what is said to it, in HTML."""

    accepted: AcceptedRange
    share: int
    said: str


def field(
    question: Question, right: RightRange, said: str, slips: Iterable[TakenWrong], filler: str
) -> str:
    """A blank as a field; `said` is what is said of what is right, in HTML."""
    parts = [f"={text}#{in_field(said)}" for text in right.texts]
    parts += [f"%{one.share}%{one.accepted.text}#{in_field(one.said)}" for one in slips]
    return f"{{{question.points}:NUMERICAL:{'~'.join([*parts, f'%0%{filler}:0'])}}}"


_MASKED = ("-inf", "−inf", "-∞", "−∞")
"""How people write what a masked score is, which Moodle has no number for."""


def masked_field(question: Question, said: str, filler: str) -> str:
    """A blank that holds −∞, as a short answer."""
    told = in_field(said)
    parts = [*(f"={text}#{told}" for text in _MASKED), f"%0%{filler}"]
    return f"{{{question.points}:SHORTANSWER:{'~'.join(parts)}}}"


def in_field(html: str) -> str:
    """HTML as it is written in a feedback, from which Moodle gets just that HTML again."""
    kept = _KEPT.sub(lambda found: f"&#{ord(found[0])};", html)
    return kept.replace("&", "&amp;").replace("#", r"\#")


def number_text(number: Decimal) -> str:
    """A number in full, with an ASCII minus and without zeros at its end; a very long one with an
    exponent, `1.0E-300`, as Moodle itself writes it."""
    if not number.is_finite():
        raise ValueError(f"{number} can't be asked for")
    text = _without_zeros(format(decimals.unsigned_zero(number), "f"))
    if len(text) <= _LONGEST:
        return text
    mantissa, _, exponent = format(number, "E").partition("E")
    mantissa = _without_zeros(mantissa)
    return f"{mantissa if '.' in mantissa else f'{mantissa}.0'}E{exponent}"


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def filler(asked: Sequence[Alternatives]) -> str:
    """A number as long as the longest answer of a file, and apart from all of them.

    As an answer that earns nothing, like any other wrong number, it gives all fields one size
    and changes no marks.
    """
    intervals = [interval for told in asked for interval in told.intervals]
    numbers = (number for told in asked for number in told.numbers)
    longest = max((len(number_text(number)) for number in numbers), default=0)
    for width in count(min(max(_LEAST_WIDTH, longest), _MOST_WIDTH)):
        number = Decimal(f"-{'9' * (width - 1)}")
        if _is_apart_from(AcceptedRange(number, number), intervals):
            return f"{number}"
    raise AssertionError("there is always a longer number")


def _is_apart_from(one: AcceptedRange, others: Iterable[AcceptedRange]) -> bool:
    return all(one.is_apart(other) for other in others)
