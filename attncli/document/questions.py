"""The questions of an exercise: blanks, what is accepted for them, the papers they stand on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from attncli.document.languages import FrameWords, words_of
from attncli.maths.equations.tree import Location, Number
from attncli.maths.numbers import decimals
from attncli.names import Word
from attncli.option_values import LANGUAGES, LAYOUTS, PAPER_SIZES, Layout, PaperSize

_HALF = Decimal("0.5")
_SLACK = Decimal("1e-13")
"""Moodle widens an interval by 10^-14 at either end, times the number where that is above 1."""


class Interval(NamedTuple):
    """An interval of accepted numbers: from `low` to `high`, both included."""

    low: Decimal
    high: Decimal

    @property
    def centre(self) -> Decimal:
        """Returns the number in the middle."""
        return decimals.product(decimals.total(self), _HALF)

    @property
    def tolerance(self) -> Decimal:
        """Returns the distance of the ends from the middle."""
        return decimals.product(decimals.difference(self.high, self.low), _HALF)

    def is_apart(self, other: Interval) -> bool:
        """Tells whether no number belongs to both, not even one at an end as Moodle takes it."""
        first, second = sorted((self, other))
        largest = max(Decimal(1), *(abs(end) for end in (*first, *second) if end.is_finite()))
        gap = decimals.difference(second.low, first.high)
        return gap > decimals.product(_SLACK, largest)


class MistakenAnswer(NamedTuple):
    """The number that a common mistake gives in place of an answer."""

    name: str
    says: str
    number: Number
    accepted: Interval


_MANY = 5
"""Units of the last place that an answer may be off by and still tell something."""


class RightAnswer(NamedTuple):
    """What is right for a blank."""

    number: Number
    """The answer itself."""
    accepted: Interval
    """The numbers that are accepted."""
    carry: Number | None
    """What the policy `carry` gives; None where that is nothing."""
    exact: Number | None
    """What the policy `exact` gives; None where that is nothing."""
    slips: tuple[MistakenAnswer, ...] = ()
    """The common mistakes by their numbers, whose ranges are apart from each other and from the
    right one."""
    half: Decimal = Decimal(0)
    """Half a unit of the answer's last place."""
    hidden: tuple[str, ...] = ()
    """The mistakes that give a number that is accepted: the right one, or one beside it."""
    alike: tuple[tuple[str, str], ...] = ()
    """The pairs of mistakes that give wrong numbers that can't be told apart."""

    @property
    def is_wide(self) -> bool:
        """Tells whether more than five units of the last place, either way, are accepted."""
        low, high = self.accepted
        return low.is_finite() and high - low > 2 * _MANY * self.half

    def is_kept(self, places: int) -> bool:
        """Tells whether the answer is still right where a platform rounds what is typed to so many
        decimals."""
        number = self.number.shown
        if not number.is_finite():
            return True
        low, high = self.accepted
        return low <= decimals.round_to(number, places) <= high

    @property
    def places(self) -> int:
        """Counts the decimals that the answer is rounded to."""
        exponent = self.half.as_tuple().exponent
        return -exponent - 1 if isinstance(exponent, int) else 0


Worth = int | Decimal
"""Points, or a sum of them."""


class RightWords(NamedTuple):
    """What is right for a question that is answered in words."""

    options: tuple[Word, ...]
    right: tuple[int, ...]
    """The places of the right options; the first is the answer."""
    labels: tuple[str, ...] = ()
    """What the options are called where one is chosen; none where the answer is written."""

    @property
    def answer(self) -> Word:
        return self.options[self.right[0]]

    @property
    def answers(self) -> tuple[Word, ...]:
        """Returns all options that are right."""
        return tuple(self.options[k] for k in self.right)


class Item(NamedTuple):
    """One thing that an exercise asks for."""

    id: str
    """The id of its blank."""
    points: Worth = 1
    key: RightAnswer | None = None
    """What is right for a number; in what is for students, None."""
    words: RightWords | None = None
    """What is right for an answer in words; in what is for students, None."""
    cell: Location | None = None
    """The cell of a result; None where the number stands inside a line."""
    asks: str = ""
    """The words in which a teacher's own question asks."""
    called: str = ""
    """What its part calls the blank."""

    @property
    def by_hand(self) -> bool:
        """Tells whether a person marks it; on a student's sheet nothing tells."""
        return self.key is None and self.words is None

    @property
    def right(self) -> RightAnswer:
        """Returns what is right for a number."""
        assert self.key is not None
        return self.key

    @property
    def unanswered(self) -> Item:
        """Returns the same item without what is right."""
        return self._replace(key=None, words=None)

    @property
    def answer(self) -> str:
        """Returns the answer as a file says it; nothing where that is for a student to do."""
        if self.words is not None:
            return self.words.answer.raw
        return "" if self.key is None else decimals.text(self.key.number.shown)


class Hint(NamedTuple):
    """The working of a number, without it."""

    by_names: str
    """The working with names in the place of numbers."""
    parts: tuple[str | tuple[int, int], ...]
    """The working with numbers: texts, and the places of numbers that are worked before."""


class WorkedInBrowser(NamedTuple):
    """How numbers that are asked for are worked from each other, for a page that judges them by
    their author's own."""

    data: Mapping[str, object]
    places: Mapping[str, tuple[int, int]]
    """The place of each number in that data, by its id: a quantity, and a cell."""
    hints: Mapping[str, Hint] = MappingProxyType({})
    """How each number is worked, by its id, without it."""


class OwnNumbers(NamedTuple):
    """How the numbers of a paper, or of a part of one, follow from what their author wrote
    before."""

    worked: Callable[[bool], WorkedInBrowser]
    """Makes what a browser works them from, for a page that may hold the key (True) or one that may
    not."""
    prefix: str = ""
    """How their ids begin."""


class AcceptedAnswer(NamedTuple):
    """What is right for a blank that a sheet can't judge by its author's own numbers."""

    texts: tuple[str, ...] = ()
    """What is right in words, the place of the option where one is chosen, or `-∞`."""
    interval: Interval | None = None
    """What is accepted of a number."""
    with_fewer_decimals: tuple[str, ...] = ()
    """The right number with each number of decimals that is too few."""
    unlike: bool = False
    """Whether another number may be right by its author's own ones: it isn't called wrong, only
    unlike the key."""


class JudgedPlace(NamedTuple):
    """The place, in what a sheet works, of a number that is judged by its author's own ones."""

    part: int
    quantity: int
    cell: int
    hint: Hint | None = None
    """How it is worked."""


class SelfCheck(NamedTuple):
    """What a sheet checks itself by."""

    answers: Mapping[str, AcceptedAnswer | JudgedPlace]
    """For each blank, by its id, what is right, or the place in what the sheet works itself."""
    width: int = 0
    """How many characters the longest answer has."""
    signed: bool = False
    """Whether any answer has a sign."""
    parts: tuple[Mapping[str, Any], ...] = ()
    """What the sheet works, part by part."""


@lru_cache(maxsize=256)
def points_text(points: Worth) -> str:
    """Writes points: `2` or `0.5`."""
    return format(Decimal(points).normalize(), "f")


def counted_points(points: Worth, words: FrameWords) -> str:
    """Writes points with their word: `1 point`, `0.5 points`."""
    return words.paper.counted("points", points, points_text(points))


def plain_points(points: Worth) -> int | float:
    """Converts points for data: whole ones to an integer."""
    return int(points) if points == int(points) else float(points)


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOST_LISTED = 9
"""Options of which one can be chosen from a list."""


def labels_of(options: Sequence[str]) -> tuple[str, ...]:
    """Chooses what options are called in a list: letters, or numbers where a letter could be meant
    for one of them; nothing where they can't be listed."""
    taken = {option.strip().upper() for option in options}
    letters = tuple(_LETTERS[: len(options)])
    for labels in (letters, tuple(str(k + 1) for k in range(len(options)))):
        if len(options) <= _MOST_LISTED and taken.isdisjoint(labels):
            return labels
    return ()


def form_name(k: int) -> str:
    """Names the k-th form of an exercise, from 0: A to Z, then A1 to Z1, A2 and so on."""
    turn, place = divmod(k, len(_LETTERS))
    return f"{_LETTERS[place]}{turn or ''}"


class Owner(NamedTuple):
    """The person whose paper it is."""

    name: Word
    id: Word


class Paper(NamedTuple):
    """What makes a document part of an exercise."""

    kind: str
    """`exercise` (the sheet with the answers behind its blanks), `sheet` (without them), `key`,
    `hints` or `grid`."""
    form: str
    """The name of the form."""
    hash: str
    """What tells from which scenario and settings all of it was made."""
    command: Word
    """The command that makes it again; on no paper for students, who could have the key by it."""
    points: Worth
    """The sum over all sections."""
    share: int = 0
    """How much of a blank's points a known mistake earns, in per cent."""
    layout: Layout = LAYOUTS[1]
    """How much room there is."""
    language: str = LANGUAGES[0]
    """The language of its frame."""
    owner: Owner | None = None
    """Whose it is, where it is somebody's."""
    size: PaperSize = PAPER_SIZES[0]
    """What it is printed on."""
    cover: bool = False
    """Whether what opens it has a page of its own."""
    is_exam: bool = False
    """Whether it is called an exam."""

    @property
    def words(self) -> FrameWords:
        return words_of(self.language)

    @property
    def tells_command(self) -> bool:
        return bool(self.command.raw)

    @property
    def called(self) -> str:
        """Returns what it is called: `Worksheet, form A`."""
        words = self.words.paper
        called = _PAPERS[self.kind]
        called = "exam" if self.is_exam and called == "worksheet" else called
        paper: str = getattr(words, called)
        return paper if self.form == OWN_FORM else words.called.format(paper=paper, form=self.form)

    @property
    def marks(self) -> tuple[tuple[str, Word], ...]:
        """Returns which form it is; nothing for an exam's only one."""
        words, form = self.words.paper, self.form
        if form == OWN_FORM and (self.is_exam or self.kind == "sheet"):
            return ()
        return ((words.form, Word(words.own_numbers if form == OWN_FORM else form)),)

    @property
    def made_from(self) -> str:
        """Returns which form it is, and what it was made from: `form A · Paper code k45a9470`."""
        words = self.words.paper
        code = words.made_from_hash.format(hash=self.hash)
        form = words.one_form.format(form=self.form)
        return code if self.form == OWN_FORM else f"{form} · {code}"

    @property
    def origin(self) -> tuple[tuple[str, Word], ...]:
        """Returns what it was made from and by which command."""
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
