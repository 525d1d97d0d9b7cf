"""The shipped scenarios in the order of learning, and the reference by topics and by rows.

Groups, and the first sentence of each scenario's `about`, are kept in a file beside the scenarios,
so that to list them none has to be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from attncli.document.blocks import (
    Block,
    Callout,
    DefinitionList,
    Document,
    Paragraph,
    Spans,
    Subheading,
    Term,
)
from attncli.names import Word
from attncli.scenario.file import shipped

_FILE = "contents.json"

Contents = Mapping[str, Mapping[str, str]]
"""What each scenario answers, by the title of its group and its name."""


def contents() -> Contents:
    """Reads the table of contents, in the order of learning; it is empty where the file isn't
    there."""
    path = shipped.folder() / _FILE
    found: Contents = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


def scenarios_catalogue(*more: Block) -> Document:
    """Returns the page of all scenarios: where to start, the scenarios in their groups, then
    `more`."""
    return Document(Word("Scenarios"), (), closing=(*_blocks(contents()), *more))


def _blocks(groups: Contents) -> list[Block]:
    first = [name for shown in groups.values() for name in shown][:1]
    blocks: list[Block] = [Paragraph(("Start here: ", Term(f"attn run {name}"))) for name in first]
    for title, shown in groups.items():
        rows = tuple((name, (says,)) for name, says in shown.items())
        blocks += [Subheading((title,)), DefinitionList(rows)]
    return blocks


FILE = "README.md"
_HEADING = re.compile(r"^## (?=\w+: )", re.MULTILINE)
_COMMENT = re.compile(r"^<!-- .* -->\n\n", re.MULTILINE)
"""What says which table comes."""
_HEADING_OR_TABLE = re.compile(
    r"^#+ (?P<heading>.*)$"
    r"|(?P<before>(?<=\n\n)(?:^[^#|\n].*\n)*^[^#|\n].*:\n\n)?(?P<table>(?:^\|.*\n)+)",
    re.MULTILINE,
)


class Topic(NamedTuple):
    """A part of the reference, such as `## Rounding: what is rounded when`."""

    name: str
    """What it is called in `attn help`."""
    says: str
    """What it is about, in a line."""
    text: str
    """All of it, as Markdown."""


def topics() -> dict[str, Topic]:
    """Returns the parts of the reference by name, in their order."""
    return {topic.name: topic for topic in map(_topic, _HEADING.split(_whole())[1:])}


def topic_about(word: str) -> Topic | None:
    """Finds the topic that a word is about which isn't its name, such as `students`, or `student`:
    its heading has these words below it. Returns None where there is none."""
    text = (shipped.folder() / FILE).read_text("utf-8")
    for name, listed in _WORDS.findall(text):
        if not {word, *in_other_number(word)}.isdisjoint(listed.split(", ")):
            return topics()[name.lower()]
    return None


_WORDS = re.compile(r"^## (\w+): .*\n\n<!-- words: (.*) -->$", re.MULTILINE)
"""The words that a topic is about, which stand below its heading."""


def entries(word: str) -> str:
    """Finds what the reference's tables say of a key, a step or an option, as a Markdown list: what
    it is itself before what is called so inside of something, what is called so in the plural or
    the singular, then keys that take it as a value. It is empty where there is nothing."""
    rows = [*_rows()]
    found = _called(word, rows)
    taking = [row for row in rows if row not in found and f"`{word}`" in row.cells[1]]
    if not found and not taking:
        return ""
    others = [row for other in in_other_number(word) for row in _called(other, rows)]
    values = [row.with_value(word) for row in taking]
    return "".join(_list([*found, *others, *values]))


def near_entries(word: str) -> str:
    """Finds what the reference's tables say of what is called nearly like a word: in the plural or
    the singular, as `mask` for `masks`; else of names that it is a part of, as `kv` is of
    `kv_heads`."""
    rows = [*_rows()]
    if others := [row for other in in_other_number(word) for row in _called(other, rows)]:
        return f"Nothing is called `{word}`. What is called nearly so:\n\n{''.join(_list(others))}"
    parts = [row for row in rows if word.casefold() in row.parts_of_names]
    ordered = sorted(parts, key=_IndexRow.is_inside)
    says = f"Nothing is called `{word}` alone. It is a part of these names:\n\n"
    return says + "".join(_list(ordered)) if ordered else ""


def spoken_of(word: str) -> str:
    """Finds the topics in whose text a word stands, or its plural or singular, as a Markdown list
    of one entry: those that say it most often first. It is empty where none does."""
    words = "|".join(map(re.escape, (word, *in_other_number(word))))
    counts = {
        topic.name: len(re.findall(rf"(?i)(?<![\w-])(?:{words})(?![\w-])", prose))
        for topic in topics().values()
        for prose in [re.sub(r"(?m)^\|.*$", "", topic.text)]
    }
    most = sorted(filter(counts.__getitem__, counts), key=lambda name: -counts[name])[:_MOST_TOPICS]
    return f"* `{word}` is spoken of in {_listed(most)}.\n" if most else ""


_MOST_TOPICS = 3
"""Topics that are named for a word that stands in many."""


def _listed(topics: Iterable[str]) -> str:
    return ", ".join(f"`attn help {name}`" for name in topics)


def names() -> list[str]:
    """Returns all names that the reference has an entry of."""
    each = (re.findall(r"`([\w-]+)`", row.cells[0]) for row in _rows())
    return [*dict.fromkeys(name for found in each for name in found)]


def in_other_number(word: str) -> list[str]:
    """Returns what may be the singular of a word, or its plural."""
    singular = [word.removesuffix(end) for end in ("s", "es") if word.endswith(end)]
    return [*filter(None, singular), f"{word}s", f"{word}es"]


def _called(word: str, rows: Iterable[_IndexRow]) -> list[_IndexRow]:
    """Returns the rows of what is called so, and what isn't inside of something before the rest."""
    found = (row for row in rows if f"`{word}`" in row.cells[0])
    return sorted(found, key=_IndexRow.is_inside)


class _IndexRow(NamedTuple):
    """A row of a table of the reference."""

    heading: str
    """What it stands under."""
    inside: str
    """What is said before its table: ``Inside `qk_norm`:``"""
    columns: tuple[str, ...]
    cells: tuple[str, ...]

    def is_inside(self) -> bool:
        """Tells whether it is about a part of something."""
        return bool(self.inside)

    @property
    def parts_of_names(self) -> frozenset[str]:
        """Returns the parts of what it is about: `kv` and `heads` of `kv_heads`."""
        names = re.findall(r"`([\w-]+)`", self.cells[0])
        return frozenset(part for name in names for part in re.split("[_-]", name.casefold()))

    def with_value(self, word: str) -> _IndexRow:
        """Returns it as the row of one of its values."""
        name = self.cells[0].strip("`")
        says = self.cells[2:] or self.cells[1:]
        return self._replace(cells=(f"`{name}: {word}`", *says), columns=("", "means"))

    @property
    def says(self) -> str:
        """Returns it as a sentence, without where it stands."""
        name, *others = self.cells
        takes, says = others if len(others) == 2 else ("", others[-1])  # noqa: PLR2004
        named = f"{name} ({takes})" if takes else name
        return f"{named} makes {says}" if self.columns[-1] == "makes" else f"{named}: {says}"

    @property
    def place(self) -> str:
        """Returns where it stands."""
        heading, inside = self.heading.partition(":")[0], _MORE.split(self.inside.rstrip(":"))[0]
        return f"{heading}, {inside[:1].lower()}{inside[1:]}" if inside else heading


_MORE = re.compile(", (?:such|whose)")
"""What begins more about where something stands."""


def _list(rows: Iterable[_IndexRow]) -> Iterator[str]:
    """Yields what rows say, each once, with all places where it stands."""
    places: dict[str, dict[str, None]] = {}
    for row in rows:
        places.setdefault(row.says, {})[row.place] = None
    yield from (f"* {says} *({'; '.join(where)})*\n" for says, where in places.items())


def _rows() -> Iterator[_IndexRow]:
    """Yields the rows of all tables, in their order."""
    heading = ""
    for found in _HEADING_OR_TABLE.finditer(_whole()):
        heading = found["heading"] or heading
        if found["table"]:
            columns, _, *rows = map(_cells_of, found["table"].splitlines())
            inside = " ".join((found["before"] or "").split())
            yield from (_IndexRow(heading, inside, columns, cells) for cells in rows)


def _cells_of(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.strip().strip("|").split(" | "))


def _whole() -> str:
    return _COMMENT.sub("", (shipped.folder() / FILE).read_text("utf-8"))


def topics_page() -> Document:
    """Returns the page of topics: what each is about, and how to look a word up."""
    rows = tuple((topic.name, (topic.says,)) for topic in topics().values())
    how: Spans = (
        Term("attn help rounding"), " prints a topic; ", Term("attn help softcap"),
        " what is said of a key, a step, an option or a value; ", Term("attn help models"),
        " which models are read, and ", Term("attn help gemma"), " how.",
    )  # fmt: skip
    return Document(Word("attn help TOPIC"), (), closing=(DefinitionList(rows), Callout(how)))


def _topic(part: str) -> Topic:
    heading, _, _ = part.partition("\n")
    name, _, says = heading.partition(": ")
    return Topic(name.lower(), says, f"## {part}")
