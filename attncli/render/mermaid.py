"""Graphs as Mermaid diagrams, for pages that draw them."""

from __future__ import annotations

from attncli.document import Graph
from attncli.notation.words import printed
from attncli.pictures import Box, Diagram, Label, Link
from attncli.render.numbers import text_of
from attncli.word import Word


def mermaid(block: Graph) -> str:
    """A Mermaid diagram, which GitHub draws; names only as quoted labels."""
    names = list(dict.fromkeys(name for edge in block.edges for name in (edge.source, edge.target)))
    lines = ["```mermaid", "graph LR"]
    lines += [f'  n{k}["{_label_text(name)}"]' for k, name in enumerate(names, start=1)]
    for edge in block.edges:
        source, target = names.index(edge.source) + 1, names.index(edge.target) + 1
        lines.append(f'  n{source} -->|"{text_of(edge.weight)}"| n{target}')
    return "\n".join([*lines, "```"])


def mermaid_of_diagram(block: Diagram) -> str:
    """Boxes and arrows; chosen ones are thick."""
    names = {box.id: f"n{k}" for k, box in enumerate(block.boxes, start=1)}
    lines = ["```mermaid", f"graph {'LR' if block.across else 'TD'}"]
    lines += [f'  {names[box.id]}["{_box_text(box)}"]' for box in block.boxes]
    lines += [f"  {names[one.source]} {_arrow(one)} {names[one.target]}" for one in block.links]
    lines += [f"  style {names[box.id]} stroke-width:4px" for box in block.boxes if box.chosen]
    return "\n".join([*lines, "```"])


def _box_text(box: Box) -> str:
    return "<br/>".join(_label_text(text) for text in (box.label, box.below) if text != "")


def _arrow(link: Link) -> str:
    shaft = "==>" if link.chosen else "-->"
    return f'{shaft}|"{_label_text(link.label)}"|' if link.label != "" else shaft


def _label_text(name: Label) -> str:
    """A name inside quotes of a Mermaid label: entities for what it would obey."""
    text = printed(name) if isinstance(name, Word) else name
    return "".join(c if c.isalnum() or c == " " else f"#{ord(c)};" for c in text)
