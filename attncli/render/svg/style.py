"""The looks of pictures, and their colours on a light and on a dark page, as a style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attncli.render.colours import DARK, INKS, LIGHT, ColourScheme
from attncli.render.svg.elements import TEXT_SIZE, TITLE_SIZE

_FONT = f"{TEXT_SIZE}px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

Rule = tuple[str, str]
"""A class or an element, and its looks."""

_SHAPES: tuple[Rule, ...] = (
    ("text", f"font: {_FONT}"),
    (".title", f"font-size: {TITLE_SIZE}px; font-weight: bold"),
    (".most", "font-weight: bold"),
    (".end", "text-anchor: end"),
    (".middle", "text-anchor: middle"),
    (".halo", "stroke-width: 6px; stroke-linejoin: round; paint-order: stroke"),
    (".grid", "opacity: .25"),
    (".curve", "fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round"),
    (".leader", "fill: none; stroke: currentColor; opacity: .6"),
    (".point", "fill: currentColor; stroke: currentColor; stroke-width: 1.5"),
    (".vector", "stroke: currentColor; stroke-width: 2"),
    (".inked", "fill: currentColor"),
    (".way", "fill: none; stroke: currentColor; stroke-width: 1.3"),
    (".way.chosen", "stroke-width: 3"),
    (".box", "stroke: currentColor; stroke-width: 1.2"),
    (".box.chosen", "stroke-width: 3"),
    (".dash1", "stroke-dasharray: 8 4"),
    (".dash2", "stroke-dasharray: 2 3"),
    (".dash3", "stroke-dasharray: 10 3 2 3"),
    (".head", "fill: currentColor; stroke: none"),
)


def style_sheet() -> str:
    """Light, and dark where the reader's system is."""
    dark = "\n".join(f"  {rule}" for rule in written(colours_of(DARK)))
    return f"{light_style_sheet()}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"


def light_style_sheet() -> str:
    """For white paper."""
    return "\n".join(written(light_rules()))


def light_rules() -> list[Rule]:
    """What that style sheet says, the later the stronger."""
    inks = [(f".{name}", f"color: {INKS[name]}") for name in "QKV"]
    return [*_SHAPES, *inks, *colours_of(LIGHT)]


def shapes_inside(parent: str) -> str:
    """The looks that are the same on every page, of pictures inside an element."""
    return "\n".join(written(_SHAPES, parent))


def colours_inside(parent: str, scheme: ColourScheme) -> Iterator[str]:
    """The colours of pictures inside an element."""
    return written(colours_of(scheme), parent)


def written(rules: Iterable[Rule], parent: str = "") -> Iterator[str]:
    """The rules of a style sheet, for what stands inside an element if it is named."""
    for selector, looks in rules:
        yield f"{parent} {selector} {{ {looks}; }}".lstrip()


def colours_of(scheme: ColourScheme) -> Iterator[Rule]:
    page, text = scheme.page
    yield ".page", f"fill: {page}"
    yield "text", f"fill: {text}"
    yield ".aside", f"fill: {scheme.aside}"
    yield ".inked", "fill: currentColor"
    yield ".halo", f"stroke: {page}"
    for kind in (".axis", ".grid"):
        yield kind, f"stroke: {scheme.aside}"
    for kind in (".arrow", ".chosen"):
        yield kind, f"stroke: {scheme.line}; color: {scheme.line}"
    yield ".link", f"color: {scheme.aside}"
    yield ".box", f"fill: {page}; color: {scheme.aside}"
    yield ".hollow", f"fill: {page}"
    yield ".bar", f"fill: {scheme.line}"
    yield ".bar.below", f"fill: {scheme.below[6].background}"
    for k, ink in enumerate(scheme.inks):
        yield f".ink{k}", f"color: {ink}"
    for sign, shades in (("", scheme.shades), ("-below", scheme.below)):
        for k, shade in enumerate(shades):
            yield f".shade{sign}{k}", f"fill: {shade.background}"
            yield f".on{sign}{k}", f"fill: {shade.text}"
