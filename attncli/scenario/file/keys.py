"""The keys of a file, and the records that are made of them.

Each kind of values reads a node, says all that is wrong with it, and gives its JSON Schema. What
a file may say is declared by keys of these kinds, so that validation, schema and documentation come
of one text. A schema library would do half of it: numbers must stay as they are written, `no` must
stay a word, and every message needs its line and column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import chain, count
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from attncli.errors import listed, quote, shortened
from attncli.maths.numbers import decimals
from attncli.scenario.file.nodes import Items, Map, Node, Numbers, Scalar, as_lists, describe
from attncli.scenario.file.problems import Diagnostics, Hint, knows_nothing

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

KeyValues = Mapping[str, Any]
"""The values that the keys of a record have, by name."""


class Key(NamedTuple, Generic[T_co]):
    """A key of a record."""

    name: str
    kind: Kind[T_co]
    """The kind of its value."""
    says: str
    """What to say of it, in the help and the schema."""
    default: T_co | None = None
    """The value where a file says none."""
    shared: bool = False
    """Whether it holds for each record of a list when it is said above the list."""
    in_parts: bool = False
    """Whether each part of what says it may say it for itself."""
    inherited: bool = False
    """Whether a record inside takes over the value, unless it says another."""

    def schema(self) -> Schema:
        """Returns the JSON Schema of the kind, with the key's description and default. The default
        is given as an example, since editors write a `default` into a new map unasked."""
        usual = float(self.default) if isinstance(self.default, Decimal) else self.default
        known = {"examples": [usual]} if usual and isinstance(usual, str | int | float) else {}
        return {"description": self.says, **known, **self.kind.schema()}


class Needs(NamedTuple):
    """The parts that a key must come together with."""

    key: str
    parts: tuple[str, ...]
    example: str
    """An example of the parts, for messages."""
    unless: tuple[str, object] | None = None
    """A part and a value with which the others aren't needed."""

    def check(self, node: Node, values: Mapping[str, object], problems: Diagnostics) -> bool:
        """Tells whether all parts are there. It reports those that aren't written; those that can't
        be read were reported before."""
        if self.unless is not None and self.unless in values.items():
            return True
        written = {key.text for key, _ in node.entries} if isinstance(node, Map) else set()
        missing = [part for part in self.parts if part not in {*values, *written}]
        if missing:
            wrong = f"{self.key} without {' and '.join(missing)}"
            right = f"give {' and '.join(self.parts)}, like {self.key}: {self.example}"
            problems.add(node.where, wrong, right)
        return values.keys() >= {*self.parts}


class OwnedKeys(Mapping[str, Key[object]]):
    """Keys by their names, most of which are found among the keys of their owners when they are
    asked for."""

    def __init__(
        self,
        owners: Callable[[], Mapping[str, str]],
        keys_of: Callable[[str], Iterable[Key[object]]],
        also: Iterable[Key[object]] = (),
    ) -> None:
        self._find_owners, self._keys_of = owners, keys_of
        self._also = {key.name: key for key in also}

    @cached_property
    def owners(self) -> Mapping[str, str]:
        return self._find_owners()

    def __getitem__(self, name: str) -> Key[object]:
        if name in self._also:
            return self._also[name]
        return next(key for key in self._keys_of(self.owners[name]) if key.name == name)

    def __contains__(self, name: object) -> bool:
        return name in self.owners or name in self._also

    def __iter__(self) -> Iterator[str]:
        yield from self.owners
        yield from self._also

    def __len__(self) -> int:
        return len(self.owners) + len(self._also)

    @cached_property
    def properties(self) -> Schema:
        """Returns the schema of all keys, made once however many records have them."""
        return {key.name: key.schema() for key in self.values()}


class Record(NamedTuple):
    """A map with known keys."""

    known: Mapping[str, Key[object]]
    outside: tuple[str, ...] = ()
    """Keys that belong one level up."""
    needs: Needs | None = None
    """The keys that have to be there."""
    hint: Hint = knows_nothing
    """Says where further words belong."""

    @classmethod
    def of(
        cls, *keys: Key[object], outside: tuple[str, ...] = (), needs: Needs | None = None
    ) -> Record:
        """Makes a record of some keys."""
        return cls({key.name: key for key in keys}, outside, needs)

    @property
    def keys(self) -> tuple[Key[object], ...]:
        return tuple(self.known.values())

    def read(self, node: Node, problems: Diagnostics) -> dict[str, Any] | None:
        if not isinstance(node, Map):
            right = f"give some of the keys {listed(list(self.known))}"
            if isinstance(node, Scalar) and node.text.partition(":")[0] in self.known:
                right = problems.nearest(node.text, self.known)
            problems.add(node.where, f"{describe(node)} where a map belongs", right)
            return None
        values: dict[str, object] = {}
        for name, value in node.entries:
            if name.text in self.known:
                values[name.text] = self._value(name.text, value, problems)
            elif name.text in self.outside:
                wrong = f"the key {quote(name.text)} doesn't belong in here"
                problems.add(name.where, wrong, "write it one level up, as a key of its own")
            else:
                wrong = f"unknown key {quote(name.text)}"
                right = problems.nearest(name.text, self.known, self.hint)
                problems.add(name.where, wrong, right)
        if self.outside and any(name.text not in self.known for name, _ in node.entries):
            problems.is_misread = True
        values = {name: value for name, value in values.items() if value is not None}
        if self.needs is not None and not self.needs.check(node, values, problems):
            return None
        return values

    def _value(self, name: str, node: Node, problems: Diagnostics) -> object:
        """Reads the value of a key. Where it can't be read, but could be for a key of almost the
        same name, that key is suggested: `head: 2`."""
        before = len(problems.found)
        value = self.known[name].kind.read(node, problems)
        if value is not None or not isinstance(node, Scalar):
            return value
        others = (other for other in self.known if other in (f"{name}s", name.removesuffix("s")))
        for other in others:
            if other != name and self.known[other].kind.read(node, Diagnostics()) is not None:
                wrong = problems.found[before].wrong
                problems.found[before:] = []
                problems.add(node.where, wrong, f"did you mean {other}: {shortened(node.text)}?")
        return value

    def whole(self, node: Node, problems: Diagnostics) -> dict[str, Any] | None:
        """Returns the values of a map that can all be read, and None for any other."""
        values = self.read(node, problems)
        return values if isinstance(node, Map) and len(values or ()) == len(node.entries) else None

    def schema(self) -> Schema:
        owned = self.known if isinstance(self.known, OwnedKeys) else None
        properties = owned.properties if owned else {key.name: key.schema() for key in self.keys}
        return {"type": "object", "properties": properties, "additionalProperties": False}


def keys_of_fields(record: Any) -> tuple[Key[object], ...]:  # noqa: ANN401
    """Returns the keys that the fields of a named tuple are: those `Annotated` with a kind and a
    sentence, and in the place of a field that groups some, the keys of that group."""
    keys: list[Key[object]] = []
    for name, hint in record.__annotations__.items():
        usual = record._field_defaults.get(name)
        if hasattr(hint, "__metadata__"):
            kind, says = hint.__metadata__
            keys.append(Key(name, kind, says, usual))
        elif hasattr(usual, "_fields"):
            keys += keys_of_fields(type(usual))
    return tuple(keys)


def typed(record: Callable[..., T], values: Mapping[str, object], **more: object) -> T:
    """Makes a named tuple of the values that are said for its fields. Its defaults stand for the
    rest."""
    fields: tuple[str, ...] = getattr(record, "_fields")  # noqa: B009  (mypy knows of no such type)
    return record(**{name: values[name] for name in fields if name in values}, **more)


Schema = dict[str, Any]


class Kind(Protocol[T_co]):
    """A kind of value. `read` returns None where it has reported what is wrong."""

    def read(self, node: Node, problems: Diagnostics) -> T_co | None: ...

    def schema(self) -> Schema: ...


def _scalar(kind: str, pattern: str) -> Schema:
    """Returns the schema of a number, or of true and false. In quotes they are the same to the
    reader, but a text to a schema."""
    return {"type": [kind, "string"], "pattern": f"^({pattern})$"}


class TextKind(NamedTuple):
    """A text that isn't empty, unless it may be `blank`."""

    what: str = "a text"
    blank: bool = False

    def read(self, node: Node, problems: Diagnostics) -> str | None:
        if isinstance(node, Scalar) and (self.blank or node.text.strip()):
            return node.text
        wrong = "is empty" if isinstance(node, Scalar) else f"is {describe(node)}"
        problems.add(node.where, f"{self.what} is wanted here, and this {wrong}", "write a text")
        return None

    def schema(self) -> Schema:
        # a text such as `1` or `no` is a text here, whatever YAML makes of it
        return {"type": ["string", "number", "boolean", "null"]}


class Choice(NamedTuple):
    """A word out of a few."""

    words: tuple[str, ...]
    alternative: str = ""
    """What else may stand in their place, for messages."""
    other: str = ""
    """What is said to people who write another word."""

    def read(self, node: Node, problems: Diagnostics) -> str | None:
        if isinstance(node, Scalar) and node.text in self.words:
            return node.text
        wrong = "can't stand here" if self.alternative else "is not a choice here"
        problems.add(node.where, f"{describe(node)} {wrong}", self._right(node, problems))
        return None

    def _right(self, node: Node, problems: Diagnostics) -> str:
        known = f"known: {', '.join(self.words)}"
        text = isinstance(node, Scalar) and node.text
        right = problems.nearest(text, self.words) if text else known
        if not self.alternative:
            return f"{right}; {self.other}" if right == known and self.other else right
        if right != known:
            return f"{right}{'' if right.endswith('?') else '.'} Or give {self.alternative}"
        return f"give {', '.join(self.words)}, or {self.alternative}"

    def schema(self) -> Schema:
        return {"enum": list(self.words)}


class WholeNumber(NamedTuple):
    """A whole number from `least` to `most`."""

    least: int
    most: int
    instead: str = "give one in that range"
    """What to do where something else stands in its place."""

    def read(self, node: Node, problems: Diagnostics) -> int | None:
        text = decimals.with_plain_signs(node.text) if isinstance(node, Scalar) else ""
        digits = text.removeprefix("-")
        if digits.isascii() and digits.isdigit():
            number = int(text) if len(digits) < decimals.SIGNIFICANT else self.most + 1
            if self.least <= number <= self.most:
                return number
        wanted = f"a whole number from {self.least} to {self.most}"
        right = "give one in that range" if isinstance(node, Scalar) else self.instead
        problems.add(node.where, f"{describe(node)} is not {wanted}", right)
        return None

    def schema(self) -> Schema:
        bounds = {"minimum": self.least, "maximum": self.most}
        return {**_scalar("integer", f"[{decimals.MINUS[1:]}-]?[0-9]+"), **bounds}


class NumberKind(NamedTuple):
    """A number within bounds, kept as it is written."""

    positive: bool = False
    least: int | None = None
    most: int | None = None
    below: int | None = None

    def read(self, node: Node, problems: Diagnostics) -> Decimal | None:
        if not isinstance(node, Scalar):
            problems.add(node.where, f"{describe(node)} where a number belongs", "give a number")
            return None
        try:
            number = decimals.parse(node.text)
        except decimals.UnreadableError as error:
            problems.add(node.where, f"{describe(node)} {error.wrong}", error.right)
            return None
        bound = self._broken(number)
        if bound is not None:
            problems.add(node.where, f"{node.text} is not {bound}", f"give a number {bound}")
            return None
        return number

    def _broken(self, number: Decimal) -> str | None:
        """Returns the bound that a number doesn't keep, in words, or None."""
        if self.positive and number <= 0:
            return "above zero"
        if self.least is not None and number < self.least:
            return f"{self.least} or more"
        if self.most is not None and number > self.most:
            return f"{self.most} or less"
        return f"below {self.below}" if self.below is not None and number >= self.below else None

    def schema(self) -> Schema:
        bounds = {
            "exclusiveMinimum": 0 if self.positive else None,
            "minimum": self.least,
            "maximum": self.most,
            "exclusiveMaximum": self.below,
        }
        by_name = {key: n for key, n in bounds.items() if n is not None}
        return {**_scalar("number", decimals.NUMBER), **by_name}


def has_decimal_commas(node: Items, problems: Diagnostics) -> bool:
    """Tells whether a list of numbers is written with decimal commas, `[0,5, 1]`, which YAML reads
    as more numbers, and reports it.

    All commas of `[1,0,1]` may separate numbers. Where some commas of a list have a space behind
    them and others none, and none of the latter follows another, the latter are decimal commas; so
    is one between a 0 and a digit.
    """
    parts: list[list[Scalar]] = []
    for entry in node.items:
        if not isinstance(entry, Scalar):
            return False
        parts += [[]] if not (entry.close and parts) else []
        parts[-1].append(entry)
    pairs = [part for part in parts if len(part) > 1]
    if not pairs or not all(map(_is_split, pairs)):
        return False
    one, two = (entry.text for entry in pairs[0])
    if len(parts) == 1 and not re.fullmatch("0[0-9]+", two):
        return False
    wrong = f"{one},{two} in a list is read as two numbers, {one} and {two}"
    right = f"write {one}.{two}, or {one}, {two} with a space if they are two"
    problems.add(pairs[0][0].where, wrong, right)
    return True


def _is_split(part: Sequence[Scalar]) -> bool:
    """Tells whether entries may be what stands before and after a decimal comma."""
    text = ",".join(decimals.with_plain_signs(entry.text) for entry in part)
    return re.fullmatch("[+-]?[0-9]+,[0-9]+", text) is not None


def looks_like_number(node: Node) -> bool:
    """Tells whether a text begins as a number does, or writes one that isn't finite."""
    if not isinstance(node, Scalar):
        return False
    return node.text.lstrip(f"+{decimals.MINUS}.")[:1].isdigit() or decimals.is_not_finite(
        node.text
    )


class Flag(NamedTuple):
    """A truth value: true or false."""

    def read(self, node: Node, problems: Diagnostics) -> bool | None:
        if isinstance(node, Scalar) and node.text in TRUTH:
            return TRUTH[node.text]
        problems.add(node.where, f"{describe(node)} is neither true nor false", "say which")
        return None

    def schema(self) -> Schema:
        return _scalar("boolean", "|".join(TRUTH))


TRUTH = {"true": True, "True": True, "false": False, "False": False}


class MapOf(NamedTuple, Generic[T_co]):
    """A map from any text to values of one kind."""

    kind: Kind[T_co]
    what: str
    """What its keys are, for messages."""

    def read(self, node: Node, problems: Diagnostics) -> dict[str, T_co] | None:
        if not isinstance(node, Map) or not node.entries:
            right = f"give a map from {self.what} to value, like {{{self.what}: …}}"
            problems.add(node.where, f"{describe(node)} where a map belongs", right)
            return None
        values = {}
        for key, value in node.entries:
            if not key.text:
                problems.add(key.where, f"an empty {self.what}", "give it a name, or take it out")
            values[key.text] = self.kind.read(value, problems)
        known = {text: value for text, value in values.items() if value is not None}
        return known if len(known) == len(values) else None

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.kind.schema(), "minProperties": 1}


class ListOf(NamedTuple, Generic[T_co]):
    """A list of values of one kind, with at least one unless it may be `empty`."""

    kind: Kind[T_co]
    empty: bool = False

    def read(self, node: Node, problems: Diagnostics) -> tuple[T_co, ...] | None:
        node = as_lists(node)
        if not isinstance(node, Items) or not (node.items or self.empty):
            wrong = "an empty list" if isinstance(node, Items) else describe(node)
            what = "entries belong" if isinstance(node, Items) else "a list belongs"
            problems.add(node.where, f"{wrong} where {what}", "give a list of some")
            return None
        if isinstance(self.kind, NumberKind) and has_decimal_commas(node, problems):
            return None
        values = tuple(self.kind.read(item, problems) for item in node.items)
        known = tuple(value for value in values if value is not None)
        return known if len(known) == len(values) else None

    def schema(self) -> Schema:
        least = {} if self.empty else {"minItems": 1}
        return {"type": "array", "items": self.kind.schema(), **least}


class OneOrMany(NamedTuple, Generic[T_co]):
    """One value of a kind, or a list of them, read as a tuple."""

    kind: Kind[T_co]

    def read(self, node: Node, problems: Diagnostics) -> tuple[T_co, ...] | None:
        if isinstance(node, Items | Numbers):
            return ListOf(self.kind).read(node, problems)
        value = self.kind.read(node, problems)
        return None if value is None else (value,)

    def schema(self) -> Schema:
        return {"anyOf": [self.kind.schema(), ListOf(self.kind).schema()]}


class Either(NamedTuple):
    """A value of one of several kinds."""

    choose: Callable[[Node], Kind[object]]
    """Returns the kind that a node is meant to be."""
    kinds: tuple[Kind[object], ...]

    def read(self, node: Node, problems: Diagnostics) -> Any:  # noqa: ANN401
        return self.choose(node).read(node, problems)

    def schema(self) -> Schema:
        return {"anyOf": [kind.schema() for kind in self.kinds]}


def word_or(words: tuple[str, ...], number: Kind[object]) -> Either:
    """Returns the kind of one of a few words, or a number."""
    word = Choice(words, "a number")

    def choose(node: Node) -> Kind[object]:
        is_word = isinstance(node, Scalar) and node.text in words
        return number if looks_like_number(node) and not is_word else word

    return Either(choose, (word, number))


COUNT = WholeNumber(1, 10**6)
NUMBER = NumberKind()
POSITIVE = NumberKind(positive=True)
SHARE = NumberKind(least=0, below=1)
"""A share of a whole, but not all of it."""


_SHORT = 40
"""Characters of a schema up to which it is repeated: a reference would be no shorter."""


def with_definitions(schema: Schema) -> Schema:
    """Returns the same schema with references to what stands in several places: to a key at the
    top, or to a definition that is named after the first key with this value."""
    definitions = _Definitions()
    definitions.count(schema, "")
    return {**definitions.whole(schema), "$defs": definitions.parts}


class _Definitions:
    """The parts of a schema by what they say, with and without their descriptions."""

    def __init__(self) -> None:
        self.parts: dict[str, Schema] = {}
        self._count: Counter[int] = Counter()
        self._called: dict[int, str] = {}
        self._numbers: dict[tuple[object, ...], int] = {}
        self._known: dict[int, tuple[Any, int]] = {}

    def _says(self, part: object) -> Any:  # noqa: ANN401
        """Returns one number for all parts that say the same, since their texts are megabytes."""
        if not isinstance(part, dict | list):
            return repr(part)
        if id(part) not in self._known:
            values = part.values() if isinstance(part, dict) else part
            says = (isinstance(part, dict) and tuple(part), *map(self._says, values))
            self._known[id(part)] = part, self._numbers.setdefault(says, len(self._numbers))
        return self._known[id(part)][1]

    def count(self, schema: Schema, key: str) -> Schema:
        """Counts a part, and what is in it if it is new."""
        for says in dict.fromkeys((self._says(schema), self._says(_undescribed(schema)))):
            self._count[says] += 1
            if self._count[says] > 1:
                return schema
        return _each_part(schema, key, self.count)

    def whole(self, schema: Schema) -> Schema:
        """Returns the top of the schema. Its keys stand there, and others that say the same refer
        to them."""
        keys = schema["properties"].items()
        self._called.update((self._says(part), f"#/properties/{name}") for name, part in keys)
        properties = {name: self._definition(part, name) for name, part in keys}
        others = {name: part for name, part in schema.items() if name != "properties"}
        return {**schema, **_each_part(others, "", self.referring), "properties": properties}

    def referring(self, schema: Schema, key: str) -> Schema:
        """Returns a schema with references to what is defined, with its description or without
        it."""
        bare = _undescribed(schema)
        if self._is_defined(schema):
            return self._reference(schema, key)
        if self._is_defined(bare):
            return {**_description(schema), **self._reference(bare, key)}
        return _each_part(schema, key, self.referring)

    def _is_defined(self, schema: Schema) -> bool:
        return self._count[self._says(schema)] > 1 and len(str(schema)) > _SHORT

    def _reference(self, schema: Schema, key: str) -> Schema:
        says = self._says(schema)
        if says not in self._called:
            name = self._free(key, schema)
            self._called[says] = f"#/$defs/{name}"
            self.parts[name] = {}  # before those that are in it
            self.parts[name] = self._definition(schema, key)
        return {"$ref": self._called[says]}

    def _definition(self, schema: Schema, key: str) -> Schema:
        if description := _description(schema):
            return {**description, **self.referring(_undescribed(schema), key)}
        return _each_part(schema, key, self.referring)

    def _free(self, key: str, schema: Schema) -> str:
        """Returns a name that no other part has: `positions`, `positions_object`,
        `positions_object_2`."""
        kind = schema.get("type")
        typed = f"{key}_{kind if isinstance(kind, str) else 'choice'}"
        names = chain((key, typed), (f"{typed}_{number}" for number in count(2)))
        return next(name for name in names if name not in self.parts)


_ANNOTATIONS = ("description", "examples")


def _description(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key in _ANNOTATIONS}


def _undescribed(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key not in _ANNOTATIONS}


def _each_part(schema: Schema, key: str, change: Callable[[Schema, str], Schema]) -> Schema:
    """Returns the schema with every schema in it changed."""

    def changed(part: object, key: str = key) -> Any:  # noqa: ANN401
        return change(part, key) if isinstance(part, dict) else part

    writers: dict[str, Callable[[Any], Any]] = {
        "properties": lambda parts: {name: changed(part, name) for name, part in parts.items()},
        "patternProperties": lambda parts: {name: changed(part) for name, part in parts.items()},
        "anyOf": lambda parts: [*map(changed, parts)],
        "items": changed,
        "additionalProperties": changed,
        "propertyNames": changed,
        "else": changed,
    }
    return {name: writers.get(name, lambda value: value)(value) for name, value in schema.items()}
