"""What a page says of the numbers that its source prints, against the scenario's file and the page's
own tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from tests.auditor.calculator import number, value
from tests.auditor.html import main_of
from tests.auditor.latex import plain, words
from tests.auditor.tables import Tables

_MARK = re.compile(
    r"The source(?:, [^,]+,)? prints (?P<said>[^:]+? for [^:]+?)(?:: [^.:]+)?\.(?!\d)"
)
_CELL = re.compile(
    r"(?P<theirs>−?[\d.∞]+) for (?P<cell>.+?)(?=, −?[\d.∞]+ for | and −?[\d.∞]+ for | and \d+ more|$)"
)
_MORE = re.compile(r"(\d+) more numbers otherwise")
_COUNTED = re.compile(
    r"(?P<which>All|None|\d+) of the source's (?P<of>\d+) numbers (?:follow)|The source's number (?P<one>follows|doesn't follow)"
)


_AT = "Place"


class Mark(NamedTuple):
    """A number that a page says the source prints otherwise, and the cell that it is of."""

    cell: str
    theirs: str


def marks_on(page: str, form: str) -> list[Mark]:
    """The marks of a page in a format, in their order."""
    readers = {"terminal": _terminal, "markdown": _markdown, "latex": _latex, "html": _html}
    text = page if form == "json" else readers[form](page)
    said = (match["said"] for match in _MARK.finditer(text))
    return [Mark(m["cell"], m["theirs"]) for part in said for m in _CELL.finditer(part)]


def _no_names(name: str) -> Any:
    raise ValueError(name)


def _terminal(page: str) -> str:
    """Each note on a line of its own."""
    notes = (part for part in re.split(r"\n\s*\n", page) if part.startswith("▸"))
    return "\n".join(re.sub(r"\n *", " ", note) for note in notes)


def _html(page: str) -> str:
    return "\n".join(f"▸ {note.text.strip()}" for note in main_of(page).each("aside"))


def _markdown(page: str) -> str:
    notes = (
        line.removeprefix("> ")
        for line in page.split("\n")
        if re.match("> The source(, [^,]+,)? prints", line)
    )
    return "\n".join(_without_mathematics(note.replace("`", "")) for note in notes)


def _latex(page: str) -> str:
    notes = re.findall(
        r"\\begin\{quote\}\\raggedright\n(The source(?:, [^,]+,)? prints.*?)\n\\end\{quote\}",
        page,
        re.DOTALL,
    )
    whole = (re.sub(r"\\texttt\{(.*?)\}", lambda m: words(m[1]), note) for note in notes)
    return "\n".join(_without_mathematics(note) for note in whole)


def _without_mathematics(note: str) -> str:
    return re.sub(r"\$(.*?)\$", lambda formula: plain(formula[1]), note)


def audit_published(
    page: Mapping[str, Any], published: Mapping[str, Any], listed: Sequence[Mapping[str, str]]
) -> Iterator[str]:
    """What is false in what the JSON of a page says of the `published` of its file, beside the rows
    that `attn check` lists: differences that are not marked, or not listed; wrong counts."""
    tables = Tables(page)
    texts = [text for step in page["steps"] for text in step.get("text", ())]
    yield from _false_rows("\n".join(texts), tables)
    printed = [*_printed(published, tables)]
    differing = [(theirs, at) for theirs, ours, at in printed if not _follows(theirs, ours)]
    if [(number(row["Source"]), row.get(_AT, "")) for row in listed] != differing:
        yield f"listed: {listed}, differing: {differing}"
    marks = [(mark.cell, number(mark.theirs)) for mark in marks_on("\n".join(texts), "json")]
    known = {(row["Number"].rpartition(".")[2], number(row["Source"])) for row in listed}
    if {(cell.rpartition(".")[2], theirs) for cell, theirs in marks} - known:
        yield f"marked and not listed: {marks}"
    cells = {(row["Number"], row["Source"]) for row in listed}
    others = sum(int(n) for text in texts for n in _MORE.findall(text))
    if len(marks) + others != len(cells):
        yield f"{len(marks)} marks and {others} others of {cells}"
    wrong = [row["Verdict"] for row in listed if row["Verdict"] != "correct"]
    for note in page["notes"]:
        if (match := _COUNTED.match(note)) and not _counts(match, len(printed), len(wrong)):
            yield f"{note}: {wrong} of {len(printed)}"
    if printed and not any(_COUNTED.match(note) for note in page["notes"]):
        yield "no count"


def _counts(match: re.Match[str], printed: int, wrong: int) -> bool:
    if match["one"]:
        return (printed, wrong) == (1, int(match["one"] != "follows"))
    right = {"All": printed, "None": 0}.get(match["which"])
    return (
        int(match["of"]) == printed
        and (right if right is not None else int(match["which"])) == printed - wrong
    )


def _false_rows(text: str, tables: Tables) -> Iterator[str]:
    """Rows that are assumed, beside those of the tables; sums of rows that aren't 1."""
    for row, ours in re.findall(
        r"The source(?:, [^,]+,)? assumes .*? for (.*?)\. Worked out, it is (.*)\.$",
        text,
        re.MULTILINE,
    ):
        full, indices = tables.parted(row, "")
        if _flat(tables[full].texts(indices)) != ours.strip("[]").split(", "):
            yield f"assumed: {row}"
    for added, total in re.findall(r"don't add up to 1: (.*?) = (.*)\.$", text, re.MULTILINE):
        if number(total) == 1 or value(added, _no_names) != number(total):
            yield f"sum: {added} = {total}"


def _follows(theirs: Decimal, ours: str) -> bool:
    return theirs == number(ours).quantize(theirs, rounding=ROUND_HALF_UP)


def _printed(published: Mapping[str, Any], tables: Tables) -> Iterator[tuple[Decimal, str, str]]:
    """The numbers of a file one by one, but for those that are assumed, each with ours."""
    for address, entry in published.items():
        at = entry.get("at", "") if isinstance(entry, dict) else ""
        numbers = entry["numbers"] if isinstance(entry, dict) else entry
        if isinstance(entry, dict) and entry.get("assumed") == "true":
            continue
        full, indices = tables.parted(address, "")
        ours = tables[full].texts(indices) if indices else tables[full].text
        for theirs, own in zip(_flat(numbers), _flat(ours), strict=True):
            yield Decimal(theirs), str(own), at


def _flat(numbers: Any) -> list[str]:
    return [x for n in numbers for x in _flat(n)] if isinstance(numbers, list) else [numbers]
