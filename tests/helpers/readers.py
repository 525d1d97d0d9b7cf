"""A reader for each format, none of them ours: what it finds on a page, or why it refuses it."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
import zlib
from base64 import b64decode
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree

import yaml
from markdown_it import MarkdownIt

from attncli.formats.html.webpage import script_text

ISOLATE, POP = "\u2068", "\u2069"
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}
INVISIBLE = set("\u034f\u115f\u1160\u2800\u3164\ufe00\U000e0100")
WORK = "\u200c\u200d"
TAGS = {"br", "div"}


def bare(line: str) -> str:
    """A line without isolates, which are there in pairs."""
    depth = 0
    for character in line:
        depth += {ISOLATE: 1, POP: -1}.get(character, 0)
        assert depth in (0, 1), line
    assert depth == 0, line
    return line.replace(ISOLATE, "").replace(POP, "")


def refused(text: str) -> list[str]:
    """Characters that do something, or can't be seen."""
    wrong = {
        character
        for character in set(text) - {" ", *WORK}
        if unicodedata.category(character) in HIDDEN or character in INVISIBLE
    }
    return [character for character in text if character in wrong] if wrong else []


def terminal(page: str) -> str:
    """A terminal's text: lines and pages, and nothing that it would obey."""
    lines = [bare(line) for line in re.split("[\n\f]", page)]
    assert refused("".join(lines)) == []
    return "\n".join(lines)


def markdown(page: str) -> str:
    """The text of a page in Markdown, in which nothing of anybody's is markup."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    texts: list[str] = []
    for block in parser.parse(page):
        tags = set(re.findall(r"</?(\w+)", block.content)) if block.type == "html_block" else set()
        assert tags <= TAGS, block.content
        if block.type in ("fence", "code_block"):
            assert block.info in ("mermaid", ""), block.content
            texts.append("" if block.info else block.content)
            continue
        for token in block.children or ():
            assert token.type in ALLOWED, (token.type, block.content)
            texts.append(token.content)
        texts.append("\n")
    text = bare("".join(texts))
    assert refused(text.replace("\n", "")) == []
    return text


ALLOWED = {
    "text", "text_special", "code_inline", "strong_open", "strong_close", "html_inline", "softbreak"
}  # fmt: skip


class Html(HTMLParser):
    """The text of HTML; what could run is refused."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "iframe", "img", "a", "object"), tag
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.told.append(data)


def html(text: str) -> str:
    reader = Html()
    reader.feed(text)
    reader.close()
    found = "".join(reader.told)
    assert refused(found.replace("\n", "")) == []
    return found


ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "nav", "ol", "ul", "li", "a", "main",
    "section", "h1", "h2", "h3", "p", "div", "span", "table", "thead", "tbody", "tr", "th", "td",
    "code", "bdi", "strong", "aside", "script", "br", "svg", "g", "rect", "text", "path", "defs",
    "marker", "desc", "circle", "line", "polyline", "math", "mi", "mn", "mo", "mrow", "mtext",
    "msub", "msup", "mfrac", "msqrt", "munder", "mspace", "button", "input", "label",
    "figure", "figcaption", "details", "summary", "b", "i", "select", "option",
}  # fmt: skip
ATTRIBUTES = {
    "id", "class", "lang", "charset", "name", "content", "http-equiv", "href", "scope", "colspan",
    "tabindex", "data-n", "aria-label", "aria-labelledby", "role", "hidden", "type", "width",
    "data-kind", "data-name", "aria-describedby", "size", "maxlength", "autocomplete", "spellcheck",
    "inputmode", "open", "selected", "data-key", "data-set", "data-from", "data-told", "data-cell", "data-shows", "data-scale", "data-room", "data-held", "data-after",
    "height", "viewbox", "x", "y", "x1", "y1", "x2", "y2", "rx", "cx", "cy", "r", "d", "transform",
    "stroke-width", "style",
    "data-do", "data-step", "data-row", "display", "disabled", "aria-expanded", "aria-live", "value",
}  # fmt: skip


LOOKS = re.compile(r"min-width: \d+px|--n:\d+ch;--w:\d+ch|--s:\d[\d.]*")


class WebPage(Html):
    """The text of a whole page, which has a style, a script of ours and the numbers that it asks.

    Nothing of anybody's is an element, an attribute or part of a script."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ELEMENTS, tag
        for name, value in attrs:
            assert name in ATTRIBUTES, (tag, name)
            assert name != "style" or LOOKS.fullmatch(value or ""), value
            assert name != "value" or re.fullmatch(r"−?-?[\d.]+|carry|exact", value or ""), value
            assert name != "href" or re.fullmatch(r"#s\d+", value or ""), value
        named = dict(attrs)
        self.inside = named.get("type") or tag if tag in ("script", "style") else ""

    def handle_endtag(self, _: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.told.append(data)
        elif self.inside == "application/json":
            self.told += _texts(json.loads(data))
        elif self.inside == "application/octet-stream":
            its = unpacked(data)
            if isinstance(its, list):
                assert set(its) <= scripts()
                return
            self.told += _texts(
                its["entries"] if "entries" in its else [its["words"], its["parts"]]
            )


@cache
def scripts() -> set[str]:
    """The scripts of the package, as pages have them."""
    room = files("attncli.formats.html")
    return {script_text(e.name) for e in room.iterdir() if e.name.endswith(".js")}


def unpacked(data: str) -> Any:
    """What a page carries packed: what it is worked again by, or what checks its answers."""
    return json.loads(zlib.decompress(b64decode(data), wbits=-zlib.MAX_WBITS))


def web(page: str) -> str:
    """The text of a page, and that of the working behind its numbers."""
    reader = WebPage()
    reader.feed(page)
    reader.close()
    found = bare("".join(reader.told).replace("\n", ""))
    assert refused(found.replace("\xa0", " ")) == []
    return found


def moodle(page: str) -> str:
    """The text of all questions, whose names are text, too."""
    root = ElementTree.fromstring(page.encode())
    assert {child.tag for child in root} == {"question"}
    texts = []
    for question in root:
        name = question.findtext("name/text") or question.findtext("category/text") or ""
        assert refused(bare(name)) == []
        pages = ("questiontext/text", "generalfeedback/text", "info/text", "hint/text")
        told = (element.text or "" for page in pages for element in question.iterfind(page))
        texts += [name, *map(html, told)]
    return "\n".join(texts)


def package(page: str) -> str:
    """The text of all files of a package that are XML, and their titles."""
    parts = re.split(r"^----- (\S+)\n", page, flags=re.MULTILINE)[1:]
    files = dict(zip(parts[::2], parts[1::2], strict=True))
    roots = [
        ElementTree.fromstring(text.encode()) for name, text in files.items() if ".xml" in name
    ]
    texts = ["".join(root.itertext()) for root in roots]
    texts += [root.get("title") or "" for root in roots]
    found = "\n".join(texts)
    # words and their counts stay on a line
    assert refused(bare(found).replace("\n", "").replace("\xa0", " ")) == []
    return found


def rows(page: str) -> str:
    """The ids of an answers file for spreadsheets."""
    entries = [*csv.DictReader(io.StringIO(page, newline=""))]
    assert all(set(row) == {"form", "hash", "cell", "answer"} for row in entries)
    assert refused("".join(row["cell"] for row in entries)) == []
    return "\n".join(row["cell"] for row in entries)


def answers(page: str) -> str:
    """The ids of an answers file."""
    assert refused(page.replace("\n", "")) == []
    return "\n".join(yaml.safe_load(page)["answers"])


def data(page: str) -> str:
    """All texts of a JSON object, in which nothing is hidden."""
    assert refused(page.replace("\n", "")) == []
    return "\n".join(_texts(json.loads(page)))


def _texts(value: object) -> list[str]:
    match value:
        case str():
            return [value]
        case list():
            return [text for data in value for text in _texts(data)]
        case dict():
            return [text for data in value.values() for text in _texts(data)]
        case _:
            return []
