"""Sentences and their parts; those about scenarios: contents, facts, rounding and gaps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache

from attncli.document.blocks import (
    Block,
    Callout,
    DefinitionList,
    Paragraph,
    Span,
    Spans,
    Term,
    text_of_spans,
)
from attncli.document.languages import Words, sentences_in, words_of
from attncli.document.retold import Mark
from attncli.errors import agreed, counted, listed
from attncli.maths.equations import deciding
from attncli.maths.equations.tree import Equation, Number, Root, Symbol, numbers_in
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Rounding
from attncli.names import Word, WordedText, below
from attncli.option_values import LANGUAGES
from attncli.scenario.model import Layer, Phrase, Recurrent, Stack, projected_when
from attncli.scenario.scenario import ALL_OURS, Scenario
from attncli.steps.attention.scores import SCALE
from attncli.steps.written.step import environment_of
from attncli.trace import Trace, Unfinished
from attncli.trace.axes import place_of
from attncli.trace.trace import Outline, outline_of


def put_in(template: str, **parts: Spans | str) -> Spans:
    """Returns a sentence with what is put in for each `{name}` of it."""
    spans: list[Span] = []
    for text, name in _fields(template):
        part = parts[name] if name else ()
        for span in (text, *((part,) if isinstance(part, str) else part)):
            if spans and isinstance(span, str) and isinstance(spans[-1], str):
                spans[-1] += span
            elif span != "":
                spans.append(span)
    return tuple(spans)


@lru_cache(maxsize=512)
def _fields(template: str) -> tuple[tuple[str, str], ...]:
    """Splits a template into its texts, each with the name of what comes after it."""
    parts = [part.partition("{")[::2] for part in template.split("}")]
    return tuple(part for part in parts if any(part))


def joined(parts: Iterable[Spans], by: str = ", ") -> Spans:
    """Joins some running texts, with a comma between them or whatever else."""
    spans: list[Span] = []
    for part in parts:
        spans += [by, *part] if spans else part
    return tuple(spans)


def each_sentence(spans: Spans) -> list[Spans]:
    """Lists the sentences of a running text."""
    sentences, own = list[Spans](), list[Span]()
    for span in spans:
        *ended, last = re.split(r"(?<=\.) +", span) if isinstance(span, str) else (span,)
        for text in ended:
            sentences.append((*own, text))
            own = []
        own += [last] if last != "" else []
    return [*sentences, tuple(own)] if own else sentences


def without_stop(spans: Spans) -> Spans:
    """Returns a sentence without the full stop at its end."""
    *before, last = spans
    return (*before, last.removesuffix(".") if isinstance(last, str) else last)


def capital(spans: Spans) -> Spans:
    """Begins a sentence with a capital, unless it begins with somebody's word."""
    place = int(isinstance(spans[0], Mark))
    first = spans[place]
    if not isinstance(first, str):
        return spans
    return (*spans[:place], first[:1].upper() + first[1:], *spans[place + 1 :])


def gives_it(mistake: WordedText) -> WordedText:
    """Tells of a known mistake that it gives a number: its author may have gone wrong otherwise."""
    first, *others = mistake or ("",)
    small = f"{first[:1].lower()}{first[1:]}" if isinstance(first, str) else first
    return ("A mistake that gives it: ", small, *others)


def enumerated(names: Sequence[str]) -> str:
    """Enumerates names: `a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), *names[-1:]] if names[1:] else names)


def words_enumerated(names: Sequence[str]) -> Spans:
    """Enumerates somebody's words, each one by itself."""
    return spans_enumerated([(Word(name),) for name in names])


def quoted(*names: str) -> Spans:
    """Enumerates words in quotation marks: `“a”, “b” and “c”`."""
    return spans_enumerated([("“", Word(name), "”") for name in names])


def spans_enumerated(parts: Sequence[Spans]) -> Spans:
    """Enumerates some running texts."""
    *others, last = parts
    return (*joined(others), " and ", *last) if others else last


def in_turns(names: Sequence[str]) -> Iterator[str]:
    """Yields names one after the other, those that come several times in turn once: `a, 3 × (b,
    c)`."""
    start = 0
    while start < len(names):
        size, times = max(_turns(names[start:]), key=lambda pairs: pairs[0] * (pairs[1] - 1))
        text = " → ".join(names[start : start + size])
        yield text if times == 1 else f"{times} × {text}" if size == 1 else f"{times} × ({text})"
        start += size * times


def _turns(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yields how many of the first names are taken, and how often these come in turn."""
    yield 1, 1
    for size in range(1, len(names) // 2 + 1):
        times = 1
        while names[times * size : (times + 1) * size] == names[:size]:
            times += 1
        yield size, times


MOST_TIED = 3
"""So many of those that tie are named."""


def called_as(names: Sequence[str], place: int, noun: str = "token") -> Spans:
    """Names a token: `“love”`, or `token 1` where it has no name."""
    name = names[place]
    if name == str(place + 1):
        return (f"{noun} ", Word(name))
    return ("“", Word(name), "”")


def each_of(places: Sequence[int]) -> str:
    """Returns ` each` where something is said of several places."""
    return agreed(len(places), "", " each")


def tied(names: Iterable[Spans], again: str = "", many: int = 0) -> Spans:
    """Enumerates names that tie: `A`, `A and to B`, `A, to B and to C`, `A, to B, to C and 4
    others`. Of `many` the first few names are enough."""
    every = list(names)
    named, left = every[:MOST_TIED], max(len(every), many) - MOST_TIED
    more: list[Spans] = [] if left <= 0 else [(counted(left, "other"),)]
    parts = [*((() if k == 0 else (again,)) + spans for k, spans in enumerate(named)), *more]
    *first, last = (*parts,)
    return (*joined(first), " and ", *last) if first else last


def percent(number: Number, places: int | None = None) -> Number:
    """Turns a share of 1 into a percentage, from the digits shown: with all of these, or
    rounded."""
    hundredfold = decimals.product(number.shown, decimals.counted(100, 0))
    exact = decimals.round_to(hundredfold, max(0, decimals.places(number.shown) - 2))
    rounded = exact if places is None else decimals.round_to(exact, places)
    return Number.written(rounded or exact)


def contrasted(number: Number, other: Number) -> tuple[Number, Number] | None:
    """Returns two numbers as they are shown, or where these are alike with as many more decimals as
    it takes; None where no digit tells them apart."""
    if number.shown != other.shown:
        return number, other
    first = decimals.places(number.shown) + 1
    for places in range(first, first + decimals.SIGNIFICANT):
        a, b = (decimals.shown(float(n.full), places) for n in (number, other))
        if a != b:
            return Number.written(a), Number.written(b)
    return None


_ENGLISH = words_of(LANGUAGES[0]).facts
_LEAST_OF_A_ROOT = 3
"""A square root is told with at least so many decimals."""


def rounding_in_words(rounding: Rounding, words: Words = _ENGLISH, *, asked: bool = False) -> str:
    """States the rounding policy as a teacher would; where numbers are `asked`, what to do."""
    places = words.counted("decimals", rounding.decimals)
    stated, asks = (
        (words.carry, words.carry_asked) if rounding.carries else (words.exact, words.exact_asked)
    )
    says = asks if asked else stated
    return says.format(places=f"{places}{_own_decimals(rounding)}")


def _own_decimals(rounding: Rounding) -> str:
    """Says which steps and quantities have decimals of their own: ` (update: 6)`."""
    others = {**rounding.steps, **rounding.quantities}
    return f" ({', '.join(f'{name}: {n}' for name, n in others.items())})" if others else ""


def sizes(outline: Outline, stack: Stack, words: Words = _ENGLISH) -> Spans:
    """Says what is the same in every layer: `3 tokens, d_model = 2, 2 heads, d_k = 2, d_v = 2`"""
    if outline.scenario.plan.written.alone:
        return joined(_own_sizes(outline.scenario))
    layers = stack.layers
    firsts = [layer.attention.head_path(0) for layer in layers]
    lines = [*_tokens_and_width(outline, stack, words), *_heads(outline, stack, words)]
    lines += _size("d_k", _common(_columns(outline, below(path, "K")) for path in firsts))
    lines += _size("d_v", _common(_columns(outline, below(path, "V")) for path in firsts))
    states = (_rows(outline, layer) for layer in layers if layer.recurrent is not None)
    lines += _size("h", _common(states))
    inner = (_columns(outline, below(layer.path, "hidden"), made=True) for layer in layers)
    lines += _size("d_ff", _common(inner))
    return joined(lines)


def _tokens_and_width(outline: Outline, stack: Stack, words: Words) -> list[Spans]:
    """Says how many tokens and layers there are, and how wide the vectors between these."""
    tokens, layers = stack.text.tokens, stack.layers
    counts = [words.counted("tokens", len(tokens))] if tokens else []
    counts += [words.counted("layers", len(layers))] if len(layers) > 1 else []
    lines: list[Spans] = [(count,) for count in counts]
    embedded = (below(stack.path, local) for local in ("X", *stack.added))
    widths = (_columns(outline, name, made=True) for name in embedded)
    if projected_when(stack):
        lines += _size("d_embed", _columns(outline, below(stack.path, "E"), made=True))
    return lines + _size("d_model", next((width for width in widths if width is not None), None))


def _main_sizes(outline: Outline) -> list[Spans]:
    """Says the sizes of the main stack that a line of facts tells."""
    stack = outline.scenario.stack
    lines = [*_tokens_and_width(outline, stack, _ENGLISH), *_heads(outline, stack, _ENGLISH)]
    states = (_rows(outline, layer) for layer in stack.layers if layer.recurrent is not None)
    return lines + _size("h", _common(states))


def _own_sizes(scenario: Scenario) -> list[Spans]:
    """Says how long the sides are that equations name: `token = 3, d_k = 2`"""
    sides = environment_of(scenario).sides
    return [line for name, side in sides.items() for line in _size(name, side.length)]


def _own_counts(scenario: Scenario) -> list[Spans]:
    """Says how long the sides are that equations name, those first whose places are named: `3
    tokens`, `d_k = d_v = 2`"""
    sides = environment_of(scenario).sides.items()
    named = [(counted(side.length, name),) for name, side in sides if side.labels]
    lengths: dict[tuple[str, int], list[Spans]] = {}
    for name, side in sides:
        if not side.labels:
            kind = name.partition("_")[0]
            lengths.setdefault((kind, side.length), []).append((Symbol(name),))
    alike = (
        joined((*names, (Number.written(length),)), " = ") for (_, length), names in lengths.items()
    )
    return [*named, *alike]


def _heads(outline: Outline, stack: Stack, words: Words) -> list[Spans]:
    """Says how many heads there are; of a single one only where another stack has several."""
    several = any(site.attention.heads > 1 for site in outline.scenario.sites)
    attending = (layer for layer in stack.layers if layer.recurrent is None)
    heads = _common(layer.attention.heads for layer in attending)
    return [(words.counted("heads", heads),)] if heads is not None and several else []


def _size(name: str, size: int | None) -> list[Spans]:
    return [] if size is None else [(Equation(Symbol(name), Number.written(size)),)]


def _common(sizes: Iterable[int | None]) -> int | None:
    """Returns the size that all have; None where they differ."""
    found = set(sizes)
    return found.pop() if len(found) == 1 else None


def _rows(outline: Outline, layer: Layer) -> int | None:
    """Returns how many numbers the memory of a recurrent layer has; None where that isn't known."""
    cell = layer.recurrent or Recurrent()
    path = cell.way_path(layer.path, cell.ways[0])
    return outline.scenario.plan.shapes.get(below(path, "a").at(1), (None, None))[0]


def _columns(outline: Outline, name: str, *, made: bool = False) -> int | None:
    """Returns the number of columns of a quantity, whether it came to be made or not (`made`: only
    if it did); None where that isn't known."""
    shapes = outline.shapes if made or name in outline.shapes else outline.scenario.plan.shapes
    return shapes.get(name, (None, None))[1]


def about_of(scenario: Scenario) -> tuple[Block, ...]:
    """Returns what a page begins with. If it was written of other numbers than those of this run,
    that is said before it."""
    if not scenario.page.about:
        return ()
    made = scenario.file.changed.made
    note: Spans = (
        "Changed for this run: ", Term(listed(made)), ". The text below is about the scenario "
        f"without {agreed(len(made), 'this change', 'these changes')}.",
    )  # fmt: skip
    return (*((Callout(note),) if made else ()), Paragraph((Word(scenario.page.about),)))


def facts_of(
    trace: Trace,
    queries: Sequence[str] = (),
    language: str = LANGUAGES[0],
    *,
    asked: bool = False,
) -> DefinitionList:
    """Returns the facts that the page opens with; `queries` are those of which it tells the rows,
    where not all, and on a sheet numbers are `asked` for."""
    words, own = words_of(language).facts, sentences_in(language)
    scenario = trace.scenario
    rows: list[tuple[str, Spans]] = []
    if scenario.encoder is not None and scenario.encoder.text.sentence is not None:
        rows.append((words.encoder, (Word(scenario.encoder.text.sentence),)))
    if scenario.text.sentence is not None:
        rows.append((words.sentence, (Word(scenario.text.sentence),)))
    for stack in scenario.stacks:
        if (how := stack.text.tokenizing) is not None:
            settings = joined((_in_words(p, own) for p in how.phrases), "; ")
            rows.append((words.tokenizer, (f"{how.name}: ", *settings)))
    if scenario.source.name is not None:
        rows.append((words.source, (Word(scenario.source.name), *_chosen(scenario, words))))
    outline = outline_of(trace)
    attending = [stack for stack in scenario.stacks if _attends(trace, stack)]
    size, scaling = (words.sizes, words.encoder_sizes), (words.scaling, words.encoder_scaling)
    rows += [(size[bool(entry.path)], sizes(outline, entry, words)) for entry in scenario.stacks]
    rows += [(scaling[bool(entry.path)], _scaling(outline, entry, words)) for entry in attending]
    if queries:
        named = joined(put_in(words.quoted, name=(Word(query),)) for query in queries)
        rows.append((words.shown, put_in(words.rows_of, queries=named)))
    rows.append((words.rounding, (rounding_in_words(trace.rounding, words, asked=asked),)))
    return DefinitionList(tuple((name, spans) for name, spans in rows if spans))


def facts_at_the_end(trace: Trace, queries: Sequence[str] = ()) -> DefinitionList:
    """Returns the facts that a page ends with: those that neither its line of facts tells nor its
    first step."""
    words = words_of(LANGUAGES[0]).facts
    left = (words.tokenizer, words.source, words.shown)
    rows = facts_of(trace, queries).rows
    return DefinitionList(tuple(row for row in rows if row[0] in left))


def facts_in_short(trace: Trace) -> Spans:
    """Returns the facts on one line: `3 tokens · d_model 2 · not scaled · 3 decimals, rounded at
    each step`; nothing of decimals where no number has some."""
    outline, scenario = outline_of(trace), trace.scenario
    facts = _own_counts(scenario) if scenario.plan.written.alone else _main_sizes(outline)
    facts += [spans for s in scenario.stacks[:1] if _attends(trace, s)
              for spans in [_scaling_in_short(outline, s)]]  # fmt: skip
    if not scenario.plan.written.alone:
        facts = [*map(_without_sign, facts)]
    if not _has_decimals(trace):
        return joined(facts, " · ")
    rounding = trace.rounding
    when = "at each step" if rounding.carries else "only on the page"
    places = f"{counted(rounding.decimals, 'decimal')}{_own_decimals(rounding)}"
    ends = (f"{places}, rounded {when}", f"{places} {when}")
    lines = [joined((*facts, (end,)), " · ") for end in ends]
    return lines[len(text_of_spans(lines[0])) > _ON_A_LINE]


def _has_decimals(trace: Trace) -> bool:
    """Tells whether any number of a trace is shown with decimals, as counts of pairs aren't."""
    matrices = (q.matrix for q in trace.quantities.values() if q.matrix.places != 0)
    rows = (matrix.row(i) for matrix in matrices for i in range(matrix.shape[0]))
    shown = (number.shown for row in rows for number in numbers_in(row))
    return any(number.is_finite() and decimals.places(number) > 0 for number in shown)


_ON_A_LINE = 78
"""The characters of a line of facts, on a terminal of 80 columns."""


def _without_sign(spans: Spans) -> Spans:
    """Returns a fact, a size without its equals sign: `d_model 2`."""
    parts = ((s.left, " ", s.right) if isinstance(s, Equation) else (s,) for s in spans)
    return tuple(part for own in parts for part in own)


def _scaling_in_short(outline: Outline, stack: Stack) -> Spans:
    sites = [site for site in outline.scenario.sites if site.stack is stack]
    scales = {site.attention.config.get(SCALE) for site in sites}
    scale = scales.pop()
    if scales:
        return ("scaled in some layers",)
    if scale == "none":
        return ("not scaled",)
    return (
        ("scores divided by ", Number.written(scale)) if isinstance(scale, Decimal) else ("scaled",)
    )


def _chosen(scenario: Scenario, words: Words) -> Spans:
    """Says what a source doesn't have: `; chosen for this example: W_Q, W_K`"""
    named = joined((Term(name),) for name in scenario.source.ours)
    names = (words.all_given,) if scenario.source.ours == ALL_OURS else named
    return ("; ", *put_in(words.chosen, names=names)) if scenario.source.ours else ()


def _in_words(phrase: Phrase, own: Mapping[str, str]) -> Spans:
    """Says a phrase in a language whose texts are by the English ones."""
    gaps = {
        gap: _in_words(value, own) if isinstance(value, Phrase) else (value,)
        for gap, value in phrase.gaps.items()
    }
    return put_in(own.get(phrase.text, phrase.text), **gaps)


def _attends(trace: Trace, stack: Stack) -> bool:
    """Tells whether scores came to be made or given in a stack."""
    if trace.scenario.plan.written.alone:
        return False
    names = (*(q.name for q in trace.given), *(d.name for d in trace.plan if d.name in trace))
    scores = (name for name in names if name.local == "scores")
    in_stack = (name for name in scores if place_of(name, trace.scenario).stack is stack)
    return any(not trace[name].is_list for name in in_stack)


def _scaling(outline: Outline, stack: Stack, words: Words = _ENGLISH) -> Spans:
    sites = [site for site in outline.scenario.sites if site.stack is stack]
    layer = sites[0].layer
    scale = layer.attention.config.get(SCALE)
    if len({site.attention.config.get(SCALE) for site in sites}) > 1:
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
    spans: Spans = (Equation(root, exact),)
    if approximate**2 == d_k:
        spans = (*spans, " = ", Number.written(approximate.to_integral()))
    else:
        spans = put_in(words.about, exact=spans, number=(Number.written(approximate),))
    return put_in(words.divided_by, number=spans)


def _printed_root(square: int, scenario: Scenario) -> Decimal:
    """Returns a square root as the facts print it: as finely as the results that are made with
    it."""
    places = max(_LEAST_OF_A_ROOT, scenario.rounding.decimals)
    return decimals.round_to(deciding.full(Root(Number.written(square))), places)


def printed_roots(trace: Trace) -> dict[Decimal, Decimal]:
    """Finds the square roots that the facts give in figures that are cut short, by what they are
    of."""
    outline = outline_of(trace)
    rows = (_scaling(outline, stack) for stack in trace.scenario.stacks if _attends(trace, stack))
    roots = (s.right for spans in rows for s in spans if isinstance(s, Equation))
    squares = [root.operand for root in roots if isinstance(root, Root)]
    known = [n.full for n in squares if isinstance(n, Number)]
    about = {square: _printed_root(int(square), trace.scenario) for square in known}
    return {square: root for square, root in about.items() if root**2 != square}


def rounding_facts(trace: Trace) -> dict[str, object]:
    """Returns the rounding policy as data."""
    rounding = trace.rounding
    own = {"quantities": dict(rounding.quantities)} if rounding.quantities else {}
    return {
        "policy": rounding.policy,
        "decimals": rounding.decimals,
        "steps": dict(rounding.steps),
        **own,
    }


def unfinished_in_words(unfinished: Unfinished) -> Callout:
    """Says in one line why the trace ends where it does."""
    definition = unfinished.definition
    wanted = [*dict.fromkeys(unfinished.missing)]
    if wanted == ["d_k"]:
        return Callout(
            (
                "The next step, ", Term("scale"), ", divides by √d_k, and"
                " nothing tells d_k. Say ", Term("scale: none"), ", or the number to divide by.",
            )
        )  # fmt: skip
    needs = joined(((Term(name), *_or(name.local)) for name in wanted), " and ")
    step = Term(definition.step)
    return Callout(("The next step, ", step, ", needs ", *needs, "."))


_PROJECTED = {"W_Q": "Q", "W_K": "K", "W_V": "V"}


def _or(name: str) -> Spans:
    """Says what else than the quantity itself a scenario could give."""
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


def summary(outline: Outline) -> Spans:
    """Sums a scenario up: `I love AI: 3 tokens, d_model = 2, …; carry, 3 decimals; tokenize → … →
    ffn`"""
    scenario = outline.scenario
    steps = [part.called for part in outline.parts]
    path = f"{steps[0]} → {steps[-1]}" if len(steps) > 1 else "".join(steps) or "nothing to work"
    rounding = f"{scenario.rounding.policy}, {scenario.rounding.decimals} decimals"
    return (Word(scenario.title), ": ", *sizes(outline, scenario.stack), f"; {rounding}; {path}")


def published_in_short(trace: Trace) -> str:
    """Says how many printed numbers follow, `; 54 of 62 published numbers follow`; nothing where
    the source prints none."""
    if not trace.scenario.source.published:
        return ""
    from attncli.judging.publications import follow

    followed = [*follow(trace).values()]
    if not followed:
        return ""
    right = sum(followed)
    verb = agreed(right, "follows", "follow")
    which = "all" if right == len(followed) else str(right or "none")
    return f"; {which} of {counted(len(followed), 'published number')} {verb}"
