"""Spoils the texts of scenarios, as editors, mail and people do who mean no good."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.drawing import Pen

_ODD = ("\t", "\u00a0", "\u200b", "\ufeff", "\x00", "\x07", "\u2028", "\x85", "\r", "'", '"', "\\")
_YAML = ("{", "}", "[", "]", ":", ": ", "- ", ",", "#", "&a ", "*a", "!!", "!", "|", ">", "%", "@")
_LINES = (
    "---", "...", "%YAML 1.1", "<<: *a", "<<: {scale: none}", "x: !!python/object/apply:os.system [ls]",
    "? [a]\n: b", "title: |\n  x\n y", "title: &a [*a]", "&a title: x", "scale: *b", "  scale: 2",
    "scale: !!float 3", "scale: !<tag:yaml.org,2002:int> 3", "title: !!binary aGk=", "\tscale: none",
    "a: &a [1, 2]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\ntitle: [*c, *c]",
)  # fmt: skip


def truncated(pen: Pen, text: str) -> str:
    return text[: pen.size(0, len(text))]


def without_a_part(pen: Pen, text: str) -> str:
    start = pen.size(0, len(text))
    return text[:start] + text[start + pen.choice(1, 1, 3, 20) :]


def line_twice(pen: Pen, text: str) -> str:
    return _lines(text, lambda lines: lines.insert(pen.size(0, len(lines)), pen.choice(*lines)))


def line_less(pen: Pen, text: str) -> str:
    return _lines(text, lambda lines: lines.pop(pen.size(0, len(lines) - 1)))


def line_more(pen: Pen, text: str) -> str:
    return _lines(text, lambda lines: lines.insert(pen.size(0, len(lines)), pen.choice(*_LINES)))


def indented(pen: Pen, text: str) -> str:
    indent = pen.choice(" ", "  ", "\t", "    ")
    pattern = "^" if pen.coin() else "^(?=W|  )"
    return re.sub(pattern, indent, text, count=pen.choice(0, 1), flags=re.MULTILINE)


def something_put_in(pen: Pen, text: str) -> str:
    place = pen.size(0, len(text))
    return f"{text[:place]}{pen.choice(*_ODD, *_YAML)}{text[place:]}"


def bracketed(pen: Pen, text: str) -> str:
    """Many brackets, closed or not."""
    many, closed = pen.choice(10, 100, 1000, 20_000), pen.coin()
    left, right = pen.choice(("[", "]"), ("{a: ", "}"))
    return f"{text}deep: {left * many}{right * many * closed}\n"


def other_ends(pen: Pen, text: str) -> str:
    return text.replace("\n", pen.choice("\r\n", "\r", "\n\n", "\u2028", " \n"))


def begun(pen: Pen, text: str) -> str:
    return (
        str(pen.choice("\ufeff", "---\n", "%YAML 9.9\n---\n", "- ", "#!/bin/sh\n", "\n\n")) + text
    )


def aliased(pen: Pen, text: str) -> str:
    """A value with a name, which stands in the place of the next."""
    first = re.sub(r": (?=[\[{])", ": &a ", text, count=1)
    return re.sub(r": [\[{][^\n&]*$", ": *a", first, count=pen.size(1, 3), flags=re.MULTILINE)


Scribble = Callable[[Pen, str], str]
SCRIBBLES: tuple[Scribble, ...] = (
    truncated, without_a_part, line_twice, line_less, line_more, line_more, indented,
    something_put_in, something_put_in, bracketed, other_ends, begun, aliased,
)  # fmt: skip


def scribble(pen: Pen, text: str) -> bytes:
    """The text, spoiled; sometimes in another encoding, or with bytes of none."""
    text = pen.choice(*SCRIBBLES)(pen, text or " ")
    if pen.coin(20):
        return text.encode(pen.choice("utf-16", "utf-32", "latin-1"), errors="replace")
    data = text.encode(errors="surrogatepass")
    if pen.coin(20):
        place = pen.size(0, len(data))
        data = data[:place] + bytes([pen.size(0, 255)]) + data[place:]
    return data


def _lines(text: str, change: Callable[[list[str]], object]) -> str:
    lines = text.split("\n")
    change(lines)
    return "\n".join(lines)
