"""Sentences about scenarios: their facts, their rounding, what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from attncli.arithmetic import decimals, evaluation
from attncli.arithmetic.expression import Equation, Number, Root, Symbol
from attncli.arithmetic.rounding import Rounding
from attncli.choices import LANGUAGES
from attncli.document import Facts, Note, Spans, Term
from attncli.languages import words_of
from attncli.languages.words import FactWords
from attncli.name import below
from attncli.scenario.input_steps import projected_when
from attncli.scenario.model import Layer, Recurrent, Stack
from attncli.scenario.scenario import Scenario
from attncli.steps.attention.scores import SCALE
from attncli.telling.sentences import joined, put_in
from attncli.trace import Trace, Unfinished
from attncli.trace.axes import place_of
from attncli.trace.trace import Outline, outline_of
from attncli.word import Word

_ENGLISH = words_of(LANGUAGES[0]).facts
_LEAST_OF_A_ROOT = 3
"""A square root is told with at least so many decimals."""


def rounding_in_words(rounding: Rounding, words: FactWords = _ENGLISH) -> str:
    """The rounding policy as a teacher would state it."""
    places = words.decimals.of(rounding.decimals)
    others = {**rounding.steps, **rounding.quantities}
    own = f" ({', '.join(f'{name}: {n}' for name, n in others.items())})" if others else ""
    says = words.carry if rounding.carries else words.exact
    return says.format(places=f"{places}{own}")


def sizes(outline: Outline, stack: Stack, words: FactWords = _ENGLISH) -> Spans:
    """`3 tokens, d_model = 2, 2 heads, d_k = 2, d_v = 2`: what is the same in every layer."""
    tokens, layers = stack.text.tokens, stack.layers
    counts = [words.tokens.of(len(tokens))] if tokens else []
    counts += [words.layers.of(len(layers))] if len(layers) > 1 else []
    firsts = [layer.attention.head_path(0) for layer in layers]
    told: list[Spans] = [(count,) for count in counts]
    embedded = (below(stack.path, local) for local in ("X", *stack.added))
    widths = (_columns(outline, name, made=True) for name in embedded)
    if projected_when(stack):
        told += _size("d_embed", _columns(outline, below(stack.path, "E"), made=True))
    told += _size("d_model", next((width for width in widths if width is not None), None))
    told += _heads(outline, stack, words)
    told += _size("d_k", _common(_columns(outline, below(path, "K")) for path in firsts))
    told += _size("d_v", _common(_columns(outline, below(path, "V")) for path in firsts))
    states = (_rows(outline, layer) for layer in layers if layer.recurrent is not None)
    told += _size("h", _common(states))
    inner = (_columns(outline, below(layer.path, "hidden"), made=True) for layer in layers)
    told += _size("d_ff", _common(inner))
    return joined(told)


def _heads(outline: Outline, stack: Stack, words: FactWords) -> list[Spans]:
    """How many heads there are; of a single one a word where another stack has several."""
    several = any(site.attention.heads > 1 for site in outline.scenario.sites)
    attending = (layer for layer in stack.layers if layer.recurrent is None)
    heads = _common(layer.attention.heads for layer in attending)
    return [(words.heads.of(heads),)] if heads is not None and several else []


def _size(name: str, size: int | None) -> list[Spans]:
    return [] if size is None else [(Equation(Symbol(name), Number.written(size)),)]


def _common(sizes: Iterable[int | None]) -> int | None:
    """The size that all have; None where they differ."""
    found = set(sizes)
    return found.pop() if len(found) == 1 else None


def _rows(outline: Outline, layer: Layer) -> int | None:
    """How many numbers the memory of a recurrent layer has."""
    cell = layer.recurrent or Recurrent()
    path = cell.way_path(layer.path, cell.ways[0])
    return outline.scenario.shapes.get(below(path, "a").at(1), (None, None))[0]


def _columns(outline: Outline, name: str, *, made: bool = False) -> int | None:
    """The columns of a quantity, whether it came to be made or not."""
    shapes = outline.shapes if made or name in outline.shapes else outline.scenario.shapes
    return shapes.get(name, (None, None))[1]


def facts_of(trace: Trace, queries: Sequence[str] = (), words: FactWords = _ENGLISH) -> Facts:
    """What the page opens with; `queries` are those of which it tells the rows, where not all."""
    scenario = trace.scenario
    rows: list[tuple[str, Spans]] = []
    if scenario.encoder is not None and scenario.encoder.text.sentence is not None:
        rows.append((words.encoder, (Word(scenario.encoder.text.sentence),)))
    if scenario.text.sentence is not None:
        rows.append((words.sentence, (Word(scenario.text.sentence),)))
    for stack in scenario.stacks:
        if stack.text.tokenizing is not None:
            rows.append((words.tokenizer, (Word(stack.text.tokenizing.told),)))
    if scenario.source is not None:
        rows.append((words.source, (Word(scenario.source),)))
    outline = outline_of(trace)
    attending = [stack for stack in scenario.stacks if _attends(trace, stack)]
    size, scaling = (words.sizes, words.encoder_sizes), (words.scaling, words.encoder_scaling)
    rows += [(size[bool(one.path)], sizes(outline, one, words)) for one in scenario.stacks]
    rows += [(scaling[bool(one.path)], _scaling(outline, one, words)) for one in attending]
    if queries:
        named = joined((Word(one),) for one in queries)
        rows.append((words.shown, put_in(words.rows_of, queries=named)))
    rows.append((words.rounding, (rounding_in_words(trace.rounding, words),)))
    return Facts(tuple((name, spans) for name, spans in rows if spans))


def _attends(trace: Trace, stack: Stack) -> bool:
    """Whether scores came to be made or given in a stack."""
    scores = (q for q in trace.quantities.values() if q.local == "scores" and not q.is_list)
    return any(place_of(q.name, trace.scenario).stack is stack for q in scores)


def _scaling(outline: Outline, stack: Stack, words: FactWords = _ENGLISH) -> Spans:
    sites = [site for site in outline.scenario.sites if site.stack is stack]
    layer = sites[0].layer
    scale = layer.attention.said.get(SCALE)
    if len({site.attention.said.get(SCALE) for site in sites}) > 1:
        return (words.scaling_differs,)
    root = Root(Symbol("d_k"))
    if scale == "none":
        return (words.no_scaling,)
    if isinstance(scale, Decimal):
        return put_in(words.divided_by, number=(Number.written(scale),))
    d_k = _columns(outline, below(layer.attention.head_path(0), "K"))
    if d_k is None:
        return put_in(words.divided_by, number=(root,))
    exact = Root(Number.written(d_k))
    approximate = _printed_root(d_k, outline.scenario)
    told: Spans = (Equation(root, exact),)
    if approximate**2 == d_k:
        told = (*told, " = ", Number.written(approximate.to_integral()))
    else:
        told = put_in(words.about, exact=told, number=(Number.written(approximate),))
    return put_in(words.divided_by, number=told)


def _printed_root(square: int, scenario: Scenario) -> Decimal:
    """A square root as the facts print it: as finely as the results that are made with it."""
    places = max(_LEAST_OF_A_ROOT, scenario.rounding.decimals)
    return decimals.round_to(evaluation.full(Root(Number.written(square))), places)


def printed_roots(trace: Trace) -> dict[Decimal, Decimal]:
    """The square roots that the facts give in figures that are cut short, by what they are of."""
    outline = outline_of(trace)
    told = (_scaling(outline, stack) for stack in trace.scenario.stacks if _attends(trace, stack))
    roots = (s.right for spans in told for s in spans if isinstance(s, Equation))
    squares = [root.operand for root in roots if isinstance(root, Root)]
    known = [n.full for n in squares if isinstance(n, Number)]
    about = {square: _printed_root(int(square), trace.scenario) for square in known}
    return {square: root for square, root in about.items() if root**2 != square}


def rounding_facts(trace: Trace) -> dict[str, object]:
    """The rounding policy as data."""
    rounding = trace.rounding
    own = {"quantities": dict(rounding.quantities)} if rounding.quantities else {}
    return {
        "policy": rounding.policy,
        "decimals": rounding.decimals,
        "steps": dict(rounding.steps),
        **own,
    }


def unfinished_in_words(unfinished: Unfinished) -> Note:
    """Why the trace ends where it does, in one line."""
    definition = unfinished.definition
    wanted = [*dict.fromkeys(unfinished.missing)]
    if wanted == ["d_k"]:
        return Note(
            (
                "The trace ends here: the next step, ", Term("scale"), ", divides by √d_k, and"
                " nothing tells d_k. Say ", Term("scale: none"), ", or the number to divide by.",
            )
        )  # fmt: skip
    needs = joined(((Term(name), *_or(name.local)) for name in wanted), " and ")
    step = Term(definition.step)
    return Note(("The trace ends here: the next step, ", step, ", needs ", *needs, "."))


_PROJECTED = {"W_Q": "Q", "W_K": "K", "W_V": "V"}


def _or(name: str) -> Spans:
    """What else than the quantity itself a scenario could give."""
    match name:
        case "X":
            return (" (or ", Term("embeddings"), " for a ", Term("sentence"), ")")
        case "embeddings":
            return (" (or ", Term("X"), ")")
        case "W_Q" | "W_K" | "W_V":
            return (" (or ", Term(_PROJECTED[name]), ")")
        case "Q" | "K" | "V":
            return (" (or ", Term(f"W_{name}"), " with embeddings)")
        case _:
            return ()
