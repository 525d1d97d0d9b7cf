"""Reads a printed page as a pocket calculator would, and finds every false sign.

It knows only the text: it takes each line of working apart, evaluates what stands on either
side of each `=` and `≈` in decimal arithmetic from the digits shown, and compares. It shares
no code with the package. Names such as `W_Q` stand for the given figures of the scenario.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal, localcontext
from itertools import pairwise
from typing import Any

import mpmath

Value = Any  # a Decimal, or a list of them
Names = Mapping[str, Any]

_LABEL = re.compile(
    r"^\s*(?:[•*-]\s+)?(?P<label>[A-Za-z_]\w*\[(?:\"(?:[^\"\\]|\\.)*\"|[^\[\]\"])*\])(?P<rest>\s.*|)$"
)
_SIGN = re.compile(r"\s([=≈])\s")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)|(?P<name>[A-Za-z_π][A-Za-z0-9_]*)|(?P<mark>[-+−×·/^√()\[\],ᵀ…]))"
)
_TABLE = re.compile(r"[│─┼]|^\s*\|")


@dataclass
class Report:
    """What was found: how many signs were checked, how many couldn't be, and what is false."""

    checked: int = 0
    elided: int = 0
    approximate: int = 0
    false: list[str] = field(default_factory=list)


def audit(text: str, names: Names) -> Report:
    """Checks every line of working of a page."""
    report = Report()
    for statement in _statements(text):
        _check_statement(statement, names, report)
    for forbidden in (r"[-−]0(?:\.0+)?(?![\d.])", r"\bnan\b", r"\binf\b"):
        for match in re.finditer(rf"(?<![\w.]){forbidden}", text):
            report.false.append(f"forbidden: {text[max(0, match.start() - 20) : match.end()]!r}")
    return report


def _statements(text: str) -> Iterator[list[str]]:
    """The lines that belong together: a label, and what is indented more deeply below it."""
    lines = text.split("\n")
    k = 0
    while k < len(lines):
        match = _LABEL.match(lines[k])
        if match is None or _TABLE.search(lines[k]):
            k += 1
            continue
        indent = len(lines[k]) - len(lines[k].lstrip())
        block = [lines[k]]
        k += 1
        while (
            k < len(lines)
            and lines[k].strip()
            and not _LABEL.match(lines[k])
            and _goes_on(lines[k], indent, block)
        ):
            block.append(lines[k])
            k += 1
        yield block


def _goes_on(line: str, indent: int, block: list[str]) -> bool:
    deeper = len(line) - len(line.lstrip()) > indent
    addition = _LABEL.match(block[0]).group("rest").strip() == ""  # type: ignore[union-attr]
    return deeper or addition


def _check_statement(block: list[str], names: Names, report: Report) -> None:
    match = _LABEL.match(block[0])
    assert match is not None
    label, rest = match["label"], match["rest"]
    if re.search(r"\[(i|i, j)\]$", label):
        return  # a formula
    whole = " ".join([rest, *(line.strip() for line in block[1:] if line.strip() != "⋮")])
    if rest.strip() == "" and "→" in whole:
        _check_addition(label, whole, names, report)
        return
    if not re.match(r"\s*[=≈]\s", whole):
        return
    _check_chain(label, whole, names, report)


def _check_chain(label: str, text: str, names: Names, report: Report) -> None:
    pieces = _SIGN.split(f" {text.strip()} ")
    signs, parts = pieces[1::2], [piece.strip() for piece in pieces[2::2]]
    for (left, right), sign in zip(pairwise(parts), signs[1:], strict=True):
        if "…" in left or "…" in right:
            report.elided += 1
            continue
        _compare(f"{label}: {left} {sign} {right}", left, sign, right, names, report)


def _compare(what: str, left: str, sign: str, right: str, names: Names, report: Report) -> None:
    report.checked += 1
    report.approximate += sign == "≈"
    try:
        a, b = _value(left, names), _value(right, names)
        true = _rounds_to(a, b, right) if _is_figure(right) else _same(a, b)
    except (ValueError, IndexError, ArithmeticError, TypeError) as error:
        report.false.append(f"{what} ({type(error).__name__}: {error})")
        return
    if true != (sign == "="):
        report.false.append(what)


def _check_addition(label: str, text: str, names: Names, report: Report) -> None:
    above, _, below = text.rpartition("─")
    above = above.replace("─", "")
    if "…" in above:
        report.elided += 1
        return
    vectors = []
    for product, vector in re.findall(r"([\d.−()e×\s-]*\[[^\]]*\]) → (\[[^\]]*\])", above):
        _compare(f"{label}: {product} → {vector}", product, "=", vector, names, report)
        vectors.append(_value(vector, names))
    sign, total = re.match(r"\s*([=≈])\s*(\[[^\]]*\])", below).groups()  # type: ignore[union-attr]
    added = [sum(column, start=Decimal(0)) for column in zip(*vectors, strict=True)]
    report.checked += 1
    report.approximate += sign == "≈"
    if not vectors or _rounds_to(added, _value(total, names), total) != (sign == "="):
        report.false.append(f"{label}: {text}")


def _is_figure(text: str) -> bool:
    return re.fullmatch(r"[−\d.e, \[\]-]+", text) is not None and not re.search(r"\d\s+−", text)


def _rounds_to(left: Value, right: Value, text: str) -> bool:
    """Whether the left side, rounded half away from zero to the digits of the right, is it."""
    figures = [f.strip() for f in text.strip("[] ").split(",")]
    lefts, rights = (v if isinstance(v, list) else [v] for v in (left, right))
    return len(lefts) == len(rights) and all(
        _rounded(a, figure) == b for a, b, figure in zip(lefts, rights, figures, strict=True)
    )


def _rounded(value: Decimal, figure: str) -> Decimal:
    unit = Decimal(figure.replace("−", "-")).as_tuple().exponent
    with localcontext() as context:
        context.prec = 200
        return value.quantize(Decimal(1).scaleb(int(unit)), rounding=ROUND_HALF_UP)


def _same(left: Value, right: Value) -> bool:
    lefts, rights = (v if isinstance(v, list) else [v] for v in (left, right))
    return len(lefts) == len(rights) and all(
        abs(a - b) <= abs(b) * Decimal("1e-40") for a, b in zip(lefts, rights, strict=True)
    )


def _value(text: str, names: Names) -> Value:
    """What an expression comes to, from the digits shown."""
    looked_up = re.fullmatch(r"(\w+)\[(.*)\]", text)
    if looked_up is not None and isinstance(names.get(looked_up[1]), dict):
        return names[looked_up[1]][_unquoted(looked_up[2])]
    with localcontext() as context:
        context.prec = 60
        parser = _Parser(list(_tokens(text)), names)
        value = parser.sum()
        if parser.rest:
            raise ValueError(f"left over: {parser.rest}")
        return value


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"unreadable: {text[position:]!r}")
        assert match.lastgroup is not None
        yield (
            match.lastgroup,
            match[match.lastgroup].replace("-", "−")
            if match.lastgroup == "mark"
            else match[match.lastgroup],
        )
        position = match.end()


def _unquoted(index: str) -> str:
    return re.sub(r"\\(.)", r"\1", index[1:-1]) if index.startswith('"') else index


class _Parser:
    """Sums of products of powers, over figures and vectors."""

    def __init__(self, tokens: list[tuple[str, str]], names: Names) -> None:
        self.rest, self.names = tokens, names

    def next_is(self, *marks: str) -> bool:
        return bool(self.rest) and self.rest[0][0] == "mark" and self.rest[0][1] in marks

    def take(self, mark: str | None = None) -> str:
        kind, text = self.rest.pop(0)
        if mark is not None and text != mark:
            raise ValueError(f"{mark} wanted, {text} found ({kind})")
        return text

    def sum(self) -> Value:
        value = self.signed()
        while self.next_is("+", "−"):
            sign = -1 if self.take() == "−" else 1
            value = _add(value, _times(Decimal(sign), self.product()))
        return value

    def signed(self) -> Value:
        if self.next_is("−"):
            self.take()
            return _times(Decimal(-1), self.product())
        return self.product()

    def product(self) -> Value:
        value = self.power()
        while self.next_is("×", "·", "/"):
            mark = self.take()
            other = self.power()
            if mark == "·":
                value = sum((a * b for a, b in zip(value, other, strict=True)), start=Decimal(0))
            else:
                value = _times(value, other) if mark == "×" else _times(1 / other, value)
        return value

    def power(self) -> Value:
        base = self.atom()
        if self.next_is("ᵀ"):
            self.take()
            base = [list(column) for column in zip(*base, strict=True)]
        if self.next_is("^"):
            self.take()
            exponent = self.atom()
            return exponent.exp() if base == "e" else base**exponent
        return base

    def atom(self) -> Value:
        if self.next_is("("):
            return self.bracketed()
        if self.next_is("["):
            return self.vector()
        if self.next_is("√"):
            self.take()
            return self.atom().sqrt()
        kind, text = self.rest.pop(0)
        if kind == "number":
            return Decimal(text)
        return self.named(text)

    def bracketed(self) -> Value:
        self.take("(")
        value = self.sum()
        self.take(")")
        return value

    def vector(self) -> list[Decimal]:
        self.take("[")
        entries = [self.sum()]
        while self.next_is(","):
            self.take()
            entries.append(self.sum())
        self.take("]")
        return entries

    def named(self, name: str) -> Value:
        if name == "e":
            return "e" if self.next_is("^") else Decimal(1).exp()
        if name == "π":
            return Decimal(mpmath.nstr(mpmath.pi, 55))
        if self.next_is("("):
            self.take()
            arguments = [self.sum()]
            while self.next_is(","):
                self.take()
                arguments.append(self.sum())
            self.take(")")
            return _FUNCTIONS[name](*arguments)
        value = self.names[name]
        return value


def _mp(function: Any) -> Any:
    return lambda x: Decimal(mpmath.nstr(function(mpmath.mpf(str(x))), 50))


_FUNCTIONS = {"max": max, "tanh": _mp(mpmath.tanh), "erf": _mp(mpmath.erf)}


def _add(a: Value, b: Value) -> Value:
    if isinstance(a, list):
        return [x + y for x, y in zip(a, b, strict=True)]
    return a + b


def _times(a: Value, b: Value) -> Value:
    """A figure times a figure or vector; a vector times a matrix."""
    if isinstance(a, list) and isinstance(b, list):
        return [
            sum((x * y for x, y in zip(a, column, strict=True)), start=Decimal(0))
            for column in zip(*b, strict=True)
        ]
    if isinstance(a, list):
        a, b = b, a
    return [_times(a, x) for x in b] if isinstance(b, list) else a * b


def plain_of_markdown(text: str) -> str:
    """A Markdown page with its mathematics in the plain notation that `audit` reads."""
    out: list[str] = []
    for line in text.split("\n"):
        if re.match(r"\|", line):
            continue
        line = re.sub(r" \$=\$ `+ ?(.*?\]) ?`+ \$", r" $= \1 ", line)
        line = re.sub(r"^[-*] `+ ?(.*?\]) ?`+ \$(.*)\$$", lambda m: f"{m[1]} {_plain(m[2])}", line)
        line = re.sub(r"^[-*] \$(= |\\approx )(.*)\$$", lambda m: f"─ {_plain(m[1] + m[2])}", line)
        line = re.sub(r"^[-*] \$(.*)\$$", lambda m: f"  {_plain(m[1])}", line)
        line = re.sub(r"^`+ ?(.*?\]) ?`+:$", r"\1", line)
        if line.strip() or (out and "→" not in out[-1] and not out[-1].endswith("]")):
            out.append(line)
    return "\n".join(out)


def _plain(latex: str) -> str:
    for pattern, plain in (
        (r"\\rightarrow", "→"), (r"\\times 10\^\{(-?\d+)\}", r"e\1"), (r"\\times", "×"),
        (r"\\cdot", "·"), (r"\\approx", "≈"), (r"\\left\(", "("), (r"\\right\)", ")"),
        (r"\\dots", "…"), (r"\\max", "max"), (r"\\tanh", "tanh"), (r"\\pi", "π"),
        (r"\\operatorname\{(\w+)\}", r"\1"), (r"\\text\{([^{}]*)\}", r"\1"),
        (r"\\mathrm\{(\w+)\}", r"\1"), (r"\^\{\\top\}", "ᵀ"), (r" _\{(\w+)\}", r"_\1"),
        (r"\b([Wb])_(\d)", r"\1\2"),
    ):  # fmt: skip
        latex = re.sub(pattern, plain, latex)
    before = ""
    while before != latex:
        before = latex
        latex = re.sub(r"\\sqrt\{([^{}]*)\}", r"√(\1)", latex)
        latex = re.sub(r"\^\{([^{}]*)\}", r"^(\1)", latex)
        latex = re.sub(r"\\dfrac\{([^{}]*)\}\{([^{}]*)\}", r"((\1) / (\2))", latex)
    latex = re.sub(r"(\d) (e-?\d)", r"\1\2", latex)
    return re.sub(r"(?<!\de)-", "−", latex)


def names_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """The given figures of a scenario, read by PyYAML alone, by name."""
    names: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], list):
            names[key] = [[Decimal(x) for x in row] for row in value]
        elif key in ("b1", "b2"):
            names[key] = [Decimal(x) for x in value]
    table = data.get("embeddings")
    if isinstance(table, dict):
        rows = {token: [Decimal(x) for x in row] for token, row in table.items()}
        ids = data.get("vocabulary", {})
        names["embeddings"] = {str(ids.get(token, token)): row for token, row in rows.items()}
    elif table is not None:
        names["embeddings"] = dict(enumerate_as_text(names["embeddings"]))
    return names


def enumerate_as_text(rows: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    return ((str(number), row) for number, row in enumerate(rows))
