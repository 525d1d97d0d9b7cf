"""The shapes of all quantities before any is worked, and whether they fit together.

They follow from the definitions: each operation's signature says which extents must agree. So the
same story tells what is done, what fits, and how large a random matrix has to be.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from attncli.errors import Where, counted, listed
from attncli.maths.equations.signatures import Dim
from attncli.maths.notation import plain, unbreakable
from attncli.names import TOP, Name, below
from attncli.scenario.file.problems import Diagnostics
from attncli.scenario.model import (
    ENCODER,
    GATES,
    LETTERS,
    TARGETS,
    Attention,
    Recurrent,
    projected_when,
)
from attncli.scenario.scenario import Scenario, Shape
from attncli.trace.axes import names_along, place_of
from attncli.trace.extents import SIDES, Extent, Extents, Reason, SumOfExtents, sized
from attncli.trace.quantity import Definition
from attncli.trace.trace import PlannedStep


def _know_stated(scenario: Scenario, extents: Extents) -> None:
    """Records the extents that the scenario states: d_model, d_k, d_v and d_ff."""
    for stack in scenario.stacks:
        stated = below(stack.path, "d_model")
        as_wide = () if projected_when(stack) == "after" else stack.added
        for local in ("X", *as_wide) if stated in scenario.given.sizes else ():
            name = below(stack.path, local)
            extents.know((name, 1), Extent(scenario.given.sizes[stated], stated, 1), stated)
    for path, local, name in _sized_quantities(scenario):
        stated = below(path, local)
        if stated not in scenario.given.sizes:
            stated = next((s for s in _above(path, local) if s in scenario.given.sizes), TOP)
        if stated:
            extents.know((name, 1), Extent(scenario.given.sizes[stated], stated, 1), stated)


def _above(path: Name, local: str) -> Iterable[Name]:
    while path:
        path = path.path
        yield below(path, local)


def _sized_quantities(scenario: Scenario) -> Iterable[tuple[Name, str, Name]]:
    """Yields the quantities whose columns d_k, d_v or d_ff count: the path that the size is stated
    for, the size, and the quantity's name."""
    for site in scenario.sites:
        for head in range(site.attention.heads):
            path = site.attention.head_path(head)
            yield from (
                (site.layer.path, size, below(path, name))
                for name, size in (("K", "d_k"), ("Q", "d_k"), ("V", "d_v"))
            )
    for stack in scenario.stacks:
        for layer in stack.layers:
            for path in layer.networks:
                yield layer.path, "d_ff", below(path, "hidden")


def _know_papers(scenario: Scenario, extents: Extents) -> None:
    """Records the original Transformer's proportions for random matrices whose size nothing else
    tells: d_k = d_v = d_model / heads, d_ff = 4 d_model."""
    for site in scenario.sites:
        d_model = extents.of((below(site.stack.path, "X"), 1))
        if d_model is None:
            continue
        _paper_heads(extents, d_model, site.attention)
        for path in site.layer.networks:
            inner = d_model._replace(size=4 * d_model.size, derived=True)
            _know_if_unknown(extents, below(path, "hidden"), inner)
            _know_if_unknown(extents, below(path, "ffn"), d_model)


def _know_if_unknown(extents: Extents, name: Name, columns: Extent) -> None:
    if extents.of((name, 1)) is None:
        extents.know((name, 1), columns, name)
        extents.settle()


def _paper_heads(extents: Extents, d_model: Extent, attention: Attention) -> None:
    heads = attention.heads
    for local in ("K", "Q", "V"):
        for head in range(heads):
            name = below(attention.head_path(head), local)
            if extents.of((name, 1)) is None and d_model.size % heads:
                extents.uneven(d_model, heads, name)
                return
            part = d_model._replace(size=d_model.size // heads, derived=True)
            _know_if_unknown(extents, name, part)
    _know_if_unknown(extents, below(attention.path, "attention"), d_model)


_TOKENS = "tokens"


class _Uncut(NamedTuple):
    """A side that can't be cut into equal parts."""

    where: Where
    """Where the scenario asks for the parts."""
    size: int
    side: int
    """Which side it is: 0 for rows, 1 for columns."""
    parts: int
    why: str
    """Why it is to be cut."""


class _Report(NamedTuple):
    """The problems of given things that don't fit together, each pair reported once."""

    scenario: Scenario
    definitions: Mapping[Name, Definition]
    problems: Diagnostics
    reported: set[object]
    wrong: set[str]
    """The names of matrices that already have a complaint of their own."""
    of_targets: dict[int, int]
    """The extents that the targets should have, by side, where theirs are others."""
    uncut: dict[_Uncut, list[str]]
    """The sides that can't be cut, grouped by what one sentence can say of all."""

    def conflict(self, left: Extent, right: Extent, made: Reason) -> None:
        for extent, other in ((left, right), (right, left)):
            if extent.given == TARGETS != other.given and not extent.derived:
                self.of_targets.setdefault(extent.side, other.size)
                return
        pair = frozenset((left.given, right.given))
        if pair in self.reported or not pair.isdisjoint(self.wrong):
            return
        self.reported.add(pair)
        if left.given == right.given and not left.derived and not right.derived:
            self._with_itself(left, right, made)
            return
        if left.given != right.given and self._place(left) > self._place(right):
            left, right = right, left
        self.problems.add(
            self.scenario.where(right.given),
            f"{self._shape(right)} and {self._shape(left)} don't fit together ({self._why(made)})",
            self._advice(left, right),
        )

    def targets(self) -> None:
        """Reports targets whose shape isn't that of what they are compared with. Only the targets
        are to be changed."""
        matrix = self.scenario.given.matrices.get(TARGETS)
        if matrix is None or not self.of_targets:
            return
        made = (d for d in self.definitions.values() if TARGETS in d.operands)
        of = next((name for d in made for name in d.operands if name != TARGETS), None)
        shape = " × ".join(str(self.of_targets.get(k, matrix.shape[k])) for k in (0, 1))
        self.problems.add(
            self.scenario.where(TARGETS),
            f"the targets are {matrix.shape[0]} × {matrix.shape[1]}, and what they are compared"
            f" with{f', {of},' if of else ''} is {shape}",
            f"give targets that are {shape}",
        )

    def _with_itself(self, left: Extent, right: Extent, made: Reason) -> None:
        """Reports a matrix that would need as many rows as columns."""
        self.problems.add(
            self.scenario.where(left.given),
            f"{self._shape(left)}: what has {sized(left.size, left.side)} here has to have"
            f" {sized(right.size, right.side)} too ({self._why(made)})",
            "make their sizes agree",
        )

    def uneven(self, extent: Extent, parts: int, made: Reason) -> None:
        definition = None if isinstance(made, tuple) else self.definitions.get(made)
        if (extent, parts) in self.reported or extent.given in self.wrong:
            return
        self.reported.add((extent, parts))
        where = self.scenario.where(definition.blame if definition else extent.given)
        alike = _Uncut(where, extent.size, extent.side, parts, self._why(made))
        self.uncut.setdefault(alike, []).append(self._shape(extent))

    def what_is_uncut(self) -> None:
        """Reports the sides that can't be cut into equal parts, once for all that are equally
        long."""
        for (where, size, side, parts, why), shapes in self.uncut.items():
            each = " each" if len(shapes) > 1 else ""
            enough = -(-size // parts) * parts
            of_heads = side and any(shape.startswith("W_Q") for shape in shapes)
            rows = "; W_O has as many rows" if of_heads else ""
            self.problems.add(
                where,
                f"{listed(sorted(shapes))}: {sized(size, side)}{each} can't be cut into {parts}"
                f" equal parts ({why})",
                f"give a number of {SIDES[side]} that {parts} divides, like {enough}{rows}",
            )

    def _place(self, extent: Extent) -> tuple[int, int]:
        """Returns a key that sorts extents by where the file states them. Tokens come first."""
        if extent.given.local == _TOKENS:
            return (0, 0)
        where = self.scenario.where(extent.given)
        return (1, where.line * 10**6 + where.column)

    def _shape(self, extent: Extent) -> str:
        name = extent.given
        if name.local == _TOKENS:
            owner = "the encoder's sentence" if name.inside(ENCODER) else "the sentence"
            owner = "the cache" if name.path.local == "cache" else owner
            return f"{owner} of {counted(extent.size, 'token')}"
        here = f", here {sized(extent.size, extent.side)}" if extent.derived else ""
        matrix = self.scenario.given.matrices.get(name)
        if matrix is None and name in self.scenario.given.random:
            return f"{name} (random, {sized(extent.size, extent.side)})"
        if matrix is None:
            return f"{name} = {extent.size}"
        here = here if extent.size != matrix.shape[extent.side] else ""
        return f"{name} ({matrix.shape[0]} × {matrix.shape[1]}{here})"

    def _advice(self, left: Extent, right: Extent) -> str:
        if left.derived or right.derived:
            return "make their sizes agree"
        changed = [
            f"{extent.given} {sized(other.size, extent.side)}"
            for extent, other in ((right, left), (left, right))
            if extent.given in self.scenario.given.matrices
        ]
        if not changed:
            return "make them agree"
        named = left.given.local == _TOKENS and right.given.local in ("Q", "K")
        names = f", or name its rows, like {right.given}: {{love: …}}" if named else ""
        return f"give {' or '.join(changed)}{names}"

    def _why(self, made: Reason) -> str:
        definition = None if isinstance(made, tuple) else self.definitions.get(made)
        if definition is None and made in self.scenario.given.sizes:
            return f"{made} says how many columns"
        if definition is None:
            name, side = made if isinstance(made, tuple) else (made, 1)
            return f"{name} has a {'column' if side else 'row'} for each token"
        parts = _parts_of(definition)
        if parts is not None:
            return parts
        names = [
            name.seen_from(definition.name.path) for name in (definition.name, *definition.operands)
        ]
        return unbreakable(plain(definition.operation.formula(*names)))


def _parts_of(definition: Definition) -> str | None:
    """Says in words what a matrix is cut into, or returns None where it isn't cut."""
    from attncli.maths.operations.rearranging import TakePart

    if not isinstance(definition.operation, TakePart):
        return None
    of, what = definition.operation.of, definition.operation.what
    return f"{of} {what if of > 1 else what.removesuffix('s')}"


def shapes_of(
    scenario: Scenario, story: Sequence[PlannedStep], problems: Diagnostics
) -> dict[str, Shape]:
    """Returns the shape of every quantity, with None for an extent that can't be told. Adds to
    `problems` what doesn't fit together."""
    given = scenario.given.matrices
    definitions = {m.name: m for part in story for m in part.definitions if m.name not in given}
    report = _Report(
        scenario, definitions, problems, set(), _check_cells(scenario, problems), {}, {}
    )
    extents = Extents(report.conflict, report.uneven)
    _know_tokens(scenario, extents)
    _know_given(scenario, extents)
    for definition in definitions.values():
        _relate(extents, definition)
    for name in scenario.given.names:
        for side in (0, 1):
            _know_side(scenario, extents, name, side)
    _know_stated(scenario, extents)
    extents.settle()
    report.targets()
    report.what_is_uncut()
    if scenario.given.random and not problems.found:
        _know_papers(scenario, extents)
        report.what_is_uncut()
    names = {*definitions, *scenario.given.names}
    names |= {operand for definition in definitions.values() for operand in definition.operands}
    return {name: _shape(extents, name) for name in names}


def _shape(extents: Extents, name: Name) -> Shape:
    rows, columns = extents.of((name, 0)), extents.of((name, 1))
    return rows and rows.size, columns and columns.size


def _know_tokens(scenario: Scenario, extents: Extents) -> None:
    for stack in scenario.stacks:
        if stack.text.tokens:
            name = below(stack.path, _TOKENS)
            extents.know((name, 0), Extent(len(stack.text.tokens), name, 0), name)


def _know_given(scenario: Scenario, extents: Extents) -> None:
    """Records the shapes of given matrices, and of random ones that state theirs."""
    for name, matrix in scenario.given.matrices.items():
        for side, size in enumerate(matrix.shape):
            extents.know((name, side), Extent(size, name, side), name)
    for name, source in scenario.given.random.items():
        if source.shape is not None:
            for side, size in enumerate(source.shape):
                extents.know((name, side), Extent(size, name, side), name)
    _know_tables(scenario, extents)


def _know_side(scenario: Scenario, extents: Extents, name: Name, side: int) -> None:
    """Records a side of a given matrix that has an entry for each token of its sentence."""
    role, names = names_along(name, side, scenario)
    place = place_of(name, scenario)
    over_memory = role == "K" and place.attention.sees_memory
    if over_memory and scenario.encoder is None:
        return
    tokens = (below(ENCODER if over_memory else place.stack.path, _TOKENS), 0)
    known = extents.of(tokens)
    if name.path.local == "cache" and side == 0 and names:
        cached = below(name.path, _TOKENS)
        extents.know((name, 0), Extent(len(names), cached, 0), (name, side))
        return
    others = name.local in ("memory", TARGETS.local) or name in scenario.given.row_names
    runs = role in ("token", "Q", "K") and not others
    if runs and known is not None and len(names) == known.size:
        extents.join(tokens, (name, side), (name, side))


def _tokens_of(name: Name) -> Name:
    """Returns the name of the tokens of the stack that a quantity belongs to."""
    return below(ENCODER if name.inside(ENCODER) else TOP, _TOKENS)


def _know_tables(scenario: Scenario, extents: Extents) -> None:
    """Records that random tables of embeddings have a row for each ID, and a random unembedding an
    entry for each word of the vocabulary."""
    vocabulary = len(scenario.prediction.logits.vocabulary)
    for stack in scenario.stacks:
        table = stack.text.table.name
        rows = max(stack.text.rows_of_tokens, default=-1) + 1
        rows = max(rows, len(stack.text.table.row_names), vocabulary)
        if table in scenario.given.random and extents.of((table, 0)) is None and rows:
            extents.know((table, 0), Extent(rows, table, 0), table)
    unembedding = Name("unembedding")
    if unembedding in scenario.given.random and vocabulary:
        side = 0 if scenario.stack.config.linear else 1
        extents.know((unembedding, side), Extent(vocabulary, unembedding, side), unembedding)


def _relate(extents: Extents, definition: Definition) -> None:
    """Records what the signature of a definition says of the sides of its operands and its
    result."""
    signature = definition.operation.sides
    pairs = [
        (dims[side], (name, side))
        for name, dims in zip(
            (*definition.operands, definition.name),
            (*signature.operands, signature.result),
            strict=True,
        )
        for side in (0, 1)
    ]
    first: dict[str, tuple[str, int]] = {}
    for dim, node in pairs:
        if dim.alone is not None:
            extents.join(first.setdefault(dim.alone, node), node, definition.name)
    for dim, node in pairs:
        if dim.alone is None:
            _relate_sum(extents, dim, node, first, definition)


def _relate_sum(
    extents: Extents,
    dim: Dim,
    node: tuple[str, int],
    first: dict[str, tuple[str, int]],
    definition: Definition,
) -> None:
    if dim.letters:
        parts = tuple(
            (first.get(x, (f"{definition.name} {x}", 0)), count) for x, count in dim.letters
        )
        extents.add_up(SumOfExtents(node, parts, dim.constant, definition.name))
        return
    row = (_tokens_of(definition.name), 0)
    tokens = extents.of(row)
    if definition.step in ("embed", "positions") and node[1] == 0:
        if tokens is not None and tokens.size == dim.constant:
            extents.join(row, node, definition.name)
    elif definition.step == "rotate" and node[1] == 0:
        return  # as many as queries or keys
    elif definition.step != "unembed" or tokens is not None:
        extents.know(node, Extent(dim.constant, definition.name, node[1]), definition.name)


_H, _D, _K, _ONE = "h", "d", "k", "1"
"""What extents count: numbers of the state, of the input, of the readout; and a single row."""


class _Side(NamedTuple):
    """The length of a side of a recurrent cell's matrix, as a multiple of something that its
    matrices share."""

    of: str
    times: int = 1


_Shape = tuple[_Side, _Side]
_NUMBER = _Side(_ONE)


def _check_cells(scenario: Scenario, problems: Diagnostics) -> set[str]:
    """Reports matrices that don't fit their recurrent cell, and returns the names of all matrices
    of such cells, and of cells that lack a whole direction (which others report). Most matrices of
    a cell decide the size of its state, so that the odd one is blamed."""
    wrong: set[str] = set()
    for stack in scenario.stacks:
        for layer in stack.layers:
            ways = [_of_way(scenario, *way) for way in _ways(layer.path, layer.recurrent)]
            lacking = any(not any(map(scenario.gives, way.known)) for way in ways)
            checked = (
                [] if lacking else [_check_direction(scenario, way.given, problems) for way in ways]
            )
            if lacking or any(checked):
                wrong |= {name for way in ways for name in way.known}
    return wrong


class _Way(NamedTuple):
    """The matrices of one direction of a recurrent cell: all that it may have, and those that are
    given."""

    known: Mapping[Name, _Shape]
    given: Mapping[Name, _Shape]


def _of_way(scenario: Scenario, path: Name, cell: Recurrent) -> _Way:
    known = {below(path, name): shape for name, shape in _shapes(cell)}
    given = {name: shape for name, shape in known.items() if name in scenario.given.matrices}
    return _Way(known, given)


def _ways(path: Name, cell: Recurrent | None) -> Iterator[tuple[Name, Recurrent]]:
    if cell is not None:
        yield path, cell
        if cell.direction == "both":
            yield below(path, "backward"), cell


def matrices_of_way(cell: Recurrent) -> set[str]:
    """Returns the local names of the matrices that one direction of a cell may be given."""
    others = {"W_ya", "b_y"} if cell.kind == "lstm" else {"W_ya", "b_y", "initial_cell"}
    return {name for name, _ in _shapes(cell)} - others


def _shapes(cell: Recurrent) -> Iterator[tuple[str, _Shape]]:
    """Yields the matrices of one direction of a cell: local name and the kinds of its sides."""
    gates = GATES.get(cell.kind, ())
    h, d, k = _Side(_H), _Side(_D), _Side(_K)
    states = _Side(_H, len(cell.ways))
    yield from (("W_ya", (states, k) if cell.in_out else (k, states)), ("b_y", (_NUMBER, k)))
    yield from ((name, (_NUMBER, h)) for name in ("initial_state", "initial_cell"))
    if cell.stacked:
        all_gates = _Side(_H, len(gates) or 1)
        yield from (("W_ih", (all_gates, d)), ("W_hh", (all_gates, h)))
        yield from ((name, (_NUMBER, all_gates)) for name in ("b_ih", "b_hh"))
        return
    for letter in [LETTERS[gate] for gate in gates] or ["a"]:
        yield f"W_{letter}x", (d, h) if cell.in_out else (h, d)
        yield f"W_{letter}a", (h, h)
        yield f"b_{letter}", (_NUMBER, h)


def _check_direction(
    scenario: Scenario, given: Mapping[Name, _Shape], problems: Diagnostics
) -> bool:
    """Reports the matrices of one direction of a cell that don't fit, and tells whether there are
    any."""
    sizes = {of: _most(scenario, given, of) for of in (_H, _D, _K)}
    found = False
    for name, sides in given.items():
        if found and _K in (sides[1].of,) and sides[0] == _NUMBER:
            continue  # W_ya may be at fault, and tells how long b_y is
        wanted = tuple(1 if side.of == _ONE else side.times * sizes[side.of] for side in sides)
        shape = scenario.given.matrices[name].shape
        if shape != wanted and 0 not in wanted:
            found = True
            is_vector = sides[0] == _NUMBER
            text = f"has {_numbers(shape[1])}" if is_vector else f"is {shape[0]} × {shape[1]}"
            right = _numbers(wanted[1]) if is_vector else f"{wanted[0]} × {wanted[1]}"
            others = _others(shape, wanted, sides, sizes)
            problems.add(scenario.where(name), f"{name} {text}, and {others}", f"give it {right}")
    return found


def _numbers(count: int) -> str:
    return "1 number" if count == 1 else f"{count} numbers"


def _others(
    shape: tuple[int, int],
    wanted: tuple[int, ...],
    sides: _Shape,
    sizes: Mapping[str, int],
) -> str:
    """Says in words what a wrong shape is compared with."""
    wrong = next(k for k in (0, 1) if shape[k] != wanted[k])
    of, times = sides[wrong]
    if of == _D:
        return f"the weights of the input for the other gates are for {_numbers(sizes[_D])}"
    if of == _K:
        return f"the read-out has {_numbers(sizes[_K])}"
    several = "directions" if _K in (sides[0].of, sides[1].of) else "gates"
    each = f" in each of {times} {several}" if times > 1 else ""
    return f"the memory of this cell has {_numbers(sizes[_H])}{each}"


def _most(scenario: Scenario, given: Mapping[Name, _Shape], of: str) -> int:
    """Returns the extent of something on which most sides agree, or 0 where none tells."""
    votes = Counter(_votes(scenario, given, of))
    return max(votes, key=votes.__getitem__, default=0)


def _votes(scenario: Scenario, given: Mapping[Name, _Shape], of: str) -> Iterable[int]:
    for name, sides in given.items():
        for side, size in zip(sides, scenario.given.matrices[name].shape, strict=True):
            if side.of == of and size % side.times == 0:
                yield size // side.times
