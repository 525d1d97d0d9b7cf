"""Which quantities somebody's tensors are: by what modules and hooks are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from attncli.marking.dumps.table import (
    CROSS,
    ENDINGS,
    HEAD_WORDS,
    LAYER_WORDS,
    OURS,
    PARAMETERS,
    STACKS,
)
from attncli.name import GRADIENTS, Name, below
from attncli.scenario.model import Attention, Layer, Stack
from attncli.trace import Trace

_NORMS = (
    "norm1", "norm2", "norm3", "norm1_after", "norm2_after", "norm3_after", "final_norm",
    "embedding_norm",
)  # fmt: skip
_PROJECTIONS = ("project_in", "project_out")
_MADE = {**dict.fromkeys(_NORMS, "normed"), **dict.fromkeys(_PROJECTIONS, "projected")}
"""What is made by parts whose names stand for it."""
_PROJECTED = ("Q", "K", "V", "rotated_Q", "rotated_K", "normed_Q", "normed_K")
_IN_HEADS = frozenset([*_PROJECTED, "scores", "scaled", "masked", "weights", "output"])


class Meant(NamedTuple):
    """What a tensor may be: a quantity, or those of all heads, of each its number from 0; whether
    it is kept the other way round, as nn.Linear keeps its weight. Heads may share keys and values
    in some `groups`; None where that isn't known."""

    names: tuple[Name, ...]
    heads: bool = False
    is_parameter: bool = False
    groups: int | None = None


class _Read(NamedTuple):
    """The name of a module, read: where it stands, counted from 0, and the words that are left."""

    words: tuple[str, ...] = ()
    layer: int | None = None
    head: int | None = None
    stack: str = ""
    cross: bool = False
    parameter: str = ""


def meant_by(theirs: str, trace: Trace) -> Iterator[Meant]:
    """What a tensor of some name may be, the likeliest first."""
    if theirs in trace:
        yield Meant((trace[theirs].name,))
        return
    of = theirs.removeprefix("grad.").removesuffix(".grad")
    if of != theirs:
        yield from _gradients(of, trace)
        return
    read = _read(theirs)
    if read.words in ((), ("output",)) and read.layer is not None and not read.parameter:
        yield from _of_local("block", read, trace)
    for local in _locals(read.words):
        yield from _of_local(local, read, trace)


def _gradients(of: str, trace: Trace) -> Iterator[Meant]:
    """The gradients of what a tensor may be, which are kept as that is: `fc1.weight.grad` is the
    gradient of `fc1.weight`."""
    for one in meant_by(of, trace):
        names = tuple(name.under(GRADIENTS) for name in one.names)
        if all(name in trace for name in names):
            yield one._replace(names=names)


def _read(theirs: str) -> _Read:
    """`blocks.0.attn.hook_q` is hook_q of attn in the first layer."""
    read, before = _Read(), ""
    words: list[str] = []
    for part in re.findall(r"[^./\[\]\s]+", theirs):
        word, counted = part.lower(), re.fullmatch(r"([a-z_]+?)_?(\d+)", part.lower())
        kind = before
        if counted and counted[1] in LAYER_WORDS | HEAD_WORDS:
            kind, word = counted[1], counted[2]
        if word.isdigit() and kind in LAYER_WORDS:
            read, words = read._replace(layer=int(word)), []
        elif word.isdigit() and kind in HEAD_WORDS:
            read = read._replace(head=int(word))
            words = [one for one in words if one != kind]
        elif word in ("weight", "bias"):
            read = read._replace(parameter=word)
        else:
            read = _placed(read, word)
            words.append(word)
        before = word
    return read._replace(words=tuple(words))


def _placed(read: _Read, word: str) -> _Read:
    if word in CROSS:
        return read._replace(cross=True)
    return read._replace(stack=word) if word in STACKS else read


def _locals(words: tuple[str, ...]) -> Iterator[str]:
    """What the last words may mean, those of several words first; then without what only says that
    it is an output."""
    for start in range(max(0, len(words) - 3), len(words)):
        yield from OURS.get(".".join(words[start:]), ())
    if not words:
        return
    last = words[-1]
    shorter = next((last.removesuffix(end) for end in ENDINGS if last.endswith(end)), None)
    if shorter:
        yield from _locals((*words[:-1], shorter))
    elif last in ("output", "out", "0") and len(words) > 1:
        yield from _locals(words[:-1])


def _of_local(local: str, read: _Read, trace: Trace) -> Iterator[Meant]:
    for stack in _stacks(trace, read):
        if read.parameter:
            yield from _parameters(local, read, stack, trace)
            continue
        layers = _layers(stack, read)
        for layer in layers:
            yield from _in_layer(local, read, layer, trace)
        if read.layer is None:
            yield from _there(trace, _name(stack.path, local))


def _stacks(trace: Trace, read: _Read) -> tuple[Stack, ...]:
    scenario = trace.scenario
    if read.stack == "encoder" and scenario.encoder is not None:
        return (scenario.encoder,)
    return (scenario.stack,) if read.stack or scenario.encoder is None else scenario.stacks


def _layers(stack: Stack, read: _Read) -> tuple[Layer, ...]:
    """The layer that is meant; where none is named, the only one."""
    if read.layer is None:
        return stack.layers if len(stack.layers) == 1 else ()
    return stack.layers[read.layer : read.layer + 1]


def _in_layer(local: str, read: _Read, layer: Layer, trace: Trace) -> Iterator[Meant]:
    attention = layer.cross if read.cross and layer.cross is not None else layer.attention
    if local == "block":
        yield from _there(trace, *_last_of(layer, trace))
        return
    if read.head is None:
        yield from _there(trace, _name(attention.path, local))
    if local in _IN_HEADS:
        yield from _in_heads(local, read, attention, trace)
    if attention.path != layer.path:
        yield from _there(trace, _name(layer.path, local))


def _in_heads(local: str, read: _Read, attention: Attention, trace: Trace) -> Iterator[Meant]:
    if attention.heads == 1:
        return
    paths = [attention.head_path(head) for head in range(attention.heads)]
    if read.head is not None:
        yield from _there(trace, *(below(path, local) for path in paths[read.head : read.head + 1]))
        return
    names = tuple(below(path, local) for path in paths)
    if all(name in trace for name in names):
        groups = attention.kv_heads if local.endswith(("K", "V")) else len(names)
        yield Meant(names, heads=True, groups=groups)


def _last_of(layer: Layer, trace: Trace) -> list[Name]:
    """What the last step of a layer makes."""
    inside = [one.name for one in trace.plan if one.name.inside(layer.path)]
    if not layer.path:
        inside = [name for name in inside if not _later(name)]
    return inside[-1:]


def _later(name: Name) -> bool:
    """Whether a name at the top is of what comes after the layers."""
    return name.local in ("last", "logits") or name.places[0] in (
        "next",
        "final_norm",
        *_PROJECTIONS,
    )


def _name(path: Name, local: str) -> Name:
    full = below(path, local)
    return below(full, _MADE[local]) if local in _MADE else full


def _there(trace: Trace, *names: Name) -> Iterator[Meant]:
    for name in names:
        if name in trace:
            yield Meant((trace[name].name,))


def _parameters(local: str, read: _Read, stack: Stack, trace: Trace) -> Iterator[Meant]:
    """The weight or the bias of the module that makes a quantity."""
    own = PARAMETERS.get(local, ("", ""))[read.parameter == "bias"]
    paths = [stack.path, *(layer.path for layer in _layers(stack, read))]
    attentions = (layer.cross if read.cross else layer.attention for layer in _layers(stack, read))
    paths += [attention.path for attention in attentions if attention is not None]
    for path in reversed(dict.fromkeys(paths)):
        known: Mapping[str, Name] = {f"{path}.{own}".lstrip("."): path}
        for name in known:
            if own and name in trace:
                yield Meant((trace[name].name,), is_parameter=True)
