"""Pictures, as data: each format draws them in its way, or tells their numbers in words.

Who attends to whom is a `Graph`, the weights of one head are a `MatrixBlock`; these are the others.
A `title` says what is to be seen, in words that do without the picture.
"""

from typing import NamedTuple

from attncli.document.tables import MatrixBlock
from attncli.equations.tree import Number
from attncli.names import Word

Label = Word | str


class HeatMaps(NamedTuple):
    """Tables whose cells are shaded by their numbers: all heads as small multiples, positional
    encoding. `signed` says that the numbers go below 0, so that 0 has no shade."""

    title: Label
    maps: tuple[tuple[Label, MatrixBlock], ...]
    signed: bool = False


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
    """Arrows of one kind."""

    name: Label
    ink: str
    arrows: tuple[Arrow, ...]


class Plane(NamedTuple):
    """Vectors of two dimensions as arrows, by groups such as queries, keys, values; `ink` is the
    name of a group's colour, "" for none."""

    title: Label
    groups: tuple[ArrowGroup, ...]


class Pixels(NamedTuple):
    """A square picture by its square patches in the order of reading, each with its name and its
    pixels from dark to light, row by row."""

    title: Label
    patches: tuple[Series, ...]


class Box(NamedTuple):
    """What stands in a diagram: its id, what is written in it and below that, its column and its
    row from 0. `chosen` ones stand out. Those of one `frame` have that around them, with its name:
    `2 layers`."""

    id: str
    label: Label
    below: Label = ""
    column: int = 0
    row: int = 0
    chosen: bool = False
    frame: str = ""


class Link(NamedTuple):
    """An arrow from one box to another, what is written on it, and whether it stands out."""

    source: str
    target: str
    label: Label = ""
    chosen: bool = False


class Diagram(NamedTuple):
    """Boxes and arrows: the steps of a model with the shapes on the arrows, Unigram's lattice with
    its best path, the tree of BPE's merges. Its reading goes `across` or down."""

    title: Label
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    across: bool = True


Picture = HeatMaps | Bars | Curves | Plane | Pixels | Diagram
PICTURES = (HeatMaps, Bars, Curves, Plane, Pixels, Diagram)
