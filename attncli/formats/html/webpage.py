"""What pages share: their looks and scripts, inside each page or in files of a website; its first
page, and the links above each of the others; a page inside another one, such as a notebook's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import NamedTuple

from attncli.document.grid import Look
from attncli.formats.colours import DARK, INKS, LIGHT, ColourScheme, names_of
from attncli.formats.html.blocks import escaped
from attncli.formats.svg.elements import SHAPES, colours_of, written
from attncli.names import Word
from attncli.notation.escaping import shown

_SHARE_OF_INK = "80%"


def looks_of(look: Look) -> str:
    """The classes of a cell: a share's shade, the largest of a row, the result, the ink of what is
    given and of queries, keys and values."""
    return names_of(look, LIGHT.shades)


def colour_sheet() -> str:
    """The colours of a light page, and of a dark one where the reader's system is; a page on paper
    is light."""
    light, dark = ("\n".join(_rules(scheme)) for scheme in (LIGHT, DARK))
    shapes = "\n".join(written(SHAPES, "svg"))
    return f"{shapes}\n{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}"


def _rules(scheme: ColourScheme) -> Iterator[str]:
    page, text = scheme.page
    yield (
        f":root {{ --page: {page}; --text: {text}; --aside: {scheme.aside}; "
        f"--line: {scheme.line}; }}"
    )
    for name, ink in INKS.items():
        # inks have enough contrast with black and with white; a page is a little of both
        yield f".{name} {{ color: color-mix(in srgb, {ink} {_SHARE_OF_INK}, {text}); }}"
    for k, shade in enumerate(scheme.shades):
        yield f"td.shade{k} {{ background: {shade.background}; color: {shade.text}; }}"
    yield from written(colours_of(scheme), "svg")


SCRIPTS = ("page.js", "sheet.js")
"""The script of all pages, and that of sheets."""
_STYLE, _LINKS = "page.css", "links.css"


class PageAssets(NamedTuple):
    """How a page comes by its looks and its scripts: what its content security policy allows to
    style it, and to run; the elements that stand for them."""

    styles: str
    scripts: str
    style: Callable[[], str]
    script: Callable[[str], str]


def file_text(name: str) -> str:
    """What a file beside this one says."""
    return (files("attncli.formats.html") / name).read_text(encoding="utf-8")


def _looks() -> str:
    return f"{colour_sheet()}\n{file_text(_STYLE)}"


_BESIDE = "'self' file:"
"""Opened from a disk a page has no origin, so that nothing would be its own."""
INSIDE = PageAssets(
    "'unsafe-inline'",
    "'unsafe-inline'",
    lambda: f"<style>\n{_looks()}\n</style>",
    lambda name: f"<script>\n{file_text(name)}</script>",
)
SHARED = PageAssets(
    f"'unsafe-inline' {_BESIDE}",
    _BESIDE,
    lambda: f'<link rel="stylesheet" href="{_STYLE}">',
    lambda name: f'<script src="{name}"></script>',
)
"""Drawings say how wide they are in an attribute."""


def shared_files() -> Mapping[str, str]:
    """The files that the pages of a site share, by their names; their looks are also those of the
    links between pages."""
    return {
        _STYLE: f"{_looks()}\n{file_text(_LINKS)}",
        **{name: file_text(name) for name in SCRIPTS},
    }


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
    text = "".join(f"<p>{' '.join(map(_link, row))}</p>" for row in rows)
    head, body, main = page.partition("<body>")
    above = f'\n<nav class="site" aria-label="This site">{text}</nav>'
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


def _listed(entry: SiteEntry) -> str:
    others = "".join(f"<li>{_link(other)}</li>" for other in entry.others)
    below = f"\n<ul>{others}</ul>" if others else ""
    says = f"<p>{escaped(entry.says)}</p>"
    return f"<li><h3>{_link(entry.page)}</h3>\n{says}{below}</li>"


def _link(link: SiteLink) -> str:
    relation = f' rel="{link.relation}"' if link.relation else ""
    here = ' aria-current="page"' if link.here else ""
    text = shown(link.text)
    return f'<a href="{escaped(link.file)}"{relation}{here}><bdi>{escaped(text)}</bdi></a>'


_ROOM = "main { padding-bottom: 8rem; }"
"""Below the last number, for where it comes from: a share of the frame's height, which follows
from that of the page, would grow on and on."""
_ALONE = "nav.contents { display: none; } body { display: block; padding: 0 1rem; }"
_TELL = """<script>
new ResizeObserver(() => parent.postMessage({ attncli: document.body.offsetHeight }, "*"))
  .observe(document.body);
</script>
"""
_HEAR = """<script>
addEventListener("message", ({ source, data }) => {
  for (const frame of document.querySelectorAll("iframe.attncli")) {
    if (frame.contentWindow !== source || !Number.isFinite(data?.attncli)) continue;
    frame.style.height = `${Math.min(data.attncli + 4, 640)}px`;
  }
});
</script>
"""
"""A page is as high as it needs, up to a screen; where scripts don't run it stays as it is."""


def framed(page: str, *, whole: bool) -> str:
    """A page in a frame; one that isn't `whole` goes without its contents."""
    style = f"<style>{_ROOM}{'' if whole else _ALONE}</style>\n"
    head, mark, body = page.partition("</head>")
    inside, end, after = body.rpartition("</body>")
    source = escaped(f"{head}{style}{mark}{inside}{_TELL}{end}{after}")
    look = "width: 100%; height: 30rem; border: 0; resize: vertical; overflow: auto"
    return (
        f'<iframe class="attncli" sandbox="allow-scripts" title="The working" style="{look}" '
        f'srcdoc="{source}"></iframe>\n{_HEAR}'
    )
