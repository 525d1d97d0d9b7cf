"""A part of a trace in another configuration: one setting left out or with another value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from attncli.names import Name
from attncli.scenario.file.keys import Choice, Flag, Key, KeyValues, Record
from attncli.scenario.model import Attention, Layer, Positions, Settings, Stack
from attncli.scenario.scenario import Scenario
from attncli.steps.block import norms
from attncli.steps.input.embeddings import EMBEDDING_SCALE
from attncli.steps.mistakes import IMPOSSIBLE
from attncli.steps.order import step_of
from attncli.steps.schema import ATTENTION, LAYER_ALONE, SCENARIO
from attncli.steps.story import frame_told, layer_told
from attncli.trace import AttentionPlace, Definition, LayerPlace, NormPlace, PlannedStep, Trace

T = TypeVar("T")
U = TypeVar("U")
T_co = TypeVar("T_co", covariant=True)


class Configured(NamedTuple):
    """A layer, or what is around the layers, with one setting changed."""

    setting: str
    """The setting that is changed, by its path: `mask.window`."""
    says: str
    """A sentence that says how it is set."""
    left_out: bool
    """Whether the setting is left out."""
    definitions: tuple[Definition, ...]
    """The definitions that differ from the usual ones."""


class _Other(NamedTuple, Generic[T_co]):
    """Something with one setting changed, and a sentence that says so."""

    setting: str
    says: str
    value: T_co
    left_out: bool = False

    def within(self, whole: U) -> _Other[U]:
        """Returns the same change of what this is a part of."""
        return _Other(self.setting, self.says, whole, self.left_out)


def other_configurations(trace: Trace, place: LayerPlace) -> Iterator[Configured]:
    """Yields a layer with one of its settings changed, once for each change by which some of its
    quantities are made in another way."""
    own = _forward_parts(trace, place)
    usual = {d.name: d for d in _definitions_in_layer(trace, own, place.layer)}
    for other in _other_layers(place):
        told = _definitions_in_layer(trace, own, other.value)
        yield from _configured(other, told, usual)


def other_frames(trace: Trace) -> Iterator[Configured]:
    """Yields what is around the layers with one of the scenario's settings changed: of embeddings,
    of positions, of the norms outside layers, of logits.

    It is yielded once for each change by which some of its quantities are made in another way.
    """
    story = [part for part in trace.story if not part.is_again]
    made = {part.place.stack.path: part.definitions[-1].name for part in _in_layers(story)}
    usual = {d.name: d for d in _framed(trace, trace.scenario, made)}
    for other in _other_scenarios(trace.scenario):
        yield from _configured(other, _framed(trace, other.value, made), usual)


def _configured(
    other: _Other[object], told: Iterable[Definition], usual: Mapping[Name, Definition]
) -> Iterator[Configured]:
    """Yields the definitions of another configuration where some of the usual ones differ."""
    changed = tuple(d for d in told if usual.get(d.name) != d)
    if any(d.name in usual for d in changed):
        yield Configured(other.setting, other.says, other.left_out, changed)


def _in_layers(story: list[PlannedStep]) -> Iterator[PlannedStep]:
    """Yields the steps that are taken in layers and make something, and so no norm outside them."""
    for part in story:
        place, stack = part.place, part.place.stack
        around = {norm.path for norm in (stack.embedding_norm, stack.final_norm) if norm}
        inside = isinstance(place, LayerPlace)
        if isinstance(place, NormPlace) and place.path not in around:
            inside = place.path.path in {layer.path for layer in stack.layers}
        if inside and part.definitions:
            yield part


def layer_around(trace: Trace, part: PlannedStep) -> LayerPlace | None:
    """Finds the place of the layer that a step belongs to; returns None for what is outside all
    layers."""
    if next(_in_layers([part]), None) is None:
        return None
    path = _layer_path(part)
    places = (other.place for other in (part, *trace.story))
    return next((p for p in places if isinstance(p, LayerPlace) and p.layer.path == path), None)


def _framed(trace: Trace, scenario: Scenario, made: Mapping[Name, Name]) -> list[Definition]:
    """Returns all definitions outside the layers; none where no model can be made so."""
    try:
        return _sized(frame_told(scenario, trace.story, made))
    except _NO_MODEL:
        return []


_SCALE, _SOFTCAP, _SMOOTHING = "logit_scale", "logit_softcap", "label_smoothing"


def _other_scenarios(scenario: Scenario) -> Iterator[_Other[Scenario]]:
    for which in ("stack", "encoder"):
        stack: Stack | None = getattr(scenario, which)
        for changed in _other_stacks(stack) if stack is not None else ():
            fields: dict[str, Any] = {which: changed.value}
            yield changed.within(replace(scenario, **fields))
    prediction = scenario.prediction
    logits, loss = prediction.logits, prediction.loss
    said = (_SCALE, logits.scale), (_SOFTCAP, logits.softcap), (_SMOOTHING, loss.label_smoothing)
    values = {key: value for key, value in said if value is not None}
    known = {key: SCENARIO.known[key] for key in values}
    for other in _others_of_map(values, known, ""):
        named = other.value.get
        changed_prediction = prediction._replace(
            logits=logits._replace(scale=named(_SCALE), softcap=named(_SOFTCAP)),
            loss=loss._replace(label_smoothing=named(_SMOOTHING)),
        )
        yield other.within(replace(scenario, prediction=changed_prediction))


def _other_stacks(stack: Stack) -> Iterator[_Other[Stack]]:
    for config in _other_settings(stack.config, _EMBEDDING):
        yield config.within(stack._replace(config=config.value))
    for key in ("embedding_norm", "final_norm"):
        norm: Settings | None = getattr(stack, key)
        for other in _others_of_map(norm.values, _NORM, key) if norm is not None else ():
            fields: dict[str, Any] = {key: norm._replace(values=other.value)} if norm else {}
            yield other.within(stack._replace(**fields))
    for k, positions in enumerate(stack.positions):
        for changed in _other_positions(positions):
            kept = () if changed.value is None else (changed.value,)
            every = (*stack.positions[:k], *kept, *stack.positions[k + 1 :])
            yield changed.within(stack._replace(positions=every))


_EMBEDDING: Mapping[str, Key[object]] = {EMBEDDING_SCALE.name: EMBEDDING_SCALE}
_NORM: Mapping[str, Key[object]] = {key.name: key for key in norms.SETTINGS}


def _forward_parts(trace: Trace, place: LayerPlace) -> list[PlannedStep]:
    """Returns the steps of a layer, without those of the way back."""
    return [
        part
        for part in trace.story
        if isinstance(part.place, LayerPlace)
        and part.place.layer.path == place.layer.path
        and not part.is_again
    ]


def _definitions_in_layer(trace: Trace, own: list[PlannedStep], layer: Layer) -> list[Definition]:
    """Returns all definitions of another layer in the place of the layer of some steps; none where
    no model can be made so."""
    first = own[0].place
    assert isinstance(first, LayerPlace)
    first = replace(first, x=_into(trace, first))
    sources = (p.place for p in own if isinstance(p.place, AttentionPlace))
    memory = next((p.source for p in sources if p.attention.sees_memory), None)
    try:
        return _sized(layer_told(trace.scenario, trace.story, first, layer, memory))
    except _NO_MODEL:
        return []


def _into(trace: Trace, place: LayerPlace) -> Name:
    """Returns the name of what flows into a layer: into its first step, which may be a norm."""
    inside = _in_layers([part for part in trace.story if not part.is_again])
    return next(part.place.x for part in inside if _layer_path(part) == place.layer.path)


def _layer_path(part: PlannedStep) -> Name:
    place = part.place
    return place.layer.path if isinstance(place, LayerPlace) else place.path.path


_NO_MODEL = (*IMPOSSIBLE, AssertionError, AttributeError)
"""The errors of steps for a configuration that no model can have."""


def _sized(told: Iterable[PlannedStep]) -> list[Definition]:
    return [
        step_of(part).results.sized(part.place, definition)._replace(step=part.step)
        for part in told
        for definition in part.definitions
    ]


def _other_layers(place: LayerPlace) -> Iterator[_Other[Layer]]:
    layer = place.layer
    fields: dict[str, Any]
    for which in ("attention", "cross"):
        attention: Attention | None = getattr(layer, which)
        if attention is None:
            continue
        for other in _other_attentions(place, attention):
            fields = {which: other.value}
            yield other.within(layer._replace(**fields))
    for config in _other_settings(layer.config, LAYER_ALONE):
        yield config.within(layer._replace(config=config.value))
    own = layer.norms
    for which, each, after in (("each", own.each, ""), ("after", own.after, "_after")):
        for k, norm in enumerate(each):
            for kind in _others_of_map(norm.values, _KIND_OF_NORM, f"norm{k + 1}{after}"):
                changed = (*each[:k], norm._replace(values=kind.value), *each[k + 1 :])
                both = f"{kind.value[norms.KIND.name]} instead of {norm.get(norms.KIND)}"
                says = f"The kind of norm{k + 1}{after} is {both}."
                fields = {which: changed}
                norms_changed = layer._replace(norms=own._replace(**fields))
                yield kind._replace(says=says).within(norms_changed)


_OF_ROWS = norms.KIND._replace(kind=Choice(("rms", "layer")))
_KIND_OF_NORM: Mapping[str, Key[object]] = {_OF_ROWS.name: _OF_ROWS}
"""The settings of a norm that no mistake with a name of its own changes, as one down the columns
does."""


_NOT_SET = frozenset(
    [
        "heads",
        "kv_heads",
        "d_k",
        "d_v",
        "projection",
        "weights_layout",
        "positions",
        "average_heads",
        "online_softmax",
    ]
)
"""Settings that can't be other ones with the same weights, or are none of a model."""


def _other_attentions(place: LayerPlace, attention: Attention) -> Iterator[_Other[Attention]]:
    for config in _other_settings(attention.config, ATTENTION):
        yield config.within(attention._replace(config=config.value))
    for kind, positions in attention.positions._asdict().items():
        for other in _other_positions(positions):
            others = attention.positions._replace(**{kind: other.value})
            yield other.within(attention._replace(positions=others))
    yield from _of_other_layers(place, attention)


def _other_positions(positions: Positions | None) -> Iterator[_Other[Positions | None]]:
    if positions is None:
        return
    what = "" if positions.kind == "given" else f" ({positions.kind})"
    yield _Other(positions.kind, f"The positions{what} are left out.", None, left_out=True)
    known = _keys_inside(SCENARIO.known["positions"].kind)
    for other in _others_of_map(positions.config.values, known, "positions"):
        config = positions.config._replace(values=other.value)
        yield other.within(positions._replace(config=config))


def _of_other_layers(place: LayerPlace, attention: Attention) -> Iterator[_Other[Attention]]:
    """Yields an attention with the positions, or one of the settings, that another kind of layer in
    its stack has."""
    others = [layer.attention for layer in place.stack.layers if layer.attends]
    here = attention.positions
    for rotated in _unlike(here.rotated, (other.positions.rotated for other in others)):
        if here.rotated and rotated:
            turned = attention._replace(positions=here._replace(rotated=rotated))
            yield _Other("positions", "The rotation is that of another kind of layer.", turned)
    own = attention.config.values
    for key in ("mask", "scale", "softcap", "qk_norm"):
        for value in _unlike(own.get(key), (other.config.values.get(key) for other in others)):
            rest = {k: v for k, v in own.items() if k != key}
            values = rest if value is None else {**rest, key: value}
            alike = attention._replace(config=attention.config._replace(values=values))
            says = f"The {key.replace('_', ' ')} is that of another kind of layer."
            yield _Other(key, says, alike)


def _unlike(own: T, others: Iterable[T]) -> Iterator[T]:
    """Yields the values of others that differ from one's own, each once."""
    seen = [own]
    for other in others:
        if not any(_are_alike(other, one) for one in seen):
            seen.append(other)
            yield other


def _are_alike(value: object, other: object) -> bool:
    """Tells whether two values of a setting are equal; matrices are compared as arrays."""
    if isinstance(value, tuple) and isinstance(other, tuple):
        return len(value) == len(other) and all(map(_are_alike, value, other))
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        return value.keys() == other.keys() and all(_are_alike(value[k], other[k]) for k in value)
    return np.array_equal(value, other)  # type: ignore[arg-type]


def _other_settings(
    config: Settings, keys: Mapping[str, Key[object]]
) -> Iterator[_Other[Settings]]:
    known = {name: key for name, key in keys.items() if name not in _NOT_SET}
    for other in _others_of_map(config.values, known, ""):
        yield other.within(config._replace(values=other.value))


def _others_of_map(
    values: KeyValues, known: Mapping[str, Key[object]], path: str
) -> Iterator[_Other[KeyValues]]:
    """Yields a map with one of its values changed or left out, or set where it isn't."""
    for name, key in known.items():
        called = f"{path}.{name}" if path else name
        value = values.get(name, key.default)
        if value is None and name not in values:
            words = (True, False) if isinstance(key.kind, Flag) else _words_alone(key.kind)
            for word in words:
                says = f"{called} is {_text(word)}, which isn't set."
                yield _Other(called, says, {**values, name: word})
            continue
        if name in values and _is_a_setting(value) and name != "kind":
            without = {k: v for k, v in values.items() if k != name}
            yield _Other(called, _left_out(called), without, left_out=True)
        for other in _others(value, key.kind, called):
            yield other.within({**values, name: other.value})


def _words_alone(kind: object) -> tuple[str, ...]:
    return kind.words if isinstance(kind, Choice) else ()


def _others(value: object, kind: object, called: str) -> Iterator[_Other[object]]:
    """Yields other values for a setting: another word; a number off by one, twice or half as large;
    a map or a list with one part changed or left out."""
    match value:
        case Mapping():
            yield from _others_of_map(value, _keys_inside(kind), called)
        case tuple() | list() if not hasattr(value, "_fields"):  # a matrix is a record, and no list
            yield from _others_of_list(tuple(value), kind, called)
        case _:
            for other in _other_values(value, kind):
                yield _Other(called, _instead(called, other, value), other)


def _other_values(value: object, kind: object) -> Iterator[str | int | Decimal]:
    if not isinstance(value, str | int | Decimal):
        return iter(())
    if isinstance(value, bool):
        return iter([not value])
    if isinstance(value, str):
        return (word for word in _words(kind) if word != value)
    return _other_numbers(value)


def _others_of_list(
    values: tuple[object, ...], kind: object, called: str
) -> Iterator[_Other[object]]:
    for word in () if values else _words(kind):
        yield _Other(called, f"The {_in_words(called)} is {word}, which isn't set.", (word,))
    for k, value in enumerate(values):
        if len(values) > 1 and _is_a_setting(value):
            what = "_".join(value) if isinstance(value, Mapping) else str(value)
            rest = (*values[:k], *values[k + 1 :])
            one = f"{called}.{what}"
            is_word = isinstance(value, str)
            says = f"The {_in_words(called)} is without {what}." if is_word else _left_out(one)
            yield _Other(one, says, rest, left_out=True)
        for other in _others(value, kind, called):
            yield other._replace(value=(*values[:k], other.value, *values[k + 1 :]))


def _other_numbers(value: int | Decimal) -> Iterator[int | Decimal]:
    kind = type(value)
    near = [value + 1, value - 1] if value == int(value) else []
    share = [value / 2, 1 / value] if isinstance(value, Decimal) else [value // 2]
    numbers = [*near, value * 2, *share]
    yield from dict.fromkeys(kind(n) for n in numbers if n > 0 and n != value)


def _left_out(called: str) -> str:
    """Says that a setting is left out: `The window is left out (mask.window).`"""
    return f"The {_in_words(called)} is left out{_in_brackets(called)}."


def _instead(called: str, other: object, value: object) -> str:
    """Says that a setting is another one: `The window is 4 instead of 3 (mask.window).`

    Words and flags inside a map often say nothing without its name, so their full path begins the
    sentence.
    """
    both = f"is {_text(other)} instead of {_text(value)}"
    if isinstance(value, bool) or (isinstance(value, str) and not called.endswith(".kind")):
        return f"The {_in_words(called)} {both}." if "." not in called else f"{called} {both}."
    return f"The {_in_words(called)} {both}{_in_brackets(called)}."


def _in_words(called: str) -> str:
    """Returns the last part of a setting's path in words: `max distance` of
    `positions.max_distance`, `scaling` of `positions.scaling.kind`."""
    return called.removesuffix(".kind").rpartition(".")[2].replace("_", " ")


def _in_brackets(called: str) -> str:
    return f" ({called})" if "." in called else ""


def _text(value: object) -> str:
    """Writes a value as it stands in a file."""
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_a_setting(value: object) -> bool:
    """Tells whether a value is a setting of a layer, or made of such, and no matrix: a matrix may
    be the layer's own weights."""
    if isinstance(value, Mapping):
        return not value or any(map(_is_a_setting, value.values()))
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return all(map(_is_a_setting, value))
    return isinstance(value, str | bool | int | Decimal)


def _words(kind: object) -> tuple[str, ...]:
    return tuple(
        word for inner in _each_kind(kind) if isinstance(inner, Choice) for word in inner.words
    )


def _keys_inside(kind: object) -> dict[str, Key[object]]:
    """Returns the keys of the records that a kind may be, by name.

    A key that takes a single word in several of them takes all these words.
    """
    found: dict[str, Key[object]] = {}
    for record in (inner for inner in _each_kind(kind) if isinstance(inner, Record)):
        for name, key in record.known.items():
            words = (*_words_alone(key.kind), *_words_alone(found.get(name, key).kind))
            any_word = Choice(tuple(dict.fromkeys(words)))
            found[name] = key._replace(kind=any_word) if words else key
    return found


def _each_kind(kind: object) -> Iterator[object]:
    """Yields a kind, and all kinds that it is made of."""
    yield kind
    for inner in getattr(kind, "kinds", ()) or filter(None, [getattr(kind, "kind", None)]):
        yield from _each_kind(inner)
