"""Forms of a tokenizer that learns: the same texts with other counts, learned anew."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import RandomState

from attncli.design.difficulty import difficulty
from attncli.design.unsatisfied import Unsatisfied
from attncli.file.problems import ScenarioError
from attncli.pipeline import work
from attncli.questions import form_name
from attncli.trace import Trace

if TYPE_CHECKING:
    from attncli.design.search import SearchRequest

_TRIED = 300
"""The most candidates that are tried for a form; each is learned, which takes a while."""
_ALL_NEW = 100
"""After so many, some of the texts keep their own counts: what is left out may hang on these."""
_LEAST = 5
"""With counts from 1 to fewer, too many pairs would be as frequent as others."""
_TOGETHER = 36
"""Of few texts the counts may be larger, so that there are enough forms."""
_TOLERANCE = 0.15


class _Wish(NamedTuple):
    """What forms are to be like: the scenario, and what is asked for of them."""

    own: Trace
    asked: Collection[str]
    allow: Collection[str]
    points: Callable[[Trace], object] | None


def varies(trace: Trace) -> bool:
    """Whether a trace has counts of texts that can be others."""
    return trace.scenario.recount is not None


def recounted(own: Trace, request: SearchRequest) -> Iterator[Trace]:
    """The forms of a request, worked. Raises Unsatisfied where the bounded search finds none."""
    random = RandomState(list(str(request.seed).encode()))
    wish = _Wish(own, request.asked, request.allow, request.points)
    found = {own.scenario.text_counts}
    for k in range(request.number):
        yield _next(wish, random, found, form_name(k))


def _next(wish: _Wish, random: RandomState, found: set[tuple[int, ...]], form: str) -> Trace:
    own = wish.own.scenario.text_counts
    most = max(*own, _LEAST, _TOGETHER // len(own))
    for k in range(_TRIED):
        counts = tuple((1 + random.randint(most, size=len(own))).tolist())
        if k >= _ALL_NEW:
            keeps = random.randint(2, size=len(own))
            counts = tuple(np.where(keeps, own, counts).tolist())
        if counts in found and "alike" not in wish.allow:
            continue
        made = _worked(wish.own, counts)
        if made is not None and _is_alike(wish, made):
            found.add(counts)
            return made
    wrong = f"none of {_TRIED} tries learns as many rounds with as few ties and as much work"
    raise Unsatisfied.of(f"form {form}", wrong, "give up a rule, like --allow ties")


def _worked(own: Trace, counts: Sequence[int]) -> Trace | None:
    """The scenario with other counts, if it can be learned and worked."""
    recount = own.scenario.recount
    try:
        return None if recount is None else work(recount(counts))
    except ScenarioError:
        return None


def _is_alike(wish: _Wish, made: Trace) -> bool:
    """Whether it makes the same quantities, with no more ties than the scenario and as many unknown
    tokens, as hard and worth as much."""
    if list(made) != list(wish.own) or _unknown(made) != _unknown(wish.own):
        return False
    if "ties" not in wish.allow and _ties(made) > _ties(wish.own):
        return False
    wanted = difficulty(wish.own, wish.asked)
    near = abs(difficulty(made, wish.asked) - wanted) <= _TOLERANCE * wanted
    worth = wish.points is None or wish.points(made) == wish.points(wish.own)
    return (near and worth) or "difficulty" in wish.allow


def _unknown(trace: Trace) -> int:
    """How many tokens of the sentence the tokenizer doesn't know."""
    text = trace.scenario.text
    return 0 if text.tokenizing is None else text.tokens.count(text.tokenizing.tokenizer.unknown)


def _ties(trace: Trace) -> int:
    """In how many rounds of merges several pairs are the best."""
    made = [q for q in trace.quantities.values() if not q.given]
    known = {q.local for q in made}
    if "log_p" in known:  # which prunes pieces, and merges none
        return 0
    best = "scores" if "scores" in known else "counts"
    tables = [q.values for q in made if q.local == best]
    return sum(int(np.count_nonzero(table == table.max()) > 1) for table in tables)
