"""The text of an HTML page: its sections, each with its tables, by a parser that isn't ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from html.parser import HTMLParser
from itertools import chain

_VOID = {"meta", "br", "mspace", "link", "input"}
_ISOLATES = str.maketrans("", "", "\u2068\u2069")


@dataclass
class Element:
    """An element of a page, and what is in it."""

    name: str
    attributes: dict[str, str]
    inside: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        texts = (entry if isinstance(entry, str) else entry.text for entry in self.inside)
        return "".join(texts).translate(_ISOLATES)

    @property
    def children(self) -> list[Element]:
        return [entry for entry in self.inside if isinstance(entry, Element)]

    def each(self, *names: str) -> Iterator[Element]:
        """The elements of these names in it, outer ones only."""
        for element in self.children:
            if element.name in names:
                yield element
            else:
                yield from element.each(*names)

    def first(self, name: str) -> Element | None:
        return next(self.each(name), None)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].inside.append(made)
        if tag not in _VOID:
            self.open.append(made)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self.open.pop().name == tag, tag

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def parsed(page: str) -> Element:
    """The page, whose elements all end where they have to."""
    parser = _Parser()
    parser.feed(page)
    parser.close()
    (root,) = parser.open
    return root


@lru_cache(maxsize=2)
def main_of(page: str) -> Element:
    """What of a page is told; several look at it in turn."""
    return next(parsed(page).each("main"))


def text_of(page: str) -> str:
    return main_of(page).text


def rows_of(table: Element) -> list[list[str]]:
    """The texts of a table's cells."""
    groups = chain.from_iterable(group.each("tr") for group in table.each("thead", "tbody"))
    return [[cell.text.strip() for cell in row.each("th", "td")] for row in groups]
