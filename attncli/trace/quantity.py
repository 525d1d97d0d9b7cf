"""Quantities: labelled matrices that know the operation and the operands they came from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from attncli.errors import Where, listed, quote, shortened
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Number, Symbol
from attncli.maths.numbers.rounding import Array
from attncli.maths.operations.operation import Operation
from attncli.names import TOP, Name, Word, below, composed, words
from attncli.scenario.file.address import Address, AddressError, Index, write_index
from attncli.scenario.file.problems import Hint, knows_nothing, nearest

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

IDS = "ID"
_WITH_POSITION = r"(?s).* \(\d+\)"


@dataclass(frozen=True)
class Axis:
    """The names along one side of a matrix. An ID is a name that is a number."""

    names: tuple[str, ...]
    role: str = ""
    """What the names are of: queries (`Q`), keys (`K`), tokens, IDs, or dimensions."""

    def index(self, place: int) -> str:
        """Returns the index that addresses a place, from 0. It is a bare number only where that is
        the position."""
        return self.word(place).raw

    def word(self, place: int) -> Word:
        """Returns the index that addresses a place, from 0, as a word to be printed."""
        if place not in self._indices:
            name = self.names[place]
            is_bare = self.role == IDS or name == str(place + 1)
            self._indices[place] = Word(name if is_bare else write_index(name))
        return self._indices[place]

    @cached_property
    def _indices(self) -> dict[int, Word]:
        """Keeps the indices that were asked for, since pages ask for each many times."""
        return {}

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Returns the names as words to be printed."""
        return words(self.names)

    def find(self, index: Index, of: str) -> int:
        """Returns the place, from 0, of a name or of a 1-based position. Raises AddressError."""
        position = index.position if self.role != IDS else None
        if position is not None and 1 <= position <= len(self.names):
            return position - 1
        if position is None and index.text in self.names:
            return self.names.index(index.text)
        alike = self._places_of(index.text)
        if position is None and len(alike) == 1:  # told apart from none but what only looks like it
            return alike[0]
        if index.is_last and not alike and self.names:
            return len(self.names) - 1
        raise AddressError(*self._complaint(index, of))

    def places(self, index: Index, of: str) -> Sequence[int]:
        """Returns the places, from 0, that an index of a pattern means: all of them, or the one
        that `find` does. Raises AddressError."""
        is_every = index.is_every and not self._places_of(index.text)
        return range(len(self.names)) if is_every else (self.find(index, of),)

    def _places_of(self, token: str) -> list[int]:
        """Lists the places of a token. If it isn't there as it is written, other Unicode forms of
        it count."""
        tokens = [token_of(name) for name in self.names]
        same = [place for place, own in enumerate(tokens) if own == token]
        return same or [k for k, own in enumerate(tokens) if composed(own) == composed(token)]

    def _complaint(self, index: Index, of: str) -> tuple[str, str]:
        """Says what is wrong with an index, and what would be right."""
        text = shortened(index.text)
        if index.is_every:
            return f"* names all of {of}, and one is wanted here", f"name one: {listed(self.names)}"
        if self.role == IDS:
            return f"{of} has no ID {text}", f"it has {listed(self.names)}"
        if index.position is not None:
            more = f", or write {quote(index.text)} for a name" if index.text in self.names else ""
            return f"{of} has no {text}", f"count from 1 to {len(self.names)}{more}"
        alike = [self.names[place] for place in self._places_of(index.text)]
        if len(alike) > 1:
            wrong = f"{quote(index.text)} occurs {len(alike)} times in {of}"
            return wrong, f"say {listed(alike, ' or ')}"
        alike = [name for name in self.names if name.casefold() == index.text.casefold()]
        right = f"did you mean {alike[0]}?" if alike else f"it has {listed(self.names)}"
        return f"{of} has no {quote(index.text)}", right


class Numbered(str):
    """A token with its position, which tells it apart from others: `the (5)`."""

    __slots__ = ("position", "token")
    position: int
    token: str

    def __new__(cls, token: str, position: int) -> Numbered:
        name = super().__new__(cls, f"{token} ({position})")
        name.position, name.token = position, token
        return name

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]  # those of a text
        return self.token, self.position


def token_of(name: str) -> str:
    """Returns the token behind a name, without the position that tells it apart."""
    return name.token if isinstance(name, Numbered) else name


@lru_cache(maxsize=64)
def distinct_tokens(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Turns tokens into names that are all different: a token that occurs more than once gets its
    position, `the (5)`. If any does, so does every token that already looks like that."""
    counts = Counter(tokens)
    twice = len(counts) < len(tokens)
    return tuple(
        Numbered(token, position)
        if counts[token] > 1 or (twice and re.fullmatch(_WITH_POSITION, token))
        else token
        for position, token in enumerate(tokens, start=1)
    )


@lru_cache(maxsize=64)
def counted(count: int) -> tuple[str, ...]:
    """Returns the names 1, 2, … of dimensions, or of tokens that have no names."""
    return tuple(map(str, range(1, count + 1)))


class Towards(NamedTuple):
    """What a quantity is made on the way to, which an author writes in one equation."""

    name: Name
    """Its full name."""
    indices: tuple[str, ...]
    """Its indices, as the author calls them."""
    own: tuple[str, str]
    """Which of them the rows and the columns of the quantity itself go along, empty for none."""

    def cell(self, row: str, column: str) -> str:
        """Names the cells of it that come of a row of the quantity, or of one of its cells, by
        their labels, empty for none: `alpha[moon, j]`."""
        known = {
            index: label for index, label in zip(self.own, (row, column), strict=True) if label
        }
        places = [known.get(index, index) for index in self.indices]
        return f"{self.name}[{', '.join(places)}]" if places else self.name


class Definition(NamedTuple):
    """A rule by which a quantity is made: which operation works on which quantities, and in which
    step. All names are full ones."""

    name: Name
    operation: Operation
    operands: tuple[Name, ...]
    step: str = ""
    role: str = ""
    """What the rows become where the operands' role changes: queries or keys."""
    rows: Axis | None = None
    """The axis of the rows, where it can't be derived from the operands."""
    columns: Axis | None = None
    """The axis of the columns, where it can't be derived from the operands."""
    needs: tuple[Name, ...] = ()
    """What must be known besides the operands, such as `d_k`, or a quantity whose size is taken."""
    blame: Name = below(Name("rounding"), "decimals")
    """The key of the scenario to look at if the quantity can't be made."""
    wire: str = ""
    """The role in which later steps take the quantity: `Q` for the rotated queries."""
    where: Where | None = None
    """Where its equation stands, if somebody wrote one for it."""
    towards: Towards | None = None
    """What that equation makes, if this is only made on the way to it."""


@dataclass(frozen=True, eq=False, repr=False)
class Quantity:
    """A named matrix [n, m] with names for its rows and columns. NumPy takes it as an array."""

    name: Name
    matrix: Matrix
    rows: Axis
    columns: Axis
    definition: Definition | None = None
    """How it is made; None where it is given."""
    origin: str = "given"
    """Where a given quantity comes from: `given`, `chosen`, `learned` and the like."""

    @property
    def values(self) -> Array:
        """Returns the numbers as a read-only float64 array [n, m]."""
        return self.matrix.values

    @property
    def shape(self) -> tuple[int, int]:
        """Returns the numbers of rows and columns, without working anything."""
        return self.matrix.shape

    @property
    def given(self) -> bool:
        return self.definition is None

    @property
    def local(self) -> str:
        """Returns the last part of the name, without a time: `weights` for
        `layers[1].heads[2].weights`, `a` for `a[2]`."""
        return self.name.local

    @property
    def is_timed(self) -> bool:
        """Tells whether it belongs to one time step of a recurrent cell (`a[2]`, `gates[2].forget`)
        or to one position in a word (`words[1].best[2]`)."""
        return self.name.time is not None or self.name.number is not None

    @property
    def is_number(self) -> bool:
        """Tells whether it is a single number, such as `cross_entropy`."""
        return self.is_list and self.rows.names == ("",)

    @property
    def is_list(self) -> bool:
        """Tells whether it has one number a row, such as `exp_sum`."""
        return not self.columns.names

    @property
    def is_vector(self) -> bool:
        """Tells whether it is a single row without a name, such as a bias. Its numbers are
        addressed by their columns alone: `b1[2]`."""
        return not self.is_list and self.rows.names == ("",)

    def holding(self, matrix: Matrix) -> Quantity:
        """Returns the same quantity with other numbers."""
        return Quantity(self.name, matrix, self.rows, self.columns, self.definition, self.origin)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"<Quantity {self.name} {list(self.matrix.shape)}>"

    @cached_property
    def numbers(self) -> Matrix:
        """Returns the matrix whose numbers carry the name of this quantity."""
        return self.matrix.named(self.name, given=self.given)

    def number(self, i: int, j: int) -> Number:
        """Returns the number of cell (i, j), from 0, which carries the name of this quantity."""
        return self.numbers.number(i, j)

    def row(self, i: int) -> list[Number]:
        """Lists the numbers of row i, from 0."""
        return [self.number(i, j) for j in range(self.matrix.shape[1])]

    def find(self, address: Address) -> tuple[int, int]:
        """Returns the row and the column, from 0, of an addressed cell. A single number needs no
        index. Raises AddressError."""
        axes = (self.rows,) if self.is_list else (self.rows, self.columns)
        if not address.indices and self.matrix.shape == (1, 1):
            return 0, 0
        if self.is_vector and len(address.indices) == 1:
            return 0, self.columns.find(address.indices[0], self.name)
        if len(address.indices) != len(axes):
            what = "a row" if self.is_list else "a row and a column"
            what = "a column" if self.is_vector else what
            example = self.address(0, 0)
            wrong = f"{self.name} is addressed by {what}"
            raise AddressError(wrong, f"write it like {shortened(example)}")
        places = [axis.find(i, self.name) for axis, i in zip(axes, address.indices, strict=True)]
        return places[0], 0 if self.is_list else places[1]

    def indices(self, i: int, j: int | None = None) -> tuple[Word, ...]:
        """Returns the names that address cell (i, j), or row i. A single number, and the only row
        of a bias, have none."""
        if self.is_number:
            return ()
        if self.is_vector:
            return () if j is None else (self.columns.word(j),)
        row = self.rows.word(i)
        return (row,) if j is None or self.is_list else (row, self.columns.word(j))

    def symbol(self, i: int, j: int | None = None, name: Name = TOP) -> Symbol:
        """Returns the symbol of cell (i, j), or of row i, under the name that the quantity has on a
        page."""
        return Symbol(name or self.name, self.indices(i, j))

    def name_symbol(self, name: Name = TOP) -> Symbol:
        """Returns the symbol of the whole quantity under the name that it has on a page: `a[2]`."""
        return Symbol(name or self.name)

    def address(self, i: int, j: int | None = None) -> str:
        """Writes the address of cell (i, j), or of row i: `weights[love, AI]`, `Q[love]`."""
        return f"{self.name}{self.inside(i, j)}"

    def inside(self, i: int, j: int | None = None) -> str:
        """Writes the part of an address in brackets: `[love, AI]`."""
        indices = self.indices(i, j)
        return f"[{', '.join([index.raw for index in indices])}]" if indices else ""


class AwaitedQuantity(Quantity):
    """A quantity whose numbers are worked when they are first asked for."""

    def __init__(
        self,
        definition: Definition,
        axes: tuple[Axis, Axis],
        shape: tuple[int, int],
        work: Callable[[], Matrix],
    ) -> None:
        rows, columns = axes
        own = {"name": definition.name, "rows": rows, "columns": columns, "definition": definition}
        vars(self).update(own, _shape=shape, _work=work)

    @property
    def shape(self) -> tuple[int, int]:
        known: tuple[int, int] = vars(self)["_shape"]
        return known

    @cached_property
    def matrix(self) -> Matrix:
        """Works the numbers. Raises ScenarioError where they can't be worked."""
        made: Matrix = vars(self)["_work"]()
        return made


T = TypeVar("T")


def meant(name: str, known: Mapping[str, T]) -> T | None:
    """Looks up a full name. A single layer or head may be written with its number or without.
    Returns None where nothing has that name."""
    bare = name.replace("layers[1].", "").replace("heads[1].", "")
    names = (name, name.replace("heads[1].", ""), name.replace("layers[1].", ""), bare)
    return next((known[entry] for entry in names if entry in known), None)


def timed(address: Address, known: Mapping[str, object]) -> Address:
    """Moves a single index that is a time from the indices of an address into its name:
    `factor_norm[4]` becomes a name. Other addresses are returned as they are."""
    if len(address.indices) == 1:
        name = f"{address.name}[{address.indices[0].text}]"
        if meant(name, known) is not None:
            return Address(name)
    return address


def unknown_name(name: str, known: Collection[Name], hint: Hint = knows_nothing) -> AddressError:
    """Makes the error for a name that is not among the known ones. It suggests the most similar
    one."""
    alike = [entry for entry in known if entry.alone == name.rpartition(".")[2]]
    most = max(alike, key=lambda entry: SequenceMatcher(None, entry, name).ratio(), default=None)
    right = nearest(name, known, hint) if most is None else f"did you mean {most}?"
    return AddressError(f"this trace has no quantity {shortened(name)}", right)


def known_name(name: str, known: Iterable[Name], hint: Hint = knows_nothing) -> Name:
    """Returns the full name that a text means. Raises AddressError where there is none."""
    by_text: dict[str, Name] = {entry: entry for entry in known}
    found = meant(name, by_text)
    if found is None:
        raise unknown_name(name, by_text.values(), hint)
    return found
