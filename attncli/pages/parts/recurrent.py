"""Recurrent cells: how sure a read-out is, their memory, gradients back through time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from attncli.document.blocks import Block, Callout, Derivation, Line, Spans, Subheading
from attncli.document.retold import (
    Followed,
    Pick,
    Value,
    as_it_was,
    by_case,
    is_less,
    retold,
    value_of,
)
from attncli.document.tables import DataTable, MatrixBlock
from attncli.maths.equations import deciding
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.tree import (
    ZERO,
    Apply,
    Expression,
    Location,
    Number,
    Omitted,
    Product,
    Sum,
    Symbol,
    constant,
    minus,
    rounded,
)
from attncli.maths.equations.working import sum_of
from attncli.maths.notation import plain
from attncli.maths.numbers import decimals
from attncli.names import below
from attncli.pages.parts.blocks import OF_EACH_GATE, table
from attncli.pages.parts.finding import Finding
from attncli.pages.parts.selection import Selection
from attncli.pages.parts.sentences import called_as, joined, percent, tied, without_stop
from attncli.trace import CellPlace, Place, PlannedStep, Quantity, Trace, WayPlace
from attncli.trace.quantity import distinct_tokens


def read_out(trace: Trace, place: Place, _: Selection) -> Finding | None:
    """Says how sure a cell is, or of which class."""
    assert isinstance(place, CellPlace)
    y = trace.quantities.get(place.timed("y"))
    if y is None:
        return None
    if place.timed("y_exp") in trace:
        return _classified(y)
    k = int(y.values[:, 0].argmax())
    number, name = y.number(k, 0), Symbol(place.here(y.name), (str(k + 1),))
    share = value_of(number, "percent", percent(number))
    what = f"for class {k + 1}" if y.matrix.shape[0] > 1 else "that the target is 1"
    says: Spans = (name, " is ", number, ": a probability of ", *share, " % ", what)
    after = called_as(distinct_tokens(place.text.tokens), place.time - 1)
    is_one = f"the class is {k + 1}" if y.matrix.shape[0] > 1 else "the target is 1"
    short: Spans = ("after ", *after, f", {is_one} with a probability of")
    return Finding(says, Location(y.name, k, 0), (), short)


def _classified(y: Quantity) -> Finding:
    """Says which class is the most likely: `class 2 is the most likely (0.632).`"""
    numbers = [y.number(k, 0) for k in range(y.matrix.shape[0])]
    most = max(number.shown for number in numbers)
    places = [k for k, number in enumerate(numbers) if number.shown == most]
    names = tied((str(k + 1),) for k in places)
    cell = Location(y.name, places[0], 0)
    if len(places) > 1:
        says: Spans = ("classes ", *names, " are the most likely")
        return Finding(says, cell, (numbers[places[0]], " each"))
    pick = Pick(len(numbers), lambda: numbers, lambda k: (str(k + 1),))
    most_likely = retold(Value(), numbers[places[0]])
    return Finding(("class ", *retold(pick, *names), " is the most likely"), cell, most_likely)


def way_through(trace: Trace, part: PlannedStep) -> list[Block]:
    """Says how many steps it takes from one end of a recurrent way to the other; of one with gates
    how much of the first memory they keep."""
    place, ends = part.place, _ends_of(part.place)
    assert isinstance(place, WayPlace)
    if not ends:
        return []
    steps = Number.written(place.times - 1)
    way: Spans = (
        "From ", *ends[0], " to ", *ends[1], " it takes ", steps, " steps, one after the other,"
        " and attention takes 1.",
    )  # fmt: skip
    return _kept(trace, place, ends) or [Callout(retold(Followed(), *way))]


def _ends_of(place: Place) -> tuple[Spans, Spans] | None:
    """Returns the tokens that a way begins and ends with; None where it has only one, or these have
    no names."""
    names = place.text.tokens
    if not isinstance(place, WayPlace) or not 1 < place.times == len(names):
        return None
    first, last = (called_as(names, time - 1) for time in (place.order[0], place.order[-1]))
    return first, last


def _kept(trace: Trace, place: WayPlace, ends: tuple[Spans, Spans]) -> list[Block]:
    """Says which share of each number of the first memory is kept, and what is left of each
    token."""
    after = place.order[1:]
    known = all(below(place.name("gates").at(t), "candidate") in trace for t in place.order)
    if not known or len(after) > MOST_PARTS:
        return []
    memory = trace[place.memory]
    products: list[Spans] = []
    for k in range(memory.matrix.size):
        shares = [_gated(trace, place, time, k)[1] for time in after]
        product = Product(tuple(shares)) if shares[1:] else shares[0]
        products.append((product, " = ", *retold(Followed(), _share(trace, product))))
    shown = (("…",) if k is None else products[k] for k in elided(len(products), MOST_PARTS))
    keep = " the gates keep these shares of the memory's numbers: "
    kept = ("From ", *ends[0], " to ", *ends[1], keep, *joined(shown, ", "), ".")
    return [Callout(kept), Callout(_left_of_each(trace, place, memory))]


def _gated(trace: Trace, place: WayPlace, time: int, k: int) -> tuple[Expression, Expression]:
    """Returns what a cell writes to a number of its memory at a time, and the share of it that it
    keeps."""
    from attncli.steps.recurrent.cells import keeps_old

    locals_ = ("candidate", "update", *(("forget",) if place.cell.kind == "lstm" else ()))
    gates = (trace[below(place.name("gates").at(time), local)] for local in locals_)
    candidate, update, *forget = (q.number(*divmod(k, q.matrix.shape[1])) for q in gates)
    other = forget[0] if forget else minus(constant(1), update)
    if not forget and keeps_old(place):
        return Product((other, candidate)), update
    return Product((update, candidate)), other


def _left_of_each(trace: Trace, place: WayPlace, memory: Quantity) -> Spans:
    """Says what is left of each token in the memory's largest number: `c[4][1] = 0.819 ≈ 0.296 +
    0.094 + 0.109 + 0.321: what is left of …`"""
    k, names = int(abs(memory.values).argmax()), distinct_tokens(place.text.tokens)
    start = trace[place.name(memory.local).at(place.start)].number(k, 0)
    left: list[Expression] = [start] if start.full else []
    called: list[Spans] = [("the start",) for _ in left]
    for time in place.order:
        written, keeps = _gated(trace, place, time, k)
        left = [*(Product((part, keeps)) for part in left), written]
        called.append(called_as(names, time - 1))
    number, total = memory.number(k, 0), sum_of([_share(trace, part) for part in left])
    cell = Symbol(place.here(memory.name), (str(k + 1),))
    adds_up: Spans = (cell, " = ", number, f" {deciding.relation(total, number)} ", total)
    whose = (*joined(called[:-1]), " and ", *called[-1])
    return (*adds_up, ": what is left of ", *whose, ".")


def _share(trace: Trace, exact: Expression) -> Number:
    share = decimals.round_to(deciding.shown(exact), trace.rounding.decimals)
    return Number.inner(share, rounded(exact))


def back_through_time(trace: Trace, place: Place, _: Selection) -> Finding | None:
    """Says whether a gradient vanishes or explodes, once it is back where the cell began; nothing
    of a single factor, which goes nowhere."""
    assert isinstance(place, CellPlace)
    norms = trace.quantities.get(place.name("factor_norms"))
    if norms is None or place.time != place.order[0] or len(place.order) < len("ab"):
        return None
    numbers = [norms.number(time - 1, 0) for time in reversed(place.order)]
    says = on_its_way(numbers, "on its way back the norm of the factor")
    return Finding(without_stop(says), numbers[-1].cell)


def on_its_way(numbers: Sequence[Number], what: str) -> Spans:
    """Says how large something is on its way back, and what becomes of it: `0.834 → 2.014 → 4.199 →
    8.369: it grows at every step, so the gradient explodes.`"""
    shown = elided(len(numbers), MOST_PARTS)
    sequence = joined((("…",) if k is None else (numbers[k],) for k in shown), " → ")
    spans: Spans = (f"{what} goes ", *sequence, ": ", *by_case(*_verdicts(numbers)), ".")
    return as_it_was(spans) if None in (number.cell for number in numbers) else spans


_MUCH = Number.written(2)
"""Times that a gradient is smaller or larger in the end before one says that it vanishes or
explodes."""


def _verdicts(numbers: Sequence[Number]) -> Iterator[tuple[Expression | None, Spans]]:
    """Yields what may become of a gradient whose size goes through numbers, each after the
    condition on these under which it is said; the last one has none."""
    first, last = numbers[0], numbers[-1]
    steps = [*pairwise(numbers)]
    falls, grows = (
        Product(tuple(is_less(*step) for step in ways))
        for ways in (((after, before) for before, after in steps), steps)
    )
    vanishes = is_less(Product((last, _MUCH)), first)
    explodes = is_less(Product((first, _MUCH)), last)
    differs = Sum(tuple(Apply("abs", (minus(after, before),)) for before, after in steps))
    so = "so the gradient"
    yield minus(constant(1), is_less(ZERO, last)), (f"nothing is left of it, {so} vanishes",)
    yield Product((falls, vanishes)), (f"it shrinks at every step, {so} vanishes",)
    yield falls, ("it shrinks at every step",)
    yield Product((grows, explodes)), (f"it grows at every step, {so} explodes",)
    yield grows, ("it grows at every step",)
    yield differs, ("it neither shrinks nor grows at every step",)
    yield None, ("it stays the same at every step",)


def gate_after_gate(part: PlannedStep, blocks: Sequence[Block]) -> list[Block]:
    """Arranges what is told of gates one after the other: of each its matrices, then its working.
    What is of none comes first, or behind them as it did. Where no matrices are told, as once they
    are known, the blocks stay as they are."""
    if part.step != "gates" or OF_EACH_GATE not in blocks:
        return [*blocks]
    of, kind = _gates_of(part), _cell_kind(part)
    told: dict[str, list[Block]] = {gate: [] for gate in dict.fromkeys(of.values())}
    others: tuple[list[Block], list[Block]] = ([], [])
    for block in blocks:
        if block == OF_EACH_GATE:
            continue
        if isinstance(block, Derivation):
            for gate, lines in groupby(block.lines, lambda line: of.get(_quantity(line), "")):
                told[gate].append(block._replace(lines=tuple(lines)))
            continue
        table = block.table if isinstance(block, DataTable) else block
        gate = of.get(table.quantity, "") if isinstance(table, MatrixBlock) else ""
        (told[gate] if gate else others[any(told.values())]).append(block)
    each = (
        part_of
        for gate, its in told.items()
        for part_of in (Subheading((_called_gate(gate, kind),)), *its)
    )
    return [*others[0], *each, *others[1]]


def _gates_of(part: PlannedStep) -> Mapping[str, str]:
    """Returns the gate of each quantity that leads to one, and of the matrices of its own."""
    found: dict[str, str] = {}
    for definition in part.definitions:
        local = definition.name.local
        gate = _SUMS.get(local, local.removeprefix("z_"))
        found[definition.name] = gate
        for operand in definition.operands:
            if operand.local[:2] in ("W_", "b_"):
                found[operand] = gate
    return found


_SUMS = {"reset_a": "candidate", "candidate_a": "candidate"}
"""What leads to a gate by another name."""


def _quantity(line: Line | Omitted) -> str:
    return line.quantity if isinstance(line, Line) else ""


def _cell_kind(part: PlannedStep) -> str:
    assert isinstance(part.place, CellPlace)
    return part.place.cell.kind


def _called_gate(gate: str, kind: str) -> str:
    if (gate, kind) == ("update", "lstm"):
        return "Input gate (update)"
    return "Candidate" if gate == "candidate" else f"{gate.capitalize()} gate"


def put_together(trace: Trace, part: PlannedStep) -> list[Block]:
    """Returns the table of what an LSTM's state is put together of, a row for each of its
    numbers."""
    place = part.place
    if part.step != "state" or not isinstance(place, CellPlace) or place.cell.kind != "lstm":
        return []
    gates = place.timed("gates")
    named = {
        "forget": below(gates, "forget"), "c before": place.timed("c", place.before),
        "update": below(gates, "update"), "candidate": below(gates, "candidate"),
        "c": place.timed("c"), "output": below(gates, "output"),
        "tanh(c)": place.timed("tanh_c"), "a": place.timed("a"),
    }  # fmt: skip
    columns = [trace[name] for name in named.values() if name in trace]
    if len(columns) < len(named):
        return []
    size = columns[0].matrix.size
    rows = [
        (str(k + 1), *(plain(q.number(*divmod(k, q.matrix.shape[1]))) for q in columns))
        for k in range(size)
    ]
    return [Subheading(("Put together",)), table(("", *named), rows)]
