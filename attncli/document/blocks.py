"""Documents: what is said on a page, before any format has a hand in it.

A closed set of blocks. Words of an author (tokens, titles) are `Word`s, which are no strings,
so that no format can take them for markup. Numbers stay in their matrices: a renderer asks
for those it prints. A number that is asked for in an exercise is a `Blank`, by its id; in what
is for students it holds no answer.
"""

# no lazy annotations here: a named tuple would compile each of them when it is imported
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from attncli.document.pictures import Diagram, HeatMaps, Picture
from attncli.document.tables import (
    Branch,
    DataTable,
    MarkedNumber,
    MatrixBlock,
    ProductBlock,
    SideBySide,
    WorkedTable,
    WrongWorking,
)
from attncli.maths.equations.tree import (
    Equation,
    Expression,
    Leaf,
    Location,
    Number,
    Omitted,
    Product,
    Symbol,
    Vector,
)
from attncli.maths.notation import name_of, plain, unbreakable
from attncli.maths.notation.escaping import printed
from attncli.names import TOP, Name, Word

if TYPE_CHECKING:
    from attncli.document.changing import Changeable
    from attncli.document.languages import FrameWords
    from attncli.document.questions import Item, OwnNumbers, Paper, SelfCheck, Worth
    from attncli.document.whole_head import WholeHead


class Term(NamedTuple):
    """A name of the program in running text: a step, a quantity, a key, the address of a cell."""

    name: str | Symbol


Span = str | Term | Equation | Expression
Spans = tuple[Span, ...]


class DefinitionList(NamedTuple):
    """A list of names and what they stand for, one a line."""

    rows: tuple[tuple[str, Spans], ...]


class Paragraph(NamedTuple):
    text: Spans


class Bullets(NamedTuple):
    """A list of sentences."""

    items: tuple[Spans, ...]


class Subheading(NamedTuple):
    """A heading inside a section."""

    text: Spans


class Callout(NamedTuple):
    """A remark that helps, set apart from the working."""

    text: Spans


class Line(NamedTuple):
    """A line of working: `label = part = part`."""

    label: Symbol
    """What is worked out, which may leave out its path."""
    parts: tuple[tuple[str, Expression], ...]
    """Each part with the relation before it. The last one is the result: a number, a vector, or
    where these are asked for a blank, a vector of blanks."""
    quantity: str = ""
    """The full name of what is worked out."""


class Derivation(NamedTuple):
    """Lines of working."""

    lines: tuple[Line | Omitted, ...]
    """The lines; Omitted stands for those that are left out."""
    mistake: str = ""
    """The name of the common mistake that they make on purpose."""


class ColumnSum(NamedTuple):
    """A sum of vectors in columns: each addend with its product, a rule, the total."""

    label: Symbol
    addends: tuple[tuple[Product, Vector] | Omitted, ...]
    relation: str
    total: Vector
    quantity: str = ""


TableCell = Word | str | Symbol | Omitted | MarkedNumber | Branch


def text_of_spans(spans: Spans, word: Callable[[Word], str] = printed) -> str:
    """Joins spans to a text, with somebody's words as `word` writes them."""
    return "".join(
        span if isinstance(span, str)
        else word(span) if isinstance(span, Word)
        else name_of(span.name, word) if isinstance(span, Term)
        else unbreakable(plain(span, word))
        for span in spans
    )  # fmt: skip


class Table(NamedTuple):
    """A table of cells under headings: whatever isn't one matrix."""

    headings: tuple[Word | str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    folded: bool = False
    """Whether its second half stands at the right of the first, under the same headings."""
    passes: bool = False
    """Whether each row tells the token that a pass over the model gives, and its probability."""


class TreeRow(NamedTuple):
    """A line of a tree."""

    depth: int
    """How deep it is."""
    numbers: str
    """The numbers of its steps, if it has some."""
    title: Spans
    made: Spans = ()
    """What was made there."""


class Tree(NamedTuple):
    """A tree of what was done, layer by layer and head by head."""

    rows: tuple[TreeRow, ...]

    @property
    def has_parts(self) -> list[bool]:
        """Tells of each row whether it is a heading of those below it, which are deeper."""
        pairs = zip(self.rows, self.goes_deeper, strict=True)
        return [not row.numbers and deeper for row, deeper in pairs]

    @property
    def goes_deeper(self) -> list[bool]:
        """Tells of each row whether the next one stands below it."""
        depths = [row.depth for row in self.rows]
        return [own < after for own, after in zip(depths, [*depths[1:], 0], strict=True)]

    @property
    def guides(self) -> list[str]:
        """Returns the guides before each row, a character a level: `│`, `├`, `└` or a space, as
        those of a `Branch`. The rows at the top have none."""
        found: list[str] = []
        open_at: set[int] = set()  # the depths at which a later row comes
        for row in reversed(self.rows):
            own = "├" if row.depth in open_at else "└"
            before = ("│" if level in open_at else " " for level in range(1, row.depth))
            found.append("".join((*before, own)) if row.depth else "")
            open_at = {level for level in open_at if level < row.depth} | {row.depth}
        return found[::-1]


class Edge(NamedTuple):
    """An edge of a graph: who attends to whom, and how much."""

    source: Word
    target: Word
    weight: Number


class Graph(NamedTuple):
    """A directed graph of who attends to whom, with its edges in the order of their sources."""

    name: str
    edges: tuple[Edge, ...]
    targets: tuple[Word, ...] = ()
    """The targets in their order, where they have one."""
    others: tuple[Edge, ...] = ()
    """Edges that aren't shown: they weigh nothing, less than `least`, or less than so many of their
    source."""
    least: float = 0.0
    """The least weight that is shown."""


class TextList(NamedTuple):
    """A quantity that is a list of words or whole numbers."""

    name: str
    """Its name, such as `tokens` or `ids`."""
    row_names: tuple[Word, ...]
    values: tuple[Word, ...] | tuple[int, ...]


class Fields(NamedTuple):
    """Names with room to write behind each: `Name ______ Date ______`."""

    names: tuple[str, ...]


class WordBlank(NamedTuple):
    """A question that is answered in words."""

    id: str
    text: Spans
    """What is asked."""
    options: tuple[Word, ...] = ()
    """The options that one is chosen from, if the answer isn't written."""
    labels: tuple[str, ...] = ()
    """What the options are called."""
    heading: str = ""
    """What stands before the place for the answer."""
    answer: Word | None = None
    """The answer; None where it isn't told."""


class Figure(NamedTuple):
    """A picture from a file of somebody's own."""

    name: Word
    """What its file is called."""
    data: bytes
    """What is in the file."""

    @property
    def form(self) -> str:
        """Returns the format of the picture: `png`, `jpg`, `svg` or `gif`."""
        suffix = self.name.raw.rpartition(".")[2].lower()
        return "jpg" if suffix == "jpeg" else suffix

    @property
    def instead(self) -> str:
        """Returns what stands in its place where nothing is drawn."""
        return f"[{self.name.raw}]"

    @property
    def as_url(self) -> str:
        """Returns the picture as an address that holds all of it."""
        from base64 import b64encode

        kind = {"jpg": "jpeg", "svg": "svg+xml"}.get(self.form, self.form)
        return f"data:image/{kind};base64,{b64encode(self.data).decode('ascii')}"


class AnswerSpace(NamedTuple):
    """Room for somebody's own working."""

    lines: int
    """How many lines there are to write on."""
    to_end: bool = False
    """Whether there are more, to the end of the page, in formats that have pages."""
    exact: bool = False
    """Whether there are just so many, whatever is left of a page."""


Block = (
    DefinitionList
    | Paragraph
    | Bullets
    | Subheading
    | Callout
    | Derivation
    | ColumnSum
    | Table
    | MatrixBlock
    | ProductBlock
    | DataTable
    | SideBySide
    | TextList
    | Tree
    | Graph
    | Picture
    | Fields
    | WordBlank
    | Figure
    | AnswerSpace
)

ONLY_DATA = (DataTable, TextList)
"""What the page tells in another way: only formats that keep data have it."""

_Kind = TypeVar("_Kind")
_Rule = TypeVar("_Rule")


def each(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yields the blocks, for callers that look at some kinds only.

    Raises TypeError for what is no block, so that nobody passes over a new kind in silence.
    """
    for block in blocks:
        if not isinstance(block, Block):
            raise TypeError(f"{type(block).__name__} is no kind of block")
        yield block


def in_lines(
    blocks: Iterable[Block],
    fits: Callable[[ProductBlock], bool] = lambda _: False,
    *,
    softmaxes: bool = False,
) -> Iterator[Block]:
    """Yields the blocks with the lines and tables of products in their place, for formats that
    don't lay these out, but for those that one `fits`, perhaps without what is made of their rows,
    where lines tell that; tables without the `softmaxes` of their rows, unless these are wanted."""
    for block in each(blocks):
        if isinstance(block, ProductBlock) and not fits(block):
            alone = block._replace(after=None)
            yield from (alone,) if not block.told and fits(alone) else block.told
        elif isinstance(block, MatrixBlock) and not softmaxes:
            yield block._replace(display=block.display._replace(after=None))
        else:
            yield block


def as_on_paper(blocks: Iterable[Block], beside: Collection[Name] = ()) -> Iterator[Block]:
    """Yields the blocks without the tables whose numbers products of theirs have, and without heat
    maps of what stands `beside` some product of the page, for formats that lay these out."""
    every = tuple(each(blocks))
    products = [block for block in every if isinstance(block, ProductBlock)]
    there = {table.quantity for product in products for table in product.tables}
    operands = {table.quantity for product in products for table in product.operands}
    for block in every:
        match block:
            case MatrixBlock():
                again = block.quantity in operands and (block.given or not block.blanks)
            case SideBySide():
                again = all(table.quantity in there for _, table in block.columns)
            case HeatMaps(maps=((_, table),)):
                again = table.quantity in beside
            case _:
                again = False
        if not again:
            yield block


def beside_products(sections: "Iterable[Section]") -> frozenset[Name]:
    """Finds what stands at the right of products and tables: softmaxes and activations."""
    blocks = (b for s in sections for b in s.blocks if isinstance(b, ProductBlock | MatrixBlock))
    return frozenset(block.after.quantity for block in blocks if block.after is not None)


def rule_for(block: object, rules: Mapping[type, _Rule], where: str) -> _Rule:
    """Finds the rule for a block by its kind. Raises TypeError for a kind without a rule."""
    if type(block) not in rules:
        raise TypeError(f"{type(block).__name__} has no place in {where}")
    return rules[type(block)]


def parts_of(block: Block, kind: type[_Kind] | tuple[type[_Kind], ...]) -> Iterator[_Kind]:
    """Yields the parts of a kind in a block, at any depth: its tables, its lines, its numbers.

    It walks over the fields, so that callers needn't know the kinds of blocks.
    """
    (block,) = each([block])
    waiting: list[object] = [block]
    while waiting:
        part = waiting.pop()
        if isinstance(part, kind):
            yield part
        elif isinstance(part, tuple) and not isinstance(part, Leaf):  # whose answer isn't shown
            waiting += part[::-1]


class Folded(NamedTuple):
    """What a section tells besides, for formats that can fold it away."""

    more: Spans = ()
    """What is told to readers who want to know more, behind its first words."""
    lesson: tuple[Block, ...] = ()
    """What a lesson says of its step besides the working, at the section's end."""


class Section(NamedTuple):
    """A section of a page: one step, whose names leave out the path of the section."""

    step: str
    """The name of the step."""
    number: int | None
    """Its number in the story, if that is told in order."""
    title: Spans
    formulas: tuple[Equation, ...]
    blocks: tuple[Block, ...]
    path: Name = TOP
    """Where in the model it was taken: `layers[1].heads[2]`."""
    place: str = ""
    """The same in words."""
    questions: "tuple[Item, ...]" = ()
    """The blanks of an exercise, in their order."""
    solution: tuple[Block, ...] = ()
    """The worked solution, which no student's sheet has."""
    since: int | None = None
    """The number of the first step, where only the last of several is told."""
    folded: Folded = Folded()
    """What is told besides, for formats that can fold it away."""
    own: str = ""
    """The name of a step that a scenario wrote itself, which is an `equations` step."""

    @property
    def points(self) -> "Worth":
        """Sums the points of its questions."""
        return sum(question.points for question in self.questions)

    @property
    def is_data(self) -> bool:
        """Tells whether only formats that keep data have it."""
        return bool(self.blocks) and all(isinstance(block, DataTable) for block in self.blocks)

    @property
    def heading(self) -> Spans:
        """Joins its number, its place and its title to a heading."""
        numbers = "–".join(str(index) for index in (self.since, self.number) if index is not None)
        return (*(f"{text} · " for text in (numbers, self.place) if text), *self.title)

    def heading_with_points(self, words: "FrameWords") -> Spans:
        """Joins the heading and the points, `5 · Softmax (21 points)`; without them where nothing
        is asked."""
        from attncli.document.questions import (
            counted_points,  # which pages without questions do without
        )

        points = f" ({counted_points(self.points, words)})"
        return (*self.heading, points) if self.questions else self.heading


class PageData(NamedTuple):
    """What formats that keep data have of a page besides its blocks."""

    given: tuple[MatrixBlock, ...] = ()
    """What the numbers started from."""
    sources: Mapping[str, str] = MappingProxyType({})
    """Where the numbers came from that nobody wrote out."""
    rounding: Mapping[str, object] = MappingProxyType({})
    """How the numbers were rounded."""
    ending: Mapping[str, object] = MappingProxyType({})
    """What wasn't used or is missing."""
    told: Mapping[str, object] = MappingProxyType({})
    """All that a page of words and tables tells, in the place of the rest."""


class Answers(NamedTuple):
    """What helps with the answers of an exercise, or tells which are right."""

    key: "Document | None" = None
    """A key that follows in the same file."""
    hints: tuple[tuple[Section, ...], ...] = ()
    """The hints for one try after the other, each a section a step."""
    check: "SelfCheck | None" = None
    """What tells which answers are right, for a sheet that checks itself."""
    own_numbers: "tuple[OwnNumbers, ...]" = ()
    """How numbers of an exercise follow from what their author wrote before, for pages that judge
    them."""
    left_to_draw: "LeftToDraw | None" = None
    """What a platform can draw by itself; None without pools."""


class Pool(NamedTuple):
    """Questions of which each student gets some."""

    title: Word
    """What its part is called."""
    take: int
    """How many of them a student gets."""
    questions: "tuple[Document, ...]"
    """Each question as a page of its own, with all that it takes to answer it."""
    tells: bool
    """Whether one of them, or of what all are asked, shows what another asks for."""

    @property
    def items(self) -> "tuple[Item, ...]":
        """Returns all that its questions ask."""
        return tuple(item for page in self.questions for item in page.items)

    @property
    def is_even(self) -> bool:
        """Tells whether all of its questions bring the same points."""
        return len({sum(item.points for item in page.items) for page in self.questions}) == 1


class LeftToDraw(NamedTuple):
    """A form of an exercise for a platform that draws from its pools by itself."""

    rest: "Document | None"
    """What is asked of everybody; None where all is drawn."""
    pools: "Callable[[], tuple[Pool, ...]]"
    """Makes its pools."""

    def drawn(self, *, blanks: bool) -> tuple[Pool, ...]:
        """Returns its pools where a platform can draw from all of them, which takes questions of
        the same points that tell nothing of each other; of one blank each where it draws
        `blanks`."""
        pools = self.pools()
        single = all(len(page.items) == 1 for pool in pools for page in pool.questions)
        fair = all(pool.is_even and not pool.tells for pool in pools)
        return pools if fair and (single or not blanks) else ()


class Interactive(NamedTuple):
    """What a reader can do with a page's numbers: ask where they come from, work them again, change
    them, be asked for them, see the pages of other traces; for formats in which that works.

    A student's sheet has none of it.
    """

    origins: Mapping[Location, Line] = MappingProxyType({})
    """How each number came about: a line of working, whose numbers have an origin in turn. Nothing
    is worked before somebody asks."""
    workings: Mapping[str, WorkedTable] = MappingProxyType({})
    """The quantities by their full names, to be worked again."""
    further: "Mapping[str, Document]" = MappingProxyType({})
    """The whole pages of a scenario's other traces."""
    changeable: "Changeable | None" = None
    """What a reader can change."""
    mistakes: Mapping[str, Sequence[WrongWorking]] = MappingProxyType({})
    """What known mistakes make of quantities, by their full names, for readers who are asked."""
    accepted: Mapping[Location, tuple[float, float]] = MappingProxyType({})
    """The ends of the range that is right for each number, where readers are asked for it."""
    head: "Callable[[], WholeHead | None]" = lambda: None
    """Finds the head that the page is about, for formats that lay it out on one sheet."""
    chart: "Callable[[], Diagram | None]" = lambda: None
    """Draws the steps, for formats in which that leads to them, where the page has no such chart
    among its pictures."""


class Answer(NamedTuple):
    """The answer that a page begins with."""

    says: Spans
    """The words with the number and where it stands: `“love” attends most to “AI”: 0.576 (step
    5)`."""
    cell: Location | None = None
    """The cell whose number it is; None where it counts something."""
    address: str = ""
    """The address of the cell, as `--cell` has it."""
    step: int | None = None
    """The number of the section that works it out; None of a given number."""


class Document(NamedTuple):
    """A whole page, before any format has a hand in it."""

    title: Word
    sections: tuple[Section, ...]
    facts: DefinitionList | None = None
    """What follows the title where nothing else does, and else comes last."""
    answer: Answer | None = None
    """What the page comes to, which follows its title."""
    in_short: Spans = ()
    """The facts on one line, which follow the answer."""
    about: tuple[Block, ...] = ()
    """What the page is about, which follows these."""
    opening: tuple[Block, ...] = ()
    """What comes before its sections."""
    closing: tuple[Block, ...] = ()
    """What comes after its sections."""
    data: PageData = PageData()
    """What only formats that keep data have."""
    paper: "Paper | None" = None
    """What belongs to an exercise, whose sections begin a page each; None of other pages."""
    answers: Answers = Answers()
    """What helps with the answers of an exercise."""
    interactive: Interactive = Interactive()
    """What a reader can do with its numbers, besides reading them."""

    @property
    def parts(self) -> Iterator[tuple["Section | None", tuple[Block, ...]]]:
        """Yields its blocks between lead and foot, with their section: what opens it, each
        section's, what closes it."""
        yield None, self.opening
        yield from ((section, section.blocks) for section in self.sections)
        yield None, self.closing

    @property
    def lead(self) -> tuple[Block, ...]:
        """Returns what follows the title: the answer, the facts on one line, the question."""
        return (*self._answer, *self._in_short, *self.about) or self._facts

    @property
    def foot(self) -> tuple[Block, ...]:
        """Returns what follows all else."""
        facts = self._facts if (self.answer or self.in_short or self.about) else ()
        return (*facts, *self.small_print)

    @property
    def small_print(self) -> tuple[Block, ...]:
        """Returns what a paper was made from."""
        if self.paper is None or self.facts is None:
            return ()
        return (DefinitionList(tuple((name, (word,)) for name, word in self.paper.origin)),)

    @property
    def _answer(self) -> tuple[Block, ...]:
        says = () if self.answer is None else self.answer.says
        return (Paragraph(("In short: ", *says, ".")),) if says else ()

    @property
    def _in_short(self) -> tuple[Block, ...]:
        return (Paragraph(self.in_short),) if self.in_short else ()

    @property
    def _facts(self) -> tuple[Block, ...]:
        facts = self.all_facts
        return (facts,) if self.facts is not None and facts.rows else ()

    @property
    def items(self) -> "tuple[Item, ...]":
        """Returns all that it asks, in the order of the page."""
        return tuple(item for section in self.sections for item in section.questions)

    @property
    def marks(self) -> DefinitionList:
        """Returns the marks that its paper begins with: which form it is."""
        marks = () if self.paper is None else self.paper.marks
        return DefinitionList(tuple((name, (word,)) for name, word in marks))

    @property
    def all_facts(self) -> DefinitionList:
        """Returns the facts, and the marks of its paper."""
        return DefinitionList((*(() if self.facts is None else self.facts.rows), *self.marks.rows))

    @property
    def in_lines(self) -> "Document":
        """Returns it for formats that don't lay products out: with their lines and tables."""
        return self.laid_out(lambda _: False)

    def laid_out(
        self, fits: Callable[[ProductBlock], bool], *, softmaxes: bool = False
    ) -> "Document":
        """Returns it for formats that lay those products out that there is room for, and perhaps
        `softmaxes` of other tables."""
        told = partial(in_lines, fits=fits, softmaxes=softmaxes)
        sections = (s._replace(blocks=tuple(told(s.blocks))) for s in self.sections)
        key = self.answers.key
        key = None if key is None else key.laid_out(fits, softmaxes=softmaxes)
        return self._replace(sections=tuple(sections), answers=self.answers._replace(key=key))
