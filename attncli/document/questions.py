"""What an exercise asks: its blanks, what is accepted for them, the papers that they stand on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from attncli.equations.tree import Location, Number
from attncli.languages import FrameWords, words_of
from attncli.names import Word
from attncli.numbers import decimals
from attncli.option_values import LANGUAGES, LAYOUTS, PAPER_SIZES, Layout, PaperSize

_HALF = Decimal("0.5")
_SLACK = Decimal("1e-13")
"""Moodle widens an interval by 10^-14 at either end, times the number where that is above 1."""


class Interval(NamedTuple):
    """What is accepted: from `low` to `high`, both included."""

    low: Decimal
    high: Decimal

    @property
    def centre(self) -> Decimal:
        return decimals.product(decimals.total(self), _HALF)

    @property
    def tolerance(self) -> Decimal:
        return decimals.product(decimals.difference(self.high, self.low), _HALF)

    def is_apart(self, other: Interval) -> bool:
        """Whether no number belongs to both, not even one at an end as Moodle takes it."""
        first, second = sorted((self, other))
        largest = max(Decimal(1), *map(abs, (*first, *second)))
        gap = decimals.difference(second.low, first.high)
        return gap > decimals.product(_SLACK, largest)


class MistakenAnswer(NamedTuple):
    """What a common mistake would give in place of an answer."""

    name: str
    says: str
    number: Number
    accepted: Interval


_MANY = 5
"""Units of the last place that an answer may be off by and still tell something."""


class RightAnswer(NamedTuple):
    """What is right for a blank: every number that is `accepted`.

    `carry` and `exact` are what the two rounding policies give (None: nothing), `number` the
    answer itself, `half` half a unit of its last place; `slips` are common mistakes by their
    numbers, the ranges of all of them apart from each other and from the right one; `hidden` are
    those that give another number that is accepted, too, `alike` pairs that give nearly the same.
    """

    number: Number
    accepted: Interval
    carry: Number | None
    exact: Number | None
    slips: tuple[MistakenAnswer, ...] = ()
    half: Decimal = Decimal(0)
    hidden: tuple[str, ...] = ()
    alike: tuple[tuple[str, str], ...] = ()

    @property
    def is_wide(self) -> bool:
        """Whether more than five units of the last place are accepted."""
        low, high = self.accepted
        return low.is_finite() and high - low > 2 * _MANY * self.half

    def is_kept(self, places: int) -> bool:
        """Whether the answer is still right where a platform rounds what is typed to so many
        decimals."""
        number = self.number.shown
        if not number.is_finite():
            return True
        low, high = self.accepted
        return low <= decimals.round_to(number, places) <= high

    @property
    def places(self) -> int:
        """The decimals that the answer is rounded to."""
        exponent = self.half.as_tuple().exponent
        return -exponent - 1 if isinstance(exponent, int) else 0


Worth = int | Decimal
"""Points, or a sum of them."""


class RightWords(NamedTuple):
    """What is right for a question that is answered in words: some of its `options`, by their
    places; the first is the answer. `labels` are what the options are called where one is chosen,
    none where it is written."""

    options: tuple[Word, ...]
    right: tuple[int, ...]
    labels: tuple[str, ...] = ()

    @property
    def answer(self) -> Word:
        return self.options[self.right[0]]

    @property
    def answers(self) -> tuple[Word, ...]:
        """All that is right."""
        return tuple(self.options[k] for k in self.right)


class Item(NamedTuple):
    """One thing that an exercise asks for: a blank by its id, and its points. `cell` is that of a
    result, none where the number stands inside a line; `key` is what is right for a number, `words`
    for what is answered in words: neither is there in what is for students. A teacher's own
    question `asks` in these words."""

    id: str
    points: Worth = 1
    key: RightAnswer | None = None
    words: RightWords | None = None
    cell: Location | None = None
    asks: str = ""

    @property
    def by_hand(self) -> bool:
        """Whether a person marks it; on a student's sheet nothing tells."""
        return self.key is None and self.words is None

    @property
    def right(self) -> RightAnswer:
        """What is right for a number."""
        assert self.key is not None
        return self.key

    @property
    def unanswered(self) -> Item:
        """The same without what is right."""
        return self._replace(key=None, words=None)

    @property
    def answer(self) -> str:
        """The answer as a file says it; nothing where that is for a student to do."""
        if self.words is not None:
            return self.words.answer.raw
        return "" if self.key is None else decimals.text(self.key.number.shown)


class WorkedInBrowser(NamedTuple):
    """How numbers that are asked for are worked from each other, as data for a page that judges
    them by their author's own, and the place of each in it by its id: a quantity, and a cell."""

    data: Mapping[str, Any]
    places: Mapping[str, tuple[int, int]]


class OwnNumbers(NamedTuple):
    """What tells how the numbers of a paper, or of a part of one, are `worked` in a browser, by a
    page that may hold the key or by one that may not; their ids begin with a `prefix`."""

    worked: Callable[[bool], WorkedInBrowser]
    prefix: str = ""


class AcceptedAnswer(NamedTuple):
    """What is right for a blank that a sheet can't judge by its author's own numbers."""

    texts: tuple[str, ...] = ()
    """What is right in words, the place of the option where one is chosen, or `-∞`."""
    interval: Interval | None = None
    """What is accepted of a number."""
    with_fewer_decimals: tuple[str, ...] = ()
    """The right number with each number of decimals that is too few."""
    same: str = ""
    """The id of another blank for the same number: equal to what stands there, this one follows."""
    unlike: bool = False
    """Whether another number may be right by its author's own ones: it isn't called wrong, only
    unlike the key."""


class JudgedPlace(NamedTuple):
    """Where a number that its author's own ones tell of stands in what a sheet works: in which of
    its parts, in which quantity and cell of that."""

    part: int
    quantity: int
    cell: int


class SelfCheck(NamedTuple):
    """By what a sheet checks itself: for each of its blanks, by its id, what is right, or the place
    in what the sheet works in its `parts`; how many characters the longest answer has, and whether
    any has a sign."""

    answers: Mapping[str, AcceptedAnswer | JudgedPlace]
    width: int = 0
    signed: bool = False
    parts: tuple[Mapping[str, Any], ...] = ()


@lru_cache(maxsize=256)
def points_text(points: Worth) -> str:
    """Points as they are written, `2` or `0.5`."""
    return format(Decimal(points).normalize(), "f")


def counted_points(points: Worth, words: FrameWords) -> str:
    """`1 point`, `0.5 points`"""
    return words.paper.counted("points", points, points_text(points))


def plain_points(points: Worth) -> int | float:
    """Points as data has them: whole ones without a point."""
    return int(points) if points == int(points) else float(points)


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOST_LISTED = 9
"""Options of which one can be chosen from a list."""


def labels_of(options: Sequence[str]) -> tuple[str, ...]:
    """What options are called in a list: letters, or numbers where a letter could be meant for one
    of them; nothing where they can't be listed."""
    taken = {option.strip().upper() for option in options}
    letters = tuple(_LETTERS[: len(options)])
    for labels in (letters, tuple(str(k + 1) for k in range(len(options)))):
        if len(options) <= _MOST_LISTED and taken.isdisjoint(labels):
            return labels
    return ()


def form_name(k: int) -> str:
    """The name of the k-th form of an exercise, from 0: A to Z, then A1 to Z1, A2 and so on."""
    turn, place = divmod(k, len(_LETTERS))
    return f"{_LETTERS[place]}{turn or ''}"


class Owner(NamedTuple):
    """Whose paper it is."""

    name: Word
    id: Word


class Paper(NamedTuple):
    """What makes a document part of an exercise.

    `kind` is `exercise` (the sheet with the answers behind its blanks), `sheet` (without them),
    `key`, `hints` or `grid`; `form` is the name of the form, `hash` tells what all of it was made
    from, `command` makes it again, and is on no paper for students, who could have the key by it.
    `points` is the sum over all sections. `share` is how much of a blank's points a known mistake
    earns, in per cent; `layout` says how much room there is, `language` is that of its frame, and
    `size` what it is printed on; `owner` is whose it is, where it is somebody's. What opens a
    paper with a `cover` has a page of its own. What `is_exam` is called one.
    """

    kind: str
    form: str
    hash: str
    command: Word
    points: Worth
    share: int = 0
    layout: Layout = LAYOUTS[1]
    language: str = LANGUAGES[0]
    owner: Owner | None = None
    size: PaperSize = PAPER_SIZES[0]
    cover: bool = False
    is_exam: bool = False

    @property
    def words(self) -> FrameWords:
        return words_of(self.language)

    @property
    def tells_command(self) -> bool:
        return bool(self.command.raw)

    @property
    def called(self) -> str:
        """`Worksheet, form A`"""
        words = self.words.paper
        called = _PAPERS[self.kind]
        called = "exam" if self.is_exam and called == "worksheet" else called
        paper: str = getattr(words, called)
        return paper if self.form == OWN_FORM else words.called.format(paper=paper, form=self.form)

    @property
    def marks(self) -> tuple[tuple[str, Word], ...]:
        """Which form it is, what it was made from and by which command."""
        words, form = self.words.paper, self.form
        if self.is_exam and form == OWN_FORM:
            return self.origin
        text = words.own_numbers.format(form=form) if form == OWN_FORM else form
        return ((words.form, Word(text)), *self.origin)

    @property
    def origin(self) -> tuple[tuple[str, Word], ...]:
        """What it was made from and by which command."""
        words = self.words.paper
        made_by = ((words.made_by, self.command),) if self.tells_command else ()
        return ((words.made_from, Word(self.hash)), *made_by)


OWN_FORM = "own"
"""The form with the scenario's own numbers."""
_PAPERS = {
    **dict.fromkeys(("exercise", "sheet"), "worksheet"),
    "key": "answer_key",
    "hints": "hints",
    "grid": "answer_grid",
}
"""Which word each kind of paper is called by."""
