"""A short hash that tells what an exercise was made from, and what changed between two makings.

The hashes of papers made before are of log-probabilities with all digits, of which the last hang on
how Python adds floats up.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial, reduce
from itertools import zip_longest
from operator import add, attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from attncli.classroom.files.manifest import FormMade, Manifest, MatrixTexts, PartMade
from attncli.document.blocks import Section
from attncli.document.questions import Item, plain_points
from attncli.errors import listed
from attncli.maths.equations.matrix import Matrix
from attncli.names import Name, below
from attncli.pipeline.implied_values import numbers_of_texts
from attncli.scenario.file.keys import Key
from attncli.scenario.model import (
    Attention,
    Layer,
    Positions,
    Prediction,
    Recurrent,
    Settings,
    Stack,
    TokenizedText,
    Tokenizing,
)
from attncli.scenario.scenario import Scenario
from attncli.scenario.tokenizers.unigram import as_printed
from attncli.steps.attention.masks import mask_rules
from attncli.steps.block.feed_forward import ACTIVATION
from attncli.steps.block.norms import SETTINGS
from attncli.steps.input.embeddings import EMBEDDING_SCALE
from attncli.steps.input.positions import BASE, DIMENSIONS, PAIRS, SLOPES, START
from attncli.steps.prediction.logits import SAMPLING
from attncli.steps.recurrent.cells import RESET, UPDATE, settled
from attncli.steps.recurrent.readouts import READOUT
from attncli.steps.recurrent.sequence import gate_order
from attncli.steps.schema import ATTENTION
from attncli.tokenizers.unigram import Summing, Unigram
from attncli.trace import Trace

_LETTERS = "ghijklmnopqrstuv"
"""A hash begins with one of these, so that no spreadsheet takes it for a number."""
_ADDRESS = re.compile(r"(?<=[\w>]) at 0x[0-9a-f]+>")
"""Where a function of a tokenizer happens to lie, which is elsewhere each time."""
_Keys = tuple[Key[object], ...]
Asked = tuple[str, int | float]
"""What is asked for, and its points."""
_COUNTED = ("heads", "kv_heads", "projection", "weights_layout", "cache", "mask", "dropout")
"""Keys of an attention that other fields tell."""
_KEYS: Mapping[type, _Keys] = {
    Settings: SETTINGS,
    Positions: (BASE, START, PAIRS, DIMENSIONS, SLOPES),
    Attention: tuple(key for name, key in ATTENTION.items() if name not in _COUNTED),
    Recurrent: (RESET, UPDATE, READOUT),
    Prediction: SAMPLING,
    Stack: (EMBEDDING_SCALE,),
    Layer: (ACTIVATION,),
}
"""Of which keys it is told what a scenario says; the settings of no record are those of a norm."""
_YOUNGER: Mapping[str, object] = {
    **dict.fromkeys(("disentangled", "beams", "score", "cache_bytes", "draft")),
    "reduction": "mean",
    "softmax": "each_row",
}
"""Fields and keys that papers with marks are older than, with what they are where nothing is said:
they are told where something is."""


def _fields(named: str) -> dict[str, str]:
    """Returns the path of each field, which is its name where none is said:
    `ids table=table.name`."""
    pairs = (field.partition("=") for field in named.split())
    return {name: path or name for name, _, path in pairs}


_AS_HASHED: Mapping[type, Mapping[str, str]] = {
    Attention: _fields(
        "path keys sees_memory heads own_heads kv_heads projects config cached"
        " rotated=positions.rotated alibi=positions.alibi relative=positions.relative"
        " disentangled=positions.disentangled"
    ),
    Layer: _fields(
        "path block norm=norms.order norms=norms.each norms_after=norms.after residuals parallel"
        " attention cross has_ffn attends experts=experts.routed"
        " has_shared_expert=experts.has_shared config recurrent"
    ),
    Prediction: _fields(
        "unembedding=logits.unembedding vocabulary=logits.vocabulary every config"
        " logit_scale=logits.scale logit_softcap=logits.softcap generate=generation.length"
        " beams=generation.beams score=generation.score cache_bytes=generation.cache_bytes"
        " end_token=generation.end_token draft targets=loss.targets"
        " ignored_target=loss.ignored_target target_places=loss.target_places head first"
        " labels=logits.labels loss=loss.kind reduction=loss.reduction"
        " label_smoothing=loss.label_smoothing readout=loss.of_readout"
        " targets_in_numbers=loss.targets_in_numbers"
    ),
    TokenizedText: _fields(
        "sentence cut tokenizer tokens ids table=table.name embedded=table.row_names"
        " features=table.features by_id=table.by_id rows_of_tokens rows=table.rows known_ids"
        " tokenizing one_hot=table.one_hot"
    ),
}
"""The fields of records by the names, and in the order, that the hashes of papers are made of, each
with its path now; other records have their own."""
_FOLLOWS: Mapping[type, Callable[[Any], object]] = {
    Attention: lambda value: (
        value.config.linear,
        mask_rules(value),
        value.config.values.get("dropout", {}).get("p"),
    ),
    Recurrent: lambda value: (
        value.config.layout or "linear",
        gate_order(value),
        value.readout_every,
    ),
    Stack: lambda value: value.config.linear,
    Layer: lambda value: value.config.linear,
}
"""What follows from what is said of a record."""


def _said(value: object) -> object:
    """Returns what a record says: its fields, what is said for its keys, and what follows from
    that."""
    if not isinstance(value, tuple):
        return value
    if not hasattr(value, "_fields"):
        return tuple(map(_said, value))
    if isinstance(value, Settings):
        return value.path, _settings_of(Settings, value)
    paths = _AS_HASHED.get(type(value)) or {name: name for name in value._fields}
    fields: list[tuple[str, Any]] = [(name, attrgetter(paths[name])(value)) for name in paths]
    entries: list[object] = [
        # the hash of a paper is older than the name of this field
        ("said", _settings_of(type(value), data)) if name == "config" else (name, _said(data))
        for name, data in fields
        # in which words a page tells what the tokenizer itself says, and how it is learned anew
        if name not in ("phrases", "anew")
        and (name not in _YOUNGER or (data and data != _YOUNGER[name]))
    ]
    return [*entries, _FOLLOWS[type(value)](value)] if type(value) in _FOLLOWS else entries


def _settings_of(record: type, settings: Settings) -> list[tuple[str, object]]:
    """Returns what is said for the keys of a record, or of a norm. Matrices are counted by
    themselves."""
    settings = settled(settings) if record is Recurrent else settings
    pairs = ((key.name, settings.get(key)) for key in _KEYS[record])
    pairs = ((name, value) for name, value in pairs if value != _YOUNGER.get(name))
    return [(name, value) for name, value in pairs if isinstance(value, str | Decimal | int | dict)]


class MadeFrom(NamedTuple):
    """A text of what all forms of an exercise are made from, but for their numbers."""

    of: tuple[object, ...]
    """The parts of a scenario that the text tells."""
    text: str
    instead: Mapping[Name, Matrix | None] = MappingProxyType({})
    """What is counted for given matrices that the text tells already, and None for what isn't
    counted."""

    @classmethod
    def of_scenario(cls, scenario: Scenario) -> MadeFrom:
        """Writes the text of a scenario, with its numbers as they are printed."""
        stacks = [
            _with(partial(as_printed, rounding=scenario.rounding), s) for s in _stacks(scenario)
        ]
        learned = (s for s in _stacks(scenario) if s is not None and _is_learned(s))
        instead: Mapping[Name, None] = dict.fromkeys(
            below(stack.path, "log_p") for stack in learned
        )
        return cls(_parts(scenario), _text(scenario, stacks), instead)

    def like(self, scenario: Scenario) -> MadeFrom:
        """Returns the text of another scenario, which is made anew only where that differs."""
        same = all(value is own for value, own in zip(_parts(scenario), self.of, strict=True))
        return self if same else MadeFrom.of_scenario(scenario)


_Stacks = Sequence[Stack | None]


def _parts(scenario: Scenario) -> tuple[object, ...]:
    return *_stacks(scenario), scenario.prediction, scenario.rounding


def _stacks(scenario: Scenario) -> _Stacks:
    return scenario.stack, scenario.encoder


def _text(scenario: Scenario, stacks: _Stacks) -> str:
    return _lines(map(_said, (*stacks, scenario.prediction, scenario.rounding)))


def _with(own: Callable[[Tokenizing], Tokenizing], stack: Stack | None) -> Stack | None:
    """Returns a stack with another record of its tokenizer, if that is one of log-probabilities."""
    tokenizing = None if stack is None else stack.text.tokenizing
    if stack is None or tokenizing is None or not isinstance(tokenizing.tokenizer.model, Unigram):
        return stack
    return stack._replace(text=stack.text._replace(tokenizing=own(tokenizing)))


def _is_learned(stack: Stack) -> bool:
    return stack.text.tokenizing is not None and stack.text.tokenizing.anew is not None


def _lines(values: Iterable[object]) -> str:
    return _ADDRESS.sub(">", "\n".join(map(repr, values)))


def fingerprint(
    trace: Trace, sections: Sequence[Section], made_from: MadeFrom | None = None
) -> str:
    """Returns a short hash of what an exercise is made from: the scenario, whose text may be known
    already, and what is asked for."""
    asked = [item for section in sections for item in section.questions]
    return _asked_mark(
        trace.scenario, made_from or MadeFrom.of_scenario(trace.scenario), asked_of(asked)
    )


def asked_of(items: Iterable[Item]) -> list[Asked]:
    """Returns what some items ask for, each with its points."""
    return [(item.id, plain_points(item.points)) for item in items]


def _asked_mark(scenario: Scenario, made_from: MadeFrom, asked: Iterable[Asked]) -> str:
    return _mark(scenario, made_from, (_lines([scenario.title]), made_from.text, *map(repr, asked)))


def joint_mark(texts: Iterable[str]) -> str:
    """Returns a short hash of texts, such as the hashes of an exam's parts."""
    return _in_letters(hashlib.sha256("\n".join(texts).encode()))


def numbers_mark(trace: Trace) -> str:
    """Returns a short hash of the numbers that a form is made from, and of what is done with them.
    It tells neither what the form is called nor what is asked."""
    made_from = MadeFrom.of_scenario(trace.scenario)
    return _mark(trace.scenario, made_from, (made_from.text,))


def _mark(scenario: Scenario, made_from: MadeFrom, texts: Iterable[str]) -> str:
    digest = hashlib.sha256("\n".join(texts).encode())
    counted: Mapping[Name, Matrix | None] = {**scenario.given.matrices, **made_from.instead}
    for name, matrix in sorted(counted.items()):
        if matrix is not None:
            digest.update(f"\n{name} {matrix.shape} {matrix.decimals} ".encode())
            digest.update(matrix.values.tobytes())
    return _in_letters(digest)


def _in_letters(digest: hashlib._Hash) -> str:
    mark = digest.hexdigest()[:8]
    return _LETTERS[int(mark[0], 16)] + mark[1:]


def earlier(scenario: Scenario) -> Iterator[MadeFrom]:
    """Yields what papers were made from before, added up as Python 3.11 does and as later versions
    do. Yields nothing for a scenario without log-probabilities of pieces, whose papers have kept
    their hash."""
    for sum_ in (in_turn, compensated):
        stacks = [_with(partial(_added_up, sum_=sum_), stack) for stack in _stacks(scenario)]
        if all(now is own for now, own in zip(stacks, _stacks(scenario), strict=True)):
            return
        instead = numbers_of_texts(*(s for s in stacks if s is not None and _is_learned(s)))
        yield MadeFrom(_parts(scenario), _text(scenario, stacks), instead)


def _added_up(tokenizing: Tokenizing, sum_: Summing) -> Tokenizing:
    anew = None if tokenizing.anew is None else tokenizing.anew(sum_)
    return tokenizing if anew is None else anew


def in_turn(numbers: Iterable[float]) -> float:
    """Adds numbers up one after the other, as `sum` does in Python 3.11."""
    return reduce(add, numbers, 0)


def compensated(numbers: Iterable[float]) -> float:
    """Adds numbers up with what is lost on the way (Neumaier 1974), as `sum` does since Python
    3.12."""
    total: float = 0
    lost = 0.0
    for number in numbers:
        after = total + number
        large, small = (total, number) if abs(total) >= abs(number) else (number, total)
        lost += (large - after) + small
        total = after
    return total + lost if lost else total


def has_numbers_mark(trace: Trace, mark: str) -> bool:
    """Tells whether a hash is that of a form's numbers, or was before."""
    before = (_mark(trace.scenario, m, (m.text,)) for m in earlier(trace.scenario))
    return mark == numbers_mark(trace) or mark in before


class HashedPart(NamedTuple):
    """A part of a form, by which its hash is made."""

    trace: Trace | None
    """Its numbers, and None for a teacher's own questions."""
    asked: Sequence[Asked]
    mark: str

    def marked_before(self) -> tuple[str, ...]:
        """Returns the hashes that the part had before, one for each way to add up."""
        if self.trace is None:
            return ()
        scenario = self.trace.scenario
        return tuple(_asked_mark(scenario, before, self.asked) for before in earlier(scenario))


def earlier_marks(mark: str, parts: Sequence[HashedPart]) -> tuple[str, ...]:
    """Returns the hashes that a form had before which has this one now."""
    before = [part.marked_before() for part in parts]
    ways = max(map(len, before), default=0)
    each = (
        [own[k] if own else part.mark for own, part in zip(before, parts, strict=True)]
        for k in range(ways)
    )
    alone = len(parts) == 1 and parts[0].mark == mark
    return tuple(marks[0] if alone else joint_mark(marks) for marks in each)


def what_changed(before: Manifest | None, made: Manifest) -> str:
    """Writes what changed, as a line: `B changed: W_Q[1, 2]; A, C, D unchanged`. It is empty for
    an exercise that wasn't there before."""
    if before is None:
        return ""
    told = {name: _change(name, before.forms.get(name), form) for name, form in made.forms.items()}
    texts, same = [*filter(None, told.values())], [name for name in told if not told[name]]
    asked = [name for name in same if _asked(before, name) != _asked(made, name)]
    if asked:
        texts.append(f"{listed(asked)} with other questions about the same numbers")
    if left := [name for name in same if name not in asked]:
        texts.append(f"{listed(left)} unchanged")
    if gone := [name for name in before.forms if name not in made.forms]:
        texts.append(f"{listed(gone)} no longer made, the files are left")
    if before.seed != made.seed:
        texts.append("forms that are there keep their numbers, whatever the seed is")
    return f"{'; '.join(texts)}\n"


def _change(name: str, old: FormMade | None, form: FormMade) -> str:
    """Writes what changed in a form. It is empty where its numbers are unchanged."""
    if old is None:
        return f"{name} is new"
    if [part.numbers for part in old.parts] == [part.numbers for part in form.parts]:
        return ""
    pairs = zip_longest(old.parts, form.parts, fillvalue=PartMade("", {}))
    cells = [cell for was, part in pairs for cell in _cells(was.given, part.given)]
    return f"{name} changed: {listed(cells) if cells else 'what is done with its numbers'}"


def _asked(manifest: Manifest, form: str) -> list[Mapping[str, float]]:
    return [part.asked for part in manifest.forms[form].parts]


def _cells(old: Mapping[str, MatrixTexts], new: Mapping[str, MatrixTexts]) -> Iterator[str]:
    """Yields the addresses of numbers that have changed, or the whole matrix where its shape
    has."""
    for name, rows in new.items():
        was = old.get(name)
        if was is None or [len(row) for row in was] != [len(row) for row in rows]:
            yield name
            continue
        for i, (own, others) in enumerate(zip(rows, was, strict=True), start=1):
            pairs = enumerate(zip(own, others, strict=True), start=1)
            yield from (f"{name}[{i}, {j}]" for j, (a, b) in pairs if a != b)
    yield from (name for name in old if name not in new)
