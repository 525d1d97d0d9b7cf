"""How wide things will be in TeX's own fonts, in ems: near enough to break lines by it."""

from __future__ import annotations

import re
from functools import lru_cache

# Near to the widths of Computer Modern (cmr10.tfm; The TeXbook, appendix F): i 0.278, r 0.392,
# m 0.833, a digit 0.5, a capital 0.68 to 0.78.
_KINDS = {"ijl.,;:'!()[]|": 0.29, "frtI ": 0.38, "mwMW@%": 0.95, "0123456789": 0.5}
_CAPITAL, _OTHER, _CODE = 0.75, 0.54, 4.0

# A sign with the room that TeX puts around it: a binary one has 4 mu (2/9 em) on either side, a
# relation 5 mu (5/18 em), a comma 3 mu behind it (The TeXbook, chapter 18): `×` is 0.778 + 0.444.
_COMMANDS = {
    "times": 1.22, "cdot": 0.72, "approx": 1.33, "rightarrow": 1.56, "infty": 1.0, "dots": 1.2,
    "max": 1.9, "tanh": 2.2, "sin": 1.2, "cos": 1.3, "ln": 0.8, "sum": 1.2, "vdots": 0.3,
    "pi": 0.57, "partial": 0.58, "gamma": 0.55, "beta": 0.57, "thinspace": 0.17, "top": 0.78,
    "left": 0.1, "right": 0.1, "sqrt": 0.85, "underline": 0.0, "phantom": 0.0, "hspace": 0.0,
    "mathrm": 0.05, "ensuremath": 0.0,
}  # fmt: skip
_SIGNS = {"+": 1.22, "-": 1.22, "=": 1.33, ",": 0.45, " ": 0.001, "/": 0.5}
_MINUS = 0.78
"""Of a number, without the spaces of a difference."""
_SCRIPT = 0.72
"""An index against its base: 8 pt of 11 pt, the sizes of `\\scriptsize` and the text."""

BLANK = 4.7
"""What a blank takes, wherever it stands."""

_BLANK = re.compile(r"\\text\{\\(?:fillin\[[^]]*\]\[\w+\]|makebox\[\w+\]\{\\dotfill\})\}")
_BOXED = re.compile(r"\\parbox\[t\]\{([\d.]+)em\}")
_CODED = re.compile(r"\\attn(?:char|latin)\{\w+\}\{.\}")
_BEFORE_NUMBER = re.compile(r"[\[(,](?:\{\\attnink\{\w\})?$")
_TOKEN = re.compile(r"\\([a-zA-Z]+)|\\(.)|(.)", re.DOTALL)


def text_width(text: str) -> float:
    """The width of plain words."""
    return sum(map(_character_width, text))


def _character_width(character: str) -> float:
    if not character.isascii() and not character.isalpha():
        return _CODE
    if ord(character) > ord("ſ"):
        return _CODE  # may be printed as U+732B
    kind = next((size for kind, size in _KINDS.items() if character in kind), None)
    return kind or (_CAPITAL if character.isupper() else _OTHER)


@lru_cache(maxsize=1 << 12)
def math_width(latex: str) -> float:
    """The width of mathematics as `notation.latex` and the words in it are written."""
    return _group(latex, 0)[0]


def _group(latex: str, start: int) -> tuple[float, int]:
    """The width up to the brace that closes this group, and the place behind that."""
    width, position = 0.0, start
    while position < len(latex):
        if blank := _BLANK.match(latex, position):
            width, position = width + BLANK, blank.end()
            continue
        match = _TOKEN.match(latex, position)
        assert match is not None
        if match[3] == "}":
            return width, match.end()
        more, position = _token_width(latex, match)
        width += more
    return width, position


def _token_width(latex: str, match: re.Match[str]) -> tuple[float, int]:
    """The width of a token with all that belongs to it, and the place behind that."""
    command, escaped, character = match.groups()
    read = _READERS.get(command or character or "")
    if read is not None:
        return read(latex, match.end())
    if command:
        return _COMMANDS.get(command, _OTHER), match.end()
    if character == "-" and _BEFORE_NUMBER.search(latex, 0, match.start()):
        return _MINUS, match.end()
    return _SIGNS.get(character) or _character_width(character or escaped), match.end()


def _fraction(latex: str, position: int) -> tuple[float, int]:
    dividend, position = _group(latex, position + 1)
    divisor, position = _group(latex, position + 1)
    return max(dividend, divisor) + 0.24, position


def _script(latex: str, position: int) -> tuple[float, int]:
    width, position = _group(latex, position + 1)
    return width * _SCRIPT, position


def _words(latex: str, position: int) -> tuple[float, int]:
    """Words in braces, with braces of their own in these."""
    depth, start = 1, position + 1
    position = start
    while depth:
        match = _TOKEN.match(latex, position)
        assert match is not None
        depth += {"{": 1, "}": -1}.get(match[3], 0)
        position = match.end()
    if boxed := _BOXED.match(latex, start):
        return float(boxed[1]), position
    plain = re.sub(r"\\[a-zA-Z]+|[\\{}]", "", _CODED.sub("#" * 8, latex[start : position - 1]))
    return text_width(plain), position


def _declared(latex: str, position: int) -> tuple[float, int]:
    return 0.0, _group(latex, position + 1)[1]


_READERS = {
    "attnink": _declared,
    "dfrac": _fraction,
    "text": _words,
    "^": _script,
    "_": _script,
    "{": _group,
}
"""What has an inside."""
