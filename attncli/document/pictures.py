"""Pictures, as data: each format draws them in its way, or tells their numbers in words.

Who attends to whom is a `Graph`, the weights of one head are a `MatrixBlock`; these are the others.
A `title` says what is to be seen, in words that do without the picture.
"""

from typing import NamedTuple

from attncli.document.tables import MatrixBlock
from attncli.maths.equations.tree import Number
from attncli.names import Word

Label = Word | str


class HeatMaps(NamedTuple):
    """Tables whose cells are shaded by their numbers: all heads as small multiples, positional
    encoding."""

    title: Label
    maps: tuple[tuple[Label, MatrixBlock], ...]
    signed: bool = False
    """Whether numbers go below 0, so that 0 has no shade."""


class Series(NamedTuple):
    """Numbers that belong together: one bar or one point for each."""

    name: Label
    numbers: tuple[Number, ...]


class Bars(NamedTuple):
    """Sizes beside each other: scores and what softmax makes of them, a distribution at several
    temperatures; of several series a bar each for every label."""

    title: Label
    labels: tuple[Label, ...]
    series: tuple[Series, ...]
    said_of: tuple[Number, ...] = ()
    """Numbers that its words name, which are no bars of it."""


class Curves(NamedTuple):
    """Numbers along an axis: positional encoding by position, states and norms through time."""

    title: Label
    axis: str
    labels: tuple[Label, ...]
    series: tuple[Series, ...]
    logarithmic: bool = False


class Arrow(NamedTuple):
    """A vector of two dimensions, `(x, y)` from the origin or from `start`."""

    label: Label
    end: tuple[Number, Number]
    start: tuple[Number, Number] | None = None


class ArrowGroup(NamedTuple):
    """A group of arrows of one kind."""

    name: Label
    ink: str
    """The name of its colour, "" for none."""
    arrows: tuple[Arrow, ...]


class Plane(NamedTuple):
    """A plane with vectors of two dimensions as arrows, in groups such as queries, keys, values."""

    title: Label
    groups: tuple[ArrowGroup, ...]


class Pixels(NamedTuple):
    """A square picture, cut into square patches."""

    title: Label
    patches: tuple[Series, ...]
    """The patches in the order of reading, each with its name and its pixels from dark to light,
    row by row."""


class Box(NamedTuple):
    """A box in a diagram."""

    id: str
    label: Label
    """What is written in it."""
    below: Label = ""
    """What is written below that."""
    column: int = 0
    """Its column, from 0."""
    row: int = 0
    """Its row, from 0."""
    chosen: bool = False
    """Whether it stands out."""
    frame: str = ""
    """The name of the frame around it and others of the same frame: `2 layers`."""
    section: int = 0
    """The number of the page's section that it stands for; 0 for none."""


class Link(NamedTuple):
    """An arrow from one box to another."""

    source: str
    target: str
    label: Label = ""
    """What is written on it."""
    chosen: bool = False
    """Whether it stands out."""


class Diagram(NamedTuple):
    """A diagram of boxes and arrows: the steps of a model with the shapes on the arrows, Unigram's
    lattice with its best path, the tree of BPE's merges."""

    title: Label
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    across: bool = True
    """Whether it is read across, or down."""


Picture = HeatMaps | Bars | Curves | Plane | Pixels | Diagram
PICTURES = (HeatMaps, Bars, Curves, Plane, Pixels, Diagram)
