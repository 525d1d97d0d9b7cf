"""Running text as string literals of Typst, the characters of its fonts, and its equations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from attncli.document.blocks import Spans
from attncli.formats.colours import Inked
from attncli.formats.writers import has_time, spans_as
from attncli.maths.equations.tree import Blank, Equation, Expression, Symbol
from attncli.maths.notation import name_of
from attncli.maths.notation.columns import at_point
from attncli.maths.notation.escaping import ISOLATE, POP, printed
from attncli.maths.notation.typst import JOINT, TypstNotation, literal
from attncli.names import Word

PRINTED = (
    "\x20-\x7e\xa0-\u04ff\u0531-\u05f4\u0621-\u063a\u0640-\u0655\u0660-\u066d\u06f0-\u06f9"
    "\u10d0-\u10ff\u1d00-\u2027\u2030-\u2040\u2044-\u2052\u2054-\u205e\u2070-\u2103\u2153-\u2184\u2190-\u222e\u2234-\u223d"
    "\u2241-\u226b\u226d-\u228b\u228d-\u22a6\u22ee\u22ef\u2308-\u2315\u2335-\u237a\u2423"
    "\u2460-\u262f\u2638-\u268b\u270c-\u2727\u2800-\u28ff\u2c60-\u2cff\ufb00-\ufb4f\ufe70-\ufefe"
)
"""What the fonts have that come with Typst: Libertinus, New Computer Modern, DejaVu Sans Mono."""
_PRINTED = re.compile(f"[{PRINTED}{ISOLATE}{POP}]")
_LONG, _LONG_NAME, _PART = 24, 32, 6
"""Characters without a space on one line, of a name in mathematics, and of the parts that longer
ones may be broken into."""
_RUN = re.compile(rf"[^ \u00a0]{{{_LONG + 1},}}")
_BREAK = "\u200b"


def characters(text: str) -> str:
    """Returns the text, what no font has as its code point: `U+732B`."""
    return "".join(map(_character, unicodedata.normalize("NFC", text)))


@cache
def _character(character: str) -> str:
    known = _PRINTED.match(character) and unicodedata.category(character) != "Cn"
    return character if known else f"U+{ord(character):04X}"


def text(words: str) -> str:
    """Writes a text as a literal, in which what is too long for a line may be broken anywhere."""
    return literal(breakable(characters(words)))


def breakable(words: str) -> str:
    """Returns a text with places to break it at where it has a long run without any: behind points,
    and anywhere in what is long without these."""
    return _RUN.sub(lambda run: _BREAK.join(_in_parts(run[0])), words)


def _in_parts(run: str) -> Iterator[str]:
    for name in re.split(r"(?<=\.)", run):
        part = _PART if len(name) > _LONG else _LONG
        yield from (name[k : k + part] for k in range(0, len(name), part))


def word(name: Word | str) -> str:
    """Writes somebody's word as it is printed, or a text of ours."""
    return text(printed(name))


def joined(parts: Iterable[str]) -> str:
    """Joins pieces of code that stand one after the other, as a block of code."""
    return f"{{{'; '.join(parts)}}}"


def listed(parts: Iterable[str]) -> str:
    """Lists pieces of code as an array."""
    return "(" + "".join(f"{part}, " for part in parts) + ")"


def code(name: str) -> str:
    """Writes a name as the program does."""
    return f"code({text(name)})"


class InkedTypst(Inked, TypstNotation):
    """A notation in Typst, with inks."""

    def in_ink(self, text: str, name: str) -> str:
        return f"inked({literal(name)}, {text})"


def _letters(name: str) -> str:
    """Writes letters in mathematics, in lines below each other where they are many."""
    text = characters(name)
    return literal(text) if len(text) <= _LONG_NAME else f"long({literal(breakable(text))})"


def _blank(node: Blank) -> str:
    """Writes a blank: its answer, a line to write it on, or where a number is to be carried
    over."""
    if node.answer is not None:
        return f"asked({WORKING.of_number(node.answer)})"
    return "blank()" if node.id else "carried()"


WORKING = InkedTypst(_letters, _blank)
INLINE = WORKING.but(inline=True)


_CALL = re.compile(r"(?<![a-z])[a-z]+\(|[ ()\\]")
_LONGEST = 50
"""Signs of a piece that surely fits on a line."""


def expression(node: Expression, notation: TypstNotation) -> str:
    """Writes an expression, in which roots and fractions that are too long are on one line, so that
    this may be broken."""
    text = notation.write(node)
    longest = max(len(_CALL.sub("", piece)) for piece in text.split(JOINT))
    return notation.but(inline=True).write(node) if longest > _LONGEST else text


def pieces(text: str) -> list[str]:
    """Returns an equation for each piece of mathematics that no line is broken in."""
    return [f"${piece}$" for piece in text.split(JOINT)]


def in_pieces(text: str) -> str:
    """Writes mathematics as running text."""
    return joined(_spaced(pieces(text)))


def _spaced(them: Sequence[str]) -> list[str]:
    return [them[0], *(text for piece in them[1:] for text in ('" "', piece))]


def mathematics(node: Expression | Equation, notation: TypstNotation = WORKING) -> str:
    """Writes an expression as running text."""
    return in_pieces(notation.write(node))


def filled(texts: Sequence[str], *, before: bool = False) -> list[str]:
    """Writes numbers in plain notation as mathematics, with unseen digits that put their points
    below each other: those behind, and those `before` if wanted."""
    return [_filled(text, before=before) for text in at_point(texts)] if texts else []


def _filled(text: str, *, before: bool) -> str:
    bare = text.strip()
    start = len(text) - len(text.lstrip())
    end = len(text) - len(text.rstrip())
    unseen = "" if not end else "0" * end if "." in bare else "." + "0" * (end - 1)
    left = f"unseen({'0' * start})" if before and start else ""
    return f"{left}{_number(bare)}{f'unseen({unseen})' if unseen else ''}"


_EXPONENT = re.compile(r"e(−?\d+)")


def _number(plain: str) -> str:
    """Writes a number in plain notation as mathematics."""
    return _EXPONENT.sub(r"×attach(10, t: \1)", plain)


def spans(texts: Spans) -> str:
    """Writes running text, as a block of code."""
    written = spans_as(
        texts,
        text,
        word,
        lambda name: mathematics(name) if has_time(name) else code(name_of(name)),
        lambda node: mathematics(node, WORKING if isinstance(node, Symbol) else INLINE),
    )
    return joined(written)
