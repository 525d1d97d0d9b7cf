"""Looks, scripts and frames of pages: alone, in a website, and in a notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import NamedTuple

from attncli.document.grid import Look
from attncli.formats.colours import DARK, LIGHT, ColourScheme, inks_on, names_of
from attncli.formats.html.blocks import embedded, escaped, packed
from attncli.formats.svg.elements import SHAPES, colours_of, written
from attncli.maths.notation.escaping import harmless, shown
from attncli.names import Word


def looks_of(look: Look) -> str:
    """Returns the classes of a cell: a share's shade, the largest of a row, the result, the ink of
    what is given and of queries, keys and values."""
    return names_of(look, LIGHT.shades)


def colour_sheet() -> str:
    """Writes the colours of a light page, and of a dark one where the reader's system is; a page on
    paper is light."""
    light, dark = ("\n".join(_rules(scheme)) for scheme in (LIGHT, DARK))
    shapes = "\n".join(written(SHAPES, "svg"))
    return f"{shapes}\n{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}"


def _rules(scheme: ColourScheme) -> Iterator[str]:
    page, text = scheme.page
    yield (
        f":root {{ --page: {page}; --text: {text}; --aside: {scheme.aside}; "
        f"--line: {scheme.line}; "
        f"{' '.join(f'--{name}: {ink};' for name, ink in scheme.said.items())} }}"
    )
    for name, ink in inks_on(scheme).items():
        yield f".{name} {{ color: {ink}; }}"
    for name in scheme.said:
        yield f"td > .{name} {{ color: var(--{name}); font-weight: 600; }}"
    for k, shade in enumerate(scheme.shades):
        yield f"td.shade{k} {{ background: {shade.background}; color: {shade.text}; }}"
    yield from written(colours_of(scheme), "svg")


PAGE_SCRIPTS = ("page.js", "pointing.js", "reading.js", "asking.js", "stepping.js")
"""Those of all pages: what they share, pointing at numbers, asking for them, stepping."""
_PACKED, _MADE_SMALLER = "packed.js", "decimal.js"
BENCH_SCRIPT = "bench.js"
"""That of pages on which numbers are changed in their cells, whoever works these pages again."""
LIVE_SCRIPTS = (
    _MADE_SMALLER, "evaluator.js", "pictures.js", "keeping.js", BENCH_SCRIPT, "live.js",
)  # fmt: skip
"""Those of pages that are worked again, behind `packed.js`; one is decimal.js by
M. Mclaughlin, made smaller."""
JUDGING_SCRIPTS = ("enclosures.js", "judging.js")
"""Those of pages that judge numbers by their author's own ones, behind `reading.js`."""
SHEET_SCRIPTS = (_PACKED, *JUDGING_SCRIPTS, "sheet.js")
_SITE_SCRIPT = "site.js"
_STYLE, _SITE = "page.css", "site.css"
_TOGETHER = "attn.js"
"""The one script of a site's pages, which browsers keep."""
_STYLES = (_STYLE, "product.css", "stepping.css", "bench.css")
"""The looks of all pages, a subject a file: pages, products laid out as on paper, stepping through
cells, what readers change."""


class PageAssets(NamedTuple):
    """A page's way to its looks and its scripts."""

    styles: str
    """What its content security policy allows to style it."""
    scripts: str
    """What its content security policy allows to run."""
    style: Callable[[], str]
    """Writes the element that stands for its looks."""
    script: Callable[[str], str]
    """Writes the element that stands for a script, by the name of its file."""
    first: tuple[str, ...] = ()
    """Scripts that run before those of all pages."""
    packs: bool = False
    """Whether scripts that run later stand there in little room."""

    def scripts_of(self, names: Iterable[str]) -> str:
        """Writes the elements that stand for scripts."""
        return "\n".join(map(self.script, names))

    def later_scripts_of(self, names: Iterable[str]) -> str:
        """Writes the elements that stand for scripts which need data that is packed."""
        if not self.packs:
            return self.scripts_of((_PACKED, *names))
        texts = packed([script_text(name) for name in names])
        data = f'<script type="application/octet-stream" id="scripts">{texts}</script>'
        return f"{data}\n{self.script(_PACKED)}"


def file_text(name: str) -> str:
    """Reads a file beside this one."""
    return (files("attncli.formats.html") / name).read_text(encoding="utf-8")


_REMARKS = re.compile(r"^ *//.*\n|/\*\*(?:(?!/\*\*|\*/).)*\*/ ?|(?<=\S) // .*$|^ +", re.MULTILINE)
"""Remarks of scripts, and the room before their lines."""


def script_text(name: str) -> str:
    """Reads a script beside this one, without what is for those who read it there; one that others
    made smaller stays as it is."""
    text = file_text(name)
    return text if name == _MADE_SMALLER else _REMARKS.sub("", text)


def _looks() -> str:
    return "\n".join((colour_sheet(), *map(file_text, _STYLES)))


_BESIDE = "'self' file:"
"""Opened from a disk a page has no origin, so that nothing would be its own."""
INSIDE = PageAssets(
    "'unsafe-inline'",
    "'unsafe-inline'",
    lambda: f"<style>\n{_looks()}\n</style>",
    lambda name: f"<script>\n{script_text(name)}</script>",
    packs=True,
)
SHARED = PageAssets(
    f"'unsafe-inline' {_BESIDE}",
    _BESIDE,
    lambda: f'<link rel="stylesheet" href="{_STYLE}">',
    lambda _: "",
)
"""Drawings say how wide they are in an attribute. All scripts are one, which ends each page."""
SERVED = PageAssets(
    INSIDE.styles,
    f"{INSIDE.scripts}; connect-src 'self'",
    lambda: f"<style>\n{_looks()}\n{file_text('served.css')}\n</style>",
    INSIDE.script,
    ("served.js",),
)
"""A page that asks its server what it is by now, and has kept what it was."""


def shared_files() -> Mapping[str, str]:
    """Returns the files that the pages of a site share, by their names: their looks and their
    script, those of what only a site has with them."""
    return {_STYLE: f"{_looks()}\n{file_text(_SITE)}", _TOGETHER: _all_scripts()}


def _all_scripts() -> str:
    """Joins the scripts of all kinds of pages; those of sheets and of pages that are worked again
    run where the page has what they go by."""
    parts = (
        _run_in_turn((*PAGE_SCRIPTS, _PACKED)),
        f'if (document.getElementById("checking")) {{\n{_run_in_turn(SHEET_SCRIPTS)}}}\n',
        f'if (document.getElementById("live")) {{\n{_run_in_turn(LIVE_SCRIPTS)}}}\n',
        script_text(_SITE_SCRIPT),
    )
    return "".join(('"use strict";\n', *parts))


def _run_in_turn(names: Iterable[str]) -> str:
    return "".join(f"{script_text(name)}\n" for name in names)


class SiteLink(NamedTuple):
    """A link to another file of the site, which stands beside this one."""

    text: str | Word
    file: str
    relation: str = ""
    """What the other is to this one: `prev`, `next`."""
    here: bool = False
    """Whether it is the page that the link stands on."""


class SiteEntry(NamedTuple):
    """A lesson on the first page."""

    name: str
    """What it is called."""
    page: SiteLink
    """Its page."""
    says: Word
    """What it shows."""
    others: tuple[SiteLink, ...] = ()
    """What else there is of it."""
    answer: Word = Word("")
    """What its page comes to."""
    picture: str = ""
    """A drawing of what it is about, as SVG."""
    minutes: int = 0
    """How long reading it takes."""


class FoldOut(NamedTuple):
    """A text that a reader may copy, folded away."""

    title: str
    text: str


class SiteGroup(NamedTuple):
    """A heading with the scenarios that stand under it."""

    title: str
    scenarios: tuple[SiteEntry, ...]


_NUMBERS = '<script type="application/json" id="numbers">'
_READY = 'attncli.lessons = {{ ...attncli.lessons, {}: "{}" }};\n'


def numbers_file(lesson: str) -> str:
    """Returns the name of the file that has a lesson's numbers."""
    return f"{lesson}-numbers.js"


def numbers_apart(page: str, file: str) -> tuple[str, str]:
    """Returns a page, without its numbers where it has them also in what it is worked again by; and
    its numbers as a `file` for whoever else asks for them: a script, for a page that is opened from
    a disk can read nothing else."""
    head, mark, rest = page.partition(_NUMBERS)
    numbers, end, after = rest.partition("</script>")
    kept = "[]" if ' id="live">' in after else numbers
    its_numbers = _READY.format(json.dumps(file), packed(json.loads(numbers)))
    return f"{head}{mark}{kept}{end}{after}", its_numbers


def _on_site(page: str, above: Iterable[Sequence[SiteLink]], below: str, lesson: str = "") -> str:
    """Writes a page with links above it, and what the site has below it."""
    links = f'<nav class="site" aria-label="This site">{_rows(above)}</nav>'
    head, _, body = page.partition("<body>")
    inside, end, after = body.rpartition("</main>")
    scripted = after.replace("</body>", f'<script src="{_TOGETHER}"></script>\n</body>')
    kind = f' data-lesson="{lesson}"' if lesson else ' class="course"'
    return f"{head}<body{kind}>\n{links}{inside}{below}\n{end}{scripted}"


def lesson_page(
    page: str,
    lesson: str,
    links: Sequence[SiteLink],
    own: Sequence[SiteLink],
    around: Sequence[SiteLink],
    folded: Sequence[FoldOut],
) -> str:
    """Writes a page of a lesson: links to the whole site, to its `own` files, and to the lessons
    `around` it, above and below; what is `folded` away."""
    read = '<p id="read" hidden>✓ You have read this lesson.</p>\n' if folded else ""
    below = f"{''.join(map(_fold, folded))}{read}{_rows((own, around))}"
    above = ((*links, *around), own)
    return _on_site(page, above, f'<div class="ending site">\n{below}</div>', lesson)


def _rows(rows: Iterable[Sequence[SiteLink]]) -> str:
    return "".join(f"<p>{' '.join(map(_link, row))}</p>" for row in rows if row)


def _fold(fold: FoldOut) -> str:
    lines = "\n".join(map(harmless, fold.text.split("\n")))
    text = f'<pre tabindex="0">{escaped(lines)}</pre>'
    return f'<details class="copied"><summary>{escaped(fold.title)}</summary>{text}</details>\n'


def first_page(
    page: str, links: Sequence[SiteLink], groups: Iterable[SiteGroup], index: object
) -> str:
    """Writes a page from which all others are found: with a search and every lesson below it."""
    listed = "\n".join(_group(k, group) for k, group in enumerate(groups, start=1))
    below = Template(file_text("first.html")).substitute(groups=listed, index=embedded(index))
    return _on_site(page, [links], below)


def page_of_doubt(page: str, links: Sequence[SiteLink], lessons: Iterable[SiteLink]) -> str:
    """Writes a page with a form that finds a number of any lesson by its name."""
    options = "".join(
        f'<option id="{to.file}" value="{to.file}">{escaped(shown(to.text))}</option>'
        for to in lessons
    )
    return _on_site(page, [links], Template(file_text("doubt.html")).substitute(options=options))


def _group(k: int, group: SiteGroup) -> str:
    listed = "\n".join(map(_listed, group.scenarios))
    return (
        f'<section aria-labelledby="g{k}">\n<h2 id="g{k}">{escaped(group.title)}</h2>\n'
        f"<ol>\n{listed}\n</ol>\n</section>"
    )


def _listed(entry: SiteEntry) -> str:
    others = "".join(f"<li>{_link(other)}</li>" for other in entry.others)
    below = f"\n<ul>{others}</ul>" if others else ""
    says = f"<p>{escaped(shown(entry.says))}</p>"
    answer = escaped(shown(entry.answer))
    answer = f'<p class="answer">{answer}</p>' if answer else ""
    title = f"<h3>{_link(entry.page)} <small>{entry.minutes} min</small></h3>"
    sign = f'<div class="sign">{entry.picture}</div>'
    return f'<li data-of="{entry.name}">{title}\n{sign}{answer}{says}{below}</li>'


def _link(link: SiteLink) -> str:
    relation = f' rel="{link.relation}"' if link.relation else ""
    here = ' aria-current="page"' if link.here else ""
    here += "" if ".html" in link.file else " download"
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
    """Puts a page in a frame; one that isn't `whole` goes without its contents."""
    style = f"<style>{_ROOM}{'' if whole else _ALONE}</style>\n"
    head, mark, body = page.partition("</head>")
    inside, end, after = body.rpartition("</body>")
    source = escaped(f"{head}{style}{mark}{inside}{_TELL}{end}{after}")
    look = "width: 100%; height: 30rem; border: 0; resize: vertical; overflow: auto"
    return (
        f'<iframe class="attncli" sandbox="allow-scripts" title="The working" style="{look}" '
        f'srcdoc="{source}"></iframe>\n{_HEAR}'
    )
