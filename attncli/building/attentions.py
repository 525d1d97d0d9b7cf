"""From the values that were read to an attention: its heads, and what it may see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attncli.building.key_names import Names
from attncli.name import Name, below
from attncli.scenario.model import Attention, Layer, Positions, Settings, entry_path
from attncli.steps.schema import ATTENTION

Values = Mapping[str, Any]
ROPE = "rope"
_MAKING, _TABLES = ("base", "scaling"), ("cos", "sin")
"""What angles are made of; or their cosines and sines, which are given instead."""


class AttendedRows(NamedTuple):
    """What the queries of a stack may attend to, and how positions come in: to the stack's own
    keys, or to the memory, whose positions nobody tells."""

    keys: tuple[str, ...]
    memory: Sequence[str] | None
    rope: Positions | None = None
    alibi: Positions | None = None
    relative: Positions | None = None
    sees_memory: bool = False

    def of_memory(self) -> AttendedRows:
        return AttendedRows(tuple(self.memory or ()), self.memory, sees_memory=True)


def attention_of(said: Settings, seen: AttendedRows, names: Names) -> Attention:
    """The attention of what is said at a path or above it."""
    path, values = said.path, said.values
    heads = values.get("heads", 1)
    listed = isinstance(heads, tuple)
    count = len(heads) if listed else heads
    own = listed and count > 1 and any(set(head) - {"bias"} for head in heads)
    kv_heads = values.get("kv_heads", count)
    cached = tuple(values["cache"].get("tokens", ())) if "cache" in values else None
    return Attention(
        path=path,
        keys=names.of_keys(_paths(path, count), (*(cached or ()), *seen.keys)),
        sees_memory=seen.sees_memory,
        heads=count,
        own_heads=own,
        kv_heads=count if own or count % kv_heads else kv_heads,
        projects="projection" not in values,
        said=said,
        cached=cached,
        rotated=_rotated(said, seen),
        alibi=seen.alibi,
        relative=seen.relative,
    )


def _rotated(said: Settings, seen: AttendedRows) -> Positions | None:
    """How queries and keys are turned: as positions say, but for what is said here."""
    own = said.values.get(ROPE)
    if own is None or seen.sees_memory:
        return seen.rope
    if isinstance(own, str):
        return None
    stack = Settings() if seen.rope is None else seen.rope.said
    given = any(key in own for key in _TABLES)
    made = any(key in own for key in _MAKING)
    left_out = _MAKING if given else _TABLES if made else ()
    values = {key: value for key, value in stack.values.items() if key not in left_out}
    here = below(said.path if ROPE in said.own else said.above, ROPE)
    return Positions(ROPE, Settings(here if given else stack.path, {**values, **own}))


def _paths(path: Name, heads: int) -> Iterator[Name]:
    """The path of an attention, and those of its heads."""
    yield path
    yield from (entry_path(path, "heads", k, heads) for k in range(heads))


def queries_of(names: Names, layer: Layer, others: tuple[str, ...]) -> tuple[str, ...]:
    """What the rows are called that a layer passes on: as its queries are."""
    attention = layer.attention
    return names.of_queries(_paths(attention.path, attention.heads), others)


def shared_settings(values: Values) -> Values:
    """What a cross-attention takes over from its layer: how many heads, how scores are scaled."""
    counted = isinstance(values.get("heads"), int)
    of_heads = () if counted else ("heads", "kv_heads")
    said = (key for key in values if key in ATTENTION and key not in of_heads)
    return {key: values[key] for key in said if ATTENTION[key].inherited}
