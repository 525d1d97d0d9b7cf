"""Words and numbers set in TeX: inks, shades, widths, and what blocks know of the page.

Any Unicode is printed, by pdfTeX as `U+732B` if need be.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from attncli.document.blocks import Spans
from attncli.document.grid import Look
from attncli.formats.colours import INKS, LIGHT, Inked, shade_of
from attncli.formats.writers import has_time, spans_as
from attncli.maths.equations.tree import Blank, Equation, Expression, Symbol
from attncli.maths.notation import name_of
from attncli.maths.notation.escaping import shown, visible
from attncli.maths.notation.latex import LatexNotation, latex
from attncli.names import Word

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
    """Measures the width of plain words."""
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
    """Measures the width of mathematics as `notation.latex` and the words in it are written."""
    return _group(latex, 0)[0]


def _group(latex: str, start: int) -> tuple[float, int]:
    """Measures the width up to the brace that closes this group, and finds the place behind
    that."""
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
    """Measures the width of a token with all that belongs to it, and finds the place behind
    that."""
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
    """Measures words in braces, with braces of their own in these, and finds the place behind
    them."""
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


_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}\hspace{0pt plus 1pt}",
    '"': r"\symbol{34}",
    "`": r"\`{}", "␣": r"\textvisiblespace{}", "…": r"\dots{}", "\u00a0": "~",
    "▁": r"\textunderscore{}", "✓": r"\attncheck{}",
}  # fmt: skip
_MATHEMATICS = {
    "−": "-", "×": r"\times", "→": r"\rightarrow", "←": r"\leftarrow", "∞": r"\infty",
    "≈": r"\approx", "≡": r"\equiv",
    "√": r"\surd", "⋮": r"\vdots", "ᵀ": r"^{\top}", "≤": r"\le", "≥": r"\ge", "±": r"\pm",
    "²": "^2", "³": "^3", "Σ": r"\Sigma", "π": r"\pi", "ε": r"\varepsilon", "β": r"\beta",
    "γ": r"\gamma", "δ": r"\delta", "Φ": r"\Phi", "‖": r"\Vert", "∂": r"\partial",
    "✗": r"\times",
}  # fmt: skip
"""Characters of ours that few text fonts of pdfTeX have."""


def ink(name: str) -> str:
    """Declares an ink; writes nothing for none."""
    return rf"\attnink{{{name}}}" if name else ""


class InkedNotation(Inked, LatexNotation):
    """A notation in LaTeX, with inks where it is asked for them."""

    relations = MappingProxyType({**LatexNotation.relations, "<": "<", ">": ">"})
    coloured = False

    def in_ink(self, text: str, name: str) -> str:
        return f"{{{ink(name)}{text}}}"


def look_of(look: Look) -> str:
    """Declares how a cell looks."""
    shade = shade_of(look.share, LIGHT.shades) if look.share is not None else None
    shaded = "" if shade is None else rf"\attnshade{{{shade}}}"
    return ink(look.ink) + shaded + r"\boldmath" * (look.most or look.result)


def colour_macros(body: str) -> str:
    """Returns the declarations that a body uses, which do nothing where nothing is loaded for
    colours."""
    inks = "\\attnink{" in body
    shades = "\\attnshade{" in body
    return (_INKS if inks else "") + (_SHADES if shades else "")


def _defined(name: str, colour: str) -> str:
    return rf"\definecolor{{attn{name}}}{{HTML}}{{{colour[1:].upper()}}}"


def _macro(name: str, does: str, colours: list[str]) -> str:
    return "\n".join(
        [
            r"\ifdefined\colorlet\ifdefined\cellcolor",
            *colours,
            rf"\providecommand\{name}[1]{{{does}}}",
            r"\fi\fi",
            rf"\providecommand\{name}[1]{{}}",
            "",
        ]
    )


_INKS = "% inks, where xcolor and colortbl are loaded\n" + _macro(
    "attnink",
    r"\color{attn#1}",
    [_defined(name, colour) for name, colour in {**INKS, **LIGHT.said}.items()],
)
_SHADES = "% shades of table cells, where xcolor and colortbl are loaded\n" + _macro(
    "attnshade",
    r"\cellcolor{attnshade#1}\color{attnon#1}",
    [
        _defined(f"shade{k}", shade.background) + _defined(f"on{k}", shade.text)
        for k, shade in enumerate(LIGHT.shades)
    ],
)


_ACCENTS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327"
_EVERYWHERE = "·ßæøåœÆØÅŒłŁı¡¿–—‘’“”"
_BESIDE_T1 = "«»‹›„‚ÐÞðþĐđŊŋĄąĘęĮįŲų¢£¤¥¦§©ª¬®¯°´µ¶¸¹º¼½¾€•™†‡‰"
"""What pdfTeX prints as well where its encoding is T1, from that or from the symbols beside it."""

# TeX makes one sign of `--`, `''` and `,,`: an empty group between them keeps both.
_LIGATURE = re.compile(r"([-',])(?=\1)")
_WIDEST_WORD = 18.0
"""Ems without a space on one line, also of a title: some thirty letters."""
_PARTS = re.compile(".{1,4}")
_BREAK = r"\hspace{0pt plus 1pt}"
WIDEST_NAME = 12.0
"""Ems on one line."""
# `\\` and `\item` take a `[` or `*` that comes next for their own option.
_OPTION = re.compile(r"^[\[*]")


def escaped(text: str) -> str:
    """Escapes text of ours on one line, so that it has nothing that TeX would obey."""
    return _guarded(_characters(unicodedata.normalize("NFC", text)))


def word(name: Word) -> str:
    """Writes somebody's word, with nothing hidden in it. TeX sets it from left to right, like all
    else."""
    return breakable(visible(name))


def breakable(text: str, widest: float = _WIDEST_WORD) -> str:
    """Writes text in which what is too long for a line, and has no spaces, may be broken
    anywhere."""
    runs = unicodedata.normalize("NFC", text).split(" ")
    return _guarded(" ".join(_in_parts(run, widest) for run in runs))


def _in_parts(run: str, widest: float) -> str:
    if text_width(run) <= widest:
        return _characters(run)
    return _BREAK.join(map(_characters, _PARTS.findall(run)))


def _characters(text: str) -> str:
    return _LIGATURE.sub(r"\1{}", "".join(map(_character, text)))


def _guarded(tex: str) -> str:
    """Guards TeX, so that nothing before it takes it for its option."""
    return _OPTION.sub(r"{\g<0>}", tex)


def name(word_or_text: Word | str) -> str:
    """Writes what names a row or stands in an address: in lines below each other where it is
    long."""
    text = shown(word_or_text)
    if text_width(text) <= WIDEST_NAME:
        return escaped(text)
    return rf"\parbox[t]{{{WIDEST_NAME}em}}{{\raggedright {breakable(text, WIDEST_NAME)}\strut}}"


def _character(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character in _MATHEMATICS:
        return rf"\ensuremath{{{_MATHEMATICS[character]}}}"
    if character.isascii() or _is_everywhere(character):
        return character
    code = f"{ord(character):04X}"
    if unicodedata.category(character) == "Cn":  # no engine has to take what is no character
        return f"U+{code}"
    return rf"\{'attnlatin' if character in _BESIDE_T1 else 'attnchar'}{{{code}}}{{{character}}}"


def _is_everywhere(character: str) -> bool:
    """Tells whether every engine prints a character in its oldest encoding: letters that it puts
    accents on."""
    if character in _EVERYWHERE:
        return True
    match [*unicodedata.normalize("NFD", character)]:
        case [letter, mark]:
            return character <= "\u017e" and letter.isascii() and mark in _ACCENTS
        case _:
            return False


CHARACTERS = r"""% prints a character, or its code point where the font has none, as in pdfTeX
\providecommand\attnchar[2]{\ifdefined\Umathcode\iffontchar\font`#2 #2\else U+#1\allowbreak\fi
  \else U+#1\allowbreak\fi}
"""
LATIN = r"""% prints a character that pdfTeX has where its encoding is T1
\expandafter\providecommand\csname attn-T1\endcsname{}
\providecommand\attnlatin[2]{\ifcsname attn-\csname f@encoding\endcsname\endcsname#2\else
  \attnchar{#1}{#2}\fi}
"""
CHECK = r"""% a check mark, of the symbols of AMS where these are
\providecommand\attncheck{\IfFileExists{umsa.fd}{{\usefont{U}{msa}{m}{n}\char88 }}{$\surd$}}
"""


BOXES = r"""% a box to write into, 10 mm high, in which a key has the answer
\providecommand\attnbox[2]{{\fboxsep 0pt\rule[-4.7mm]{0pt}{11.4mm}%
  \framebox[\dimexpr#2+2\fboxrule]{\rule[-4mm]{0pt}{10mm}\ifprintanswers\boldmath#1\fi}}}
% what a row that is carried over is as high as
\providecommand\attnhigh{\rule{0pt}{6mm}}
"""
GUIDES = r"""% what leads to a row of a tree: rules as high as the row
\providecommand\attnpast{\kern0.3em\vrule width0.4pt\kern1em}
\providecommand\attnbranch{\rule[0.6ex]{0.7em}{0.4pt}\kern0.3em}
\providecommand\attnfork{\kern0.3em\vrule width0.4pt\attnbranch}
\providecommand\attnlast{\kern0.3em\vrule width0.4pt depth-0.6ex\attnbranch}
"""
GUIDE_WIDTH = 1.35
"""Ems of each."""
_GUIDES = {"│": r"\attnpast{}", "├": r"\attnfork{}", "└": r"\attnlast{}", " ": r"\kern1.3em "}


def guides(text: str) -> str:
    """Draws the guides before a row of a tree, a character each."""
    return "".join(map(_GUIDES.__getitem__, text))


def macros_for(body: str) -> str:
    """Returns the commands that words in a body use."""
    latin = r"\attnlatin{" in body
    characters = latin or r"\attnchar{" in body
    check = r"\attncheck{" in body
    boxes = r"\attnbox{" in body or r"\attnhigh{" in body
    tree = any(rf"\attn{guide}{{" in body for guide in ("past", "fork", "last"))
    rows = (
        (CHARACTERS, characters),
        (LATIN, latin),
        (CHECK, check),
        (GUIDES, tree),
        (BOXES, boxes),
    )
    return "".join(macro for macro, is_used in rows if is_used)


def index(what: Word | str) -> str:
    """Writes an index in mathematics: a number, or somebody's word."""
    text = shown(what)
    return text if text.isascii() and text.isdigit() else rf"\text{{{name(what)}}}"


def formula_index(name: Word | str) -> str:
    """Writes an index of a formula, where a single letter stands for any."""
    text = shown(name)
    return text if len(text) == 1 and text.isascii() and text.isalpha() else index(name)


def ruled(blank: Blank) -> str:
    """Writes a blank in mathematics: its answer, or a line to write it on."""
    return r"\underline{\hspace{4em}}" if blank.answer is None else latex(blank.answer)


JOINT = "\n"
"""Where a line of mathematics may be broken; to TeX it is a space."""

WORKING = InkedNotation(index, ruled, joint=JOINT, slim=True)
FORMULA = InkedNotation(formula_index, ruled, joint=JOINT, slim=True)
_INLINE = FORMULA.but(inline=True)


def on_one_line(text: str) -> str:
    """Returns mathematics without the places where it may be broken."""
    return text.replace(JOINT, " ")


def mathematics(text: str) -> str:
    """Sets mathematics in running text."""
    return f"${on_one_line(text)}$"


def _in_a_paragraph(node: Expression | Equation) -> str:
    """Sets mathematics that TeX may break: at its signs by itself, at commas only if told so."""
    if isinstance(node, Symbol):
        return mathematics(latex(node, WORKING))
    return mathematics(latex(node, _INLINE).replace(f",{JOINT}", r",\allowbreak "))


def spans(texts: Spans) -> str:
    written = spans_as(
        texts,
        lambda text: escaped(text) if text.strip() else text,
        word,
        lambda name: (
            _in_a_paragraph(name)
            if has_time(name)
            else rf"\texttt{{{breakable(name_of(name, visible))}}}"
        ),
        _in_a_paragraph,
    )
    return "".join(written)


BLANK_WIDTH = 18
"""Millimetres of a blank in a line, also in exponents; it tells nothing of what is to be written
there."""
_IN_WORDS = 32
"""Millimetres of an answer in words."""


_LEAST_BOX = 15


class Boxes(NamedTuple):
    """How wide places to write into are, in millimetres."""

    box: int
    """The most that a box takes."""
    carried: int
    """The most that a number takes that is carried over."""

    def width(self, blank: Blank, wanted: int) -> int:
        """Returns how wide a blank is, of which so much is wanted."""
        return max(_LEAST_BOX, min(self.box, wanted)) if blank.id else min(self.carried, wanted)


class Setting(NamedTuple):
    """A page's setting: how what stands on it is set."""

    room: float
    """The room in ems between the margins."""
    working: InkedNotation = WORKING.but(coloured=True)
    """How mathematics is written in working."""
    formula: InkedNotation = FORMULA.but(coloured=True)
    """How formulas are written."""
    lines_to_write: str = r"\vspace{{{}\baselineskip}}"
    """What room of so many lines for somebody's own working looks like."""
    lines_to_end: str = ""
    """What such room to the end of a page looks like."""
    title: str = r"{{\LARGE\bfseries {}\par}}"
    """What a title looks like."""
    heading: str = r"\section*{{{}}}"
    """What a heading looks like."""
    subheading: str = r"\subsection*{{{}}}"
    """What a heading below a heading looks like."""
    coloured: bool = True
    """Whether there are colours."""
    blank_width: int = BLANK_WIDTH
    """How wide a blank in a table is, in millimetres."""
    boxes: Boxes | None = None
    """How wide boxes are that are written into; None where there are none."""

    def look(self, declaration: str) -> str:
        """Returns a declaration of colours, where there are some."""
        return declaration if self.coloured else ""

    def entry(self, blank: Blank) -> str:
        """Writes a blank in a table."""
        if not self.working.hidden:
            return f"${self.working.of_blank(blank)}$"
        if self.boxes is None:
            return fillin(blank, self.blank_width)
        return boxed(blank, self.boxes.width(blank, self.blank_width))

    def width_of(self, blank: Blank) -> float:
        """Returns the ems that a blank takes in a table."""
        width = self.blank_width
        if self.boxes is not None:
            width = self.boxes.width(blank, width)
        return BLANK * width / BLANK_WIDTH

    def place(self, answer: str) -> str:
        """Writes where an answer in words goes: one that is told stands in the key alone, where the
        file has both."""
        if self.working.hidden:
            return rf"\fillin[{answer}][{_IN_WORDS}mm]"
        return answer or rf"\underline{{\hspace{{{_IN_WORDS}mm}}}}"


def fillin(blank: Blank, width: int = BLANK_WIDTH) -> str:
    """Writes a blank of the class `exam`, which prints its answer in a key."""
    answer = "" if blank.answer is None else f"${latex(blank.answer)}$"
    if not blank.id:  # a number to carry over, which isn't asked for
        return rf"\makebox[{width}mm]{{\dotfill}}"
    return rf"\fillin[{answer}][{width}mm]"


def boxed(blank: Blank, width: int) -> str:
    """Writes a blank as a box to write into; dots where a number is carried over."""
    if not blank.id:
        return rf"\makebox[{width}mm]{{\attnhigh{{}}\dotfill}}"
    answer = "" if blank.answer is None else f"${latex(blank.answer)}$"
    return rf"\attnbox{{{answer}}}{{{width}mm}}"


def _fillin_in_mathematics(blank: Blank) -> str:
    return rf"\text{{{fillin(blank)}}}"


def article(room: float, *, fragment: bool) -> Setting:
    """Returns the setting of a page to be read; a fragment has its headings below those of the
    document around it."""
    if not fragment:
        return Setting(room)
    title, heading, subheading = (
        rf"\{level}*{{{{\raggedright {{}}}}}}"
        for level in ("section", "subsection", "subsubsection")
    )
    return Setting(room, title=title, heading=heading, subheading=subheading)


def exam(room: float, *, with_key: bool) -> Setting:
    """Returns the setting of a page to be filled in."""
    lines = r"\par\allowbreak\fillwithlines{{{}\linefillheight}}"
    to_end = r"\par\allowbreak\fillwithlines{\stretch{1}}"
    if with_key:
        lines, to_end = (rf"\ifprintanswers\else{text}\fi" for text in (lines, to_end))
    return Setting(
        room,
        WORKING.but(of_blank=_fillin_in_mathematics, hidden=True),
        FORMULA.but(of_blank=_fillin_in_mathematics, hidden=True),
        lines,
        to_end,
        title=r"{{\Large\bfseries {}\par\medskip}}",
        subheading=r"\subsubsection*{{{}}}",
        coloured=False,
    )


def aligned(texts: Sequence[str], *, before: bool = True) -> list[str]:
    """Fills up numbers behind their points to the longest, and `before` them if wanted."""
    parts = [_parted(text) for text in texts]
    most = _Parts(
        "-" if before and any(part.sign for part in parts) else "",
        max((part.head for part in parts), key=len, default="") if before else "",
        max((part.tail for part in parts), key=len, default=""),
    )
    return [
        _filled(part, most) if part.head else text for text, part in zip(texts, parts, strict=True)
    ]


class _Parts(NamedTuple):
    """A number in parts."""

    sign: str
    """Its minus."""
    head: str
    """Its digits before the point."""
    tail: str
    """The point with what follows."""


def _parted(text: str) -> _Parts:
    """Returns the parts of a number, none of them where it isn't written in digits alone."""
    sign, rest = ("-", text[1:]) if text.startswith("-") else ("", text)
    if not rest.replace(".", "").isdigit():
        return _Parts("", "", "")
    head, point, tail = rest.partition(".")
    return _Parts(sign, head, point + tail)


def _filled(part: _Parts, most: _Parts) -> str:
    start = "0" * (len(most.head) - len(part.head)) + ("" if part.sign else most.sign)
    end = most.tail[len(part.tail) :]
    sign = "{-}" if part.sign and start else part.sign  # else it would be a difference
    return f"{_phantom(start)}{sign}{part.head}{part.tail}{_phantom(end)}"


def _phantom(text: str) -> str:
    return rf"\phantom{{{text}}}" if text else ""
