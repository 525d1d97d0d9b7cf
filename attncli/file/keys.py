"""The keys of a file, and the records that are made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from attncli.file.kinds import Kind, Schema
from attncli.file.nodes import Map, Node, describe
from attncli.file.problems import Hint, Problems, knows_nothing
from attncli.refusals import listed, quote

T = TypeVar("T")


class Key(NamedTuple, Generic[T]):
    """A key of a record: its name, the kind of its value, what to say of it, and the value where
    a file says none. Said above a list of records a `shared` key holds for each of them; each
    part of what says it may say one that is `in_parts` for itself, and a record inside takes
    over one that is `inherited`, unless it says another."""

    name: str
    kind: Kind[T]
    says: str
    default: T | None = None
    shared: bool = False
    in_parts: bool = False
    inherited: bool = False


class Needs(NamedTuple):
    """What a key goes only together with, and an example; but where one of its parts is `unless`
    a value."""

    key: str
    parts: tuple[str, ...]
    example: str
    unless: tuple[str, object] | None = None

    def check(self, node: Node, values: Mapping[str, Any], problems: Problems) -> None:
        if self.unless is not None and self.unless in values.items():
            return
        written = {key.text for key, _ in node.entries} if isinstance(node, Map) else set()
        missing = [part for part in self.parts if part not in {*values, *written}]
        if missing:
            wrong = f"{self.key} without {' and '.join(missing)}"
            right = f"give {' and '.join(self.parts)}, like {self.key}: {self.example}"
            problems.add(node.where, wrong, right)


class OwnedKeys(Mapping[str, Key[Any]]):
    """Keys by their names, each of which is found among `keys_of` its owner when it is asked for;
    but for those that are here already."""

    def __init__(
        self,
        owners: Callable[[], Mapping[str, str]],
        keys_of: Callable[[str], Iterable[Key[Any]]],
        also: Iterable[Key[Any]] = (),
    ) -> None:
        self._find_owners, self._keys_of = owners, keys_of
        self._also = {key.name: key for key in also}

    @cached_property
    def owners(self) -> Mapping[str, str]:
        return self._find_owners()

    def __getitem__(self, name: str) -> Key[Any]:
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


class Record(NamedTuple):
    """A map with known keys; none has to be there but those that `needs` names, and some others
    belong `beside` it. `hint` knows of further words where they belong."""

    known: Mapping[str, Key[Any]]
    beside: tuple[str, ...] = ()
    needs: Needs | None = None
    hint: Hint = knows_nothing

    @classmethod
    def of(
        cls, *keys: Key[Any], beside: tuple[str, ...] = (), needs: Needs | None = None
    ) -> Record:
        """The record of some keys."""
        return cls({key.name: key for key in keys}, beside, needs)

    @property
    def keys(self) -> tuple[Key[Any], ...]:
        return tuple(self.known.values())

    def read(self, node: Node, problems: Problems) -> dict[str, Any] | None:
        if not isinstance(node, Map):
            right = f"give some of the keys {listed(list(self.known))}"
            problems.add(node.where, f"{describe(node)} where a map belongs", right)
            return None
        values = {}
        for name, value in node.entries:
            if name.text in self.known:
                values[name.text] = self.known[name.text].kind.read(value, problems)
            elif name.text in self.beside:
                wrong = f"the key {quote(name.text)} doesn't belong in here"
                problems.add(name.where, wrong, "write it one level up, as a key of its own")
            else:
                wrong = f"unknown key {quote(name.text)}"
                right = problems.nearest(name.text, self.known, self.hint)
                problems.add(name.where, wrong, right)
        values = {name: value for name, value in values.items() if value is not None}
        if self.needs is not None:
            self.needs.check(node, values, problems)
        return values

    def schema(self) -> Schema:
        properties = {key.name: {"description": key.says, **key.kind.schema()} for key in self.keys}
        return {"type": "object", "properties": properties, "additionalProperties": False}


def keys_of_fields(record: Any) -> tuple[Key[Any], ...]:  # noqa: ANN401
    """The keys that fields of a named tuple are: those `Annotated` with a kind and a sentence."""
    hints, usual = record.__annotations__.items(), record._field_defaults
    said = ((name, hint.__metadata__) for name, hint in hints if hasattr(hint, "__metadata__"))
    return tuple(Key(name, kind, says, usual.get(name)) for name, (kind, says) in said)


def typed(record: Callable[..., T], values: Mapping[str, Any], **more: Any) -> T:  # noqa: ANN401
    """A named tuple of what is said for its fields; its defaults stand for the rest."""
    fields: tuple[str, ...] = getattr(record, "_fields")  # noqa: B009  (mypy knows of no such type)
    return record(**{name: values[name] for name in fields if name in values}, **more)
