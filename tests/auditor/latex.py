"""LaTeX as our pages use it, in Markdown and in TeX files, in the plain notation."""

from __future__ import annotations

import re

_COMMANDS = {
    "times": "×", "cdot": "·", "approx": "≈", "rightarrow": "→", "infty": "∞", "dots": "…",
    "pi": "π", "partial": "grad.", "gamma": "gamma", "beta": "beta",
    "max": "max", "min": "min", "tanh": "tanh", "sin": "sin", "cos": "cos", "ln": "ln",
    "left": "", "right": "", "thinspace": " ", "top": "⊤", "_": "_", "vdots": "⋮",
    "langle": "⟨", "rangle": "⟩", "quad": " ", "qquad": " ", "backslash": "\\",
}  # fmt: skip
_LETTERS = (
    "alpha delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi chi psi omega"
    " Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega varepsilon varphi vartheta"
)
_COMMANDS |= {name: name for name in _LETTERS.split()}
"""Greek letters stand for names that are spelt so."""
_WRAPPERS = ("mathrm", "operatorname")
_TOKEN = re.compile(r"\\([a-zA-Z]+|_)|([{}^])|( _\{)|(.)", re.DOTALL)


def plain(latex: str) -> str:
    """A formula in the plain notation. Raises ValueError for a command that isn't known."""
    powers = re.sub(r"\s*\\times 10\^\{(-?\d+)\}", r"e\1", latex)
    text, end = _group(powers, 0)
    if end != len(powers):
        raise ValueError(f"unbalanced: {latex}")
    text = re.sub(r"\b([A-Za-z]+)_(\d)(?![A-Za-z0-9_])", r"\1\2", text)
    return re.sub(r"(?<!\de)-", "−", text).translate(_OF_WORDS)


_OF_WORDS = {0xE000: "-", 0xE001: "_"}
"""What is read in words as it stands; while formulas are read it is set aside."""
_CHARACTERS = {
    "textbackslash": "\\", "textasciicircum": "^", "textasciitilde": "~", "textless": "<",
    "textgreater": ">", "textunderscore": "▁", "textbar": "|", "textvisiblespace": "␣", "dots": "…", "symbol": '"',
}  # fmt: skip
_SIGNS = {
    "-": "−",
    r"\leftarrow": "←",
    r"\surd": "√",
    r"^{\top}": "ᵀ",
    r"\Sigma": "Σ",
    r"\partial": "∂",
    r"\varepsilon": "ε",
}
_ESCAPE = re.compile(
    r"\\attn(?:char|latin)\{\w+\}\{(?P<character>.)\}|\\(?P<name>[a-z]+)\{(?:34)?\}"
    r"|\\ensuremath\{(?P<sign>.*?)\}(?!\})|\\`\{\}|\\(?P<escaped>.)|\{(?P<kept>[\[*]?)\}"
)


def words(latex: str) -> str:
    """Words of a TeX file as they were written."""
    return _ESCAPE.sub(_unescaped, latex.replace(r"\hspace{0pt plus 1pt}", ""))


def _unescaped(match: re.Match[str]) -> str:
    for name, table in (("name", _CHARACTERS), ("sign", _SIGNS)):
        if match[name]:
            return table.get(match[name]) or plain(match[name])
    if match["character"] or match["escaped"]:
        return match["character"] or match["escaped"]
    return match["kept"] if match["kept"] is not None else "`"


def _group(latex: str, start: int) -> tuple[str, int]:
    """The text up to the brace that closes this group, and where that brace is."""
    out, position = "", start
    while position < len(latex):
        match = _TOKEN.match(latex, position)
        assert match is not None
        command, brace, subscript, other = match.groups()
        if brace == "}":
            break
        position = match.end()
        if other is not None:
            out += other
            continue
        written, position = _written(latex, position, command or brace or subscript)
        out += written
    return out, position


def _written(latex: str, position: int, what: str) -> tuple[str, int]:
    """What follows a command, a subscript, a caret or a brace."""
    if what in _COMMANDS:
        return _COMMANDS[what], position
    if what in {"text", "phantom"}:
        inside, position = _words(latex, position)
        return (inside if what == "text" else ""), position
    if what == "dfrac":
        dividend, position = _braced(latex, position)
        divisor, position = _braced(latex, position)
        return f"(({dividend}) / ({divisor}))", position
    if what in {"{", " _{"}:
        inside, end = _group(latex, position)
        return ("_" if what == " _{" else "") + inside, end + 1
    if what not in {"^", "sqrt", *_WRAPPERS}:
        raise ValueError(f"\\{what} is not known")
    inside, position = _braced(latex, position)
    if what == "^":
        return _raised(inside), position
    return (f"√({inside})" if what == "sqrt" else inside), position


def _raised(inside: str) -> str:
    """What stands raised: a sign of turning over, a time, or a power."""
    if inside.startswith("⟨"):
        return f"[{inside.strip('⟨ ⟩')}]"
    return "ᵀ" if inside == r"⊤" else f"^({inside})"


def _braced(latex: str, position: int) -> tuple[str, int]:
    """The text of the braces that open here, and the place behind them."""
    if latex[position : position + 1] != "{":
        raise ValueError(f"a brace is wanted: {latex[position:]}")
    inside, end = _group(latex, position + 1)
    return inside, end + 1


def _words(latex: str, position: int) -> tuple[str, int]:
    """The words in the braces that open here, and the place behind them."""
    match = re.compile(r"\{((?:\\.|[^{}]|\{(?:\\.|[^{}]|\{[^{}]*\})*\})*)\}").match(latex, position)
    if match is None:
        raise ValueError(f"words in braces are wanted: {latex[position:]}")
    return words(match[1]).replace("-", "\ue000").replace("_", "\ue001"), match.end()
