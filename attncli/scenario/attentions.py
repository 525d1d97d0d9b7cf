"""From the values that were read to an attention: its heads, what it may see, its mask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from attncli.name import Name, below
from attncli.refusals import Where, listed, quote
from attncli.scenario.given_matrices import entry_path
from attncli.scenario.key_names import Names
from attncli.scenario.keys.layer import HEAD, NONE
from attncli.scenario.model import Attention, Layer, MaskRule, Positions
from attncli.scenario.problems import Problems

Values = Mapping[str, Any]
_OWN = frozenset(key.name for key in HEAD.keys) - {"bias"}
"""What a head gives that makes it one with its own matrices, not a run of the layer's columns."""
_NEEDED = (
    ("cache", ("K", "V"), "{K: [[1, 0]], V: [[0, 1]]}"),
    ("dropout", ("mask",), "{p: 0.1, mask: [[1, 0], [1, 1]]}"),
)
"""What goes only together with all of its parts, and an example."""
_TABLE_RULES = ("allowed", "blocked", "add")


class AttendedRows(NamedTuple):
    """What the queries of a stack may attend to, and how positions come in: to the stack's own
    keys, or to the memory, whose positions nobody tells."""

    keys: tuple[str, ...]
    memory: Sequence[str] | None
    rope: Positions | None = None
    alibi: Positions | None = None
    sees_memory: bool = False

    def of_memory(self) -> AttendedRows:
        return AttendedRows(tuple(self.memory or ()), self.memory, sees_memory=True)


class AttentionBuilder(NamedTuple):
    """Builds attentions of the values that were read."""

    where: Callable[[str], Where]
    problems: Problems
    names: Names

    def attention(
        self, path: Name, values: Values, seen: AttendedRows, *, causal: bool = False
    ) -> Attention:
        heads = values.get("heads", 1)
        listed = isinstance(heads, tuple)
        count = len(heads) if listed else heads
        own = listed and count > 1 and any(_OWN & set(head) for head in heads)
        kv_heads = self._kv_heads(path, values, count, own=own)
        cache = values.get("cache")
        self._check_whole(path, values)
        cached = None if cache is None else tuple(cache.get("tokens", ()))
        keys = self.names.of_keys(_paths(path, count), (*(cached or ()), *seen.keys))
        mask = values.get("mask", ("causal",) if causal else ())
        value = values.get("mask_value", "-inf")
        return Attention(
            path=path,
            keys=keys,
            sees_memory=seen.sees_memory,
            heads=count,
            own_heads=own,
            kv_heads=kv_heads,
            projects="projection" not in values,
            linear=is_linear(values),
            scale=values.get("scale", "sqrt_d_k"),
            softcap=values.get("softcap"),
            temperature=values.get("temperature"),
            mask=tuple(self._mask_rules(values.get("mask_path", path), mask, keys)),
            mask_value=Decimal("-Infinity") if value == "-inf" else value,
            dropout=values.get("dropout", {}).get("p", Decimal(0)) if "dropout" in values else None,
            cached=cached,
            rotated=seen.rope,
            alibi=self._alibi(seen.alibi, count),
        )

    def _check_whole(self, path: Name, values: Values) -> None:
        """A cache has keys and values, dropout a mask that says what is dropped."""
        for key, needed, example in _NEEDED:
            missing = [name for name in needed if name not in values.get(key, needed)]
            if missing:
                self._complain(
                    below(path, key), f"{key} without {' and '.join(missing)}",
                    f"give {' and '.join(needed)}, like {key}: {example}",
                )  # fmt: skip

    def _kv_heads(self, path: Name, values: Values, count: int, *, own: bool) -> int:
        """How many heads of keys and values there are: as many as heads, or a share of them."""
        kv_heads: int = values.get("kv_heads", count)
        wrong, right = "", ""
        if own and "kv_heads" in values:
            wrong, right = (
                "kv_heads, and heads that have keys and values of their own",
                "leave it out",
            )
        elif count % kv_heads:
            wrong = f"{kv_heads} heads of keys and values can't be shared by {count}"
            right = f"give a number that {count} can be divided by"
        if not wrong:
            return kv_heads
        self._complain(below(path, "kv_heads"), wrong, right)
        return count

    def _alibi(self, alibi: Positions | None, heads: int) -> Positions | None:
        if alibi is not None and alibi.slopes and len(alibi.slopes) != heads:
            self._complain(
                "positions", f"the slopes are {len(alibi.slopes)}, the heads {heads}",
                "give a slope for each head",
            )  # fmt: skip
        return alibi

    def _mask_rules(
        self, path: Name, rules: Sequence[str | Values], keys: Sequence[str]
    ) -> list[MaskRule]:
        found: list[MaskRule] = []
        for k, rule in enumerate(rules):
            if isinstance(rule, str):
                found += [MaskRule(rule)] if rule != NONE else []
                continue
            found += self._rules_of(entry_path(path, "mask", k, len(rules)), rule, keys)
        return found

    def _rules_of(self, place: Name, rule: Values, keys: Sequence[str]) -> list[MaskRule]:
        found: list[MaskRule] = []
        if not rule:
            self._complain(place, "a mask without any rule", "say causal, or give a rule")
        if "padding" in rule:
            found.append(MaskRule("padding", keys=self._padding(place, rule["padding"], keys)))
        if "window" in rule:
            found.append(MaskRule("window", width=rule["window"]))
        found += [MaskRule(key, table=below(place, key)) for key in _TABLE_RULES if key in rule]
        return found

    def _padding(self, place: Name, named: Sequence[str], keys: Sequence[str]) -> tuple[int, ...]:
        """The places of padded keys, from 0; a token means all of its places."""
        found: list[int] = []
        for name in named:
            places = [k for k, key in enumerate(keys) if key == name]
            if not places and name.isascii() and name.isdigit() and int(name) >= 1:
                places = [int(name) - 1] if not keys or int(name) <= len(keys) else []
            if not places:
                self._complain(
                    below(place, "padding"), f"{quote(name)} is none of the keys",
                    f"name one of {listed(keys)}" if keys else "give positions from 1",
                )  # fmt: skip
            found += places
        return tuple(dict.fromkeys(found))

    def _complain(self, name: str, wrong: str, right: str) -> None:
        self.problems.add(self.where(name), wrong, right)


def _paths(path: Name, heads: int) -> Iterator[Name]:
    """The path of an attention, and those of its heads."""
    yield path
    yield from (entry_path(path, "heads", k, heads) for k in range(heads))


def queries_of(names: Names, layer: Layer, others: tuple[str, ...]) -> tuple[str, ...]:
    """What the rows are called that a layer passes on: as its queries are."""
    attention = layer.attention
    return names.of_queries(_paths(attention.path, attention.heads), others)


def is_linear(values: Values) -> bool:
    """Whether weights are out × in."""
    return bool(values.get("weights_layout") == "linear")


def shared_settings(values: Values) -> Values:
    """What a cross-attention takes over from its layer: how many heads, how scores are scaled."""
    taken = ("scale", "softcap", "temperature", "mask_value", "weights_layout")
    shared = {key: values[key] for key in taken if key in values}
    if isinstance(values.get("heads"), int):
        shared |= {key: values[key] for key in ("heads", "kv_heads") if key in values}
    return shared
