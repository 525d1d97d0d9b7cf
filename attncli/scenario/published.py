"""The numbers and claims of a source about quantities that are worked here."""

from decimal import Decimal
from typing import Annotated, NamedTuple

from attncli.scenario.file.keys import (
    Either,
    Flag,
    Key,
    ListOf,
    MapOf,
    NumberKind,
    Record,
    Schema,
    TextKind,
    keys_of_fields,
)
from attncli.scenario.file.matrices import EntryKind, MatrixKind, VectorKind
from attncli.scenario.file.nodes import Items, Map, Node, as_lists
from attncli.scenario.file.problems import Diagnostics


class Printed(NamedTuple):
    """Numbers as the source prints them, row by row."""

    numbers: tuple[Decimal, ...]
    shape: tuple[int, ...]
    """Their extents; none for a single number."""
    at: Annotated[str, TextKind("a place"), "where it does: `step 6`"] = ""
    assumed: Annotated[bool, Flag(), "whether it assumes them and doesn't work them out"] = False


ITSELF = "itself"


class Claim(NamedTuple):
    """A statement of the source about each row of a quantity, or about one row."""

    largest: Annotated[
        str, TextKind("a column"), "where the largest number of the row is: `cafe`, or `itself`"
    ] = ""
    total: Annotated[
        Decimal | None, NumberKind(), "what the row adds up to, in the source's own decimals"
    ] = None
    at: Annotated[str, TextKind("a place"), "where the source says so: `slide 4`"] = ""


CLAIMS = MapOf(Record.of(*keys_of_fields(Claim)), "quantity or row")
_ENTRY = EntryKind(infinite=True)
_ROW = VectorKind(_ENTRY, inline=True)
_ROWS = MatrixKind(infinite=True)


class NumbersKind(NamedTuple):
    """A number, a list of numbers or a list of rows."""

    def read(self, node: Node, problems: Diagnostics) -> Printed | None:
        node = as_lists(node)
        if not isinstance(node, Items):
            number = _ENTRY.read(node, problems)
            return None if number is None else Printed((number,), ())
        rows = bool(node.items) and isinstance(node.items[0], Items)
        written = getattr((_ROWS if rows else _ROW).read(node, problems), "written", None)
        if written is None:
            return None
        shape = (len(written), len(written[0])) if rows else (len(written[0]),)
        return Printed(tuple(number for row in written for number in row), shape)

    def schema(self) -> Schema:
        kinds = (_ENTRY, ListOf(_ENTRY), ListOf(ListOf(_ENTRY)))
        return {"anyOf": [kind.schema() for kind in kinds]}


NUMBERS = NumbersKind()
_FIELDS = Record.of(
    Key("numbers", NUMBERS, "what the source prints, with its own decimals"),
    *keys_of_fields(Printed),
)


class _AtAPlace(NamedTuple):
    """A kind of value: numbers with their place in the source."""

    kind: Record = _FIELDS

    def read(self, node: Node, problems: Diagnostics) -> Printed | None:
        before = len(problems.found)
        values = self.kind.read(node, problems)
        if values is None or "numbers" not in values:
            if len(problems.found) == before:
                problems.add(
                    node.where, "a place without numbers", "give numbers, like [2.0, 2.265]"
                )
            return None
        printed: Printed = values["numbers"]
        return printed._replace(**{**values, "numbers": printed.numbers})

    def schema(self) -> Schema:
        return {**self.kind.schema(), "required": ["numbers"]}


_AT_A_PLACE = _AtAPlace()


PUBLISHED = MapOf(
    Either(lambda node: _AT_A_PLACE if isinstance(node, Map) else NUMBERS, (NUMBERS, _AT_A_PLACE)),
    "quantity or cell",
)
