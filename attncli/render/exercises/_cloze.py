"""Fields of Moodle's cloze questions: `{2:NUMERICAL:=0.42:0.005#why~%50%0.58:0.005#why}`.

How Moodle reads them (question/type/multianswer/questiontype.php, question/type/numerical):

* A field ends at the first `}` without a backslash before it, an alternative at such a `~`, an
  answer at such a `#`. A feedback then has its HTML entities decoded, and `\\}` and `\\#` replaced
  by `}` and `#`; nothing turns `\\~` or `\\\\` back, so that these are written as entities.
* An answer is a number and how far from it one may be, both ends included. The first one that
  earns all is what is shown as right.
* A field's weight is a whole number; the points of a question are their sum.
* The visible size of a field is that of its longest answer, as a number and not as it was written:
  zeros in front or behind are lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import count
from math import lcm
from typing import NamedTuple

from attncli.arithmetic import decimals
from attncli.notation.words import printed
from attncli.questions import Question, RightWords
from attncli.render.exercises._accepted import (
    AcceptedRange,
    Alternatives,
    TakenWrong,
    number_text,
)
from attncli.render.exercises._moodle_text import text
from attncli.render.exercises._self_marking import MASKED, written_answers

_LEAST_WIDTH, _MOST_WIDTH = 6, 18
"""Moodle makes fields of more than some characters longer by chance; 18 digits keep a whole
number from becoming a fraction with an exponent."""
_STAR = r"\*"
_OBEYED = re.compile(r"[\\~{}&#]")
_HASH = r"\#"
_KEPT = re.compile(r"[\\~{}]")


class Size(NamedTuple):
    """What the fields of a question have in common: the answer that makes all of them equally
    wide, and what their points are multiplied by, since Moodle's weights are whole numbers."""

    filler: str
    scale: int

    @classmethod
    def of(cls, questions: Iterable[Question], asked: Sequence[Alternatives]) -> Size:
        parts = (Fraction(question.points).denominator for question in questions)
        return cls(filler(asked), lcm(*parts))

    def weight(self, question: Question) -> int:
        return int(question.points * self.scale)


def field(
    question: Question,
    told: Alternatives,
    right: str,
    wrong: Callable[[TakenWrong], str],
    size: Size,
) -> str:
    """A blank as a field; `right` and `wrong` are what is said, in HTML."""
    parts = [f"={text}#{in_field(right)}" for text in _right(told)]
    parts += [f"%{one.share}%{one.accepted.text}#{in_field(wrong(one))}" for one in told.slips]
    return f"{{{size.weight(question)}:NUMERICAL:{'~'.join([*parts, f'%0%{size.filler}:0'])}}}"


def _right(told: Alternatives) -> Iterable[str]:
    """What is right: first the answer, with as much around it as is accepted on both sides, then
    all that is accepted."""
    below = decimals.difference(told.answer, told.right.low)
    above = decimals.difference(told.right.high, told.answer)
    near = max(Decimal(0), min(below, above))
    return dict.fromkeys((f"{number_text(told.answer)}:{number_text(near)}", told.right.text))


def masked_field(question: Question, said: str, size: Size) -> str:
    """A blank that holds −∞, as a short answer."""
    told = in_field(said)
    parts = [*(f"={text}#{told}" for text in MASKED), f"%0%{size.filler}"]
    return f"{{{size.weight(question)}:SHORTANSWER:{'~'.join(parts)}}}"


def word_field(question: Question, key: RightWords, said: str, size: Size) -> str:
    """A blank that is answered in words: a choice, or a short answer whatever its letters' case."""
    told, weight = in_field(said), size.weight(question)
    if key.labels:
        options = (in_field(text(printed(option)).replace("*", "&#42;")) for option in key.options)
        choices = [
            f"={option}#{told}" if k in key.right else option for k, option in enumerate(options)
        ]
        return f"{{{weight}:MULTICHOICE:{'~'.join(choices)}}}"
    # a star would stand for any text
    parts = [f"={as_typed(one.replace('*', _STAR))}#{told}" for one in written_answers(key)]
    return f"{{{weight}:SHORTANSWER:{'~'.join([*parts, f'%0%{size.filler}'])}}}"


def as_typed(answer: str) -> str:
    """A text as it is written in an answer, from which Moodle gets just that text again."""
    return _OBEYED.sub(lambda found: _HASH if found[0] == "#" else f"&#{ord(found[0])};", answer)


def in_field(html: str) -> str:
    """HTML as it is written in a feedback, from which Moodle gets just that HTML again."""
    kept = _KEPT.sub(lambda found: f"&#{ord(found[0])};", html)
    return kept.replace("&", "&amp;").replace("#", r"\#")


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
