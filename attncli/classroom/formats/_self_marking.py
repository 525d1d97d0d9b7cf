"""Forms that mark answers by themselves, as HTML: places for answers, solutions, hints, ranges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from attncli.classroom.formats.yaml import asking
from attncli.document.blocks import (
    AnswerSpace,
    Block,
    Derivation,
    Document,
    Fields,
    Line,
    Section,
    Table,
    each,
    text_of_spans,
)
from attncli.document.questions import (
    OWN_FORM,
    Interval,
    Item,
    MistakenAnswer,
    Paper,
    RightAnswer,
    RightWords,
)
from attncli.formats.html.blocks import (
    HtmlStyle,
    blocks_html,
    escaped,
    expression_html,
    facts_html,
    spans_html,
)
from attncli.formats.numbers import text_of
from attncli.maths.equations.tree import Blank, Location, Number
from attncli.maths.notation import plain
from attncli.maths.notation.escaping import visible
from attncli.maths.numbers import decimals

_LONGEST = 30


class TakenWrong(NamedTuple):
    """A common mistake that a key takes as such."""

    mistake: MistakenAnswer
    """The mistake."""
    share: int
    """What it earns, in per cent."""

    @property
    def name(self) -> str:
        return self.mistake.name.replace("_", " ")


class Alternatives(NamedTuple):
    """A blank's answers: what is right, and the mistakes that are apart from it and from each
    other."""

    answer: Decimal
    """The answer itself."""
    right: Interval
    """All that is accepted as right."""
    slips: tuple[TakenWrong, ...]
    """The mistakes, with what each of them earns."""

    @classmethod
    def of(cls, key: RightAnswer, share: int) -> Alternatives:
        """Makes the alternatives of a right answer. A mistake earns a `share` of the points, in per
        cent; nothing where it gives 0, which anybody can type."""
        kept = cls(key.number.shown, key.accepted, ())
        for slip in key.slips:
            low, high = slip.accepted
            if all(map(slip.accepted.is_apart, kept.intervals)):
                taken = TakenWrong(slip, 0 if low <= 0 <= high else share)
                kept = kept._replace(slips=(*kept.slips, taken))
        return kept

    @property
    def intervals(self) -> tuple[Interval, ...]:
        return (self.right, *(slip.mistake.accepted for slip in self.slips))

    @property
    def numbers(self) -> tuple[Decimal, ...]:
        """Returns the numbers by which the answers are written."""
        return (self.answer, *(interval.centre for interval in self.intervals))


def interval_text(accepted: Interval) -> str:
    """Writes an interval as an answer of a field."""
    return f"{number_text(accepted.centre)}:{number_text(accepted.tolerance)}"


def number_text(number: Decimal) -> str:
    """Writes a number in full, with an ASCII minus and without zeros at its end; a very long one
    with an exponent, `1.0E-300`, as Moodle itself writes it. Raises ValueError for one that isn't
    finite."""
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


LEVEL = 4
"""That of a section's heading."""
LOOKS = """\
.attn table { border-collapse: collapse; margin: 0 0 1em }
.attn th, .attn td { padding: .25em .75em; border-bottom: 1px solid rgba(127, 127, 127, .4) }
.attn th { text-align: left; font-weight: 600 }
.attn th, .attn td { vertical-align: baseline }
.attn .figure { text-align: right; font-variant-numeric: tabular-nums }
.attn .result { white-space: nowrap }
"""
_MOST_NAMED = 2
_HIDDEN = "▢"
"""In the place of a number that is asked for elsewhere, or would tell what is asked for."""
MASKED = ("-inf", "−inf", "-∞", "−∞")
"""How people write what a masked score is, for which there is no number."""

Styled = Callable[[Callable[[Blank], str]], HtmlStyle]
"""The style of a format, by how it writes blanks."""


class SelfMarking(NamedTuple):
    """A form with all its answers."""

    document: Document
    """What the form asks."""
    paper: Paper
    """What makes the document part of an exercise."""
    alternatives: Mapping[str, Alternatives]
    """What is accepted for its blanks, by their ids: nothing where the answer is masked."""
    lines: Mapping[str, str] = MappingProxyType({})
    """The lines of working of its blanks as texts, by their ids: none that is long."""

    @classmethod
    def of(cls, document: Document, paper: Paper) -> SelfMarking:
        """Makes a form of a document. Raises ValueError for one that doesn't say what is right."""
        for question in document.items:
            if question.key is None and question.words is None:
                raise ValueError(f"{question.id} has no key, which can't be done without")
        by_name = {
            question.id: Alternatives.of(question.key, paper.share)
            for question in document.items
            if question.key is not None and question.key.number.shown.is_finite()
        }
        return cls(document, paper, by_name, dict(_lines_of(document)))

    def right(self, question: Item) -> str:
        """Writes what is right for a number: its line of working, or where there is none the number
        alone."""
        return self.lines.get(question.id, text_of(question.right.number))

    def is_masked(self, question: Item) -> bool:
        """Tells whether the answer is −∞, for which there is no number."""
        return question.words is None and question.id not in self.alternatives

    def asked(self, styled: Styled, place: Callable[[Item], str]) -> Iterator[str]:
        """Yields what is to be done, as HTML: what the key depends on, what the exercise opens
        with, and each section, with a place for each answer."""
        facts, opening = self.document.facts, self.document.opening
        if facts is not None and facts.rows:
            yield facts_html(facts, styled(answer_of))
        if any(map(self.is_masked, self.document.items)):
            yield f"<p>{self.paper.words.files.masked.format(code='<code>-inf</code>')}</p>"
        for section in asking(self.document):
            places = _Places(section, place)
            style = styled(places.of)
            yield blocks_html(map(_without_room, printed_blocks(opening)), style)
            yield heading_html(section, style)
            yield from (f"<p>{expression_html(f, style)}</p>" for f in section.formulas)
            yield blocks_html(printed_blocks(section.blocks), style)
            places.check()
            opening = ()

    def solved(self, styled: Styled) -> Iterator[str]:
        """Yields the worked solutions, as HTML."""
        style = styled(answer_of)
        for section in asking(self.document):
            yield heading_html(section, style)
            yield blocks_html(printed_blocks(section.solution), style)

    @property
    def names(self) -> tuple[str, ...]:
        """Says which form it is, if there are several, and its steps."""
        text = self.paper.words.paper.one_form.format(form=self.paper.form)
        form = () if self.paper.form == OWN_FORM else (text,)
        return (*form, *headings(self.document))


_LONGEST_LINE = 200


def _lines_of(document: Document) -> Iterator[tuple[str, str]]:
    """Yields the ids of blanks with their lines of working: `exp[love, AI] = e^2 = 7.389`"""
    for section in asking(document):
        lines = {cell: line for block in each(section.solution) for cell, line in _ends(block)}
        for question in section.questions:
            text = "" if question.cell is None else lines.get(question.cell, "")
            if 0 < len(text) <= _LONGEST_LINE:
                yield question.id, text


def _ends(block: Block) -> Iterator[tuple[Location, str]]:
    """Yields the lines of a block that end with a single cell, each with the cell."""
    for line in block.lines if isinstance(block, Derivation) and not block.mistake else ():
        last = line.parts[-1][1] if isinstance(line, Line) and line.parts else None
        if isinstance(line, Line) and isinstance(last, Number) and isinstance(last.cell, Location):
            forms = "".join(f" {relation} {plain(form)}" for relation, form in line.parts)
            yield last.cell, f"{plain(line.label)}{forms}".replace("\u00a0", " ")


def hinted(sections: Sequence[Section], styled: Styled) -> Iterator[str]:
    """Yields what is told after a try that was wrong, as HTML."""
    style = styled(answer_of)
    for section in sections:
        yield heading_html(section, style)
        yield blocks_html(section.blocks, style)


def headings(document: Document) -> list[str]:
    """Lists the steps that something is asked of; of many the first and the last."""
    texts = [text_of_spans(section.heading, visible) for section in asking(document)]
    if len(texts) <= _MOST_NAMED or document.paper is None:
        return texts
    words = document.paper.words.files
    return [words.first_to_last.format(first=texts[0], last=texts[-1])]


def heading_html(section: Section, style: HtmlStyle) -> str:
    return f"<h{LEVEL}>{spans_html(section.heading, style)}</h{LEVEL}>"


def whole(parts: Iterable[str]) -> str:
    inside = "\n".join(part for part in parts if part)
    return f'<div class="attn">\n{inside}\n</div>'


def answer_of(blank: Blank) -> str:
    """Writes the answer in the place of a blank."""
    return _HIDDEN if blank.answer is None else text_of(blank.answer)


def written_answers(key: RightWords) -> list[str]:
    """Lists how people write what is right: the words, and the parts of a pair in other ways."""
    found: dict[str, None] = {}
    for answer in key.answers:
        parts = answer.raw.split(" ")
        entries = (answer.raw, "".join(parts), ", ".join(parts), f"({', '.join(parts)})")
        found |= dict.fromkeys(text for text in entries if text.strip())
    return list(found)


def printed_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yields the blocks but those for writing on paper."""
    return (block for block in each(blocks) if not isinstance(block, Fields | AnswerSpace))


def _without_room(block: Block) -> Block:
    """Returns a table without a last column that only has room to write on paper."""
    match block:
        case Table(headings=[*headings, _], rows=rows) if not any(row[-1] for row in rows):
            return block._replace(headings=tuple(headings), rows=tuple(row[:-1] for row in rows))
    return block


class _Places:
    """A section's places for answers: each of its questions at one, where it comes first."""

    def __init__(self, section: Section, place: Callable[[Item], str]) -> None:
        self.place = place
        self.left = {question.id: question for question in section.questions}
        self.known = set(self.left)

    def of(self, blank: Blank) -> str:
        if blank.id in self.left:
            return self.place(self.left.pop(blank.id))
        if blank.id and blank.id not in self.known:
            raise ValueError(f"no question of its section asks for {blank.id}")
        return _HIDDEN

    def check(self) -> None:
        """Checks that all that is asked for is on the page; raises ValueError where something
        isn't."""
        if self.left:
            raise ValueError(f"no blank on the page for {', '.join(self.left)}")


DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(text: str) -> str:
    """Escapes a text, so that it has nothing that XML would obey, in or outside quotes."""
    return escaped(allowed(text))


def cdata(html: str) -> str:
    parts = allowed(html).replace("]]>", "]]]]><![CDATA[>")
    return f"<![CDATA[{parts}]]>"


def allowed(text: str) -> str:
    """Puts a replacement character for what XML can't hold at all."""
    return _NOT_IN_XML.sub("\ufffd", text)
