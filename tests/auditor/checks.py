"""A page's signs, results, tables and sums."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tests.auditor.calculator import (
    Lookup,
    UndisclosedError,
    comes_near,
    is_numbers,
    number,
    numbers,
    rounds_to,
    same,
    value,
)
from tests.auditor.html import text_of
from tests.auditor.reading import Grid, PageSection, Product, Statement, sections_of
from tests.auditor.tables import Tables

_TROUBLE = (ValueError, IndexError, KeyError, ArithmeticError, TypeError)
_FORBIDDEN = re.compile(r"(?<![\w.])(?:[-−]0(?:\.0+)?(?![\d.])|nan\b|inf\b)")


@dataclass
class Report:
    """What was found: how many signs were checked, how many couldn't be, and what is false.

    `told` are the full names of what lines work out, `bare` of those whose line says a number and
    nothing else; `results` counts the lines whose numbers are those of their tables, `grids` the
    tables that are the JSON's, `products` the numbers of products that stand as on paper.
    """

    checked: int = 0
    elided: int = 0
    approximate: int = 0
    results: int = 0
    grids: int = 0
    products: int = 0
    told: dict[str, int] = field(default_factory=dict)
    bare: set[str] = field(default_factory=set)
    false: list[str] = field(default_factory=list)


def audit(page: str, form: str, tables: Tables | None) -> Report:
    """Checks all of a page. Without `tables`, a line with names in it can't be read."""
    audited, sections = _Audit(tables), sections_of(page, form)
    # before its first section a page says what it is about; pages of single cells have no sections
    audited.leads = any(section.numbers or section.path for section in sections)
    for section in sections:
        audited.section(section)
    text = text_of(page) if form == "html" else page
    for match in _FORBIDDEN.finditer(text):
        where = text[max(0, match.start() - 20) : match.end()]
        audited.report.false.append(f"forbidden: {where!r}")
    return audited.report


class _Audit:
    def __init__(self, tables: Tables | None) -> None:
        self.tables, self.report, self.path = tables, Report(), ""
        self.made: frozenset[str] = frozenset()
        self.leads = False
        self.worked = ""

    def section(self, section: PageSection) -> None:
        if self.tables is not None:
            self.place(section, self.tables)
        aside = section.heading == "Variants"  # its quantities are another trace's
        self.worked = " ".join(part for s in section.statements for _, part in s.parts[:-1])
        for statement in section.statements:
            self.statement(statement, aside=aside)
        for grid in section.grids:
            self.grid(grid, aside=aside)
        for product in section.products:
            self.product(product)

    def product(self, product: Product) -> None:
        """Each number of the result is its row of the left times its column of the above, and what
        is added there; its names are theirs."""
        for grid in product.grids if self.tables is not None else ():
            self.numbers(grid.headings[0].strip("`"), [row[1:] for row in grid.rows])
        left, above, result = product.left, product.above, product.result
        if [_bare(r[0]) for r in left.rows] != [_bare(r[0]) for r in result.rows]:
            self.false("product", f"rows of {left.headings[0]} and {result.headings[0]}")
        if [*map(_bare, above.headings[1:])] != [*map(_bare, result.headings[1:])]:
            self.false("product", f"columns of {above.headings[0]} and {result.headings[0]}")
        columns = [*zip(*(row[1:] for row in above.rows), strict=True)]
        more = ["0"] * len(columns) if product.added is None else product.added.rows[0][1:]
        for row, made in zip(left.rows, result.rows, strict=True):
            for column, added, shown in zip(columns, more, made[1:], strict=True):
                self.cell_of_product(row[1:], column, added, shown)

    def cell_of_product(
        self, row: Sequence[str], column: Sequence[str], added: str, shown: str
    ) -> None:
        """In full precision the digits shown may not give the number, but come near it."""
        pairs = [*zip(row, column, strict=True)]
        try:
            numbers_of = [[number(text) for text in pair] for pair in pairs]
            extra = number(added)
            number(shown)
        except ValueError:
            self.report.elided += 1  # to be filled in
            return
        worked = sum((a * b for a, b in numbers_of), start=extra)
        true = rounds_to(worked, shown)
        if not true and self.tables is not None and self.tables.is_exact:
            true = abs(worked - number(shown)) <= _off_by(pairs, added, shown)
        self.report.products += 1
        if not true:
            self.false("product", f"{row} × {column} + {added} and {shown}")

    def place(self, section: PageSection, tables: Tables) -> None:
        """Where a section is: by its numbers, one of which is that of the step that its heading
        says, or its path, or what a lesson's heading says."""
        alike = [s for s in tables.sections if s.heading == section.heading]
        if section.numbers:
            alike = [s for s in (tables.sections[k - 1] for k in section.numbers) if s in alike]
            if not alike:
                self.false("heading", section.heading)
        elif section.path is not None:
            called = (section.path, section.heading)  # as another section may be, too
            alike = [s for s in tables.sections if (s.path, s.title) == called]
        if alike:  # else a heading inside a section, or what a page begins with
            self.leads = False
            self.path = alike[0].path
            self.made = frozenset[str]().union(*(s.made for s in alike))

    def false(self, kind: str, what: object) -> None:
        self.report.false.append(f"{kind}: {what}")

    def statement(self, statement: Statement, *, aside: bool) -> None:
        self.chain(statement)
        if statement.addends:
            self.addition(statement)
        if self.tables is not None and not aside:
            try:
                self.result(statement, self.tables)
            except _TROUBLE as error:
                self.false("result", f"{statement} ({type(error).__name__}: {error})")

    def chain(self, statement: Statement) -> None:
        pairs = zip(statement.parts, statement.parts[1:], strict=False)
        for (_, left), (sign, right) in pairs:
            self.sign(f"{statement.label}: {left} {sign} {right}", left, sign, right)

    def sign(self, what: str, left: str, sign: str, right: str) -> None:
        """Where vectors leave entries out at the same place, those that are there are compared."""
        lookup: Lookup = self.lookup
        if "…" in left + right:
            left, right = left.replace("…, ", ""), right.replace("…, ", "")
            lookup = _undisclosed
            if "…" in left + right or "·" in left:
                self.report.elided += 1
                return
        try:
            true = _holds(left, right, lookup)
        except UndisclosedError:
            self.report.elided += 1
            return
        except _TROUBLE as error:
            true = sign != "="
            what = f"{what} ({type(error).__name__}: {error})"
        self.report.checked += 1
        self.report.approximate += sign == "≈"
        if true != (sign == "="):
            self.false("sign", what)

    def lookup(self, address: str) -> Any:
        if self.tables is None:
            raise ValueError(f"{address} has no table")
        is_full = address.startswith("update.")  # be it before the updates of this place
        return self.tables.value(address, "" if is_full else self.path)

    def addition(self, statement: Statement) -> None:
        """Each product with its sign is its vector, and the vectors add up to the total."""
        for plus, product, vector in statement.addends:
            if vector:
                text = f"{plus} {product}".removeprefix("+ ")
                self.sign(f"{statement.label}: {text} → {vector}", text, "=", vector)
        sign, total = statement.parts[0]
        vectors = [vector for _, _, vector in statement.addends]
        if not all(vectors) or "…" in total + "".join(vectors):
            self.report.elided += 1
            return
        text = " + ".join(vectors)
        self.sign(f"{statement.label}: {text} {sign} {total}", text, sign, total)

    def result(self, statement: Statement, tables: Tables) -> None:
        """The last part is what the table says, in the section where it is made."""
        full, indices = tables.parted(statement.label, self.path)
        if self.is_input(statement, full, tables):
            if not _agree(numbers(statement.parts[-1][1]), tables[full].texts(indices)):
                self.false("input", statement)
            return
        if not self.leads:
            self.report.told[full] = self.report.told.get(full, 0) + 1
        if len(statement.parts) == 1 and not statement.addends and not self.leads:
            self.report.bare.add(full)
        if not self.leads and full not in self.made | tables.given:
            self.false("place", statement)
        if _agree(numbers(statement.parts[-1][1]), tables[full].texts(indices)):
            self.report.results += not self.leads
        else:
            self.false("result", statement)

    def is_input(self, statement: Statement, full: str, tables: Tables) -> bool:
        """Whether a row of another section stands bare before the working that its numbers are
        in, or would be if that left nothing out."""
        is_bare = len(statement.parts) == 1 and not statement.addends and not self.leads
        if not is_bare or full in self.made | tables.given:
            return False
        each = [text for text in statement.parts[-1][1].strip("[]").split(", ") if text != "…"]
        return all(text in self.worked for text in each) or "…" in self.worked

    def grid(self, grid: Grid, *, aside: bool) -> None:
        match = re.fullmatch(
            r"`+ ?(.*?)(?: \((?:given|(?:partly )?chosen|counted|learned)\))? ?`+", grid.headings[0]
        )
        if match is None and grid.headings[0] != "":
            return  # of words, or vectors side by side
        grid = _in_rows(grid)
        end = len(grid.headings)
        while self.tables is not None and end > 1 and self.is_list(grid.headings[end - 1]):
            end -= 1  # lists may stand behind the sums
        if grid.headings[end - 1] == "sum":
            self.sums(Grid(grid.headings[:end], [row[:end] for row in grid.rows]))
        if self.tables is None or aside:
            return
        columns = [*zip(*([*row[1:]] for row in grid.rows), strict=True)]
        named = [*zip(grid.headings[1:], columns, strict=True)]
        if grid.headings[end - 1] == "sum":
            named.pop(end - 2)
        while named and self.is_list(named[-1][0]):
            heading, column = named.pop()
            self.table(heading, [column])
        if match is not None:
            self.table(match[1], [column for _, column in named])

    def is_list(self, heading: str) -> bool:
        """Whether a column is a list of its own, beside the table of a matrix or other lists."""
        assert self.tables is not None
        try:
            return (
                heading not in ("", "sum")
                and not self.tables[self.tables.full(heading, self.path)].columns
            )
        except ValueError:
            return False

    def table(self, name: str, columns: Sequence[Sequence[str]]) -> None:
        """Compares a quantity with the columns that are shown of it."""
        assert self.tables is not None
        try:
            table = self.tables[self.tables.full(name, self.path)]
            text = [row if isinstance(row, list) else [row] for row in table.text]
            numbers_of = columns[bool(table.tokens) :]
            true = _same_rows([[*row] for row in zip(*numbers_of, strict=True)], text)
            if table.tokens:
                whose = [[re.sub(r"\\(.)", r"\1", word)] for word in columns[0]]
                true = true and _same_rows(whose, [[token] for token in table.tokens])
        except _TROUBLE as error:
            self.false("table", f"{name} ({type(error).__name__}: {error})")
            return
        self.report.grids += true
        if not true:
            self.false("table", name)

    def numbers(self, name: str, rows: Sequence[Sequence[str]]) -> None:
        """Compares a quantity with its rows as a product has them, which may show some of them."""
        assert self.tables is not None
        path = "" if name.startswith("update.") else self.path
        table = self.tables[self.tables.full(name, path)]
        text = iter([row if isinstance(row, list) else [row] for row in table.text])
        if all(any([*row] == own for own in text) for row in rows):  # in their order
            self.report.grids += 1
        else:
            self.false("table of a product", name)

    def sums(self, grid: Grid) -> None:
        """The column `sum` says what the numbers of a row, as shown, add up to."""
        for _, *cells, total in grid.rows:
            if "…" in cells or total == "⋮":
                self.report.elided += 1
                continue
            self.report.checked += 1
            added = sum(map(number, cells), start=Decimal(0))
            about = total.startswith("≈ ") and rounds_to(added, total.removeprefix("≈ "))
            if not about and (total.startswith("≈") or added != number(total)):
                self.false("sum", f"{cells} {total}")


def _bare(name: str) -> str:
    """A name without the role before it: `K: AI` of scores is a key `AI`."""
    return re.sub(r"^[QK]:\s", "", name)


def _off_by(pairs: Sequence[tuple[str, str]], added: str, shown: str) -> Decimal:
    """How far a product may be off where each number was rounded to the digits shown."""
    off = _half(added) + _half(shown)
    for a, b in pairs:
        off += abs(number(a)) * _half(b) + abs(number(b)) * _half(a) + _half(a) * _half(b)
    return off


def _half(text: str) -> Decimal:
    """Half a unit of a number's last digit."""
    exponent = number(text).as_tuple().exponent
    assert isinstance(exponent, int)
    return Decimal(5).scaleb(exponent - 1)


def _in_rows(grid: Grid) -> Grid:
    """A table of one query as a row, which may stand as a column; without lists that stand below."""
    if len(grid.headings) != 2 or not grid.headings[1].startswith("Q: "):
        return grid
    named = [row for row in grid.rows if row[0].startswith("K: ") or row[0] in ("⋮", "sum")]
    cells = ["…" if row[1] == "⋮" else row[1] for row in named]
    return Grid([grid.headings[0], *(row[0] for row in named)], [[grid.headings[1], *cells]])


def _holds(left: str, right: str, lookup: Lookup) -> bool:
    worked = value(left, lookup)
    if is_numbers(right):
        return rounds_to(worked, right)
    after = value(right, lookup)
    return same(worked, after) or comes_near(worked, after)


def _undisclosed(name: str) -> Any:
    raise UndisclosedError(name)


def _agree(shown: Sequence[str], table: Sequence[str] | str) -> bool:
    """Whether numbers are those of a table, where `…` stands for any number of them."""
    expected = [table] if isinstance(table, str) else list(table)
    if "…" not in shown:
        return list(shown) == expected
    gap = shown.index("…")
    after = len(shown) - gap - 1
    ends = expected[:gap] + expected[len(expected) - after :]
    return len(expected) >= len(shown) and [*shown[:gap], *shown[gap + 1 :]] == ends


def _same_rows(rows: Sequence[Sequence[str]], text: Sequence[Sequence[str]]) -> bool:
    gap = next((k for k, row in enumerate(rows) if {"⋮"} <= set(row) <= {"⋮", "…"}), None)
    if gap is None:
        return len(rows) == len(text) and all(map(_agree, rows, text))
    below = len(rows) - gap - 1
    ends = [*text[:gap], *text[len(text) - below :]]
    return len(text) >= len(rows) and all(map(_agree, [*rows[:gap], *rows[gap + 1 :]], ends))


def audit_numbers(page: Mapping[str, Any]) -> Iterator[str]:
    """What is false in a page's JSON: numbers that aren't their values rounded, zeros that aren't."""
    tables = [*page["given"], *(q for step in page["steps"] for q in step["quantities"])]
    for table in tables:
        if "text" not in table:
            continue  # a long random matrix, described
        for text, exact in zip(_flat(table["text"]), _flat(table["values"]), strict=True):
            if not _is_shown(text, exact):
                yield f"{table['name']}: {exact} as {text}"
    for line in (line for step in page["steps"] for line in step["working"]):
        shown = line["text"].rpartition(" ")[2]
        if "value" in line and not _is_shown(shown, line["value"]):
            yield f"{line['text']}: {line['value']}"


def _flat(entries: Sequence[Any]) -> list[Any]:
    return [x for entry in entries for x in (entry if isinstance(entry, list) else [entry])]


def _is_shown(text: str, value: object) -> bool:
    if value is None:
        return text == "−∞"
    if isinstance(value, str):
        return text == value
    shown, exact = number(text), Decimal(repr(value))
    if exact and not shown:
        return False  # nothing that isn't zero is shown as a bare zero
    exponent = shown.as_tuple().exponent
    assert isinstance(exponent, int)
    half = Decimal(5).scaleb(exponent - 1)
    return abs(shown - exact) <= half + abs(exact) * Decimal("1e-12")
