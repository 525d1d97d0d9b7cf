"""One HTML file that works by itself: its numbers tell where they come from, sheets check."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from string import Template
from typing import Any, NamedTuple

from attncli.document.blocks import (
    Block,
    Document,
    Folded,
    Graph,
    WordBlank,
    beside_products,
    text_of_spans,
)
from attncli.document.languages import Words, words_of
from attncli.document.pictures import Picture
from attncli.document.questions import AcceptedAnswer, JudgedPlace, Paper, SelfCheck
from attncli.document.tables import MatrixBlock, ProductBlock, in_groups
from attncli.formats import FormatInfo, PaperAbilities, RenderOptions
from attncli.formats.colours import Inked
from attncli.formats.html.asked import AskedNumbers
from attncli.formats.html.blocks import (
    HtmlStyle,
    TableStyle,
    WorkingStyle,
    blocks_html,
    empty,
    escaped,
    packed,
    set_apart,
    spans_html,
)
from attncli.formats.html.live import LivePage
from attncli.formats.html.webpage import (
    BENCH_SCRIPT,
    INSIDE,
    LIVE_SCRIPTS,
    PAGE_SCRIPTS,
    SERVED,
    SHARED,
    SHEET_SCRIPTS,
    PageAssets,
    file_text,
    looks_of,
)
from attncli.formats.svg.drawing import drawn, inline
from attncli.formats.svg.elements import NOBODY, Askable
from attncli.formats.svg.laid_out import LaidOut, laid_out_by
from attncli.formats.writers import (
    Heading,
    NewPage,
    Piece,
    Products,
    Tables,
    Title,
    pieces_of,
    with_tables_together,
)
from attncli.maths.equations.tree import Blank, Equation, Expression, Number, leaves
from attncli.maths.notation.escaping import visible
from attncli.maths.notation.mathml import MathmlNotation, mathml
from attncli.names import Name, Word
from attncli.option_values import LANGUAGES, Pictures

SUFFIXES = (".html", ".htm")
ABILITIES = FormatInfo(
    PaperAbilities(keys=("none", "separate"), checking=True, together=True),
    pictures=Pictures.ONE,
    changing=True,
    products=True,
)
"""A sheet says by itself what is right, and no key goes into the file that students get."""

_UNTOLD = '<span class="untold" role="img" aria-label="…">▢</span>'
"""In the place of a number that is asked for elsewhere, or would tell what is asked for."""
_MORE = 2
"""Characters that a field has room for besides the longest answer."""
_PADDING = 1
"""Characters that the edges of a field take."""
_BLANK = 8
"""Characters that a blank to write in on paper takes."""
_IN_WORDS = 24
_SIZES = {"a4": "", "letter": " size: letter;"}
"""What says so where it isn't the usual size of paper."""


class _InkedMathml(Inked, MathmlNotation):
    """A MathML notation in which queries, keys and values have their inks."""

    def in_ink(self, text: str, name: str) -> str:
        return f'<mrow class="{name}">{text}</mrow>'


_FORMULAS = _InkedMathml()


class AnswerFields:
    """A page's fields, in their order."""

    def __init__(self) -> None:
        self._checks: list[SelfCheck] = []
        self._placed: list[PlacedField] = []

    def of(self, document: Document) -> SheetFields | None:
        """Returns how the fields of a sheet are written; None where it can't check itself."""
        check = document.answers.check
        if check is None:
            return None
        if not any(check is known for known in self._checks):
            self._checks.append(check)
        return SheetFields(check, dict.fromkeys(check.answers), self._placed)

    @property
    def any(self) -> bool:
        return bool(self._placed)

    def script(self, words: Words) -> str:
        """Writes what tells right answers from others, for the page's script."""
        first, parts = dict[int, int](), list[Mapping[str, object]]()
        for check in self._checks:
            first[id(check)] = len(parts)
            parts += check.parts
        answers = []
        for check, id_ in self._placed:
            answer = check.answers[id_]
            if isinstance(answer, JudgedPlace):
                answers.append(_by_own_numbers(answer, first[id(check)]))
            else:
                answers.append(_by_key(answer))
        states = {name: words.texts[name] for name in _STATES}
        return packed({"words": states, "parts": parts, "answers": answers})


_STATES = ("right", "follows", "few", "wrong", "unlike", "unreadable", "tally")


def _by_own_numbers(place: JudgedPlace, first: int) -> Mapping[str, object]:
    at = [first + place.part, place.quantity, place.cell]
    if place.hint is None:
        return {"at": at}
    return {"at": at, "how": [place.hint.by_names, *place.hint.parts]}


def _by_key(answer: AcceptedAnswer) -> Mapping[str, object]:
    """Returns what is right as data."""
    data = {
        "texts": answer.texts,
        "ends": answer.interval and [f"{end:f}" for end in answer.interval],
        "few": answer.with_fewer_decimals,
        "unlike": answer.unlike or None,
    }
    return {name: value for name, value in data.items() if value not in (None, ())}


class PlacedField(NamedTuple):
    """A field that stands on a page."""

    check: SelfCheck
    """By what its sheet is checked."""
    id: str
    """The id of its blank."""


class SheetFields(NamedTuple):
    """A sheet's fields."""

    check: SelfCheck
    """By what the sheet is checked."""
    left: dict[str, None]
    """The ids of its blanks that have no field yet."""
    placed: list[PlacedField]
    """The fields of the whole page."""

    def number(self, blank: Blank) -> str:
        """Writes a field for a number, where it is asked for first."""
        return self._placed(blank.id, visible(Word(blank.id)), "number", self._to_type_a_number)

    def answered(self, block: WordBlank) -> str:
        """Writes a field to write in, or options to choose from."""
        asked = text_of_spans(block.text, visible)
        if block.labels:
            return f"<div>{self._placed(block.id, asked, 'choice', partial(_options, block))}</div>"
        answer = self.check.answers.get(block.id)
        kind = "number" if isinstance(answer, AcceptedAnswer) and answer.interval else "words"
        return f"<p>{self._placed(block.id, asked, kind, _to_write)}</p>"

    def _placed(self, id_: str, name: str, kind: str, inside: Callable[[int, str], str]) -> str:
        if id_ not in self.left:
            return _UNTOLD
        place = len(self.placed)
        del self.left[id_]
        self.placed.append(PlacedField(self.check, id_))
        return f'<span class="field" data-kind="{kind}">{inside(place, escaped(name))}</span>'

    def _to_type_a_number(self, _: int, name: str) -> str:
        # the keys that a telephone shows for decimals may have no minus
        mode = "" if self.check.signed else ' inputmode="decimal"'
        return _input(name, self.check.width + _MORE, mode)


def _to_write(_: int, name: str) -> str:
    return _input(name, _IN_WORDS)


def _input(name: str, size: int, more: str = "") -> str:
    """Writes a field to type in. What is the same for all of them is for the script to say: a page
    may have hundreds."""
    return f'<input aria-label="{name}" size="{size}"{more}>'


def _options(block: WordBlank, place: int, name: str) -> str:
    """Writes options to choose one of, by what they are called."""
    texts = [
        f"{escaped(label)}) {set_apart(visible(option))}"
        for label, option in zip(block.labels, block.options, strict=False)
    ]
    choices = "".join(
        f'<label><input type="radio" name="f{place}"> {text}</label>'
        for text in texts or map(escaped, block.labels)
    )
    return f'<span class="options" role="radiogroup" aria-label="{name}">{choices}</span>'


def bar_of(words: Words) -> str:
    """Writes what stands above sheets: how to answer, how many answers are right, what can be
    done."""
    return f"""\
<div id="check" hidden>
<p>{escaped(words.how_to)}</p>
<div class="bar"><strong class="tally"></strong>
<button type="button" class="all">{escaped(words.check_all)}</button>
<button type="button" class="hint" disabled>{escaped(words.hint)}</button>
<button type="button" class="clear">{escaped(words.clear)}</button>
<span role="status"></span> <span class="help" aria-live="polite"></span></div>
</div>
"""


def figure_html(block: Picture | Graph, asked: Askable = NOBODY, where: str = "") -> str:
    """Draws a figure that can be moved to and fro where the screen is narrower. Where its numbers
    may be changed, it has the places of those that it is laid out by. A graph of a quantity says
    `where` that is worked."""
    picture = drawn(block, asked)
    by = laid_out_by(block, asked) if asked.changing else LaidOut()
    drawing = f'<div class="scroll">{inline(picture, asked)}</div>'
    title = set_apart(picture.title)
    title = f"<code>{title}</code>, {where}" if where and isinstance(block, Graph) else title
    text = f"<figcaption>{title}</figcaption>"
    kind = "picture told" if by is None else "picture"
    cells = f' data-cell="{" ".join(map(str, by.places))}"' if by and by.places else ""
    cells += f' data-scale="{by.below:g}"' if cells and by and by.below is not None else ""
    return f'<figure class="{kind}"{cells}>\n{drawing}\n{text}\n</figure>'


def render(document: Document, page: RenderOptions) -> str:
    """Writes the document as one page; its width plays no part."""
    return render_together([document], page)


def render_together(documents: Sequence[Document], page: RenderOptions) -> str:
    """Writes documents one below the other, each on a new sheet where they are printed."""
    paper, fields = documents[0].paper, AnswerFields()
    assets = SERVED if page.served else SHARED if page.shared else INSIDE
    live = LivePage.of(documents[0])
    written = _parts_of(documents, fields, live)
    inside = live is not None and assets is INSIDE  # whose script has them, too
    words = words_of(LANGUAGES[0] if paper is None else paper.language).check
    return Template(file_text("page.html")).substitute(
        language=LANGUAGES[0] if paper is None else paper.language,
        title=escaped(visible(documents[0].title)),
        styles=assets.styles,
        scripts=assets.scripts,
        style=assets.style(),
        printed="" if paper is None else _printed(paper, alone=len(documents) == 1),
        kind="" if paper is None else f' class="{paper.kind}"',
        contents=written.contents,
        check=bar_of(words) if fields.any else "" if live is None else live.bar(),
        main=written.main,
        numbers="[]" if inside else written.asked.script(),
        script=assets.scripts_of((*assets.first, *PAGE_SCRIPTS)),
        sheet=f"\n{_checking(fields, words, assets)}" if fields.any else "",
        live="" if live is None else f"\n{_changing(live, written, assets)}",
    )


def _printed(paper: Paper, *, alone: bool) -> str:
    """Writes what printed pages of a paper are: of which size, and with what at their foot, unless
    others stand with it, whose pages a browser would count with its own."""
    paging = paper.words.paper.page_of.format(
        number='" counter(page) "', count='" counter(pages) "'
    )
    foot = (
        f' @bottom-left {{ content: "{paper.made_from}"; }}'
        f' @bottom-right {{ content: "{paging}"; }}'
    )
    told = f"{_SIZES[paper.size]}{foot if alone else ''}"
    return f"\n<style>@page {{{told} }}</style>" if told else ""


class _PageParts(NamedTuple):
    """A page's contents, while it is written."""

    sections: Sequence[str]
    """Its sections, as HTML."""
    contents: str
    """The list of its contents."""
    asked: AskedNumbers
    """Which of its numbers can be asked."""

    @property
    def main(self) -> str:
        return "\n".join(self.sections)


def _parts_of(
    documents: Sequence[Document],
    fields: AnswerFields,
    live: LivePage | None = None,
    own: _PageParts | None = None,
) -> _PageParts:
    """Writes parts of a page; of one that a script shows in place of its `own`, whose numbers it
    writes then."""
    first = documents[0]
    of_sheet = first.paper is not None and first.paper.kind == "sheet"
    changed = None if live is None else live.numbers
    like = None if own is None else own.asked
    asked = AskedNumbers(first.interactive.origins, of_sheet=of_sheet, changed=changed, like=like)
    pairs = [
        (part, _style(asked, fields.of(document), later=own is not None))
        for k, document in enumerate(documents)
        for part in _parts(_pieces(document, live), on_new_page=k > 0)
    ]
    if first.paper is None:
        pairs = [(part, _in_step(k, part, style, asked)) for k, (part, style) in enumerate(pairs)]
    sections = [_section(k, part, style) for k, (part, style) in enumerate(pairs)]
    if first.answer is not None and first.answer.step is not None:
        sections = _with_way(sections, first.answer.step, [part for part, _ in pairs])
    chart = first.interactive.chart()
    contents = _contents([part for part, _ in pairs], "" if chart is None else figure_html(chart))
    return _PageParts(sections, contents, asked)


_STEP = re.compile(r"((?:\d+–)?\d+) ·")


def _in_step(k: int, part: _Part, style: HtmlStyle, asked: AskedNumbers) -> HtmlStyle:
    """Returns a style whose pictures say in which step they stand, with a link to the section of
    this place."""
    title = text_of_spans(part.head.title) if isinstance(part.head, Heading) else ""
    if not (step := _STEP.match(title)):
        return style
    where = f'<a href="#s{k}">step{"s" * ("–" in step[1])} {step[1]}</a>'
    return style._replace(picture=partial(figure_html, asked=asked, where=where))


def _with_way(sections: Sequence[str], step: int, parts: Sequence[_Part]) -> list[str]:
    """Makes of the words that say in which step the answer is worked a link to its section."""
    begins = re.compile(rf"(?:\d+–)?{step} ·")
    titles = (text_of_spans(p.head.title) if isinstance(p.head, Heading) else "" for p in parts)
    k = next((k for k, title in enumerate(titles) if begins.match(title)), None)
    if k is None:
        return [*sections]
    where = re.compile(rf'(<div class="answer">\n.*\()(steps? (?:\d+–)?{step})(?=\)\.</p>)')
    return [where.sub(rf'\1<a href="#s{k}">\2</a>', text, count=1) for text in sections]


def _changing(live: LivePage, own: _PageParts, assets: PageAssets) -> str:
    """Writes the scripts of a page whose numbers are changed: its server works it again, or it does
    so itself."""
    return INSIDE.script(BENCH_SCRIPT) if assets is SERVED else _living(live, own, assets)


def _living(live: LivePage, own: _PageParts, assets: PageAssets) -> str:
    """Writes the scripts of a page that is worked again, and what they go by: its own version, and
    those with other choices."""
    versions = [live.version(own.asked)]
    sections = [_parts_of([live.document], AnswerFields(), live, own).sections]
    for choices, other in live.others():
        written = _parts_of([other.document], AnswerFields(), other, own)
        texts = {"choices": choices, "contents": written.contents}
        versions.append({**texts, **other.version(written.asked)})
        sections.append(written.sections)
    data = live.data(own.asked, versions, sections)
    data = f'<script type="application/octet-stream" id="live">{data}</script>'
    return f"{data}\n{assets.later_scripts_of(LIVE_SCRIPTS)}"


def _style(asked: AskedNumbers, fields: SheetFields | None, *, later: bool = False) -> HtmlStyle:
    """Returns how a page is written; numbers `later`, but for those that no script writes."""
    blank = empty if fields is None else fields.number
    plainly = HtmlStyle(mathematics=partial(_mathematics, asked))
    named = partial(spans_html, style=plainly)
    relation = partial(asked.relation, later=later) if asked.changing else None
    field_width = _BLANK if fields is None else fields.check.width + _MORE + _PADDING
    return HtmlStyle(
        mathematics=partial(_mathematics, asked, later=later),
        blank=blank,
        tables=TableStyle(partial(asked.number, later=later), _framed, looks_of, field_width),
        working=WorkingStyle(partial(asked.expression, blank=blank, later=later), relation),
        answered=None if fields is None else fields.answered,
        picture=partial(figure_html, asked=asked),
        products=True,
        mark=partial(asked.mark, named=named) if asked.changing else None,
        told=_style(asked, fields) if later else None,
    )


def _checking(fields: AnswerFields, words: Words, assets: PageAssets) -> str:
    """Writes the scripts of sheets, and what they go by."""
    data = f'<script type="application/octet-stream" id="checking">{fields.script(words)}</script>'
    return f"{data}\n{assets.scripts_of(SHEET_SCRIPTS)}"


class _Within(NamedTuple):
    """Blocks that scripts and looks find by what they are."""

    kind: str
    """What they are: the `answer` of a page, its facts `in-short`; a table that tells `again` what
    stands beside a product; or what is `told` of the numbers as they were also when a page is
    worked again, as it compares them with others'."""
    blocks: Sequence[Block]


class _Part(NamedTuple):
    """A part of a page that stands under one heading, and whether it begins a new sheet of
    paper."""

    head: Title | Heading
    blocks: tuple[Block | _Within, ...]
    on_new_page: bool


def _pieces(document: Document, live: LivePage | None) -> Iterator[Piece | _Within]:
    """Yields what stands on a page, below a title also where it has none in other formats."""
    if live is not None and document.closing:
        closing: tuple[Any, ...] = (_Within("told", document.closing),)
        document = document._replace(closing=closing)
    title, pieces = Title(document.title, ""), _with_folds(document)
    first = next(pieces, title)
    yield from (first,) if isinstance(first, Title) else (title, first)
    yield from pieces


def _with_folds(document: Document) -> Iterator[Piece | _Within]:
    """Yields what stands on a page, a table apart whose numbers stand beside a product or another
    table: the weights, which a picture shows, too."""
    beside = beside_products(document.sections)
    for piece in _with_lead(document):
        if isinstance(piece, MatrixBlock) and _is_told_again(piece, beside):
            yield _Within("again", (piece,))
        else:
            yield piece


def _is_told_again(table: MatrixBlock, beside: Collection[Name]) -> bool:
    """Tells whether a table has what stands beside a product, and isn't there for more."""
    return table.quantity in beside and not (table.blanks or table.display.is_result)


def _with_lead(document: Document) -> Iterator[Piece | _Within]:
    """Yields what stands on a page, its answer and its facts within what they are."""
    kinds = (("answer", document.answer), ("in-short", document.in_short))
    left = [*zip(document.lead, (kind for kind, said in kinds if said), strict=False)]
    for piece in pieces_of(document):
        if left and piece == left[0][0]:
            block, kind = left.pop(0)
            yield _Within(kind, (block,))
        else:
            yield piece


def _parts(pieces: Iterator[Piece | _Within], *, on_new_page: bool) -> Iterator[_Part]:
    head = next(pieces)
    assert isinstance(head, Title | Heading)
    blocks: list[Block | _Within] = []
    breaks = False
    for piece in pieces:
        if isinstance(piece, Title | Heading):
            yield _Part(head, tuple(blocks), on_new_page)
            head, blocks, on_new_page, breaks = piece, [], breaks, False
        elif isinstance(piece, NewPage):
            breaks = True
        elif not isinstance(piece, Tables | Products):  # which no page has, unless asked for them
            blocks.append(piece)
    yield _Part(head, tuple(blocks), on_new_page)


def _section(k: int, part: _Part, style: HtmlStyle) -> str:
    asks = isinstance(part.head, Heading) and part.head.asks
    kinds = " ".join((*["new-page"] * part.on_new_page, *["asks"] * asks))
    kind = f' class="{kinds}"' if kinds else ""
    if isinstance(part.head, Title):
        style = style._replace(level=2)  # a heading right below the title skips no level
    blocks = [*_blocks(part.blocks, style)]
    folded = part.head.folded if isinstance(part.head, Heading) else Folded()
    if folded.more:
        blocks.insert(1, _fold("More on this", f"<p>{spans_html(folded.more, style)}</p>"))
    if folded.lesson:
        beside = "\n".join(_blocks((_Within("told", folded.lesson),), style))
        blocks.append(_fold("Shapes and common mistakes", beside))
    text = "\n".join((_head(k, part.head, style), *blocks))
    return f'<section id="s{k}" aria-labelledby="h{k}"{kind}>\n{text}\n</section>'


def _blocks(blocks: Iterable[Any], style: HtmlStyle) -> Iterator[str]:
    """Writes the blocks; small tables, and products, that follow each other stand beside each
    other."""
    for is_product, group in groupby(with_tables_together(blocks), _is_product):
        pieces = [*group]
        if is_product and len(pieces) > 1:
            beside = "".join(f"<div>{text}</div>" for text in _each(pieces, style))
            yield f'<div class="tables">{beside}</div>'
        else:
            yield from _each(pieces, style)


def _is_product(piece: object) -> bool:
    return isinstance(piece, ProductBlock)


def _each(pieces: Iterable[Any], style: HtmlStyle) -> Iterator[str]:
    """Writes pieces one below the other."""
    for piece in pieces:
        if isinstance(piece, _Within) and piece.kind == "again":
            yield _fold_again(piece, style)
        elif isinstance(piece, _Within):
            kept = style.of_told if piece.kind == "told" else style
            inside = "\n".join(_blocks(piece.blocks, kept))
            yield f'<div class="{piece.kind}">\n{inside}\n</div>'
        elif isinstance(piece, Tables):
            beside = "\n".join(_together(group, style) for group in in_groups(piece.matrices))
            yield f'<div class="tables">{beside}</div>' if len(piece.matrices) > 1 else beside
        elif not isinstance(piece, Title | Heading | NewPage):
            yield blocks_html((piece,), style)


def _fold_again(within: _Within, style: HtmlStyle) -> str:
    (table,) = within.blocks
    assert isinstance(table, MatrixBlock)
    sums = ", with the sums of its rows" * table.display.with_sums
    called = f"<code>{style.word(table.name)}</code> in a table of its own{sums}"
    text = blocks_html((table,), style)
    return f'<details class="lines"><summary>{called}</summary>\n{text}\n</details>'


def _together(tables: Sequence[MatrixBlock], style: HtmlStyle) -> str:
    """Writes a table, or a pair of them that stay beside each other where there is room."""
    text = blocks_html(tables, style)
    return f'<div class="pair">{text}</div>' if len(tables) > 1 else text


def _head(k: int, head: Title | Heading, style: HtmlStyle) -> str:
    if isinstance(head, Title):
        return f'<h1 id="h{k}">{style.word(head.title)}{escaped(head.called)}</h1>'
    formulas = "".join(f'<div class="scroll">{mathml(f, _FORMULAS)}</div>' for f in head.formulas)
    below = f'\n<div class="formulas">{formulas}</div>' if formulas else ""
    return f'<h2 id="h{k}" tabindex="-1">{spans_html(head.title, style)}</h2>{below}'


def _fold(title: str, text: str) -> str:
    return f'<details class="more"><summary>{title}</summary>{text}</details>'


def _contents(parts: Sequence[_Part], chart: str) -> str:
    """Writes the list of the contents, and a chart of the steps below it."""
    rows = (
        f'<li><a href="#s{k}">{escaped(_called(part.head))}</a></li>'
        for k, part in enumerate(parts)
    )
    listed = f"<ol>\n{''.join(rows)}\n</ol>"
    return f"<details open><summary>Contents<b></b></summary>\n{listed}\n</details>{chart}"


def _called(head: Title | Heading) -> str:
    return visible(head.title) if isinstance(head, Title) else text_of_spans(head.title)


def _framed(table: str, kind: str) -> str:
    """Writes a table that can be moved to and fro where the screen is narrower."""
    named = table.replace("<table>", f'<table class="{kind}">', 1)
    return f'<div class="scroll">{named}</div>'


def _mathematics(asked: AskedNumbers, node: Expression | Equation, *, later: bool = False) -> str:
    """Writes what has numbers, so that these can be asked; formulas as browsers draw them."""
    has_numbers = any(isinstance(leaf, Number) for leaf in leaves(node))
    return asked.expression(node, later=later) if has_numbers else mathml(node, _FORMULAS)
