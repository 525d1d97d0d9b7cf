"""Somebody's own words, made harmless: what can't be seen is written as an escape.

No two words look alike. An escape is a backslash with the character's number, `\x1b`, `\u202e`; a
word's own backslashes are doubled where they would read as one, or stand before one. A space that
would get lost, at an end or beside another one, is `␣`; a `␣` of the word's own is an escape.

Words that run to the left stand between isolates, so that they don't change the order of what is
around them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache

from attncli.names import Word

_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}
_IGNORABLE = (
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f\uffa0"
    "\U000e0000-\U000e0fff]"
)
"""Letters and marks without ink, and what is no character: Unicode's Default_Ignorable_Code_Point
where it isn't Cf, the Braille blank, and noncharacters."""
_LAST_OF_A_PLANE = 0xFFFE

_JOINERS, _EMOJI_STYLE, _KEYCAP = "\u200c\u200d", "\ufe0f", "\u20e3"
_JOINED = "[\u0600-\u109f\u1780-\u18af\ufe0f]"
"""Letters whose shapes joiners change (The Unicode Standard, 23.2): those of the Middle East and
India, Khmer and Mongolian; beside these, emoji."""
_PICTURES = {"So", "Sk"}

_SPACE = "␣"
_LOST_SPACE = r"^ +| +$| {2,}"
_ESCAPE = r"x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}"
_PIECE = r"\\+|[^\\]"
_WRITTEN = rf"(?<!\\)(\\+)({_ESCAPE})|({_SPACE})"

_LEFTWARDS = (
    "\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff"
)
"""The blocks of scripts that are written to the left."""
_RUN = rf"[{_LEFTWARDS}](?:[{_LEFTWARDS}\d\u0300-\u036f]|[ '\"-](?=[{_LEFTWARDS}]))*"
ISOLATE, POP = "\u2068", "\u2069"
"""First strong isolate and pop directional isolate (Unicode Standard Annex 9, section 2.4); a
word's own are escapes."""


def printed(word: Word | str) -> str:
    """Writes a word for a line of text, with nothing hidden in it and isolated from what is around
    it; returns a text of ours as it is."""
    return isolated(visible(word)) if isinstance(word, Word) else word


def visible(word: Word) -> str:
    """Writes a word with nothing hidden in it, where no isolates are wanted."""
    return _visible(word.raw)


def shown(word: Word | str) -> str:
    """Writes a word with nothing hidden in it; returns a text of ours as it is."""
    return visible(word) if isinstance(word, Word) else word


def harmless(text: str) -> str:
    """Escapes what is hidden in a text of ours with somebody's words in it, such as a message."""
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    return "".join(_shown(text, piece) for piece in re.finditer(_PIECE, text))


def json_text(
    data: object, *, indent: int | None = None, separators: tuple[str, str] | None = None
) -> str:
    """Writes data as JSON, with what is hidden in its strings as escapes."""
    text = json.dumps(data, ensure_ascii=False, indent=indent, separators=separators)
    return harmless_json(text)


def harmless_json(text: str) -> str:
    """Escapes what is hidden in JSON, which can only stand inside strings."""
    return re.sub(r"[^\n -~]", lambda c: json.dumps(c[0])[1:-1] if is_hidden(c[0]) else c[0], text)


def hidden_again(shown: str) -> Word:
    """Restores the word from the text that `visible` made of it."""
    return Word(re.sub(_WRITTEN, _unescaped, shown))


def isolated(text: str) -> str:
    """Isolates what runs to the left in a text without hidden characters: the whole text if it
    begins so, or else each run."""
    if text.isascii() or not re.search(_RUN, text):
        return text
    strong = (unicodedata.bidirectional(character) for character in text)
    first = next((entry for entry in strong if entry in ("L", "R", "AL")), "R")
    return f"{ISOLATE}{text}{POP}" if first != "L" else re.sub(_RUN, rf"{ISOLATE}\g<0>{POP}", text)


def is_hidden(character: str) -> bool:
    """Tells whether a character can't be seen, or only its effect can."""
    if character == " " or " " < character < "\x7f":
        return False
    return (
        unicodedata.category(character) in _HIDDEN
        or re.match(_IGNORABLE, character) is not None
        or ord(character) & _LAST_OF_A_PLANE == _LAST_OF_A_PLANE
    )


@lru_cache(maxsize=4096)
def _visible(text: str) -> str:
    if "  " not in text and text == text.strip(" "):
        return harmless(text)
    return re.sub(_LOST_SPACE, lambda spaces: _SPACE * len(spaces[0]), harmless(text))


def _shown(text: str, piece: re.Match[str]) -> str:
    """Writes a character, or a run of backslashes, so that it can be seen."""
    if not piece[0].startswith("\\"):
        return _code(piece[0]) if _is_escaped(text, piece.start()) else piece[0]
    end = piece.end()
    followed = re.match(_ESCAPE, text[end:]) or (end < len(text) and _is_escaped(text, end))
    return piece[0] * 2 if followed else piece[0]


def _is_escaped(text: str, k: int) -> bool:
    return text[k] == _SPACE or (is_hidden(text[k]) and not _has_effect(text, k))


def _has_effect(text: str, k: int) -> bool:
    """Tells whether a joiner or the sign of an emoji's style changes the looks of what is around
    it."""
    before, after = text[k - 1 : k], text[k + 1 : k + 2]
    if text[k] in _JOINERS:
        return _joins(before) and _joins(after)
    if text[k] != _EMOJI_STYLE or not before:
        return False
    return unicodedata.category(before) in _PICTURES or after == _KEYCAP


def _joins(character: str) -> bool:
    if not character:
        return False
    return bool(re.match(_JOINED, character)) or unicodedata.category(character) in _PICTURES


def _code(character: str) -> str:
    """Writes the escape of a character, with as few digits as possible."""
    code = ord(character)
    if code > 0xFFFF:  # noqa: PLR2004
        return f"\\U{code:08x}"
    return f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"  # noqa: PLR2004


def _unescaped(match: re.Match[str]) -> str:
    backslashes, escape, space = match.groups()
    if space:
        return " "
    own = "\\" * (len(backslashes) // 2)
    return own + (chr(int(escape[1:], 16)) if len(backslashes) % 2 else escape)


_LONGEST_KEY = 1000
"""YAML reads `key: value` on one line only where the key has at most 1024 characters."""


def quoted(text: str) -> str:
    """Writes any text as a double-quoted YAML scalar on one line."""
    return f'"{"".join(map(_escaped, text))}"'


def key_of(scalar: str, indent: str = "") -> str:
    """Writes the beginning of a line with a key, or of two lines where the key is long."""
    if len(scalar) <= _LONGEST_KEY:
        return f"{indent}{scalar}:"
    return f"{indent}? {scalar}\n{indent}:"


def commented(text: str) -> str:
    """Writes any text so that it may stand in a YAML comment."""
    return "".join(entry if _may_stand(entry) else _escape(entry) for entry in text)


def _escaped(character: str) -> str:
    return f"\\{character}" if character in '"\\' else commented(character)


def _may_stand(character: str) -> bool:
    """Tells whether YAML lets a character stand as it is, and people see that it is there."""
    return not is_hidden(character) and character not in "\ufffe\uffff"


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"  # noqa: PLR2004


_GUARD = "'"
_BEGINNING = r"^|(?<=;)"
"""Where a cell begins, in a table of commas also where it is read as one of semicolons."""
_OBEYED = rf"[\s\"]*[=+\-@＝＋－＠{_GUARD}]"
"""How a cell begins that would be taken for a formula, wide characters and all; and the guard."""
_A_NUMBER = r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?\Z"
_CHANGED = r"(?=[.,:/ -]*\d)[\d.,:/ -]*(?:[eE][+-]?\d+)?%?\Z|(?i:true|false)\Z"
"""What would be a number, a date, a time or a truth value, and be written as one from then on."""
_UNCHANGED = r"(?:0|[1-9][0-9]{0,14})\Z"
"""Numbers that are written as they were read."""
_WORDS_GUARDED = re.compile(rf"(?:{_BEGINNING})(?={_OBEYED}|(?<!;)(?!{_UNCHANGED})(?:{_CHANGED}))")
_OURS_GUARDED = re.compile(rf"(?:{_BEGINNING})(?={_OBEYED})(?!(?<!;){_A_NUMBER})")
_WITH_GUARD = re.compile(rf"(?:{_BEGINNING}){_GUARD}(?={_OBEYED}|(?<!;{_GUARD})(?:{_CHANGED}))")


def guarded(cell: Word | str) -> str:
    """Writes a cell of a table so that a spreadsheet doesn't take it for a formula, with nothing
    hidden in it.

    Words stay as they are written there; a text of ours that is a number may become one.
    """
    if isinstance(cell, Word):
        return _WORDS_GUARDED.sub(_GUARD, visible(cell))
    return _OURS_GUARDED.sub(_GUARD, visible(Word(cell)))


def unguarded(cell: str) -> str:
    """Restores the text that was written as a cell. An apostrophe that guards nothing is the text's
    own."""
    return hidden_again(_WITH_GUARD.sub("", cell)).raw
