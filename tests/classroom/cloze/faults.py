"""What Moodle would misread, silently drop, or show to students as litter.

Each check says what is wrong, one sentence a fault; none of them stops at the first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser

from tests.classroom.cloze.grammar import KIND_OF, Alternative, Field

MATHS = re.compile(r"\\\(.*?\\\)|\\\[.*?\\\]|\$\$.*?\$\$", re.DOTALL)
MARK = re.compile(r"\{#[0-9]+\}")
START = re.compile(
    rf"\{{(?:\s*[-+0-9.,]*\s*:\s*[a-z_]+|[^{{}}~=#:]*:\s*(?:{'|'.join(KIND_OF)}))\s*:",
    re.IGNORECASE,
)
VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "wbr"})
# What Moodle leaves in: it takes a backslash away before } and # alone.
LITTER = re.compile(r"\\[~\"]")


class ClozeError(ValueError):
    """A file that Moodle would not read as it was meant; `faults` has a sentence each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


def of_field(field: Field) -> Iterator[str]:
    """What is wrong with a field, alternatives and all."""
    if not any(alternative.share == 1 for alternative in field.alternatives):
        yield "there is no right answer"
    if START.search(field.source, 1):
        yield "the field has swallowed another: some alternative before it isn't closed"
    for alternative in field.alternatives:
        yield from _of_alternative(alternative, field.kind)
    if any(a.catches_all for a in field.alternatives[:-1]):
        yield "alternatives after the catch-all * are never reached"


def _of_alternative(alternative: Alternative, kind: str) -> Iterator[str]:
    percent = alternative.share * 100
    # Moodle reads decimals in shares only of late, and gives nothing below 0.
    if not 0 <= percent <= 100 or percent != int(percent):
        yield f"the share {percent} % is no whole number from 0 to 100"
    if LITTER.search(alternative.feedback):
        yield f'a backslash stays before ~ or " in the feedback {alternative.feedback!r}'
    for fault in of_html(alternative.feedback):
        yield f"the feedback {alternative.feedback!r}: {fault}"
    if kind == "numerical" and not alternative.catches_all:
        yield from _of_number(alternative)


def _of_number(alternative: Alternative) -> Iterator[str]:
    if alternative.value is None:
        yield f"the answer {alternative.text!r} is no number with a tolerance"
    elif alternative.tolerance is None:
        yield f"the answer {alternative.text} has no tolerance"
    elif alternative.tolerance < 0:
        yield f"the answer {alternative.text} has the tolerance {alternative.tolerance}, below 0"


def of_text(marked: str, fields: int) -> Iterator[str]:
    """What is wrong between the fields of a text; `marked` has `{#1}`… in their places."""
    marks = Counter(MARK.findall(marked)) - Counter(f"{{#{n}}}" for n in range(1, fields + 1))
    for mark in marks:
        yield f"{mark} in the text would be taken for a place to answer"
    for start in START.findall(marked):
        yield f"{start!r} looks like the start of a field, but is none"
    for formula in MATHS.findall(marked):
        if MARK.search(formula):
            yield f"a field inside mathematics: {formula!r}"
    yield from _of_words(MATHS.sub(" ", MARK.sub(" \0 ", marked)))
    yield from of_html(marked)


def _of_words(words: str) -> Iterator[str]:
    """Litter in what is neither a field (now a NUL) nor mathematics: the ends of fields that
    closed too early. An author's own braces belong into entities."""
    for token in re.findall(r"\\[()\[\]]", words):
        yield f"{token} opens or closes mathematics that has no other end"
    for token in re.findall(r"\\[}#~]", words):
        yield f"{token} stands outside of any field, where the backslash is shown"
    for piece in words.split("\0"):
        if not _balanced(re.sub(r"\\.", "", piece)):
            yield f"}} closes nothing in {piece.strip()!r}: was a field cut short?"


def _balanced(piece: str) -> bool:
    depth = 0
    for brace in re.findall(r"[{}]", piece):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return True


def of_html(text: str) -> list[str]:
    """Tags that don't pair: words taken for markup, or a text cut in two."""
    pairs = _Pairs()
    pairs.feed(text)
    pairs.close()
    return pairs.faults + [f"<{tag}> is never closed" for tag in pairs.open]


class _Pairs(HTMLParser):
    """Follows the tags of a text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag such as <br/> opens nothing."""

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.faults.append(f"</{tag}> closes nothing")
