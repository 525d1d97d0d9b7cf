"""A page to lay beside papers and mark them by eye: the right answers of all forms in one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

from attncli.classroom.exercises.fingerprint import joint_mark
from attncli.classroom.exercises.requests import answers_of, label_of
from attncli.classroom.marking.exam_parts import BETWEEN_PARTS
from attncli.document.blocks import Callout, DefinitionList, Document, Table
from attncli.document.languages import FrameWords, Words
from attncli.document.questions import (
    OWN_FORM,
    Item,
    RightAnswer,
    Worth,
    counted_points,
    points_text,
)
from attncli.maths.equations.tree import Number
from attncli.maths.notation import plain
from attncli.maths.numbers import decimals
from attncli.names import Word

_UNASKED = "–"


def answer_grid(
    forms: Sequence[Document], most: Mapping[str, Worth] = MappingProxyType({})
) -> Document:
    """Makes the grid of the forms of an exercise, each given as a document with all its answers.
    Below stands what the papers of each form were made from. `most` has the most points that parts
    can bring, by how their ids begin."""
    papers = [form.paper for form in forms if form.paper is not None]
    first = papers[0]
    words = first.words.keys
    by_form = [{item.id: item for item in form.items} for form in forms]
    rows: list[tuple[Word | str, ...]] = []
    order = in_order(by_form)
    for number, id_ in enumerate(order, start=1):
        asked = [items.get(id_) for items in by_form]
        cells = (_cell(item, words) for item in asked)
        rows.append((Word(f"{number} · {id_}"), *cells, _one_of(i.points for i in asked if i)))
        begins = _part_of(id_)
        if begins in most and (number == len(order) or _part_of(order[number]) != begins):
            rows.append(_at_most(begins, most[begins], by_form, first.words))
    hashes = [paper.hash for paper in papers]
    worths = [paper.points for paper in papers]
    own = [""] * len(worths) if len(set(worths)) == 1 else [*map(points_text, worths)]
    last: tuple[tuple[Word | str, ...], ...] = (
        (words.points, *own, points_text(worths[0]) if own[0] == "" else ""),
        (first.words.paper.made_from, *map(Word, hashes), ""),
    )
    names = (words.answer if p.form == OWN_FORM else Word(p.form) for p in papers)
    return Document(
        forms[0].title,
        (),
        DefinitionList(()),
        closing=(
            Callout((words.how_to_mark,)),
            Table((words.blank, *names, words.points), (*rows, *last)),
        ),
        paper=first._replace(
            kind="grid",
            form=" – ".join(dict.fromkeys((first.form, papers[-1].form))),
            hash=joint_mark(hashes) if len(hashes) > 1 else first.hash,
        ),
    )


def _part_of(id_: str) -> str:
    """Returns how the ids of a part begin; nothing where there is one part."""
    number, slash, _ = id_.partition(BETWEEN_PARTS)
    return f"{number}{slash}" if slash and number.isdecimal() else ""


def _one_of(points: Iterable[Worth]) -> str:
    """Writes the points of a blank; all of them where forms differ."""
    return " / ".join(map(points_text, sorted(set(points))))


def _at_most(
    begins: str, most: Worth, forms: Sequence[Mapping[str, Item]], words: FrameWords
) -> tuple[Word | str, ...]:
    """Returns the row below a part that can't bring all the points of its rows: these in each form,
    and those that count."""
    own = (
        points_text(sum(item.points for id_, item in items.items() if _part_of(id_) == begins))
        for items in forms
    )
    part = words.paper.part.format(number=begins.removesuffix(BETWEEN_PARTS))
    says = words.paper.at_most.format(points=counted_points(most, words))
    return Word(f"{part}: {says}"), *own, points_text(most)


def in_order(forms: Iterable[Iterable[str]]) -> list[str]:
    """Merges the ids of all forms into one order. One that not all forms ask for stands behind what
    is before it."""
    order: list[str] = []
    for ids in forms:
        place = 0
        for id_ in ids:
            if id_ in order:
                place = order.index(id_)
            else:
                order.insert(place, id_)
            place += 1
    return order


def _cell(item: Item | None, words: Words) -> Word | str:
    """Writes what is right for a blank in a form, as the range that is accepted by eye, a unit of
    the last place around the key. Returns nothing for what a person reads."""
    if item is None:
        return _UNASKED
    if item.words is not None:
        return label_of(item.words, words) or answers_of(item.words, words)
    if item.key is None:
        return ""
    low, high = ends_by_eye(item.key)
    if low.shown < high.shown or not item.key.half:
        unit = decimals.unit(item.key.places) if item.key.half else Decimal(0)
        least, most = decimals.added(low.shown, unit), decimals.difference(high.shown, unit)
        shown = [plain(Number.written(end)) for end in dict.fromkeys((least, most))]
        return shown[0] if len(shown) == 1 else words.range.format(low=shown[0], high=shown[1])
    return f"= {plain(low)}"


def ends_by_eye(key: RightAnswer) -> tuple[Number, Number]:
    """Returns the least and the greatest number with the decimals of the answer that are accepted.
    Returns the answer itself twice where it isn't rounded, whatever it is written with."""
    low, high = key.accepted
    if low == high or not (low.is_finite() and high.is_finite()):
        return key.number, key.number
    if not key.half:
        return Number.written(low), Number.written(high)
    return _inside(low, low, high, key), _inside(high, low, high, key)


def _inside(end: Decimal, low: Decimal, high: Decimal, key: RightAnswer) -> Number:
    """Returns the rounded number next to an end of a range, and not beyond it."""
    number, unit = decimals.round_to(end, key.places), decimals.unit(key.places)
    if number < low:
        number = decimals.total((number, unit))
    elif number > high:
        number = decimals.difference(number, unit)
    return Number.written(number)
