"""A short hash that tells what an exercise was made from, and what changed between two makings."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from attncli.building.exercise_file import FormMade, Manifest, Rows
from attncli.document import Section
from attncli.file.keys import Key
from attncli.questions import plain_points
from attncli.refusals import listed
from attncli.scenario.model import Attention, Layer, Positions, Recurrent, Settings, Stack
from attncli.scenario.prediction import Prediction
from attncli.scenario.scenario import Scenario
from attncli.steps.attention.masks import mask_rules
from attncli.steps.schema import ATTENTION
from attncli.trace import Trace

_LETTERS = "ghijklmnopqrstuv"
"""A hash begins with one of these, so that no spreadsheet takes it for a number."""


_ADDRESS = re.compile(r"(?<=[\w>]) at 0x[0-9a-f]+>")
"""Where a function of a tokenizer happens to lie, which is elsewhere each time."""
_Pairs = list[tuple[str, object]]
_Keys = tuple[Key[Any], ...]
_BUILT = ("heads", "kv_heads", "projection", "weights_layout", "cache")
"""Keys of an attention that its record has fields for."""
_FIRST = ("scale", "softcap", "temperature", "mask", "mask_value", "dropout")
"""What stood in the record before a step could have keys of its own: papers keep their hashes."""


def _norm_keys() -> _Keys:
    from attncli.steps.block.norms import SETTINGS

    return SETTINGS


def _position_keys() -> _Keys:
    from attncli.steps.input.positions import BASE, DIMENSIONS, PAIRS, SLOPES, START

    return BASE, START, PAIRS, DIMENSIONS, SLOPES


def _cell_keys() -> _Keys:
    from attncli.steps.recurrent.gates import RESET, UPDATE
    from attncli.steps.recurrent.readouts import READOUT

    return RESET, UPDATE, READOUT


def _prediction_keys() -> _Keys:
    from attncli.steps.prediction.logits import TEMPERATURE, TOP_K, TOP_P

    return TEMPERATURE, TOP_K, TOP_P


def _stack_keys() -> _Keys:
    from attncli.steps.input.embeddings import EMBEDDING_SCALE

    return (EMBEDDING_SCALE,)


def _layer_keys() -> _Keys:
    from attncli.steps.block.feed_forward import ACTIVATION

    return (ACTIVATION,)


_KEYS: Mapping[type, Callable[[], _Keys]] = {
    Settings: _norm_keys,
    Positions: _position_keys,
    Recurrent: _cell_keys,
    Prediction: _prediction_keys,
    Stack: _stack_keys,
    Layer: _layer_keys,
}
"""Those of what a scenario says, in an order that papers keep their hashes by; the settings of no
record are those of a norm."""


def _rows(said: Settings) -> _Pairs:
    return [("linear", True)] if said.linear else []


def _stacked(cell: Recurrent) -> _Pairs:
    from attncli.steps.recurrent.cells import gate_order

    layout, order = cell.said.layout or "linear", gate_order(cell)
    told: _Pairs = [("layout", layout)] if layout != "linear" else []
    return [*told, ("gate_order", order)] if order else told


_BEHIND: Mapping[tuple[type, str], Callable[[Any], _Pairs]] = {
    (Attention, "projects"): lambda attention: _rows(attention.said),
    (Layer, "said"): lambda layer: _rows(layer.said),
    (Recurrent, "direction"): _stacked,
    (Recurrent, "said"): lambda cell: [] if cell.readout_every else [("readout_every", False)],
}
"""What once were fields of a record, and now follows from what is said, behind the fields that they
stood behind: papers keep their hashes."""


def _said(value: object) -> object:
    """What a record says that isn't said by default: a default that is new changes no hash."""
    if not isinstance(value, tuple):
        return value
    if not hasattr(value, "_fields"):
        return tuple(map(_said, value))
    if isinstance(value, Settings):
        return [("path", value.path), *_told(value, value)]
    return _fields(value)


def _fields(value: tuple[Any, ...]) -> _Pairs:
    """What is said in the fields of a record."""
    usual = getattr(value, "_field_defaults", {})
    pairs: _Pairs = []
    for name, one in zip(getattr(value, "_fields", ()), value, strict=True):
        if name == "said":
            pairs += _settings(value) if isinstance(value, Attention) else _told(value, one)
        elif name not in usual or one != usual[name]:
            pairs.append((name, _said(one)))
        pairs += _BEHIND[type(value), name](value) if (type(value), name) in _BEHIND else []
    return pairs


def _told(record: object, said: Settings) -> _Pairs:
    """What is said for the keys of a record, or of a norm, that isn't their default."""
    if isinstance(record, Recurrent):
        from attncli.steps.recurrent.gates import settled

        said = settled(said)
    if not said.values:
        return []
    told = ((key, said.get(key)) for key in _KEYS[type(record)]())
    return [(key.name, value) for key, value in told if value != key.default]


def _settings(attention: Attention) -> _Pairs:
    """What is said for the keys of an attention's steps."""
    values = attention.said.values
    own = {name: value for name, value in values.items() if name in ATTENTION and _is_word(value)}
    told: dict[str, object] = {**own, "mask": tuple(map(_said, mask_rules(attention)))}
    if "dropout" in values:
        told["dropout"] = values["dropout"].get("p", Decimal(0))
    usual = {"scale": "sqrt_d_k", "mask": (), "mask_value": "-inf"}
    names = [*_FIRST, *(name for name in ATTENTION if name not in (*_FIRST, *_BUILT))]
    return [(name, told[name]) for name in names if name in told and told[name] != usual.get(name)]


def _is_word(value: object) -> bool:
    """Whether a value is no matrix; these are counted by themselves."""
    return isinstance(value, str | Decimal | int | dict)


class MadeFrom(NamedTuple):
    """What all forms of an exercise are made from but for their numbers, as a text; `of` are the
    parts of a scenario that it tells."""

    of: tuple[object, ...]
    told: str

    @classmethod
    def told_of(cls, scenario: Scenario) -> MadeFrom:
        """That of a scenario."""
        stack, encoder = _said(scenario.stack), _said(scenario.encoder)
        prediction = [*_fields(scenario.prediction), *_rows(scenario.stack.said)]
        return cls(_parts(scenario), _lines([stack, encoder, prediction, scenario.rounding]))

    def like(self, scenario: Scenario) -> MadeFrom:
        """That of another scenario, which is mostly the same."""
        same = all(one is own for one, own in zip(_parts(scenario), self.of, strict=True))
        return self if same else MadeFrom.told_of(scenario)


def _parts(scenario: Scenario) -> tuple[object, ...]:
    return scenario.stack, scenario.encoder, scenario.prediction, scenario.rounding


def _lines(values: Iterable[object]) -> str:
    return _ADDRESS.sub(">", "\n".join(map(repr, values)))


def fingerprint(
    trace: Trace, sections: Sequence[Section], made_from: MadeFrom | None = None
) -> str:
    """A short hash of what an exercise is made from: the scenario, of which the most may be told
    already, and what is asked for."""
    asked = [(q.id, plain_points(q.points)) for section in sections for q in section.questions]
    scenario = trace.scenario
    told = made_from or MadeFrom.told_of(scenario)
    return _mark(scenario, (_lines([scenario.title]), told.told, *map(repr, asked)))


def numbers_mark(trace: Trace) -> str:
    """A short hash of the numbers that a form is made from, and of what is done with them: neither
    of what it is called nor of what is asked."""
    return _mark(trace.scenario, (MadeFrom.told_of(trace.scenario).told,))


def _mark(scenario: Scenario, told: Iterable[str]) -> str:
    digest = hashlib.sha256("\n".join(told).encode())
    for name, matrix in sorted(scenario.given.items()):
        digest.update(f"\n{name} {matrix.shape} {matrix.decimals} ".encode())
        digest.update(matrix.values.tobytes())
    mark = digest.hexdigest()[:8]
    return _LETTERS[int(mark[0], 16)] + mark[1:]


def what_changed(before: Manifest | None, made: Manifest) -> str:
    """`B changed: W_Q[1, 2]; A, C, D as they were`, as a line; none for an exercise that wasn't
    there before."""
    if before is None:
        return ""
    told = [*_changed(before, made)]
    same = [name for name in made.forms if _is_same(before.forms.get(name), made.forms[name])]
    asked = [name for name in same if before.forms[name].asked != made.forms[name].asked]
    if asked:
        told.append(f"{listed(asked)} with other questions about the same numbers")
    if left := [name for name in same if name not in asked]:
        told.append(f"{listed(left)} as {'it was' if len(left) == 1 else 'they were'}")
    if gone := [name for name in before.forms if name not in made.forms]:
        told.append(f"{listed(gone)} no longer made, the files are left")
    if before.seed != made.seed:
        told.append("forms that are there keep their numbers, whatever the seed is")
    return f"{'; '.join(told)}\n"


def _is_same(old: FormMade | None, new: FormMade) -> bool:
    return old is not None and old.numbers == new.numbers


def _changed(before: Manifest, made: Manifest) -> Iterator[str]:
    for name, form in made.forms.items():
        old = before.forms.get(name)
        if old is None:
            yield f"{name} is new"
        elif not _is_same(old, form):
            cells = [*_cells(old.given, form.given)]
            yield f"{name} changed: {listed(cells) if cells else 'what is done with its numbers'}"


def _cells(old: Mapping[str, Rows], new: Mapping[str, Rows]) -> Iterator[str]:
    """The addresses of numbers that are others now; a whole matrix where its shape is."""
    for name, rows in new.items():
        was = old.get(name)
        if was is None or [len(row) for row in was] != [len(row) for row in rows]:
            yield name
            continue
        for i, (own, others) in enumerate(zip(rows, was, strict=True), start=1):
            pairs = enumerate(zip(own, others, strict=True), start=1)
            yield from (f"{name}[{i}, {j}]" for j, (a, b) in pairs if a != b)
    yield from (name for name in old if name not in new)
