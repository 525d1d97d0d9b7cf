"""The tokens that are generated after a text, and what the model's next pass is given.

Each pass works the whole text so far. With a cache, the first one works all tokens (prefill), and
each later one the new token alone (decode), whose keys and values go behind those that are kept
(Pope et al. 2022, arXiv:2211.05102). Beam search goes on with several texts, those whose tokens
have the largest sums of log-probabilities (Sutskever et al. 2014, arXiv:1409.3215).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Number, constant
from attncli.names import Name, below
from attncli.scenario.file.problems import Objections
from attncli.scenario.scenario import Scenario
from attncli.trace.axes import names_along, place_of
from attncli.trace.trace import Trace

_NONE = constant(0)


class Continuation(NamedTuple):
    """A token that comes after the text of a trace."""

    trace: Trace
    token: str
    log_p: Number = _NONE
    """Its log-probability, in beam search only."""
    sum: Number = _NONE
    """The score of its beam: the sum of the log-probabilities of all generated tokens."""

    @property
    def ends(self) -> bool:
        """Tells whether it is the token after which generation stops."""
        return self.token == self.trace.scenario.prediction.generation.end_token

    @property
    def text(self) -> tuple[str, ...]:
        return (*self.trace.scenario.tokens_so_far, self.token)


def generated(trace: Trace, work: Callable[[Scenario], Trace]) -> tuple[Trace, ...]:
    """Works the passes after the first one and returns their traces in order, those of a beam
    search step by step."""
    found: list[Trace] = []
    running = [trace]
    for _ in range(trace.scenario.prediction.generation.length - 1):
        longer = map(_next_pass, continuations(running))
        running = [work(scenario) for scenario in longer if scenario is not None]
        found += running
    return tuple(found)


def generation(trace: Trace) -> Iterator[list[Continuation]]:
    """Yields for each step of generation the tokens that it continues with."""
    steps = groupby((trace, *trace.generated), lambda t: t.scenario.prediction.generation.length)
    return (continuations(list(running)) for _, running in steps)


def continuations(running: Sequence[Trace]) -> list[Continuation]:
    """Chooses the next token of a trace. Beam search chooses the candidates with the largest sums,
    as many as there are beams, and those among them that end besides."""
    beams = running[0].scenario.prediction.generation.beams if running else 0
    if not beams:
        found = ((trace, trace.next_word()) for trace in running)
        return [Continuation(trace, token) for trace, token in found if token is not None]
    by_score = sorted(_candidates(running), key=lambda c: c.sum.full, reverse=True)
    chosen: list[Continuation] = []
    for rank, candidate in enumerate(by_score):
        going_on = sum(not other.ends for other in chosen)
        if going_on == beams:
            break
        if not candidate.ends or rank < beams:
            chosen.append(candidate)
    return chosen


def _candidates(running: Iterable[Trace]) -> Iterator[Continuation]:
    """Yields every token after every text, with its log-probability and its sum."""
    for trace in running:
        log_p = trace["next.log_p"]
        score = trace["next.score" if "next.score" in trace else "next.log_p"]
        i = len(log_p.values) - 1
        for j, token in enumerate(log_p.columns.names):
            numbers = (quantity.matrix.number(i, j) for quantity in (log_p, score))
            yield Continuation(trace, token, *numbers)


def _next_pass(chosen: Continuation) -> Scenario | None:
    """Returns the scenario of the pass after a token, or None where the token has no vector or ends
    the text."""
    scenario, stack = chosen.trace.scenario, chosen.trace.scenario.stack
    text = stack.text.with_token(chosen.token)
    height = scenario.plan.shapes.get(stack.text.table.name, (None, None))[0] or 0
    if chosen.ends or text is None or max(text.rows_of_tokens) >= height:
        return None
    prediction = scenario.prediction.after_a_token
    said = prediction.generation
    score = chosen.sum if said.beams else None
    longer = replace(
        scenario,
        stack=stack._replace(text=text),
        prediction=prediction._replace(generation=said._replace(score=score)),
        source=replace(scenario.source, published={}, claims={}),
        variants={},
    )
    return longer if said.cache_bytes is None else _with_cache(longer, chosen.trace)


def _with_cache(scenario: Scenario, before: Trace) -> Scenario:
    """Returns the pass over the last token alone, with the keys and values of the pass before."""
    stack, cached = scenario.stack, before.scenario.tokens_so_far
    layers = tuple(
        layer._replace(attention=layer.attention._replace(cached=cached)) for layer in stack.layers
    )
    stack = stack._replace(text=stack.text.last, layers=layers)
    return replace(scenario.with_matrices(dict(_kept(before))), stack=stack)


def _kept(before: Trace) -> Iterator[tuple[Name, Matrix]]:
    for site in before.scenario.sites:
        attention = site.attention
        heads = map(attention.head_path, range(attention.heads))
        for path in heads if attention.own_heads else (attention.path,):
            for name in (below(path, "K"), below(path, "V")):
                if name in before:
                    yield below(below(path, "cache"), name.local), before[name].matrix


def check_generation(scenario: Scenario) -> Objections:
    """Yields an objection for all that stands in the way of generating more than one token."""
    more = scenario.prediction.generation.length - 1
    if more < 1:
        return
    if scenario.prediction.generation.cache_bytes is not None:
        yield from _against_cache(scenario)
    for name in _fixed(scenario):
        wrong = f"{name} is for this sentence only, and generation makes it longer"
        yield name, wrong, "leave it out, or generate 1 token"
    for positions in scenario.stack.positions:
        table = scenario.given.matrices.get(positions.table)
        start = positions.config.values.get("start", 0)
        wanted = start + len(scenario.tokens_so_far) + more
        if table is not None and table.shape[0] < wanted:
            has = f"{positions.table} has {table.shape[0]} rows"
            wrong = f"{has}, and {wanted} are needed to generate {more + 1} tokens"
            yield positions.table, wrong, f"give it {wanted} rows"


_CACHE, _LEAVE = "generate.cache", "leave the cache out"


def _against_cache(scenario: Scenario) -> Objections:
    """Yields objections to a cache: all that later tokens need of earlier ones has to be in the
    keys and values."""
    layers = scenario.stack.layers
    if any(layer.recurrent for layer in layers) or not any(layer.attends for layer in layers):
        yield _CACHE, "a cache of keys and values, and no attention that has some", _LEAVE
    if scenario.encoder is not None or any(layer.cross for layer in layers):
        yield _CACHE, "a cache of the tokens that are generated, beside an encoder's memory", _LEAVE


def _fixed(scenario: Scenario) -> Iterator[str]:
    """Yields the names of matrices that have a row or a column for each token of the sentence."""
    if scenario.prediction.loss.kind:
        yield "targets"
    if scenario.stack.segments:
        yield "segments"
    for name in scenario.given.matrices:
        place = place_of(name, scenario)
        elsewhere = (
            place.stack is not scenario.stack or name.path.local == "cache" or name == "memory"
        )
        roles = {names_along(name, side, scenario)[0] for side in (0, 1)}
        growing = {"token", "Q"} if place.attention.sees_memory else {"token", "Q", "K"}
        if not elsewhere and roles & growing:
            yield name
