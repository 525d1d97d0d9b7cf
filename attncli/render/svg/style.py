"""The colours of a light and of a dark page, as a style sheet."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.render.colours import DARK, LIGHT, ColourScheme
from attncli.render.svg.elements import TEXT_SIZE, TITLE_SIZE

_FONT = f"{TEXT_SIZE}px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def style_sheet() -> str:
    """Light, and dark where the reader's system is."""
    dark = "\n".join(f"  {rule}" for rule in _rules(DARK))
    rules = [
        f"text {{ font: {_FONT}; }}",
        f".title {{ font-size: {TITLE_SIZE}px; font-weight: bold; }}",
        ".most { font-weight: bold; }",
        ".end { text-anchor: end; }",
        ".middle { text-anchor: middle; }",
        ".halo { stroke-width: 8px; stroke-linejoin: round; paint-order: stroke; }",
        *_rules(LIGHT),
        f"@media (prefers-color-scheme: dark) {{\n{dark}\n}}",
    ]
    return "\n".join(rules)


def _rules(scheme: ColourScheme) -> Iterator[str]:
    page, text = scheme.page
    yield f".page {{ fill: {page}; }}"
    yield f"text {{ fill: {text}; }}"
    yield f".aside {{ fill: {scheme.aside}; }}"
    yield f".halo {{ stroke: {page}; }}"
    yield f".arrow {{ fill: none; stroke: {scheme.line}; }}"
    yield f".tip {{ fill: {scheme.line}; }}"
    for k, shade in enumerate(scheme.shades):
        yield f".shade{k} {{ fill: {shade.background}; }}"
        yield f".on{k} {{ fill: {shade.text}; }}"
