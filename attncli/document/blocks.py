"""Documents: what is said on a page, before any format has a hand in it.

A closed set of blocks. Words of an author (tokens, titles) are `Word`s, which are no strings,
so that no format can take them for markup. Numbers stay in their matrices: a renderer asks
for those it prints. A number that is asked for in an exercise is a `Blank`, by its id; in what
is for students it holds no answer.
"""

# no lazy annotations here: a named tuple would compile each of them when it is imported
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from attncli.document.pictures import Picture
from attncli.document.tables import Branch, Data, MarkedNumber, MatrixBlock, SideBySide, WorkedTable
from attncli.equations.tree import (
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
from attncli.names import TOP, Name, Word
from attncli.notation import name_of, plain, unbreakable
from attncli.notation.escaping import printed

if TYPE_CHECKING:
    from attncli.document.changing import Changeable
    from attncli.document.questions import Item, OwnNumbers, Paper, SelfCheck, Worth
    from attncli.languages import FrameWords


class Term(NamedTuple):
    """A name of the program in running text: a step, a quantity, a key, the address of a cell."""

    name: str | Symbol


Span = str | Term | Equation | Expression
Spans = tuple[Span, ...]


class DefinitionList(NamedTuple):
    """Names and what they stand for, one a line."""

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
    """A line of working: `label = part = part`. Each relation stands before its part.

    `quantity` is the full name of what it works out; the label may leave out its path. Its last
    part is the result: a number, a vector, or where these are asked for a blank, a vector of
    blanks."""

    label: Symbol
    parts: tuple[tuple[str, Expression], ...]
    quantity: str = ""


class Derivation(NamedTuple):
    """Lines of working; Omitted stands for those that are left out. `mistake` is the name of the
    common mistake that they make on purpose."""

    lines: tuple[Line | Omitted, ...]
    mistake: str = ""


class ColumnSum(NamedTuple):
    """Vectors added up in columns: each addend with its product, a rule, the total."""

    label: Symbol
    addends: tuple[tuple[Product, Vector] | Omitted, ...]
    relation: str
    total: Vector
    quantity: str = ""


TableCell = Word | str | Omitted | MarkedNumber | Branch


def text_of_spans(spans: Spans, word: Callable[[Word], str] = printed) -> str:
    """The text of spans; somebody's words as `word` writes them."""
    return "".join(
        span if isinstance(span, str)
        else word(span) if isinstance(span, Word)
        else name_of(span.name, word) if isinstance(span, Term)
        else unbreakable(plain(span, word))
        for span in spans
    )  # fmt: skip


class Table(NamedTuple):
    """Rows of cells under headings: whatever isn't one matrix. One that is `folded` has its second
    half at the right of the first, under the same headings."""

    headings: tuple[Word | str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    folded: bool = False


class TreeRow(NamedTuple):
    """A line of a tree: how deep it is, its numbers if it has some, its text, what it made."""

    depth: int
    numbers: str
    title: Spans
    made: Spans = ()


class Tree(NamedTuple):
    """What was done, layer by layer and head by head."""

    rows: tuple[TreeRow, ...]

    @property
    def has_parts(self) -> list[bool]:
        """Of each row whether it is a heading of those below it, which are deeper."""
        depths = [*(row.depth for row in self.rows[1:]), 0]
        pairs = zip(self.rows, depths, strict=True)
        return [not row.numbers and deeper > row.depth for row, deeper in pairs]


class Edge(NamedTuple):
    """Who attends to whom, and how much."""

    source: Word
    target: Word
    weight: Number


class Graph(NamedTuple):
    """Who attends to whom: a directed graph, its edges by their sources; its targets in their
    order, where it has that. `others` weigh nothing, less than the `least` that it shows, or less
    than so many of their source."""

    name: str
    edges: tuple[Edge, ...]
    targets: tuple[Word, ...] = ()
    others: tuple[Edge, ...] = ()
    least: float = 0.0


class TextList(NamedTuple):
    """A quantity that is a list of words or whole numbers: `tokens`, `ids`."""

    name: str
    row_names: tuple[Word, ...]
    values: tuple[Word, ...] | tuple[int, ...]


class Fields(NamedTuple):
    """Names with room to write behind each: `Name ______  Date ______`."""

    names: tuple[str, ...]


class WordBlank(NamedTuple):
    """A question that is answered in words, by its id: what is asked, the options that one is
    chosen from with what they are called, if it isn't written; the `heading` stands before the
    place for the answer. `answer` is None where it isn't told."""

    id: str
    text: Spans
    options: tuple[Word, ...] = ()
    labels: tuple[str, ...] = ()
    heading: str = ""
    answer: Word | None = None


class AnswerSpace(NamedTuple):
    """Room for somebody's own working: so many lines to write on, or as many more as there are
    `to_end` of the page, in formats that have pages."""

    lines: int
    to_end: bool = False


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
    | Data
    | SideBySide
    | TextList
    | Tree
    | Graph
    | Picture
    | Fields
    | WordBlank
    | AnswerSpace
)

ONLY_DATA = (Data, TextList)
"""What the page tells in another way: only formats that keep data have it."""

_Kind = TypeVar("_Kind")
_Rule = TypeVar("_Rule")


def each(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, for whoever looks at some kinds only. Raises TypeError for what is no block: one
    of a new kind is passed over by nobody in silence."""
    for block in blocks:
        if not isinstance(block, Block):
            raise TypeError(f"{type(block).__name__} is no kind of block")
        yield block


def rule_for(block: object, rules: Mapping[type, _Rule], where: str) -> _Rule:
    """What somebody who has a rule for each kind does with a block. Raises TypeError for one of a
    kind without a rule."""
    if type(block) not in rules:
        raise TypeError(f"{type(block).__name__} has no place in {where}")
    return rules[type(block)]


def parts_of(block: Block, kind: type[_Kind] | tuple[type[_Kind], ...]) -> Iterator[_Kind]:
    """What a block has of a kind, at whatever depth: its tables, its lines, its numbers. It is told
    by the fields, so that whoever asks needn't know the kinds of blocks."""
    (block,) = each([block])
    waiting: list[Any] = [block]
    while waiting:
        part = waiting.pop()
        if isinstance(part, kind):
            yield part
        elif isinstance(part, tuple) and not isinstance(part, Leaf):  # whose answer isn't shown
            waiting += part[::-1]


class Section(NamedTuple):
    """A step: its name, its number in the story if it is told in order, its title and so on.

    `path` says where in the model it was taken, `layers[1].heads[2]`, and `place` says so in
    words. The names in a section leave its path out. `since` is the number of the first step, where
    only the last of several is told. `more` is for readers who want to know more, for formats that
    can fold it away. In an exercise `questions` are its blanks in order, `solution`
    is the worked solution, which no student's sheet has.
    """

    step: str
    number: int | None
    title: Spans
    formulas: tuple[Equation, ...]
    blocks: tuple[Block, ...]
    path: Name = TOP
    place: str = ""
    questions: "tuple[Item, ...]" = ()
    solution: tuple[Block, ...] = ()
    since: int | None = None
    more: Spans = ()

    @property
    def points(self) -> "Worth":
        return sum(question.points for question in self.questions)

    @property
    def is_data(self) -> bool:
        """Whether only formats that keep data have it."""
        return bool(self.blocks) and all(isinstance(block, Data) for block in self.blocks)

    @property
    def heading(self) -> Spans:
        numbers = "–".join(str(index) for index in (self.since, self.number) if index is not None)
        return (*(f"{text} · " for text in (numbers, self.place) if text), *self.title)

    def heading_with_points(self, words: "FrameWords") -> Spans:
        """`5 · Softmax (21 points)`; without them where nothing is asked."""
        from attncli.document.questions import (
            counted_points,  # which pages without questions do without
        )

        points = f" ({counted_points(self.points, words)})"
        return (*self.heading, points) if self.questions else self.heading


class Document(NamedTuple):
    """A page: its title, what it is `about`, its sections, what closes it, and its facts, which
    follow the title where nothing says what it is about.

    `given`, `sources`, `rounding` and `ending` are data: what the numbers started from, where those
    came from that nobody wrote out, how they were rounded, and what wasn't used or is missing.
    `paper` is there for what belongs to an exercise; its sections begin a page each. `key` is a key
    that follows in the same file, `hints` are those for one try after the other, each a section a
    step.
    `data` is what a page of words and tables tells, for formats that keep data. `origins` is how
    each number came about, for formats in which a reader can ask: a line of working, whose numbers
    have an origin in turn; nothing is worked before somebody asks. `workings` are the quantities
    by their full names, for formats that work them again, and `further` the whole pages of a
    scenario's other traces, for those that have room for them. A student's sheet has none; by its
    `check`, if it has one, it tells which answers are right. `changeable` is there for formats in
    which a reader can change numbers, `own_numbers` for pages that judge those of an exercise by
    what their author wrote before.
    """

    title: Word
    sections: tuple[Section, ...]
    facts: DefinitionList | None = None
    about: tuple[Block, ...] = ()
    given: tuple[MatrixBlock, ...] = ()
    opening: tuple[Block, ...] = ()
    closing: tuple[Block, ...] = ()
    sources: Mapping[str, str] = MappingProxyType({})
    rounding: Mapping[str, object] = MappingProxyType({})
    ending: Mapping[str, object] = MappingProxyType({})
    paper: "Paper | None" = None
    key: "Document | None" = None
    hints: tuple[tuple[Section, ...], ...] = ()
    data: Mapping[str, object] = MappingProxyType({})
    origins: Mapping[Location, Line] = MappingProxyType({})
    workings: Mapping[str, WorkedTable] = MappingProxyType({})
    further: "Mapping[str, Document]" = MappingProxyType({})
    check: "SelfCheck | None" = None
    changeable: "Changeable | None" = None
    own_numbers: "tuple[OwnNumbers, ...]" = ()

    @property
    def parts(self) -> Iterator[tuple["Section | None", tuple[Block, ...]]]:
        """Its blocks between lead and foot: what opens it, each section's, what closes it."""
        yield None, self.opening
        yield from ((section, section.blocks) for section in self.sections)
        yield None, self.closing

    @property
    def lead(self) -> tuple[Block, ...]:
        """What follows the title."""
        return self.about or self._facts

    @property
    def foot(self) -> tuple[Block, ...]:
        """What follows all else."""
        return self._facts if self.about else ()

    @property
    def _facts(self) -> tuple[Block, ...]:
        facts = self.all_facts
        return (facts,) if self.facts is not None and facts.rows else ()

    @property
    def items(self) -> "tuple[Item, ...]":
        """All that it asks, in the order of the page."""
        return tuple(item for section in self.sections for item in section.questions)

    @property
    def marks(self) -> DefinitionList:
        """The marks of the paper that it is."""
        marks = () if self.paper is None else self.paper.marks
        return DefinitionList(tuple((name, (word,)) for name, word in marks))

    @property
    def all_facts(self) -> DefinitionList:
        """The facts, and the marks of the paper that it is."""
        return DefinitionList((*(() if self.facts is None else self.facts.rows), *self.marks.rows))
