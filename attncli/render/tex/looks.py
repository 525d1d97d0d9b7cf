"""What the style sheet of pictures says of an element, as options of TikZ."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache

from attncli.render.svg.style import light_rules

_PEN = "currentColor"
_ANCHORS = {"end": "base east", "middle": "base"}


@cache
def _rules() -> list[tuple[str, frozenset[str], dict[str, str]]]:
    """Each rule: the kind of element, "" for any, the classes, and the looks of what has these."""
    found = []
    for selector, told in light_rules():
        kind, *classes = selector.split(".")
        looks = dict(one.split(": ", 1) for one in told.split("; "))
        found.append((kind, frozenset(classes), looks))
    return found


def looks_of(kind: str, attributes: Mapping[str, str]) -> dict[str, str]:
    """The looks of an element with these attributes, the colour of its pen said by its name."""
    classes = attributes.get("class", "").split()
    looks = {"fill": "#000000", "stroke-width": attributes.get("stroke-width", "1")}
    for wanted, needed, told in _rules():
        if wanted in ("", kind) and needed <= {*classes}:
            looks |= told
    pen = looks.get("color", "#000000")
    return {key: pen if value == _PEN else value for key, value in looks.items()}


def of_path(looks: Mapping[str, str], scale: float) -> Iterator[str]:
    """The options of an outline, a unit of which is so many points."""
    if looks["fill"] != "none":
        yield f"fill={colour(looks['fill'])}"
    if looks.get("stroke", "none") != "none":
        yield f"draw={colour(looks['stroke'])}"
        yield f"line width={float(looks['stroke-width']) * scale:.2f}pt"
        yield "line join=round"
    if "opacity" in looks:
        yield f"opacity={looks['opacity']}"
    if "stroke-dasharray" in looks:
        yield f"dash pattern={_dashes(looks['stroke-dasharray'], scale)}"


def of_text(looks: Mapping[str, str], scale: float) -> Iterator[str]:
    """The options of a text; one with a halo hides what is behind it."""
    yield f"anchor={_ANCHORS.get(looks.get('text-anchor', ''), 'base west')}"
    yield f"text={colour(looks['fill'])}"
    if "paint-order" in looks:
        yield f"fill=white, fill opacity=0.8, text opacity=1, inner sep={scale:.1f}pt"


def colour(written: str) -> str:
    """The name of a colour."""
    return f"attn{written[1:].upper()}"


def colours_in(tex: str) -> Collection[str]:
    """The colours that are named, as hexadecimal numbers."""
    return sorted({*re.findall(r"\battn([0-9A-F]{6})\b", tex)})


def _dashes(lengths: str, scale: float) -> str:
    pieces = zip(("on", "off") * 2, lengths.split(), strict=False)
    return " ".join(f"{which} {float(length) * scale:.1f}pt" for which, length in pieces)
