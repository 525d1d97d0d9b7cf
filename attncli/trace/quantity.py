"""Quantities: labelled matrices that know the operation and the operands they came from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from attncli.equations.matrix import Matrix
from attncli.equations.tree import Number, Symbol
from attncli.errors import listed, quote, shortened
from attncli.file.address import Address, AddressError, Index, write_index
from attncli.file.problems import Hint, knows_nothing, nearest
from attncli.names import TOP, Name, Word, below, composed, words
from attncli.numbers.rounding import Array
from attncli.operations.operation import Operation

IDS = "ID"
_WITH_POSITION = r"(?s).* \(\d+\)"


@dataclass(frozen=True)
class Axis:
    """The names along one side of a matrix; `role` says what they name:
    queries (`Q`), keys (`K`), tokens, IDs, or dimensions. An ID is a
    name that is a number."""

    names: tuple[str, ...]
    role: str = ""

    def index(self, place: int) -> str:
        """The index that means a place, from 0: a bare number only where it is the position."""
        return self.word(place).raw

    def word(self, place: int) -> Word:
        """The same as a word, to be printed."""
        if place not in self._indices:
            name = self.names[place]
            is_bare = self.role == IDS or name == str(place + 1)
            self._indices[place] = Word(name if is_bare else write_index(name))
        return self._indices[place]

    @cached_property
    def _indices(self) -> dict[int, Word]:
        """Those that were asked for, as pages ask for each again and again."""
        return {}

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The names, to be printed."""
        return words(self.names)

    def find(self, index: Index, of: str) -> int:
        """The place, from 0, of a name or a 1-based position. Raises AddressError."""
        position = index.position if self.role != IDS else None
        if position is not None and 1 <= position <= len(self.names):
            return position - 1
        if position is None and index.text in self.names:
            return self.names.index(index.text)
        alike = self._places_of(index.text)
        if position is None and len(alike) == 1:  # told apart from none but what only looks like it
            return alike[0]
        raise AddressError(*self._complaint(index, of))

    def _places_of(self, token: str) -> list[int]:
        """The places of a token, in another form of Unicode if it isn't there in its own."""
        tokens = [token_of(name) for name in self.names]
        same = [place for place, own in enumerate(tokens) if own == token]
        return same or [k for k, own in enumerate(tokens) if composed(own) == composed(token)]

    def _complaint(self, index: Index, of: str) -> tuple[str, str]:
        """What is wrong with an index, and what would be right."""
        text = shortened(index.text)
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
    """The token that a name is of, which may have been told apart."""
    return name.token if isinstance(name, Numbered) else name


@lru_cache(maxsize=64)
def distinct_tokens(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Tokens as names: one that occurs more than once gets its position, `the (5)`. Then one that
    looks as if it had got a position gets its own as well, lest two have one name."""
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
    """The names 1, 2, … of dimensions, and of tokens that have no name."""
    return tuple(map(str, range(1, count + 1)))


class Definition(NamedTuple):
    """How a quantity is made: which operation on which quantities, in which step, which who
    plans the steps says.

    All names are full ones. `rows` and `columns` name the axes that the operands don't, `role`
    says what the rows become: queries or keys. `needs` are things that are missing and no
    operands, such as d_k, or a quantity whose size it takes. `blame` is the key to look at if it
    can't be made. `wire` is what the steps after it take it for: `Q` of the rotated queries.
    """

    name: Name
    operation: Operation
    operands: tuple[Name, ...]
    step: str = ""
    role: str = ""
    rows: Axis | None = None
    columns: Axis | None = None
    needs: tuple[Name, ...] = ()
    blame: Name = below(Name("rounding"), "decimals")
    wire: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Quantity:
    """A named matrix [n, m] with names for its rows and columns.

    `definition` is how it is made, None where it is given; `origin` says where that comes from.
    NumPy takes it as an array.
    """

    name: Name
    matrix: Matrix
    rows: Axis
    columns: Axis
    definition: Definition | None = None
    origin: str = "given"

    @property
    def values(self) -> Array:
        """The numbers, float64 [n, m], read-only."""
        return self.matrix.values

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns, for which nothing is worked."""
        return self.matrix.shape

    @property
    def given(self) -> bool:
        return self.definition is None

    @property
    def local(self) -> str:
        """The last part of the name, without a time: `weights` of `layers[1].heads[2].weights`,
        `a` of `a[2]`."""
        return self.name.local

    @property
    def is_timed(self) -> bool:
        """Whether it is of one time of a recurrent cell, `a[2]`, `gates[2].forget`; or of one place
        in a word, `words[1].best[2]`."""
        return self.name.time is not None or self.name.number is not None

    @property
    def is_number(self) -> bool:
        """Whether it is a single number, such as `cross_entropy`."""
        return self.is_list and self.rows.names == ("",)

    @property
    def is_list(self) -> bool:
        """Whether it is one number a row, such as `exp_sum`."""
        return not self.columns.names

    @property
    def is_vector(self) -> bool:
        """Whether it is one row that has no name, such as a bias, whose numbers are addressed by
        their columns alone: `b1[2]`."""
        return not self.is_list and self.rows.names == ("",)

    def holding(self, matrix: Matrix) -> Quantity:
        """The same quantity with other numbers."""
        return Quantity(self.name, matrix, self.rows, self.columns, self.definition, self.origin)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:  # noqa: ANN401
        return np.array(self.values, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"<Quantity {self.name} {list(self.matrix.shape)}>"

    @cached_property
    def numbers(self) -> Matrix:
        """The matrix, whose numbers know whose they are."""
        return self.matrix.named(self.name)

    def number(self, i: int, j: int) -> Number:
        """The number of cell (i, j), from 0, which knows whose it is."""
        return self.numbers.number(i, j)

    def row(self, i: int) -> list[Number]:
        """Those of a row."""
        return [self.number(i, j) for j in range(self.matrix.shape[1])]

    def find(self, address: Address) -> tuple[int, int]:
        """The row and column, from 0, of a cell; the only one there is needs no index. Raises
        AddressError."""
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
        """The names that address cell (i, j), or row i; the only row of a bias has none."""
        if self.is_number:
            return ()
        if self.is_vector:
            return () if j is None else (self.columns.word(j),)
        row = self.rows.word(i)
        return (row,) if j is None or self.is_list else (row, self.columns.word(j))

    def symbol(self, i: int, j: int | None = None, name: Name = TOP) -> Symbol:
        """Cell (i, j), or row i, of the quantity as it is called somewhere."""
        return Symbol(name or self.name, self.indices(i, j))

    def name_symbol(self, name: Name = TOP) -> Symbol:
        """The whole quantity as it is called somewhere: `a[2]`."""
        return Symbol(name or self.name)

    def address(self, i: int, j: int | None = None) -> str:
        """The address of cell (i, j), or of row i: `weights[love, AI]`, `Q[love]`."""
        return f"{self.name}{self.inside(i, j)}"

    def inside(self, i: int, j: int | None = None) -> str:
        """What of the quantity an address means: `[love, AI]`."""
        indices = self.indices(i, j)
        return f"[{', '.join([index.raw for index in indices])}]" if indices else ""


class AwaitedQuantity(Quantity):
    """A quantity whose numbers are worked when somebody asks for them."""

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
        """The numbers. Raises ScenarioError where they can't be worked."""
        made: Matrix = vars(self)["_work"]()
        return made


T = TypeVar("T")


def meant(name: str, known: Mapping[str, T]) -> T | None:
    """What is known by a full name; a single layer or head may be named with its number."""
    bare = name.replace("layers[1].", "").replace("heads[1].", "")
    names = (name, name.replace("heads[1].", ""), name.replace("layers[1].", ""), bare)
    return next((known[entry] for entry in names if entry in known), None)


def timed(address: Address, known: Mapping[str, object]) -> Address:
    """An address whose single index is the time of what it names, as of `factor_norm[4]`, has it in
    its name."""
    if len(address.indices) == 1:
        name = f"{address.name}[{address.indices[0].text}]"
        if meant(name, known) is not None:
            return Address(name)
    return address


def unknown_name(name: str, known: Collection[Name], hint: Hint = knows_nothing) -> AddressError:
    """The complaint about a name that none of the known ones is."""
    alike = [entry for entry in known if entry.alone == name.rpartition(".")[2]]
    most = max(alike, key=lambda entry: SequenceMatcher(None, entry, name).ratio(), default=None)
    right = nearest(name, known, hint) if most is None else f"did you mean {most}?"
    return AddressError(f"this trace has no quantity {shortened(name)}", right)


def known_name(name: str, known: Iterable[Name], hint: Hint = knows_nothing) -> Name:
    """The full name that is meant. Raises AddressError."""
    by_text: dict[str, Name] = {entry: entry for entry in known}
    found = meant(name, by_text)
    if found is None:
        raise unknown_name(name, by_text.values(), hint)
    return found
