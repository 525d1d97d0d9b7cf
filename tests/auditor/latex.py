"""LaTeX as our pages use it, in the plain notation."""

from __future__ import annotations

import re

_COMMANDS = {
    "times": "×", "cdot": "·", "approx": "≈", "rightarrow": "→", "infty": "∞", "dots": "…",
    "pi": "π", "max": "max", "tanh": "tanh", "sin": "sin", "cos": "cos", "ln": "ln",
    "left": "", "right": "", "thinspace": " ", "top": "⊤", "_": "_",
}  # fmt: skip
_WRAPPERS = ("mathrm", "text", "operatorname")
_TOKEN = re.compile(r"\\([a-zA-Z]+|_)|([{}^])|( _\{)|(.)", re.DOTALL)


def plain(latex: str) -> str:
    """A formula in the plain notation. Raises ValueError for a command that isn't known."""
    powers = re.sub(r"\s*\\times 10\^\{(-?\d+)\}", r"e\1", latex)
    text, end = _group(powers, 0)
    if end != len(powers):
        raise ValueError(f"unbalanced: {latex}")
    text = re.sub(r"\b([A-Za-z]+)_(\d)(?![A-Za-z0-9_])", r"\1\2", text)
    return re.sub(r"(?<!\de)-", "−", text)


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
        return ("ᵀ" if inside == r"⊤" else f"^({inside})"), position
    return (f"√({inside})" if what == "sqrt" else inside), position


def _braced(latex: str, position: int) -> tuple[str, int]:
    """The text of the braces that open here, and the place behind them."""
    if latex[position : position + 1] != "{":
        raise ValueError(f"a brace is wanted: {latex[position:]}")
    inside, end = _group(latex, position + 1)
    return inside, end + 1
