"""From the values that were read to the model: stacks, layers, attentions, norms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from attncli.scenario.figures import entry_path
from attncli.scenario.keys.layer import (
    LAYER_KEYS,
    LAYER_SETTINGS,
    NONE,
    NORM_SETTINGS,
)
from attncli.scenario.keys.matrices import MatrixLike
from attncli.scenario.model import (
    Attention,
    Layer,
    MaskRule,
    Norm,
    Positions,
    Stack,
    Text,
    below,
)
from attncli.scenario.nodes import quote
from attncli.scenario.problems import Problems, Where

Values = Mapping[str, Any]
_SETTINGS = frozenset(key.name for key in LAYER_SETTINGS)
_OF_ONE_LAYER = tuple(key.name for key in LAYER_KEYS if key.name not in _SETTINGS)
_TABLE_RULES = ("allowed", "blocked", "add")


class Builder(NamedTuple):
    """Builds the model of a scenario."""

    where: Callable[[str], Where]
    problems: Problems

    def stack(self, path: str, values: Values, text: Text, memory: Sequence[str] | None) -> Stack:
        """A stack; `memory` names the rows that its cross-attentions see, None without any."""
        told = _several(values.get("positions"))
        positions = tuple(_positions(one) for one in told if not _is_none(one))
        for kind in ("rope", "alibi"):
            if sum(one.kind == kind for one in positions) > 1:
                self._complain(below(path, "positions"), f"{kind} is told twice", "keep one")
        seen = Keys(text.tokens, memory, next((p for p in positions if p.kind == "rope"), None),
                    next((p for p in positions if p.kind == "alibi"), None))  # fmt: skip
        return Stack(
            path=path,
            text=text,
            embedding_scale=values.get("embedding_scale", NONE),
            segments=self._segments(path, values, text),
            positions=positions,
            embedding_norm=self._optional_norm(path, "embedding_norm", values),
            layers=self._layers(path, values, seen),
            final_norm=self._optional_norm(path, "final_norm", values),
        )

    def _segments(self, path: str, values: Values, text: Text) -> tuple[int, ...]:
        segments = tuple(values.get("segments", ()))
        if segments and text.tokens and len(segments) != len(text.tokens):
            self._complain(
                below(path, "segments"),
                f"{len(segments)} segments, and {len(text.tokens)} tokens",
                "give a segment for each token",
            )
        return segments

    def _optional_norm(self, path: str, key: str, values: Values) -> Norm | None:
        if key not in values:
            return None
        settings = {**values.get("norms", {}), **values[key]}
        return _norm(below(path, key), settings)

    def _layers(self, path: str, values: Values, seen: Keys) -> tuple[Layer, ...]:
        if "layers" not in values:
            return (self._layer(path, {"block": "", **values}, seen),)
        for key in _OF_ONE_LAYER:
            if key in values:
                self._complain(
                    below(path, key), f"{key} belongs to a layer, and this scenario lists layers",
                    "move it into one of them",
                )  # fmt: skip
        shared = {key: values[key] for key in _SETTINGS if key in values}
        layers = values["layers"]
        return tuple(
            self._layer(entry_path(path, "layers", k, len(layers)), {**shared, **layer}, seen)
            for k, layer in enumerate(layers)
        )

    def _layer(self, path: str, values: Values, seen: Keys) -> Layer:
        """A layer of a list, an encoder's by default; or the top itself, which may say no block:
        then it is an attention with a network to follow."""
        said = values.get("block", "encoder")
        block = said or "attention"
        whole = block != "attention"
        crosses = block == "decoder" and seen.memory is not None
        if "cross" in values and not crosses:
            self._complain(
                below(path, "cross"), "nothing to attend to here: a decoder's cross-attention"
                " needs `block: decoder` and an encoder or a memory", "give both, or leave it out",
            )  # fmt: skip
        place = values.get("norm", "post" if whole else NONE)
        count = 2 + crosses
        norms = (
            _norm(
                below(path, f"norm{k}"), {**values.get("norms", {}), **values.get(f"norm{k}", {})}
            )
            for k in range(1, count + 1)
        )
        awaited = not said and not any(key in values for key in ("final_norm", "unembedding"))
        has_ffn = whole or awaited or any(key in values for key in ("W1", "W2", "W3", "b1", "b2"))
        to_memory = block == "attention" and seen.memory is not None
        own = seen if not to_memory else seen.of_memory()
        linear = values.get("weights_layout") == "linear"
        cross = {"weights_layout": "linear"} if linear else {}
        return Layer(
            path=path,
            block=block,
            norm=place,
            norms=tuple(norms) if place != NONE else (),
            residuals=values.get("residuals", whole),
            attention=self._attention(path, values, own, causal=block == "decoder"),
            cross=self._attention(
                below(path, "cross"),
                {**_settings_of_attention(values), **cross, **values.get("cross", {})},
                seen.of_memory(),
            )
            if crosses
            else None,
            has_ffn=has_ffn,
            activation=values.get("activation", "relu"),
            linear=linear,
        )

    def _attention(
        self, path: str, values: Values, seen: Keys, *, causal: bool = False
    ) -> Attention:
        heads = values.get("heads", 1)
        own = isinstance(heads, tuple)
        count = len(heads) if own else heads
        kv_heads = values.get("kv_heads", count)
        if count % kv_heads:
            self._complain(
                below(path, "kv_heads"), f"{kv_heads} heads of keys and values for {count} heads",
                f"give a number that {count} can be divided by",
            )  # fmt: skip
            kv_heads = count
        cache = values.get("cache")
        cached = None if cache is None else tuple(cache.get("tokens", ()))
        keys = seen.keys if cached is None else (*cached, *seen.keys)
        mask = values.get("mask", ("causal",) if causal else ())
        value = values.get("mask_value", "-inf")
        return Attention(
            path=path,
            heads=count,
            own_heads=own and count > 1,
            kv_heads=kv_heads,
            projects="projection" not in values,
            linear=values.get("weights_layout") == "linear",
            scale=values.get("scale", "sqrt_d_k"),
            softcap=values.get("softcap"),
            temperature=values.get("temperature"),
            mask=tuple(self._mask_rules(path, mask, keys)),
            mask_value=Decimal("-Infinity") if value == "-inf" else value,
            dropout=values.get("dropout", {}).get("p", Decimal(0)) if "dropout" in values else None,
            cached=cached,
            rotated=seen.rope,
            alibi=self._alibi(path, seen.alibi, count),
        )

    def _alibi(self, path: str, alibi: Positions | None, heads: int) -> Positions | None:
        if alibi is not None and alibi.slopes and len(alibi.slopes) != heads:
            self._complain(
                "positions", f"{len(alibi.slopes)} slopes, and {heads} heads in {path or 'it'}",
                "give a slope for each head",
            )  # fmt: skip
        return alibi

    def _mask_rules(
        self, path: str, rules: Sequence[str | Values], keys: Sequence[str]
    ) -> list[MaskRule]:
        found: list[MaskRule] = []
        for k, rule in enumerate(rules):
            if isinstance(rule, str):
                found.append(MaskRule(rule))
                continue
            found += self._rules_of(entry_path(path, "mask", k, len(rules)), rule, keys)
        return found

    def _rules_of(self, place: str, rule: Values, keys: Sequence[str]) -> list[MaskRule]:
        found: list[MaskRule] = []
        if "padding" in rule:
            found.append(MaskRule("padding", keys=self._padding(place, rule["padding"], keys)))
        if "window" in rule:
            found.append(MaskRule("window", width=rule["window"]))
        found += [MaskRule(key, table=below(place, key)) for key in _TABLE_RULES if key in rule]
        return found

    def _padding(self, place: str, named: Sequence[str], keys: Sequence[str]) -> tuple[str, ...]:
        """The places of padded keys, from 1, as texts; a token means all of its places."""
        found: list[str] = []
        for name in named:
            places = [str(k + 1) for k, key in enumerate(keys) if key == name]
            if not places and name.isascii() and name.isdigit() and int(name) >= 1:
                places = [name] if not keys or int(name) <= len(keys) else []
            if not places:
                self._complain(
                    below(place, "padding"), f"{quote(name)} is none of the keys",
                    f"name one of {', '.join(keys)}" if keys else "give positions from 1",
                )  # fmt: skip
            found += places
        return tuple(dict.fromkeys(found))

    def _complain(self, name: str, wrong: str, right: str) -> None:
        self.problems.add(self.where(name), wrong, right)


class Keys(NamedTuple):
    """What the queries of a stack may attend to, and how positions come in."""

    keys: tuple[str, ...]
    memory: Sequence[str] | None
    rope: Positions | None = None
    alibi: Positions | None = None

    def of_memory(self) -> Keys:
        return Keys(tuple(self.memory or ()), self.memory)


def _settings_of_attention(values: Values) -> Values:
    """What a cross-attention takes over from its layer: how many heads, how scores are scaled."""
    taken = ("kv_heads", "scale", "softcap", "temperature")
    shared = {key: values[key] for key in taken if key in values}
    heads = values.get("heads")
    return {**shared, "heads": heads} if isinstance(heads, int) else shared


def _several(value: Any) -> tuple[Any, ...]:  # noqa: ANN401
    """A value, or the values of a list."""
    if value is None:
        return ()
    listed = isinstance(value, tuple) and not isinstance(value, MatrixLike)
    return value if listed else (value,)


def _is_none(value: object) -> bool:
    return isinstance(value, str) and value == NONE


def _positions(value: Any) -> Positions:  # noqa: ANN401
    if isinstance(value, MatrixLike):
        return Positions("given")
    if isinstance(value, str):
        return Positions(value)
    settings = dict(value)
    return Positions(settings.pop("kind", "sinusoidal"), **settings)


def _norm(path: str, settings: Values) -> Norm:
    known = {key.name for key in NORM_SETTINGS}
    return Norm(path, **{key: value for key, value in settings.items() if key in known})
