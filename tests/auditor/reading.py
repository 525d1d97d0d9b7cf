"""Pages of any format, as sections of lines of working."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise, takewhile

from tests.auditor.calculator import INDEX, NAME
from tests.auditor.html import Element, main_of, rows_of
from tests.auditor.latex import plain, words
from tests.auditor.typst import calls, columns, content, inside, parts

_HEADING = re.compile(r"(?:(?P<since>\d+)–)?(?P<number>\d+) · (?P<heading>.*?)(?:   .*)?$")
_LABEL = re.compile(rf"  (?P<label>{NAME}(?:{INDEX})?)(?P<rest>\s*|\s+[=≈]\s.*)$")
_SIGN = re.compile(r"\s([=≈])\s")
_BULLET = re.compile(r"^[-*] ")


@dataclass(frozen=True)
class Statement:
    """A line of working: what it works out, and the parts with the sign before each.

    A column addition has the rows above its rule as `addends`, each `(sign, product, vector)`.
    """

    label: str
    parts: tuple[tuple[str, str], ...]
    addends: tuple[tuple[str, str, str], ...] = ()

    def __str__(self) -> str:
        return " ".join([self.label, *(f"{sign} {part}" for sign, part in self.parts)])


@dataclass(frozen=True)
class Grid:
    """A table: its headings, and its rows with their names first."""

    headings: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Product:
    """A product laid out as on paper: what stands at the left of the result, above it, perhaps what
    is added to each of its rows, and the result; each as it is printed, Kᵀ with keys as columns."""

    left: Grid
    above: Grid
    result: Grid
    added: Grid | None = None
    after: Grid | None = None

    @property
    def grids(self) -> list[Grid]:
        """All of them, as they are called without being transposed."""
        grids = (self.left, self.above, self.result, self.added, self.after)
        return [_as_called(grid) for grid in grids if grid is not None]


@dataclass
class PageSection:
    """A heading with what stands below it: the numbers of the steps that it is told for on a page
    to be read, its path in JSON."""

    numbers: range = range(0)
    heading: str = ""
    path: str | None = None
    statements: list[Statement] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    products: list[Product] = field(default_factory=list)


def _headed(text: str) -> PageSection:
    """The section that a heading begins."""
    heading = _HEADING.match(text)
    if heading is None:
        return PageSection(heading=text)
    last = int(heading["number"])
    return PageSection(range(int(heading["since"] or last), last + 1), heading["heading"])


def sections_of(page: str, form: str) -> list[PageSection]:
    """The sections of a page, the first for what stands before all headings."""
    readers = {"terminal": _terminal, "markdown": _markdown, "json": _json, "latex": _latex}
    readers["html"], readers["typst"] = _html, _typst
    return readers[form](page)


def _html(page: str) -> list[PageSection]:
    sections = [PageSection()]
    for part in main_of(page).each("section"):
        for piece in _html_pieces(part):
            if piece.name == "table":
                _html_table(sections[-1], piece)
            elif piece.name == "div":
                _html_product(sections[-1], piece)
            else:
                sections.append(_headed(piece.text))
    return sections


def _html_pieces(part: Element) -> Iterator[Element]:
    """Headings, tables, and products as a whole."""
    for child in part.children:
        is_product = child.attributes.get("class") == "product"
        if is_product or child.name in ("h1", "h2", "h3", "table"):
            yield child
        else:
            yield from _html_pieces(child)


def _html_product(section: PageSection, product: Element) -> None:
    grids: dict[str, Grid] = {}
    for place in product.children:
        table = place.first("table")
        assert table is not None
        kind = place.attributes["class"]
        if kind == "added":
            ((name, *row),) = rows_of(table)
            grids[kind] = Grid(
                [f"`{name.removeprefix('+ ')}`", *grids["above"].headings[1:]], [["", *row]]
            )
            continue
        _html_table(section, table)
        grids[kind] = section.grids.pop()
    section.products.append(Product(**grids))


def _as_called(grid: Grid) -> Grid:
    """A table; one that is printed with its rows as columns, `Kᵀ`, as it is without that."""
    if not grid.headings[0].endswith("ᵀ`"):
        return grid
    headings, *columns = [grid.headings, *grid.rows]
    names = [column[0] for column in columns]
    rows = [list(row) for row in zip(headings[1:], *(c[1:] for c in columns), strict=True)]
    return Grid([headings[0].replace("ᵀ", ""), *names], rows)


def _html_table(section: PageSection, table: Element) -> None:
    rows = rows_of(table)
    match table.attributes.get("class"):
        case "working":
            section.statements += (
                _statement(label, [" ".join(cells)]) for label, *cells in rows if label != "⋮"
            )
        case "addition":
            (label,), *addends, total = rows
            text = " ".join([*map(" ".join, addends), "─", *total])
            section.statements.append(_column_addition(label, text))
        case _:
            first, *headings = rows[0]
            is_quantity = first and "quantity" in table.attributes["class"].split()
            named = f"`{first}`" if is_quantity else first
            section.grids.append(Grid([named, *headings], rows[1:]))


def _terminal(page: str) -> list[PageSection]:
    sections = [PageSection()]
    for paragraph in re.split(r"\n\s*\n", page):
        lines = paragraph.split("\n")
        section = _headed(lines[0])
        if section.numbers:  # and the formulas, up to the blank line
            section.heading = _whole_heading(section.heading, lines)
            sections.append(section)
        elif lines == ["Variants"]:
            sections.append(section)
        elif not lines[0].startswith(("▸", "•")):
            rules = [k for k, line in enumerate(lines) if "┼" in line]
            if len(rules) == 2 and rules[0] == 1 and lines[rules[1]].count("┼") > 1:
                product, lines = _terminal_product(lines, rules[1])
                sections[-1].products.append(product)
            sections[-1].statements += _statements(_to_the_left(lines))
    return sections


def _terminal_product(lines: Sequence[str], rule: int) -> tuple[Product, list[str]]:
    """A product, whose lower tables have their rule in a line; and what stands at its right."""
    upper, *lower = (match.span() for k in (1, rule) for match in re.finditer("─+┼─+", lines[k]))
    end = max(upper[1], *(stop for _, stop in lower))
    above = _terminal_grid(lines[: rule - 1], *upper)
    starts = [start for start, _ in lower]
    left, result, *after = (
        _terminal_grid(lines[rule - 1 :], start, stop)
        for start, stop in zip(starts, [*starts[1:], end], strict=True)
    )
    added = None
    if above.rows[-1][0].startswith("+ "):
        name, *numbers_of = above.rows.pop()
        added = Grid([f"`{name[2:]}`", *above.headings[1:]], [["", *numbers_of]])
    names = [row[0] for row in left.rows]
    result, *after = (  # whose names stand at the left of all, and above
        Grid(
            [grid.headings[0], *(grid.headings[1:] or above.headings[1:])],
            [[name, *row[1:]] for name, row in zip(names, grid.rows, strict=True)],
        )
        for grid in (result, *after)
    )
    return Product(left, above, result, added, *after), [_cut(line, end) for line in lines]


def _terminal_grid(lines: Sequence[str], start: int, stop: int) -> Grid:
    """The table between two columns of a page; bars in it are no numbers."""
    headings, _, *rows = (_cut(line, start, stop).partition("│") for line in lines)
    named = [f"`{headings[0].strip()}`", *re.split(r"\s{2,}", headings[2].strip())]
    kept = [[name.strip(), *re.findall(r"[−\d.…∞e_]+(?=\s|$)", text)] for name, _, text in rows]
    return Grid([*filter(None, named)], [row for row in kept if any(row)])


def _cut(line: str, start: int, stop: int | None = None) -> str:
    """What stands between two columns of the screen, of which wide characters take two."""
    columns: list[str] = []
    for character in line:
        if columns and unicodedata.combining(character):
            columns[-1] += character
        else:
            wide = unicodedata.east_asian_width(character) in "FW"
            columns += [character, ""] if wide else [character]
    return "".join(columns[start:stop])


def _to_the_left(lines: Sequence[str]) -> list[str]:
    """Lines that stand beside a product, as they stand below one."""
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [f"  {line[indent:]}" for line in lines] if indent > _BESIDE else [*lines]


_BESIDE = 2


def _whole_heading(heading: str, lines: Sequence[str]) -> str:
    """A heading, which on a narrow page goes on below, before the formulas."""
    below = [] if "   " in lines[0] else takewhile(_no_formula, pairwise([*lines[1:], ""]))
    return " ".join([heading, *(line.strip() for line, _ in below)])


def _no_formula(lines: tuple[str, str]) -> bool:
    """Whether the first of two lines begins no formula, whose = may stand on the second."""
    line, after = lines
    return "=" not in line and not after.strip().startswith("=")


def _statements(lines: Sequence[str]) -> Iterator[Statement]:
    """Labels, each with what stands behind and below it."""
    starts = [k for k, line in enumerate(lines) if _is_label(line, lines[k + 1 : k + 2])]
    for start, end in pairwise([*starts, len(lines)]):
        match = _LABEL.match(lines[start])
        assert match is not None
        body = [match["rest"], *(line for line in lines[start + 1 : end] if line.strip() != "⋮")]
        yield _statement(match["label"], body)


def _is_label(line: str, below: Sequence[str]) -> bool:
    """A name without an index needs a sign, here or on the next line."""
    match = _LABEL.match(line)
    if match is None:
        return False
    signed = bool(match["rest"].strip()) or any(x.strip().startswith(("= ", "≈ ")) for x in below)
    return signed or match["label"].endswith("]")


def _statement(label: str, body: Sequence[str]) -> Statement:
    text = " ".join(line.strip() for line in body)
    if not body[0].strip() and "→" in text:
        return _column_addition(label, text)
    pieces = _SIGN.split(f" {text.strip()} ")
    if pieces[0].strip():
        raise ValueError(f"{label}: {text}")
    parts = zip(pieces[1::2], (piece.strip() for piece in pieces[2::2]), strict=True)
    return Statement(label, tuple(parts))


def _column_addition(label: str, text: str) -> Statement:
    above, _, below = text.rpartition("─")
    sign, total = below.strip()[:1], below.strip()[1:].strip()
    above = above.replace("─", "").strip()
    addends = []
    for piece in re.split(r"(?<=\])\s+(?=[+−])|(?<=…)\s+(?=[+−])|\s+(?=\+ …)", above):
        plus, product, arrow, vector = _addend(piece.strip())
        addends.append((plus, product, vector if arrow else ""))
    return Statement(label, ((sign, total),), tuple(addends))


def _addend(piece: str) -> tuple[str, str, str, str]:
    plus = piece[0] if piece[0] in "+−" else "+"
    product, arrow, vector = piece.lstrip("+−").partition("→")
    return plus, product.strip(), arrow, vector.strip()


def _json(page: str) -> list[PageSection]:
    sections = []
    for step in json.loads(page)["steps"]:
        statements = [
            _statement(line["cell"], [line["text"].removeprefix(line["cell"])])
            for line in step["working"]
        ]
        path = step.get("path", "")
        sections.append(PageSection(range(0), step["title"], path, statements))
    return sections


def _markdown(page: str) -> list[PageSection]:
    before, *parts = re.split(r"^###? ", page, flags=re.MULTILINE)
    sections = [_filled(PageSection(), before)]
    for part in parts:
        first, _, rest = part.partition("\n")
        sections.append(_filled(_headed(first), rest))
    return sections


def _filled(section: PageSection, text: str) -> PageSection:
    lines = text.split("\n")
    section.statements += _bulleted(lines)
    section.grids += _grids(lines)
    return section


def _bulleted(lines: Sequence[str]) -> Iterator[Statement]:
    """Bullets that begin with a label; a label with a colon is followed by an addition, fenced."""
    rest = iter(lines)
    for line in rest:
        if heading := re.fullmatch(r"`+ ?([^`]*(?:\]|\w)) ?`+:", line):
            assert [next(rest), next(rest)] == ["", "```"]
            body = takewhile(lambda inside: inside != "```", rest)
            yield _column_addition(heading[1], " ".join(map(str.strip, body)))
        elif match := re.fullmatch(r"[-*] `+ ?(\S.*?) ?`+( \$.*)", line):
            text = _unlatexed(match[2])
            if text.strip().startswith(("=", "≈")):
                yield _statement(match[1], [text])


def _unlatexed(text: str) -> str:
    """Text with `$…$` and code spans in the plain notation."""
    spans = re.sub(r"`+ ?(.*?) ?`+", r"\1", text)
    return re.sub(r"\$([^$]*)\$", lambda match: plain(match[1]), spans)


def _grids(lines: Iterable[str]) -> Iterator[Grid]:
    """The tables of a stretch of Markdown."""
    table: list[list[str]] = []
    for line in [*lines, ""]:
        if line.startswith("|"):
            cells = re.split(r"(?<!\\)\|", line.strip()[1:-1])
            table.append([re.sub(r"\\(.)", r"\1", cell.strip()) for cell in cells])
        elif table:
            first, *others = table[0]
            rows = [[name.strip("`"), *cells] for name, *cells in table[2:]]
            yield Grid([first, *(text.strip("`") for text in others)], rows)
            table = []


_TEX_HEADING = re.compile(r"^\\(?:sub)*section\*\{(.*)\}$", re.MULTILINE)
_TEX_LOOKS = re.compile(r"\\attn(?:ink|shade)\{\w+\}|\\boldmath")
_TEX_BLOCK = re.compile(
    r"\\begin\{(?P<kind>align\*|alignat\*|array|tabular)\}(?:\[[tb]\])?(?P<body>.*?)\\end\{(?P=kind)\}",
    re.DOTALL,
)
_TEX_ROW = re.compile(r" \\\\\*?(?:\[[\d.]+ex\])?\n")
_TEX_CELLS = re.compile(r"(?<!\\) ?&+ ?")
_TEX_LABEL = re.compile(r"\\multicolumn\{\d\}\{@\{\}l@\{\}\}\{(.*)\}")


def _latex(page: str) -> list[PageSection]:
    page = _TEX_LOOKS.sub("", page)
    before, *parts = _TEX_HEADING.split(page.partition(r"\begin{document}")[2])
    sections = [_tex_filled(PageSection(), before)]
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        sections.append(_tex_filled(_headed(words(title)), body))
    return sections


def _tex_filled(section: PageSection, text: str) -> PageSection:
    end = 0
    for match in _TEX_BLOCK.finditer(text):
        rows = _TEX_ROW.split(match["body"].partition("\n")[2].rstrip().removesuffix(r" \\"))
        head = match["body"].partition("\n")[0]
        if match["kind"] == "tabular" and _TEX_APART in head:
            section.products += _tex_products(head, rows)
        elif match["kind"] == "tabular":
            beside = text[end : match.start()].strip().startswith(r"\hspace")
            _tex_table(section, rows, beside=beside)
        elif match["kind"] == "array":
            section.statements.append(_tex_addition(rows))
        else:
            section.statements += _tex_statements(rows)
        end = match.end()
    return section


def _tex_products(head: str, lines: Sequence[str]) -> Iterator[Product]:
    """Products of one left operand: what is above stands in the columns of its result, what is at
    the left in the rows of all, and their names are told once; what is made of rows is of the last
    one's."""
    widths = [len(re.findall("[lr]", re.sub(r"@\{.*?\}", "", g))) for g in head.split(_TEX_APART)]
    rows = [_tex_cells(re.sub(r"\\cmidrule(?:\(.*?\))?\{[\d-]+\}\n?", "", line)) for line in lines]
    lower = next(k for k, row in enumerate(rows) if row[0])  # the name of what is at the left
    ends = [*accumulate(widths)]
    groups = [slice(end - width, end) for width, end in zip(widths, ends, strict=True)]
    names = [row[0] for row in rows[lower + 1 :]]
    left, *others = (
        Grid(
            [f"`{heads[0]}`", *heads[1:]],
            [[n, *row[group][1:]] for n, row in zip(names, rows[lower + 1 :], strict=True)],
        )
        for group in groups
        for heads in [rows[lower][group]]
    )
    uppers = [[row[group] for row in rows[:lower] if any(row[group])] for group in groups[1:]]
    crossings = [(upper, grid) for upper, grid in zip(uppers, others, strict=True) if upper]
    last = others[len(crossings) :]
    for k, ((heads, *above), result) in enumerate(crossings, start=1):
        added = None
        if above[-1][0].startswith("+"):
            name, *numbers_of = above.pop()
            added = Grid([f"`{name[1:].strip()}`", *heads[1:]], [["", *numbers_of]])
        result.headings[1:] = heads[1:]
        behind = last if k == len(crossings) else []
        yield Product(left, Grid([f"`{heads[0]}`", *heads[1:]], above), result, added, *behind)


_TEX_APART = r"@{\hspace{1.6em}}"


def _tex_statements(rows: Iterable[str]) -> Iterator[Statement]:
    """Rows begin with a label, or else go on; a long label has a row of its own."""
    label, body = "", ""
    for row in rows:
        first, *others = _TEX_CELLS.split(row.strip())
        rest = " ".join(others)
        text = plain(rest).strip()
        if text == "⋮":
            continue
        goes_on = text.startswith(("= ", "≈ ")) or rest.startswith((r"\quad", r"\qquad"))
        if first or not goes_on:
            if body:
                yield _statement(label, [body])
            label, body = (plain(first), "") if first else (text, "")
        body += f" {text}" if goes_on else ""
    yield _statement(label, [body])


def _tex_addition(rows: Sequence[str]) -> Statement:
    label = _TEX_LABEL.fullmatch(rows[0])
    assert label is not None
    lines = (plain(row.replace(r"\midrule", "─").replace("&", " ")) for row in rows[1:])
    return _column_addition(plain(label[1]), " ".join(" ".join(lines).split()))


def _tex_cells(row: str) -> list[str]:
    row = re.sub(r"\\(?:top|mid|bottom)rule\n?", "", row)
    return [_tex_cell(cell.strip()) for cell in re.split(r"(?<!\\)&", row)]


def _tex_cell(cell: str) -> str:
    formula = re.fullmatch(r"\$(.*)\$( \((?:given|(?:partly )?chosen|counted|learned)\))?", cell)
    return plain(formula[1]) if formula else words(cell)


def _tex_table(section: PageSection, lines: list[str], *, beside: bool) -> None:
    """A table, one more band of the table that it stands beside, or more of its rows."""
    headings, *rows = [_tex_cells(line) for line in lines if "&" in line]
    if lines[0].startswith("\\toprule\n$"):
        headings[0] = f"`{headings[0]}`"  # the name of a quantity
    last = section.grids[-1] if section.grids else None
    if beside and last and last.headings == headings and len(last.rows) >= len(rows):
        last.rows.extend(rows)
    elif beside and last and last.headings[0] == headings[0]:
        last.headings.extend(headings[1:])
        for row, more in zip(last.rows, rows, strict=True):
            row += more[1:]
    else:
        section.grids.append(Grid(headings, rows))


def _typst(page: str) -> list[PageSection]:
    sections = [PageSection()]
    for kind, texts in calls(page):
        if kind == "heading":
            sections.append(_headed(content(texts[1])))
        elif kind == "working":
            lines = (parts(inside(line)) for line in texts if line != "none")
            sections[-1].statements += (_typst_line(label, rest) for label, rest in lines)
        elif kind == "products":
            sections[-1].products += _typst_products(*texts)
        else:
            sections[-1].statements.append(_typst_addition(*texts))
    return sections


def _typst_products(before: str, crossings: str, after: str) -> Iterator[Product]:
    """Products of one left operand; what is made of rows is of the last one's."""
    left, *last = (_typst_grid(code) for code in (before, after) if code != "none")
    its = [
        [part.partition(": ")[2] for part in parts(inside(one))] for one in parts(inside(crossings))
    ]
    for k, (above, result, added) in enumerate(its, start=1):
        bias = None if added == "none" else _typst_grid(added)
        behind = last if k == len(its) else []
        yield Product(left, _typst_grid(above), _typst_grid(result), bias, *behind)


def _typst_grid(code: str) -> Grid:
    headings, *rows = ([*row] for row in zip(*columns(code), strict=True))
    return Grid([f"`{headings[0]}`", *headings[1:]], rows)


def _typst_line(label: str, rest: str) -> Statement:
    pairs = (parts(inside(part)) for part in parts(inside(rest)))
    return Statement(content(label), tuple((content(sign), content(text)) for sign, text in pairs))


def _typst_addition(label: str, rows: str, sign: str, total: str) -> Statement:
    addends = []
    for row in parts(inside(rows)):
        plus, product, value = parts(inside(row))
        addends.append((content(plus) or "+", content(product), content(value)))
    return Statement(content(label), ((content(sign), content(total)),), tuple(addends))
