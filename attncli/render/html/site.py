"""A small website: its first page, and the links that stand above each of the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import Template
from typing import NamedTuple

from attncli.notation.words import visible
from attncli.render.html.assets import file_text
from attncli.render.html.looks import colour_sheet
from attncli.render.html.style import escaped
from attncli.word import Word


class SiteLink(NamedTuple):
    """A link to another file of the site, which stands beside this one. That to the page that it
    stands on is `here`; `relation` is what the other is to this one: `prev`, `next`."""

    text: str | Word
    file: str
    relation: str = ""
    here: bool = False


class SiteEntry(NamedTuple):
    """A scenario on the first page: its page, what it shows, and what else there is of it."""

    page: SiteLink
    says: str
    others: tuple[SiteLink, ...] = ()


class SiteGroup(NamedTuple):
    """Scenarios under one heading."""

    title: str
    scenarios: tuple[SiteEntry, ...]


def with_links(page: str, rows: Iterable[Sequence[SiteLink]]) -> str:
    """A page with rows of links above it, for a site."""
    told = "".join(f"<p>{' '.join(map(_link, row))}</p>" for row in rows)
    head, body, main = page.partition("<body>")
    above = f'\n<nav class="site" aria-label="This site">{told}</nav>'
    return f"{head}{body}{above}{main}"


def first_page(title: str, opening: str, groups: Iterable[SiteGroup]) -> str:
    """The page from which all others are found."""
    return Template(file_text("site.html")).substitute(
        title=escaped(title),
        opening=escaped(opening),
        colours=colour_sheet(),
        style=file_text("site.css"),
        groups="\n".join(_group(k, group) for k, group in enumerate(groups, start=1)),
    )


def _group(k: int, group: SiteGroup) -> str:
    listed = "\n".join(map(_listed, group.scenarios))
    return (
        f'<section aria-labelledby="g{k}">\n<h2 id="g{k}">{escaped(group.title)}</h2>\n'
        f"<ol>\n{listed}\n</ol>\n</section>"
    )


def _listed(one: SiteEntry) -> str:
    others = "".join(f"<li>{_link(other)}</li>" for other in one.others)
    below = f"\n<ul>{others}</ul>" if others else ""
    says = f"<p>{escaped(one.says)}</p>"
    return f"<li><h3>{_link(one.page)}</h3>\n{says}{below}</li>"


def _link(link: SiteLink) -> str:
    relation = f' rel="{link.relation}"' if link.relation else ""
    here = ' aria-current="page"' if link.here else ""
    text = visible(link.text) if isinstance(link.text, Word) else link.text
    return f'<a href="{escaped(link.file)}"{relation}{here}><bdi>{escaped(text)}</bdi></a>'
