"""Words and running text for TeX: any Unicode is printed, by pdfTeX as `U+732B` if need be."""

from __future__ import annotations

import re
import unicodedata

from attncli.arithmetic.expression import Blank, Equation, Expression, Symbol
from attncli.document import Span, Spans, Term
from attncli.notation import name_of
from attncli.notation.latex import latex
from attncli.notation.words import shown, visible
from attncli.render.sentences import with_symbols
from attncli.render.tex.colours import InkedNotation
from attncli.render.tex.measure import text_width
from attncli.word import Word

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\symbol{34}",
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
    """Text of ours on one line, with nothing in it that TeX would obey."""
    return _guarded(_characters(unicodedata.normalize("NFC", text)))


def word(one: Word) -> str:
    """Somebody's word, with nothing hidden in it. TeX sets it from left to right, like all else."""
    return breakable(visible(one))


def breakable(text: str, widest: float = _WIDEST_WORD) -> str:
    """Text in which what is too long for a line, and has no spaces, may be broken anywhere."""
    runs = unicodedata.normalize("NFC", text).split(" ")
    return _guarded(" ".join(_in_parts(run, widest) for run in runs))


def _in_parts(run: str, widest: float) -> str:
    if text_width(run) <= widest:
        return _characters(run)
    return _BREAK.join(map(_characters, _PARTS.findall(run)))


def _characters(text: str) -> str:
    return _LIGATURE.sub(r"\1{}", "".join(map(_character, text)))


def _guarded(tex: str) -> str:
    """TeX that nothing before it takes for its option."""
    return _OPTION.sub(r"{\g<0>}", tex)


def name(word_or_text: Word | str) -> str:
    """What names a row or stands in an address: in lines below each other where it is long."""
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
    """Whether every engine prints it in its oldest encoding: letters that it puts accents on."""
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


GUIDES = r"""% what leads to a row of a tree: rules as high as the row
\providecommand\attnpast{\kern0.3em\vrule width0.4pt\kern1em}
\providecommand\attnbranch{\rule[0.6ex]{0.7em}{0.4pt}\kern0.3em}
\providecommand\attnfork{\kern0.3em\vrule width0.4pt\attnbranch}
\providecommand\attnlast{\kern0.3em\vrule width0.4pt depth-0.6ex\attnbranch}
"""
GUIDE_WIDTH = 1.35
"""Ems of each."""
_GUIDES = {"│": r"\attnpast{}", "├": r"\attnfork{}", "└": r"\attnlast{}", " ": r"\kern1.3em "}


def guides(told: str) -> str:
    """The guides before a row of a tree, a character each."""
    return "".join(map(_GUIDES.__getitem__, told))


def macros_for(body: str) -> str:
    """The commands that words in a body use."""
    latin = r"\attnlatin{" in body
    characters = latin or r"\attnchar{" in body
    check = r"\attncheck{" in body
    tree = any(rf"\attn{guide}{{" in body for guide in ("past", "fork", "last"))
    told = ((CHARACTERS, characters), (LATIN, latin), (CHECK, check), (GUIDES, tree))
    return "".join(macro for macro, is_used in told if is_used)


def index(one: Word | str) -> str:
    """An index in mathematics: a number, or somebody's word."""
    text = shown(one)
    return text if text.isascii() and text.isdigit() else rf"\text{{{name(one)}}}"


def formula_index(one: Word | str) -> str:
    """An index of a formula, where a single letter stands for any."""
    text = shown(one)
    return text if len(text) == 1 and text.isascii() and text.isalpha() else index(one)


def ruled(blank: Blank) -> str:
    """A blank in mathematics: its answer, or a line to write it on."""
    return r"\underline{\hspace{4em}}" if blank.answer is None else latex(blank.answer)


JOINT = "\n"
"""Where a line of mathematics may be broken; to TeX it is a space."""

WORKING = InkedNotation(index, ruled, joint=JOINT, slim=True)
FORMULA = InkedNotation(formula_index, ruled, joint=JOINT, slim=True)
_INLINE = FORMULA.but(inline=True)


def on_one_line(text: str) -> str:
    """Mathematics that isn't broken."""
    return text.replace(JOINT, " ")


def mathematics(text: str) -> str:
    """Mathematics in running text."""
    return f"${on_one_line(text)}$"


def _in_a_paragraph(node: Expression | Equation) -> str:
    """Mathematics that TeX may break: at its signs by itself, at commas only if told so."""
    return mathematics(latex(node, _INLINE).replace(f",{JOINT}", r",\allowbreak "))


def spans(texts: Spans) -> str:
    return "".join(map(_span, with_symbols(texts)))


def _span(span: Span) -> str:
    match span:
        case str():
            return escaped(span) if span.strip() else span
        case Word():
            return word(span)
        case Term(called):
            return rf"\texttt{{{breakable(name_of(called, visible))}}}"
        case Symbol():
            return mathematics(latex(span, WORKING))
        case _:
            return _in_a_paragraph(span)
