"""Forms of a scenario: the same exercise with other numbers of the same difficulty.

The search is bounded. Candidates are drawn from one stream of random numbers that the seed
fixes, so that the first forms are the same however many are asked for. A form is one that gets
through the sieve, whose numbers, worked properly, are those that the sieve saw.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, Self

import numpy as np
from numpy.random import RandomState

from attncli.classroom.forms.candidate_quantity import (
    Attempt,
    attempts,
    made_of,
    shown_rows,
)
from attncli.classroom.forms.candidates import BatchMaker
from attncli.classroom.forms.costs import LIMITS, FormCost, Limits, difficulty, middle, near
from attncli.classroom.forms.plan import Plan, plan_of
from attncli.classroom.forms.pools import Drawn, Pools
from attncli.classroom.forms.rules import (
    CHECKS,
    GIVEN_CHECKS,
    OF_ONE_KIND,
    RULES,
    check_names,
    sparse,
)
from attncli.classroom.forms.showing import Blanks, shows
from attncli.classroom.forms.sieve import UNWORKABLE, Failures, RuleFilter, Survivor
from attncli.document.questions import form_name
from attncli.errors import UserError, listed
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers.rounding import Array, Flags
from attncli.names import Name
from attncli.pipeline import work
from attncli.scenario.file.problems import ScenarioError
from attncli.scenario.scenario import Scenario
from attncli.trace import Trace

_TRIED_COUNTS = 300
"""The most candidates that are tried for a form; each is learned, which takes a while."""
_ALL_NEW = 100
"""After so many, some of the texts keep their own counts: what is left out may hang on these."""
_LEAST_COUNT = 5
"""With counts from 1 to fewer, too many pairs would be as frequent as others."""
_TOGETHER = 36
"""Of few texts the counts may be larger, so that there are enough forms."""
_TOLERANCE_OF_COUNTS = 0.15


def _recounted(own: Trace, request: SearchRequest) -> Iterator[Trace]:
    """Yields the forms of a request, worked, whose corpus has other counts of its texts. Raises
    UnsatisfiedError where the search finds none."""
    random = RandomState(list(str(request.seed).encode()))
    found = {own.scenario.file.text_counts}
    for k in range(request.number):
        yield _next(own, request, random, found, form_name(k))


def _next(
    trace: Trace, like: SearchRequest, random: RandomState, found: set[tuple[int, ...]], form: str
) -> Trace:
    own = trace.scenario.file.text_counts
    most = max(*own, _LEAST_COUNT, _TOGETHER // len(own))
    for k in range(_TRIED_COUNTS):
        counts = tuple((1 + random.randint(most, size=len(own))).tolist())
        if k >= _ALL_NEW:
            keeps = random.randint(2, size=len(own))
            counts = tuple(np.where(keeps, own, counts).tolist())
        if counts in found and "alike" not in like.allow:
            continue
        made = _worked(trace, counts)
        if made is not None and _is_alike(trace, like, made):
            found.add(counts)
            return made
    wrong = f"none of {_TRIED_COUNTS} tries learns as many rounds with as few ties and as much work"
    raise UnsatisfiedError.of(f"form {form}", wrong, "give up a rule, like --allow ties")


def _worked(own: Trace, counts: Sequence[int]) -> Trace | None:
    """Returns the scenario with other counts, worked; None where it can't be learned or worked."""
    recount = own.scenario.file.recount
    try:
        return None if recount is None else work(recount(counts))
    except ScenarioError:
        return None


def _is_alike(own: Trace, like: SearchRequest, made: Trace) -> bool:
    """Tells whether a trace makes the same quantities, with no more ties than the scenario and as
    many unknown tokens, as hard and worth as much."""
    if list(made) != list(own) or _unknown(made) != _unknown(own):
        return False
    if "ties" not in like.allow and _ties(made) > _ties(own):
        return False
    wanted = difficulty(own, like.asked)
    near = abs(difficulty(made, like.asked) - wanted) <= _TOLERANCE_OF_COUNTS * wanted
    if not near or "difficulty" in like.allow:
        return "difficulty" in like.allow
    return like.points is None or like.points(made) == like.points(own)


def _unknown(trace: Trace) -> int:
    """Counts the tokens of the sentence that the tokenizer doesn't know."""
    text = trace.scenario.text
    return 0 if text.tokenizing is None else text.tokens.count(text.tokenizing.tokenizer.unknown)


def _ties(trace: Trace) -> int:
    """Counts the rounds of merges in which several pairs are the best."""
    made = [q for q in trace.quantities.values() if not q.given]
    known = {q.local for q in made}
    if "log_p" in known:  # which prunes pieces, and merges none
        return 0
    best = "scores" if "scores" in known else "counts"
    tables = [q.values for q in made if q.local == best]
    return sum(int(np.count_nonzero(table == table.max()) > 1) for table in tables)


class UnsatisfiedError(UserError):
    """An error: no numbers were found for some rules."""


_ANY = 2**62
Spare = Mapping[tuple[str, str], int]
"""In how many places a quantity may break a rule, by their names."""


def _spared(trace: Trace, plan: Plan, spare: Mapping[str, int] | Collection[str]) -> Spare:
    """Returns what numbers for a plan may break: so much in each quantity if that is said, else
    what the scenario's own do of some rules."""
    if isinstance(spare, Mapping):
        names = [stage.definition.name for stage in plan.stages]
        return {(name, rule): many for name in names for rule, many in spare.items()}
    counts: Counter[tuple[str, str]] = Counter()
    for (name, rule), broken in _broken(trace, plan):
        counts[name, rule] += int(np.sum(broken)) if rule in spare else 0
    # how many queries share a winner is of the kind of an exercise; the rest is free once broken
    return {
        (name, rule): count if rule == "winners" else _ANY
        for (name, rule), count in counts.items()
        if count
    }


def _broken(trace: Trace, plan: Plan) -> Iterator[tuple[tuple[str, str], Flags]]:
    rows = shown_rows(trace)
    for stage in plan.stages:
        name = stage.definition.name
        made = made_of(trace, trace[name], rows)
        few = sparse(made) if stage.factor else None
        if few is not None:
            yield (name, "trivial"), few
        for rule, check in CHECKS.items():
            broken = check(made)
            if broken is not None:
                yield (name, rule), broken if made.rows is None else broken[list(made.rows)]
    for drawn in plan.drawn:
        for rule, is_weak in GIVEN_CHECKS.items():
            yield (drawn.names[0], rule), is_weak(trace[drawn.names[0]].values)


def _with_numbers(scenario: Scenario, numbers: Mapping[Name, Matrix]) -> Scenario:
    """Returns the scenario, and its variants, with other numbers where they had the same."""

    def other(name: Name, matrix: Matrix) -> Matrix:
        own = scenario.given.matrices.get(name)
        return numbers[name] if name in numbers and _is_same(own, matrix) else matrix

    def changed(found: Scenario) -> Scenario:
        given = {name: other(name, matrix) for name, matrix in found.given.matrices.items()}
        variants = {name: changed(variant) for name, variant in found.variants.items()}
        return found.with_matrices(given).with_variants(variants)

    return changed(scenario)


def _is_same(own: Matrix | None, matrix: Matrix) -> bool:
    return own is matrix or (own is not None and own.written == matrix.written)


_FIRST, _MOST, _LEAST = 1024, 16384, 256
"""How many candidates go through the sieve together: at first, and the most and the least."""
_FEW, _PLENTY = 12, 60
"""With fewer survivors than this the next batch is larger, with more it is smaller."""
_TRIED = 400_000
"""The most candidates that are tried for a form, where each has a hundred numbers."""
_CELLS = 100
_LARGE_BLOCK = 31 * 2**20
"""Bytes; the most that glibc takes into account is 32 MB."""
_HELD = 2_000_000
"""The most numbers that a batch has together."""
_REFERENCE = 7
"""How many survivors the cost to aim for is the median of."""
_AT_ONCE = 32
"""How many candidates are looked at together, at most; of more forms few, since somebody may want
them one by one."""
_NONE = np.empty((4, 0))
_ENOUGH = 2
"""A mistake that shows in fewer of these is one that numbers hardly can show."""


class CostsWanted(NamedTuple):
    """What forms should cost."""

    limits: Limits = LIMITS
    """How far costs may be apart."""
    aim: FormCost | None = None
    """What each form should cost, if that is known; else the median of what is found first."""


class SearchRequest(NamedTuple):
    """A request for forms of a scenario."""

    number: int
    """How many forms are wanted."""
    seed: int
    """The seed of the random numbers."""
    asked: Collection[str] = ()
    """The full names of the quantities asked for; none: all that are made."""
    allow: Collection[str] = ()
    """The rules that may be broken."""
    pools: Pools = MappingProxyType({})
    """What some matrices are drawn from."""
    effort: int = 1
    """How many times as long the search goes on."""
    spare: Mapping[str, int] | Collection[str] = OF_ONE_KIND
    """In how many places forms may break some rules, or which they may break where the scenario's
    own numbers do."""
    points: Callable[[Trace], object] | None = None
    """Returns what a form is worth, where that depends on its numbers: it has to be as much as the
    scenario itself."""
    blanks: Blanks = Blanks()
    """The blanks in which mistakes have to show."""
    hidden: list[Attempt] | None = None
    """Gets the mistakes that need not show, since such numbers hardly can show them."""
    costs: CostsWanted = CostsWanted()
    """What forms should cost."""
    small: bool = False
    """Whether no number may have more than two digits before its decimal point."""


def forms(
    scenario: Scenario,
    count: int,
    seed: int,
    *,
    asked: Collection[str] = (),
    allow: Collection[str] = (),
) -> Iterator[Scenario]:
    """Yields so many scenarios that are the given one with other numbers, all different.

    `asked` are the full names of the quantities that the exercise asks for (none: all that are
    made), `allow` names rules of RULES that may be broken. When a form is asked for, it raises
    UnsatisfiedError where nothing can vary or the bounded search finds nothing, UserError for
    unknown rules, ValueError for unknown quantities.
    """
    request = SearchRequest(count, seed, asked, allow)
    return (trace.scenario for trace in search(scenario, request))


def search(scenario: Scenario, request: SearchRequest) -> Iterator[Trace]:
    """Yields the scenarios that a request asks for, worked; see `forms`."""
    wrong = check_names(request.allow)
    if wrong:
        raise UserError(wrong)
    trace = work(scenario.alone())
    plan = plan_of(trace, request.asked, request.pools)
    if not plan.drawn and trace.scenario.file.recount is not None:
        yield from _recounted(trace, request)
        return
    if not plan.drawn:
        right = "write out the matrices that are to vary"
        raise UnsatisfiedError.of("no other form", _nothing_varies(scenario), right)
    _keep_memory()
    going = _Search.of(scenario, trace, plan, request)
    try:
        yield going.next(0)
    except UnsatisfiedError:
        narrow = plan_of(trace, request.asked, request.pools, narrow=True)
        if not going.was_too_large or narrow.drawn == plan.drawn:
            raise
        going = _Search.of(scenario, trace, narrow, request)
        yield going.next(0)
    for k in range(1, request.number):
        yield going.next(k)


def _keep_memory() -> None:
    """Makes the C library keep what large arrays free for the next ones.

    Once a block of this size was freed, glibc gives smaller ones back to the system no more, which
    would cost a quarter of the search; elsewhere it changes nothing.
    """
    np.empty(_LARGE_BLOCK, dtype=np.uint8)


@dataclass
class _Found:
    """What a search has found so far."""

    waiting: deque[Survivor] = field(default_factory=deque)
    """What got through the sieve and is still to be looked at."""
    ready: deque[Trace] = field(default_factory=deque)
    """What was looked at and is good."""
    numbers: set[bytes] = field(default_factory=set)
    """The numbers of what was found before."""
    costs: list[FormCost] = field(default_factory=list)
    """What the first candidates cost."""


@dataclass
class _Search:
    """A search on its way."""

    scenario: Scenario
    trace: Trace
    plan: Plan
    sieve: RuleFilter
    random: RandomState
    request: SearchRequest
    found: _Found = field(default_factory=_Found)
    """What it has found so far."""
    reference: FormCost | None = None
    """What each form should cost, once that is known."""
    mistakes: Sequence[Attempt] | None = None
    """Those that have to show, once it is known which can."""
    size: int = _FIRST
    """How many candidates the next batch has."""
    was_too_large: bool = False
    """Whether it found nothing because powers of e came out large."""

    @classmethod
    def of(cls, scenario: Scenario, trace: Trace, plan: Plan, request: SearchRequest) -> Self:
        """Makes a search that begins."""
        random = RandomState(list(str(request.seed).encode()))
        spare = _spared(trace, plan, request.spare)
        workshop = BatchMaker(trace, plan)
        allow = frozenset(request.allow) | (frozenset() if request.small else {"small"})
        sieve = RuleFilter(workshop, allow, spare, request.blanks.cells)
        return cls(scenario, trace, plan, sieve, random, request)

    def __post_init__(self) -> None:
        sizes = (self.trace[stage.definition.name].values.size for stage in self.plan.stages)
        self.cells = max(sum(sizes), 1)
        self.most = max(_LEAST, min(_MOST, _HELD // self.cells))
        self.size = min(self.size, self.most)
        self.reference = self.request.costs.aim
        own = [self.trace[drawn.names[0]].matrix for drawn in self.plan.drawn]
        self.found.numbers.add(_as_bytes(own))

    def next(self, k: int) -> Trace:
        """Returns the k-th form, worked. Raises UnsatisfiedError where there is none."""
        failures = Failures()
        tried = 0
        while not self.found.ready:
            tried += self._look(k, tried, failures)
        return self.found.ready.popleft()

    def _look(self, k: int, tried: int, failures: Failures) -> int:
        """Gathers some good candidates, and makes those ready in which all mistakes show; returns
        how many were tried.

        Raises UnsatisfiedError where there is none.
        """
        some: list[Trace] = []
        left, before = self.request.number - k, tried
        wanted = max(left, _REFERENCE) if left <= _AT_ONCE else _REFERENCE
        while len(some) < wanted:
            if self.found.waiting and self.reference is not None:
                trace = self._checked(self.found.waiting.popleft(), failures)
                some += () if trace is None else (trace,)
                continue
            try:
                tried += self._fill(k, tried, failures)
            except UnsatisfiedError:
                if not some:
                    raise
                break
        self._show(some, failures)
        return tried - before

    def _show(self, some: Sequence[Trace], failures: Failures) -> None:
        """Makes those ready in which all mistakes show; the first ones tell which mistakes these
        are."""
        slips, good = self.mistakes, np.ones(len(some), dtype=np.bool_)
        if slips is None:
            slips = [*attempts(self.trace, self.request.asked)]
            slips = () if "mistakes" in self.sieve.allow else slips
        found = zip(slips, shows(some, slips, self.request.blanks), strict=True)
        shown = {slip: flags for slip, flags in found if flags is not None}
        if self.mistakes is None:
            few = [slip for slip in shown if shown[slip][:_REFERENCE].sum() < _ENOUGH]
            self.mistakes = [slip for slip in shown if slip not in few]
            if self.request.hidden is not None:
                self.request.hidden.extend(few)
        for slip in self.mistakes:
            good &= shown[slip]
        failures.add("mistakes", int((~good).sum()), len(some))
        self.found.ready += (trace for trace, is_good in zip(some, good, strict=True) if is_good)

    def _fill(self, k: int, tried: int, failures: Failures) -> int:
        """Sends a batch through the sieve; returns how many candidates it had. Raises
        UnsatisfiedError when the search has tried enough."""
        if tried * self.cells > _TRIED * _CELLS * self.request.effort:
            wrong, right = _hardest_rules(tried, failures)
            self.was_too_large = failures.took["exponentials"] > 0
            raise UnsatisfiedError.of(
                f"form {form_name(k)}",
                wrong,
                f"{right}, ask for fewer steps, or begin with numbers of `attn design`",
            )
        size = self.size
        survivors = self.sieve.sift(self.random, size, failures, self._like)
        if len(survivors) < _FEW:
            self.size = min(2 * size, self.most)
        elif len(survivors) > _PLENTY:
            self.size = max(size // 2, min(_LEAST, self.most))
        self.found.waiting += survivors
        return size

    def _checked(self, survivor: Survivor, failures: Failures) -> Trace | None:
        """Works a survivor; returns None if there is one like it already, it costs or is worth more
        or less than it should, or what it makes isn't what the sieve saw."""
        trace, rule, key = None, "difficulty", b""
        if self._like(np.array(survivor.cost), _NONE):
            # what was drawn, as an author would write it
            numbers = {drawn: drawn.matrix(own) for drawn, own in survivor.drawn.items()}
            key = _as_bytes([numbers[drawn] for drawn in self.plan.drawn])
            rule = UNWORKABLE
            if key in self.found.numbers and "alike" not in self.sieve.allow:
                rule = "alike"
            else:
                trace = self._worked(numbers)
        if trace is not None and not self._is_worth_as_much(trace):
            trace, rule = None, "difficulty"
        if trace is None or not _is_as_seen(trace, survivor):
            failures.add(rule, 1, 1)
            return None
        self.found.numbers.add(key)
        return trace

    def _worked(self, numbers: Mapping[Drawn, Matrix]) -> Trace | None:
        """Works the scenario with other numbers; returns None where not all of it can be worked,
        its variants and generated tokens too."""
        by_name = {name: matrix for drawn, matrix in numbers.items() for name in drawn.names}
        scenario = _with_numbers(self.scenario, by_name)
        is_alone = not self.scenario.variants and self.scenario.prediction.generation.length < 2  # noqa: PLR2004
        try:
            return self.trace.rerun(scenario) if is_alone else work(scenario)
        except ScenarioError:
            return None

    def _is_worth_as_much(self, trace: Trace) -> bool:
        points = None if "difficulty" in self.sieve.allow else self.request.points
        return points is None or points(trace) == points(self.trace)

    def _like(self, costs: Array, first: Array) -> Flags:
        """Tells which candidates cost as much as they should: as the median of the first ones. [4]
        or [4, b] -> [] or [b]"""
        if self.reference is None:
            self.found.costs += (FormCost(*own) for own in first.T.tolist())
            if len(self.found.costs) >= _REFERENCE:
                hard = middle(self.found.costs[:_REFERENCE]).difficulty
                self.reference = middle(self.found.costs)._replace(difficulty=hard)
        if self.reference is None or "difficulty" in self.sieve.allow:
            return np.ones(costs.shape[1:], dtype=np.bool_)
        return near(costs, self.reference, self.request.costs.limits)


def _is_as_seen(trace: Trace, survivor: Survivor) -> bool:
    """Tells whether the numbers, worked one by one as a page has them, are those that were seen."""
    return all(_agree(trace[name].values, seen) for name, seen in survivor.made.items())


def _as_bytes(matrices: list[Matrix]) -> bytes:
    return b"".join(matrix.values.tobytes() for matrix in matrices)


def _nothing_varies(scenario: Scenario) -> str:
    why = "what this leads to has no given numbers that may vary"
    if scenario.given.sources:
        why += f" ({listed(scenario.given.sources)} is random, or comes from a file)"
    return why


_MOST_TOLD = 3


def _hardest_rules(tried: int, failures: Failures) -> tuple[str, str]:
    """Says of numbers that weren't found which rules were hardest to get past, and what would
    help."""
    by_hardness = sorted(failures.hard, key=failures.hard.__getitem__, reverse=True)
    worst = [rule for rule in by_hardness if rule in RULES and failures.took[rule]][:_MOST_TOLD]
    took = ", ".join(f"{rule} ({RULES[rule]}) took {failures.took[rule]:,}" for rule in worst)
    none = f"none of {tried:,} tries meets all rules"
    if not worst:
        return f"{none}, since none has numbers that can be worked with", "choose other sizes"
    return f"{none}: {took}", f"give up a rule, like --allow {worst[0]}"


def _agree(worked: Array, seen: Array) -> bool:
    """Tells whether numbers are the same, but for the noise of floats where they are kept in
    full."""
    same = worked.shape == seen.shape and bool((worked == seen).all())
    return same or np.allclose(worked, seen, rtol=1e-9, atol=1e-9)
