"""What a page says of the numbers that its source prints, against the scenario's file and the page's
own tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from tests.auditor.calculator import number, rounds_to, value
from tests.auditor.html import main_of
from tests.auditor.latex import plain, words
from tests.auditor.tables import Tables

_SAID = re.compile(
    r"The source prints (?P<theirs>−?[\d.∞]+) for (?P<cell>.+?), but (?:here it is|(?P<worked>.+?) (?P<sign>[=≈]))"
    r" (?P<ours>−?[\d.∞]+)\.(?!\d)"
)
_COUNTED = re.compile(
    r"(?:(?P<which>All|Both|The)(?: (?P<count>\d+))? numbers? that the source prints follows? from the given ones"
    r"|The source prints (?P<told>\d+) numbers?: (?P<verdicts>[^.]*))\."
)


_AT = "Place"


class Said(NamedTuple):
    """A sentence on a number of the source's: the cell, its number, ours, and our working."""

    cell: str
    theirs: str
    ours: str
    worked: Decimal | None
    sign: str


def said_on(page: str, form: str) -> list[Said]:
    """The sentences of a page in a format, in their order."""
    readers = {"terminal": _terminal, "markdown": _markdown, "latex": _latex, "html": _html}
    text = page if form == "json" else readers[form](page)
    return [_said(match) for match in _SAID.finditer(text)]


def _said(match: re.Match[str]) -> Said:
    worked = value(match["worked"], _no_names) if match["worked"] else None
    return Said(match["cell"], match["theirs"], match["ours"], worked, match["sign"] or "")


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
        if line.startswith("> The source prints")
    )
    return "\n".join(_without_mathematics(note.replace("`", "")) for note in notes)


def _latex(page: str) -> str:
    notes = re.findall(
        r"\\begin\{quote\}\\raggedright\n(The source prints.*?)\n\\end\{quote\}", page, re.DOTALL
    )
    whole = (re.sub(r"\\texttt\{(.*?)\}(?=,\s+but)", lambda m: words(m[1]), note) for note in notes)
    return "\n".join(_without_mathematics(note) for note in whole)


def _without_mathematics(note: str) -> str:
    return re.sub(r"\$(.*?)\$", lambda formula: plain(formula[1]), note)


def audit_published(page: Mapping[str, Any], published: Mapping[str, Any]) -> Iterator[str]:
    """What is false in what the JSON of a page says of the `published` of its file: sentences whose
    numbers, working or verdict are wrong; differences that are not said, or not listed."""
    tables = Tables(page)
    texts = [text for step in page["steps"] for text in step.get("text", ())]
    claims = said_on("\n".join(texts), "json")
    for sentence in claims:
        yield from _false(sentence)
    yield from _false_rows("\n".join(texts), tables)
    printed = [*_printed(published, tables)]
    differing = [(theirs, at) for theirs, ours, at in printed if not _follows(theirs, ours)]
    listed = [
        dict(zip(table["headings"], row, strict=True))
        for table in page.get("tables", ())
        for row in table["rows"]
        if "Source" in table["headings"]
    ]
    if [(number(row["Source"]), row.get(_AT, "")) for row in listed] != differing:
        yield f"listed: {listed}, differing: {differing}"
    pairs = {(number(claim.theirs), number(claim.ours)) for claim in claims}
    if pairs - {(number(row["Source"]), number(row["Here"])) for row in listed}:
        yield f"said and not listed: {claims}"
    wrong = [row["Verdict"] for row in listed if row["Verdict"] != "correct"]
    (counts,) = (note for note in page["notes"] if _COUNTED.match(note))
    if not _counts(counts, len(printed), wrong):
        yield f"{counts}: {wrong} of {len(printed)}"
    if int((re.findall(r"It assumes (\d+) more number", counts) or [0])[0]) != _assumed(published):
        yield f"{counts}: {_assumed(published)} assumed"


def _assumed(published: Mapping[str, Any]) -> int:
    """How many numbers of a file its source assumes."""
    entries = (value for value in published.values() if isinstance(value, dict))
    return sum(len(_flat(entry["numbers"])) for entry in entries if entry.get("assumed") == "true")


def _counts(sentence: str, printed: int, wrong: list[str]) -> bool:
    match = _COUNTED.match(sentence)
    assert match is not None
    if match["which"]:
        count = int(match["count"] or {"Both": 2, "The": 1}[match["which"]])
        return count == printed and not wrong
    named = {
        name.removesuffix("s") if name.startswith(("slip", "known")) else name: int(number)
        for number, name in re.findall(r"(\d+) ([a-z ]+)", match["verdicts"])
    }
    every = int(match["told"]) == printed == sum(named.values())
    return every and {**named, "correct": 0} == {**Counter(wrong), "correct": 0} and bool(wrong)


def _false(claim: Said) -> Iterator[str]:
    if claim.worked is not None and rounds_to(claim.worked, claim.ours) != (claim.sign == "="):
        yield f"sign: {claim}"
    if _follows(number(claim.theirs), claim.ours):
        yield f"no difference: {claim}"


def _false_rows(text: str, tables: Tables) -> Iterator[str]:
    """Rows that are assumed, beside those of the tables; sums of rows that aren't 1."""
    for row, ours in re.findall(
        r"The source assumes .*? for (.*?)\. Worked out, it is (.*)\.$", text, re.MULTILINE
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
