"""Graphs as Mermaid diagrams, for pages that draw them."""

from __future__ import annotations

from attncli.document import Graph
from attncli.notation.words import printed
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


def _label_text(name: Word) -> str:
    """A name inside quotes of a Mermaid label: entities for what it would obey."""
    return "".join(c if c.isalnum() or c == " " else f"#{ord(c)};" for c in printed(name))
