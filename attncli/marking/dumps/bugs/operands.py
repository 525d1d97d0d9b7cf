"""Bugs that are another operand of the same operation: other weights, another input; and what is
left out, or is just another tensor."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.arithmetic.operations.moved import Same
from attncli.marking.hypotheses import WrongWay
from attncli.name import Name, below
from attncli.trace import Definition, HeadPlace, NormPlace, PlannedStep, Trace

_RESIDUALS = ("residual1", "residual2", "residual3", "normed", "attention", "ffn")
_INNER = ("hidden", "up", "activated", "gated")
_STREAMS = frozenset([*_RESIDUALS, "X", "E", "scaled_E", "summed", "concat", "output", *_INNER])
_LETTERS = ("Q", "K", "V")


def other_parameters(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What a part gives with other weights of the same shape."""
    made = _made(trace, part)
    yield from _swapped_letters(trace, made)
    yield from _of_another_place(trace, made)
    for own in dict.fromkeys(x for one in made for x in one.operands if trace[x].given):
        if own.local in _STREAMS:
            continue
        for other in _alike(trace, own):
            if trace[other].given and other.local not in _STREAMS:
                name, says = _other_weights(own, other)
                yield WrongWay(name, says, _with(made, own, other))


def _other_weights(own: Name, other: Name) -> tuple[str, str]:
    if own.local != other.local:
        return f"{other.local}_for_{own.local}", f"{other} is taken where {own} belongs."
    beside = own.path.path == other.path.path
    what = "head" if beside and own.path.local == "heads" else "layer"
    what = "norm" if beside and own.path.local != other.path.local else what
    return f"weights_of_another_{what}", f"{other} is taken where {own} belongs."


def _of_another_place(trace: Trace, made: tuple[Definition, ...]) -> Iterator[WrongWay]:
    """What is made with all weights and biases that another layer, or another head, has for it."""
    for one in made:
        own = [x for x in one.operands if trace[x].given and x.local not in _STREAMS]
        for path in dict.fromkeys(x.path for x in _alike(trace, own[0])) if own else ():
            taken = {x: below(path, x.local) for x in own}
            fits = all(_shape(trace, x) == _shape(trace, other) for x, other in taken.items())
            if path != own[0].path and fits and len(own) > 1:
                changed = one._replace(operands=tuple(taken.get(x, x) for x in one.operands))
                yield WrongWay(*_other_weights(own[0], taken[own[0]]), (changed,))


def _swapped_letters(trace: Trace, made: tuple[Definition, ...]) -> Iterator[WrongWay]:
    """Queries, keys and values made with each other's weights and biases."""
    for one in made:
        letter = next((x for x in _LETTERS if f"W_{x}" in _locals(one)), "")
        for other in (x for x in _LETTERS if letter and x != letter):
            taken = tuple(_lettered(x, letter, other) for x in one.operands)
            if [_shape(trace, x) for x in taken] == [_shape(trace, x) for x in one.operands]:
                pair = sorted((letter, other))
                says = f"{letter} is made with the weights of {other}."
                changed = one._replace(operands=taken)
                yield WrongWay(f"{pair[0]}_and_{pair[1]}_swapped", says, (changed,))


def _locals(one: Definition) -> list[str]:
    return [x.local for x in one.operands]


def _lettered(x: Name, letter: str, other: str) -> Name:
    """`W_V` of `W_K`, `b_V` of `b_K`; anything else as it is."""
    if x.local not in (f"W_{letter}", f"b_{letter}"):
        return x
    return Name(x.local[:2] + other, x.path)


def other_inputs(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What a part gives of another input: before a norm instead of behind it, behind another
    sublayer; all of it, or only one of what it makes."""
    made = _made(trace, part)
    inputs = [x for one in made for x in one.operands if x.local in _STREAMS]
    for own in dict.fromkeys(inputs):
        for other in _alike(trace, own):
            if other.local in _STREAMS and _inner(own, part) == _inner(other, part):
                name, says = _other_input(trace, part, own, other)
                ways = [_with(made, own, other)]
                ways += [(one,) for one in ways[0]] if len(ways[0]) > 1 else []
                known = (way for way in ways if all(_is_other(one, other) for one in way))
                yield from (WrongWay(name, says, way) for way in known)
    yield from _left_out(trace, part, made)


def _is_other(changed: Definition, other: Name) -> bool:
    """Whether an input is none that goes in anyway, or is made there itself."""
    return changed.name != other and changed.operands.count(other) == 1


def _other_input(trace: Trace, part: PlannedStep, own: Name, other: Name) -> tuple[str, str]:
    """What it is called where one input stands for another."""
    says = f"{other} goes in where {own} belongs."
    if own in _inputs_of_norm(trace, other):
        what = "residual_of_the_normed" if part.step == "residual" else "normed_before"
        return what, f"{says} The norm is taken where it doesn't belong."
    if other in _inputs_of_norm(trace, own):
        return "not_normed", f"{says} The norm is left out."
    if other.local == "normed" or isinstance(part.place, NormPlace):
        return "norm_elsewhere", f"{says} Pre- and post-norm are exchanged."
    return f"{other.local}_for_{own.local}", says


def _inputs_of_norm(trace: Trace, normed: Name) -> tuple[Name, ...]:
    """What a norm is taken of."""
    part = trace.part_of(normed)
    if part is None or not isinstance(part.place, NormPlace):
        return ()
    return (part.place.x,)


def other_heads(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What a head gives of queries, keys or values of another one."""
    if not isinstance(part.place, HeadPlace) or part.place.attention.heads == 1:
        return
    attention, made = part.place.attention, _made(trace, part)
    for own in dict.fromkeys(x for one in made for x in one.operands if x.path == part.path):
        for head in range(attention.heads):
            other = below(attention.head_path(head), own.local)
            if other != own and _shape(trace, other) == _shape(trace, own):
                shared = attention.kv_heads < attention.heads and own.local.endswith(("K", "V"))
                name = "other_kv_head" if shared else "another_head"
                yield WrongWay(
                    name, f"{other} goes in where {own} belongs.", _with(made, own, other)
                )


def _left_out(trace: Trace, part: PlannedStep, made: tuple[Definition, ...]) -> Iterator[WrongWay]:
    """A part without one of its operations, whose result would be what goes in."""
    for one in (one for one in made if one.operands):
        first = one.operands[0]
        if not one.operation.copies and _shape(trace, first) == _shape(trace, one.name):
            says = f"{one.name} is just {first}."
            yield WrongWay(f"{part.step}_left_out", says, (_same(one, first),))


def other_tensors(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What a part makes is another tensor altogether."""
    for one in _made(trace, part):
        for other in _alike(trace, one.name):
            # what comes of it would only say its own number again
            if other not in one.operands and not _comes_of(trace, other, one.name):
                says = f"It is {other} instead."
                yield WrongWay("another_tensor", says, (_same(one, other),))


def _comes_of(trace: Trace, name: Name, source: Name) -> bool:
    """Whether a quantity is made of another one, by whatever way."""
    waiting, seen = [name], {name}
    while waiting:
        definition = trace[waiting.pop()].definition
        new = set() if definition is None else {*definition.operands} - seen
        waiting += new
        seen |= new
    return source in seen - {name}


def _same(one: Definition, other: Name) -> Definition:
    return one._replace(operation=Same(), operands=(other,))


def _made(trace: Trace, part: PlannedStep) -> tuple[Definition, ...]:
    return tuple(one for one in part.definitions if one.name in trace)


def _inner(x: Name, part: PlannedStep) -> bool:
    """Whether a part makes something itself."""
    return any(one.name == x for one in part.definitions)


def _with(made: tuple[Definition, ...], own: Name, other: Name) -> tuple[Definition, ...]:
    """The definitions that take one operand, with another one in its place."""
    return tuple(
        one._replace(operands=tuple(other if x == own else x for x in one.operands))
        for one in made
        if own in one.operands
    )


def _shape(trace: Trace, name: Name) -> tuple[int, int] | None:
    return trace[name].matrix.shape if name in trace else None


def _alike(trace: Trace, own: Name) -> list[Name]:
    """The other quantities of the same shape."""
    shape = _shape(trace, own)
    return [q.name for q in trace.quantities.values() if q.matrix.shape == shape and q.name != own]
