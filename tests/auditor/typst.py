"""What PDFs are laid out from: lines of working in Typst, in the plain notation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*")|\\(?P<escaped>.)|(?P<call>[a-z][a-z-]*)\(|(?P<name>thin|med)\b|(?P<other>.)',
    re.DOTALL,
)
_LIMBS = re.compile(r'"(?:[^"\\]|\\.)*"|\\.|[(){},$]|[^"\\(){},$]+', re.DOTALL)
_BREAK = "\u200b"
_LETTERS = (
    "α alpha, β beta, γ gamma, δ delta, ε epsilon, ζ zeta, η eta, θ theta, ι iota, κ kappa, λ lambda, μ mu,"
    " ν nu, ξ xi, ρ rho, σ sigma, τ tau, υ upsilon, φ phi, χ chi, ψ psi, ω omega, Δ Delta"
)
_GREEK = str.maketrans(dict(pair.split() for pair in _LETTERS.split(",")))
"""Greek letters stand for names that are spelt so; π is a number."""


def parts(text: str, between: str = ",") -> list[str]:
    """What stands between commas, or other signs, that are inside nothing."""
    found, depth = [""], 0
    for limb in _LIMBS.findall(text):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(limb, 0)
        if limb == between and not depth:
            found.append("")
        else:
            found[-1] += limb
    return [entry.strip() for entry in found if entry.strip()]


def inside(text: str) -> str:
    """What is between the brackets that a text begins and ends with."""
    return text[text.index("(") + 1 : text.rindex(")")]


def content(code: str) -> str:
    """Running text and mathematics, as a block of code has them."""
    if code.startswith("{"):
        return "".join(map(content, parts(code[1:-1].replace("; ", "\0").replace("\0", ","))))
    if code.startswith("$"):
        return plain(code[1:-1])
    if code.startswith("code("):
        return content(inside(code))
    return str(json.loads(code)).replace(_BREAK, "") if code.startswith('"') else ""


def cell(code: str) -> str:
    """What stands in a cell of a table, however it looks."""
    looks = re.match(r"(inked|shaded|most)\(", code)
    return cell(parts(inside(code))[-1]) if looks else content(code)


def columns(code: str) -> list[list[str]]:
    """The columns of a table, each its heading and its cells."""
    fields = (
        [part.partition(": ")[2] for part in parts(inside(one))] for one in parts(inside(code))
    )
    return [[cell(heading), *map(cell, parts(inside(cells)))] for heading, cells, _ in fields]


def plain(mathematics: str) -> str:
    """Mathematics in the plain notation. Raises KeyError for a call that isn't known."""
    text, rest = "", mathematics
    while match := _TOKEN.match(rest):
        rest = rest[match.end() :]
        if match["call"]:
            whole, rest = _closed(rest)
            text += _called(match["call"], parts(whole))
        elif match["text"]:
            text += json.loads(match["text"]).replace(_BREAK, "")
        elif match["name"]:
            text += " "
        else:
            text += match["escaped"] or match["other"]
    text = re.sub(r"∂ ?", "grad.", text).translate(_GREEK)
    return re.sub(r"×10\^\(([-−]?\d+)\)", r"e\1", text)


def _closed(text: str) -> tuple[str, str]:
    """What goes before the bracket that closes, and what comes after it."""
    depth, before = 1, ""
    for limb in _LIMBS.findall(text):
        depth += {"(": 1, ")": -1}.get(limb, 0)
        if not depth:
            return before, text[len(before) + 1 :]
        before += limb
    raise ValueError(f"unbalanced: {text}")


def _called(name: str, arguments: list[str]) -> str:
    if name in ("unseen", "by"):
        return " × " if name == "by" else ""
    if name == "attach":
        return _attached(plain(arguments[0]), arguments[1])
    texts = [plain(a) for a in arguments]
    match name:
        case "dfrac":
            return f"(({texts[0]}) / ({texts[1]}))"
        case "sqrt":
            return f"√({texts[0]})"
        case "lr" | "italic" | "long":  # which may be broken between its words
            return texts[0].replace("\u200b", "")
        case "inked":
            return texts[1]
    raise KeyError(name)


def _attached(base: str, what: str) -> str:
    """A name's second part, a time, a sign of turning over, or a power."""
    side, _, line = what.partition(": ")
    text = plain(line)
    if side == "b":
        return f"{base}{text}" if text.isdigit() else f"{base}_{text}"
    if text.startswith("⟨"):
        return f"{base}[{text.strip('⟨⟩')}]"
    return f"{base}ᵀ" if text == "⊤" else f"{base}^({text})"


def calls(source: str) -> Iterator[tuple[str, list[str]]]:
    """The pieces of a page in their order, each with what it is called with."""
    for line in source.split("\n"):
        if match := re.match(r"(working|addition|heading|products)\(", line):
            yield match[1], parts(inside(line))
