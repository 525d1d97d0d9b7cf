"""Pictures in TikZ: each element of the drawing as a path or a node, with the options that the
style sheet of pictures comes to."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from math import sqrt
from typing import NamedTuple
from xml.etree.ElementTree import Element, fromstring

from attncli.document import Graph
from attncli.notation.words import ISOLATE, POP
from attncli.pictures import Picture
from attncli.render.svg.drawing import drawn, fit
from attncli.render.svg.elements import TEXT_SIZE, light_rules
from attncli.render.tex.setting import escaped

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


_POINTS_OF_AN_EM, _HIGH = 10.4, 560
"""Of the room between the margins, and the points from top to bottom that every page has."""
_NUMBER = r"-?\d+(?:\.\d+)?"
_POINT = re.compile(f"({_NUMBER}) ({_NUMBER})")
_STEP = re.compile(f"([MLCz])((?:,? ?{_NUMBER} {_NUMBER})*)")
_MOVED = re.compile(rf"translate\({_POINT.pattern}\)")
_TURNED = re.compile(rf"rotate\(({_NUMBER})")
_ISOLATES = str.maketrans("", "", ISOLATE + POP)


class _Place(NamedTuple):
    """Where an element's own coordinates begin, and the points of a unit."""

    x: float
    y: float
    scale: float

    def at(self, x: float | str, y: float | str) -> str:
        return f"({self.x + float(x):.1f},{self.y + float(y):.1f})"


def picture(block: Picture | Graph, room: float) -> str | None:
    """The picture between margins of so many ems, None for what couldn't be read on a page."""
    drawing = drawn(block)
    fitted = fit(drawing.size, (room * _POINTS_OF_AN_EM, _HIGH))
    if fitted is None:
        return None
    root = fromstring(f"<g>{''.join(drawing.elements)}</g>")
    paths = "\n".join(_paths(root, _Place(0, 0, fitted.scale)))
    told = f"{_colours(paths)}{_start(fitted.scale)}\n{paths}\n\\end{{tikzpicture}}"
    return f"\\rotatebox{{90}}{{{told}}}" if fitted.turned else f"{{{told}}}"


def _start(scale: float) -> str:
    size = f"{scale * TEXT_SIZE:.1f}"
    font = rf"\ttfamily\fontsize{{{size}}}{{{size}}}\selectfont"
    units = f"x={scale:.3f}pt, y=-{scale:.3f}pt"
    return f"\\begin{{tikzpicture}}[{units}, inner sep=0pt, font={font}]"


def _colours(paths: str) -> str:
    """The colours that a picture has, by name."""
    named = (f"\\definecolor{{attn{one}}}{{HTML}}{{{one}}}%" for one in colours_in(paths))
    return "%\n" + "".join(f"{one}\n" for one in named)


def _paths(parent: Element, place: _Place) -> Iterator[str]:
    for one in parent:
        moved = _MOVED.search(one.get("transform", ""))
        x, y = map(float, moved.groups()) if moved else (0.0, 0.0)
        here = place._replace(x=place.x + x, y=place.y + y)
        if one.tag == "g":
            yield from _paths(one, here)
        elif one.tag == "text":
            yield _node(one, here)
        elif one.tag in _OUTLINES:
            options = ", ".join(of_path(looks_of(one.tag, one.attrib), here.scale))
            yield f"\\path[{options}] {_OUTLINES[one.tag](one, here)};"


def _node(one: Element, place: _Place) -> str:
    looks = looks_of("text", one.attrib)
    turned = _TURNED.search(one.get("transform", ""))
    options = ", ".join(
        (*of_text(looks, place.scale), *([f"rotate={-float(turned[1]):g}"] if turned else []))
    )
    bold = r"\bfseries " if looks.get("font-weight") == "bold" else ""
    told = escaped((one.text or "").translate(_ISOLATES))
    return f"\\node[{options}] at {place.at(one.attrib['x'], one.attrib['y'])} {{{bold}{told}}};"


def _rectangle(one: Element, place: _Place) -> str:
    """A rectangle, its corners round or not; one that is turned stands on a corner."""
    x, y, wide, high = (float(one.attrib[key]) for key in ("x", "y", "width", "height"))
    if _TURNED.search(one.get("transform", "")):
        return _diamond(place, (x + wide / 2, y + high / 2), wide * sqrt(0.5))
    corners = float(one.get("rx", 0)) * place.scale
    start = f"[rounded corners={corners:.1f}pt] " if corners else ""
    return f"{start}{place.at(x, y)} rectangle {place.at(x + wide, y + high)}"


def _diamond(place: _Place, middle: tuple[float, float], reach: float) -> str:
    x, y = middle
    corners = ((x - reach, y), (x, y - reach), (x + reach, y), (x, y + reach))
    return f"{' -- '.join(place.at(*one) for one in corners)} -- cycle"


def _circle(one: Element, place: _Place) -> str:
    radius = float(one.attrib["r"]) * place.scale
    return f"{place.at(one.attrib['cx'], one.attrib['cy'])} circle[radius={radius:.1f}pt]"


def _line(one: Element, place: _Place) -> str:
    start, end = ((one.attrib[f"x{k}"], one.attrib[f"y{k}"]) for k in (1, 2))
    return f"{place.at(*start)} -- {place.at(*end)}"


def _path(one: Element, place: _Place) -> str:
    return "".join(_step(step[1], step[2], place) for step in _STEP.finditer(one.attrib["d"]))


def _step(kind: str, numbers: str, place: _Place) -> str:
    points = [place.at(*point) for point in _POINT.findall(numbers)]
    match kind:
        case "M":
            return points[0]
        case "L":
            return f" -- {points[0]}"
        case "C":
            return " .. controls {} and {} .. {}".format(*points)
        case _:
            return " -- cycle"


_OUTLINES: Mapping[str, Callable[[Element, _Place], str]] = {
    "rect": _rectangle,
    "circle": _circle,
    "line": _line,
    "path": _path,
}
"""The outline of each kind of element that has one."""
