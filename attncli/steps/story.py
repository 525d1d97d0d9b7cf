"""Tells the story of a scenario: which steps are taken, where, and what flows from one to the next.

Heads are slices of the same steps, a block is a list of steps, a stack is a list of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from attncli.errors import Problem, listed
from attncli.names import TOP, Name, below
from attncli.scenario.file.problems import (
    Diagnostics,
    NamedProblems,
    Objections,
    ScenarioError,
    nearest,
)
from attncli.scenario.model import (
    ADD,
    CONVOLUTIONS,
    CONVOLVE,
    LOSSES,
    NORM,
    PROJECT,
    Attention,
    Layer,
    Recurrent,
    Settings,
    Stack,
    makes_X,
    steps_to_X,
)
from attncli.scenario.scenario import MOST_PLACES, Cost, Scenario
from attncli.steps.order import (
    CELL_STEPS,
    GIVEN,
    IN_HEADS,
    STORY,
    USUAL,
    WITH_HEADS,
    StepLine,
    step_named,
    step_of,
)
from attncli.steps.step import Step
from attncli.trace import (
    AttentionPlace,
    BackwardPlace,
    CellPlace,
    HeadPlace,
    LayerPlace,
    NormPlace,
    Place,
    PlannedStep,
    ResidualPlace,
    UpdatePlace,
    WayPlace,
)
from attncli.trace.budget import excess
from attncli.trace.place import P, into
from attncli.trace.shapes import shapes_of

if TYPE_CHECKING:
    from attncli.steps.written.standing import Site, StandingGroup, StandingSteps


def awaits_times(scenario: Scenario) -> bool:
    """Tells whether only the shapes in a story can say how often one of its cells is taken."""
    return any(
        layer.recurrent is not None and not times_of(scenario, stack)
        for stack in scenario.stacks
        for layer in stack.layers
    )


def times_of(scenario: Scenario, stack: Stack) -> int:
    """Returns how many rows the input of a stack has, as far as that can be told; otherwise 0."""
    X = below(stack.path, "X")
    own = scenario.given.matrices.get(X)
    height = own.shape[0] if own is not None else scenario.plan.shapes.get(X, (None, None))[0]
    return height or len(stack.text.tokens)


_EMBEDDED = ("embeddings", "X", "patches", "frames")
_AFTERWARDS = (
    "embedding_norm", "final_norm", "project_out", "head", "unembedding", "logits", "targets",
)  # fmt: skip


def has_only_positions(place: Place) -> bool:
    """Tells whether a stack says how positions are added to its text, and nothing that goes in or
    comes after it."""
    stack = place.stack
    is_given = any(key in stack.config.values for key in (*_EMBEDDED, *_AFTERWARDS))
    is_main = not stack.path
    works = any(
        layer.attends
        or layer.has_ffn
        or layer.experts.routed
        or layer.norms.each
        or layer.recurrent
        for layer in stack.layers
    )
    return is_main and bool(stack.added) and not is_given and not works


def steps_until(
    scenario: Scenario, parts: Sequence[PlannedStep], complaints: NamedProblems | None
) -> tuple[PlannedStep, ...]:
    """Returns the parts up to the last one of the step that the scenario is to end with; all where
    it names none.

    Complains where the scenario doesn't go through that step.
    """
    if not scenario.plan.until:
        return tuple(parts)
    first = [part for part in parts if not part.is_again]
    until = (scenario.plan.until,)
    ends = [k for k, part in enumerate(first, start=1) if part.is_named(until)]
    if not ends and complaints is not None and not scenario.plan.written.is_broken:
        steps_taken = listed(list(dict.fromkeys(part.called for part in parts)))
        wrong = f"this scenario doesn't go through {scenario.plan.until}"
        complaints.add("until", wrong, f"name one of {steps_taken}")
    return tuple(parts[: ends[-1]] if ends else parts)


def ways_to_X(place: Place) -> Iterator[tuple[str, Place]]:  # noqa: N802
    """Yields the steps that are taken at a stack's place, in order, each with a place of its
    own."""
    stack, taken = place.stack, steps_to_X(place.stack)
    if stack.positions and ADD not in taken:  # which are checked, wherever they are told
        yield ADD, place
    for step in taken:
        if step == NORM and stack.embedding_norm is not None:
            norm = stack.embedding_norm
            out = place.x if makes_X(step, stack) else below(norm.path, "normed")
            yield step, place.to(NormPlace, path=norm.path, norm=norm, out=out)
        elif step == CONVOLVE:
            said = (name for name in CONVOLUTIONS if name in stack.config.values)
            yield from ((step, place.at(place.name(name))) for name in said)
        else:
            yield step, place.at(place.name(step)) if step == PROJECT else place


A = TypeVar("A", bound=AttentionPlace)


def story(scenario: Scenario, complaints: NamedProblems | None = None) -> tuple[PlannedStep, ...]:
    """Returns every step that a scenario takes, in order; with `complaints`, what steps find wrong
    goes there."""
    teller = _Teller(scenario, complaints)
    teller.whole()
    if teller.own is not None and complaints is not None:
        teller.own.check_told(teller.parts)
    teller.what_follows()
    return steps_until(scenario, teller.parts, complaints)


def steps() -> tuple[Step[Any], ...]:
    """Returns all steps, in the order in which a head tells them."""
    return tuple(map(step_named, STORY))


def _asked(lines: Iterable[StepLine], place: AttentionPlace) -> Iterator[tuple[StepLine, bool]]:
    """Yields the steps of an attention, each with whether it is taken: always, or because a
    scenario asks for it there."""
    data = place.attention.config.values
    order = {key: value for key, value in data.items() if value not in USUAL}
    heads = data.get("heads")
    asked = set(data).union(*heads) if isinstance(heads, tuple) else set(data)
    asked |= {"positions"} if place.stack.positions else set()
    return ((line, line.is_taken(asked)) for line in lines if line.is_moment(order))


class _Teller:
    """A teller that gathers the parts of a story; most of its methods return the full name of what
    flows on."""

    def __init__(self, scenario: Scenario, complaints: NamedProblems | None) -> None:
        self.scenario = scenario
        self.complaints = complaints
        self.parts: list[PlannedStep] = []
        self.replaced: dict[str, Name] = {}
        """What stands in the place of matrices that are quantized or adapted."""
        self.own = self._own_steps()
        """The steps that the scenario writes itself, where it has some."""

    def _own_steps(self) -> StandingSteps | None:
        written = self.scenario.plan.written
        if not written.steps or written.alone:
            return None
        from attncli.steps.written.standing import StandingSteps

        problems = Diagnostics() if self.complaints is None else self.complaints.problems
        return StandingSteps(self.scenario, problems)

    def add(self, step: str, place: Place) -> Name:
        """Takes a step at a place, if it has anything to do there, and with it those of the
        scenario's own that stand there; returns the name of the last thing that is made, or of what
        flowed in.

        Raises TypeError where the place isn't one of the step's.
        """
        if self.own is None or not (self.own.stands_at(step) and self._is_there(step, place)):
            return self._take(step, place)
        self.own.there.setdefault(step)
        for group in self.own.at("before", step):
            place = replace(place, x=self._tell(group, place))
        instead = [*self.own.at("instead_of", step)]
        for group in instead:
            place = replace(place, x=self._tell(group, place))
        x = place.x if instead else self._take(step, place)
        for group in self.own.at("after", step):
            x = self._tell(group, replace(place, x=x))
        return x

    def _is_there(self, step: str, place: Place) -> bool:
        """Tells whether a step of the model can be taken at a place, or one of the scenario's own
        in its place."""
        assert self.own is not None
        definitions = step_named(step).planned(place)
        if not definitions or any(self.own.at("instead_of", step)):
            return bool(definitions)
        lacks = self.own.lacks(definitions, self.parts)
        if lacks is not None:
            self.own.lacking.setdefault(step, lacks)
        return lacks is None

    def _tell(self, group: StandingGroup, place: Place) -> Name:
        """Tells steps of the scenario's own at a place; returns the name of what flows on."""
        assert self.own is not None
        told = self.own.tell(group, place, self.parts)
        for part in told.parts:
            self._add_part(part)
        return told.x

    def _take(self, step: str, place: Place) -> Name:
        """Takes a step at a place, if it has anything to do there; returns the name of the last
        thing that it makes, or of what flowed in."""
        own, kind = step_named(step), type(place)
        if not issubclass(kind, own.at):
            raise TypeError(f"{step} is taken at a {own.at.__name__}, not at a {kind.__name__}")
        self._hear_objections(own, place)
        definitions = own.planned(place)
        if self.replaced:
            taken = self.replaced.get
            definitions = tuple(
                d._replace(operands=tuple(taken(o, o) for o in d.operands)) for d in definitions
            )
        if not definitions and not (step == "tokenize" and place.text.tokens):
            return place.x
        self._add_part(PlannedStep(step, place, definitions))
        return definitions[-1].name if definitions else place.x

    def _hear_objections(self, step: Step[P], place: P) -> None:
        """Hears what a step finds wrong with what is said at a place."""
        if self.complaints is not None:
            self.complaints.hear(step.check(place))

    def _add_part(self, part: PlannedStep) -> None:
        self.parts.append(part)
        if len(self.parts) > MOST_PLACES and not self.scenario.file.large:
            self._stop_if_too_much()

    def _stop_if_too_much(self) -> None:
        wrong = excess(self.scenario, Cost(len(self.parts)))
        if wrong is not None:
            raise ScenarioError([wrong])

    def whole(self) -> None:
        """Tells all up to the loss."""
        if self.scenario.plan.written.alone:
            self.written()
        else:
            given = self.scenario.prediction.logits.are_given
            self.prediction(TOP if given else self.model())

    def written(self) -> None:
        """Tells the steps that the scenario writes itself."""
        from attncli.steps.written.step import written_steps

        problems = Diagnostics() if self.complaints is None else self.complaints.problems
        place = Place(self.scenario, self.scenario.stack, TOP, TOP)
        for part in written_steps(place, problems):
            self._add_part(part)

    def model(self) -> Name:
        """Tells the encoder, if there is one, and the main stack."""
        memory = Name("memory")
        memory = memory if self.scenario.gives(memory) else TOP
        if self.scenario.encoder is not None:
            memory = self.stack(self.scenario.encoder, TOP)
        return self.stack(self.scenario.stack, memory)

    def stack(self, stack: Stack, memory: Name) -> Name:
        place = Place(self.scenario, stack, stack.path, below(stack.path, "X"))
        if stack.text.tokenizing is not None:
            from attncli.steps.tokenizing import tokenizer_steps

            for step, at in tokenizer_steps(place):
                self.add(step, at)
        for line in GIVEN:
            if line.stack in stack.config.values:
                self.add(line.step, place)
                made = self.parts[-1].definitions
                self.replaced |= {d.wire: d.name for d in made if d.wire}
        if not stack.sees:
            self.add("tokenize", place)
        x = self.input(place)
        for layer in stack.layers:
            at = place.to(LayerPlace, path=layer.path, x=x, layer=layer)
            cell = layer.recurrent
            x = self.block(at, memory) if cell is None else self.recurrent(at, cell)
        return self.behind_layers(place, x)

    def behind_layers(self, place: Place, x: Name) -> Name:
        """Tells what becomes of what the last layer makes."""
        stack = place.stack
        x = x if stack.final_norm is None else self._norm(place, x, stack.final_norm)
        back = replace(place.at(place.name("project_out")), x=x)
        return self.add("project_out", back) if "project_out" in stack.config.values else x

    def input(self, place: Place) -> Name:
        """Tells the input embeddings: those of the tokens, with positions and whatever else is
        added."""
        if has_only_positions(place):
            return self.add("positions", replace(place, x=TOP))
        x = self.add("patch" if place.stack.sees else "embed", place)
        for step, at in ways_to_X(place):
            x = self.add(step, replace(at, x=x))
        for positions in place.stack.positions:
            if positions.norm is not None:
                shared = place.stack.config.values.get("norms", {})
                said = {**shared, **positions.config.values["norm"]}
                self._norm(place, positions.table, Settings(positions.norm, said))
        return x

    def _norm(self, place: Place, x: Name, norm: Settings) -> Name:
        made = below(norm.path, "normed")
        return self.add("norm", place.to(NormPlace, path=norm.path, x=x, norm=norm, out=made))

    def block(self, place: LayerPlace, memory: Name) -> Name:
        """Tells one layer: attention, for a decoder cross-attention, and a feed-forward network."""
        layer = place.layer
        inner = [
            partial(self.attention, attention=attention, memory=memory)
            for attention in (layer.attention if layer.attends else None, layer.cross)
            if attention is not None
        ]
        has_own = self.own is not None and any(self.own.at("instead_of", "ffn"))
        inner += [partial(self.network)] if layer.has_ffn or has_own else []
        if layer.parallel != "none" and inner:
            return self._side_by_side(place, inner)
        if not inner and layer.norms.each:
            return self._norm(place, place.x, layer.norms.each[0])
        x = place.x
        for k, sublayer in enumerate(inner, start=1):
            x = self._sublayer(replace(place, x=x), k, sublayer)
        return x

    def network(self, place: LayerPlace) -> Name:
        """Tells a feed-forward network; or several, of which each token goes through a few."""
        if not place.layer.experts.routed:
            return self.add("ffn", place)
        self.add("route", place.at(place.name("router")))
        for path in place.layer.networks:
            self.add("ffn", place.at(path))
        return self.add("mix", place)

    def recurrent(self, place: LayerPlace, cell: Recurrent) -> Name:
        """Tells one recurrent layer: a list of cells, one for each time, for each way that it
        goes."""
        times = times_of(self.scenario, place.stack)
        if not times:
            self._check_cell(place.to(CellPlace, cell=cell, way=cell.ways[0], times=1, time=1))
            return place.x
        whole = place.to(WayPlace, cell=cell, way=cell.ways[0], times=times)
        ways = [replace(whole, path=cell.way_path(place.path, way), way=way) for way in cell.ways]
        for way in ways:
            self.add("unstack", way)
            self.add("start", way)
            for time in way.order:
                self._cell(way.to(CellPlace, time=time))
        states = self.add("states", whole)
        self._read_out(whole)
        if cell.gradient:
            for time in reversed(whole.order):
                self.add("gradient", ways[0].to(CellPlace, time=time))
        return states

    def _read_out(self, place: WayPlace) -> None:
        """Tells what is read out of a layer's states once all are there."""
        cell = place.cell
        if not _reads_at_once(cell):
            for time in place.order if cell.readout_every else place.order[-1:]:
                self.add("readout", place.to(CellPlace, time=time))
        if self.scenario.prediction.loss.of_readout and place.layer is place.stack.layers[-1]:
            self.add("readouts", place)

    def _check_cell(self, place: CellPlace) -> None:
        """Checks what is said of a cell where nobody knows yet how often it is taken."""
        asked = [key for key, value in place.cell.config.values.items() if value]
        for line in CELL_STEPS:
            if line.is_taken(asked):
                self._hear_objections(step_named(line.step), place)

    def _cell(self, place: CellPlace) -> None:
        """Tells a cell at one time, and what is read out of it there."""
        self.add("input", place)
        self.add("memory", place)
        self.add("gates", place.at(place.timed("gates")))
        self.add("state", place)
        if _reads_at_once(place.cell):
            self.add("readout", place)

    def _sublayer(self, place: LayerPlace, k: int, inner: Callable[[LayerPlace], Name]) -> Name:
        """Tells a sublayer, the `k`th of its layer, with its norms, before or after, and its
        residual."""
        layer, x = place.layer, place.x
        if layer.norms.order in ("pre", "both"):
            x = self._norm(place, x, layer.norms.each[k - 1])
        x = inner(replace(place, x=x))
        if layer.norms.order in ("after", "both"):
            x = self._norm(place, x, (layer.norms.after or layer.norms.each)[k - 1])
        if layer.residuals:
            x = self.add("residual", place.to(ResidualPlace, x=x, skipped=place.x, number=k))
        return self._norm(place, x, layer.norms.each[k - 1]) if layer.norms.order == "post" else x

    def _side_by_side(
        self, place: LayerPlace, inner: Sequence[Callable[[LayerPlace], Name]]
    ) -> Name:
        """Tells sublayers that all work on what goes into the layer, and are added together; each
        has a norm of its own, or all have the first one."""
        layer, norms = place.layer, place.layer.norms.each[: len(inner)]
        norms = norms[:1] if layer.parallel == "shared_norm" else norms
        made = [self._norm(place, place.x, norm) for norm in norms] or [place.x]
        made *= len(inner) if len(made) == 1 else 1
        x, *also = (f(replace(place, x=x)) for f, x in zip(inner, made, strict=True))
        at = place.to(ResidualPlace, x=x, skipped=place.x, number=1, also=tuple(also))
        return self.add("residual", at)

    def attention(self, place: LayerPlace, attention: Attention, memory: Name) -> Name:
        """Tells all heads of an attention, and what puts them together."""
        source = memory if attention.sees_memory and memory else place.x
        whole = place.to(
            AttentionPlace, path=attention.path, attention=attention, source=source, wires={}
        )
        apart = attention.own_heads or attention.heads == 1
        if "latent" in attention.config.values:
            self.add("compress", whole)
        if not apart:
            self.add("project", whole)
        whole = replace(self._taken(WITH_HEADS, whole), x=place.x)
        for head in range(attention.heads):
            at = whole.to(HeadPlace, path=attention.head_path(head), head=head, wires={})
            if apart:
                self.add("project", at)
            output = self._taken(IN_HEADS, at).x
            whole = replace(whole, wires={**whole.wires, at.path: output})
        if "average_heads" in attention.config.values:
            self.add("average", whole)
        is_merged = attention.heads > 1 or whole.gives("W_O")
        return self.add("merge", replace(whole, x=output)) if is_merged else output

    def _taken(self, lines: Iterable[StepLine], place: A) -> A:
        """Takes some steps; returns the place after them, where the result of each flows on, or is
        the queries, keys or values from there on."""
        for line, is_taken in _asked(lines, place):
            if not is_taken:
                continue
            before = len(self.parts)
            x = self.add(line.step, place)
            made = (d for part in self.parts[before:] for d in part.definitions)
            wires = {d.wire: d.name for d in made if d.wire}
            wired = {**place.wires, into(line.step): place.x, **wires}
            place = replace(place, wires=wired, x=place.x if wires else x)
        return place

    def prediction(self, x: Name) -> None:
        """Tells logits, probabilities and the loss, as far as they are asked for."""
        prediction = self.scenario.prediction
        place = Place(self.scenario, self.scenario.stack, TOP, x)
        if prediction.head is not None:
            x, norm = self.add("head", place.at(place.name("head"))), prediction.head.norm
            place = replace(place, x=x if norm is None else self._norm(place, x, norm))
        if prediction.logits.unembedding:
            place = replace(place, x=self._predicted(place))
        elif prediction.loss.of_readout:
            place = replace(place, x=below(self.scenario.stack.layers[-1].path, "readouts"))
        if prediction.loss.kind:
            self.add(LOSSES[prediction.loss.kind], place)

    def _predicted(self, place: Place) -> Name:
        """Tells logits and probabilities; returns the name of the logits, which a loss is of."""
        prediction, logits = self.scenario.prediction, Name("logits")
        if not prediction.logits.are_given:
            logits = self.add("unembed", place)
        place = replace(place, x=logits)
        step, path = ("predict", "next") if prediction.foretells else ("classify", "classes")
        if not prediction.logits.are_given or self.scenario.gives(logits):
            self.add(step, replace(place, path=place.name(path)))
        if prediction.draft:
            self.add("verify", replace(place, path=place.name("draft")))
        return logits

    def what_follows(self) -> None:
        """Tells the gradients of the loss, from the last step back to the first, and training."""
        if self.scenario.goes_back:
            from attncli.steps.backward.chain_rule import what_follows

            for part in what_follows(self.scenario, tuple(self.parts), self.complaints):
                self._add_part(part)


def layer_told(
    scenario: Scenario,
    parts: Iterable[PlannedStep],
    place: LayerPlace,
    layer: Layer,
    memory: Name | None,
) -> tuple[PlannedStep, ...]:
    """Returns the steps of another layer at the place of one of a story with these parts.

    Raises ValueError where steps find something wrong with it.
    """
    teller, problems = _beside(scenario, parts)
    at = Place(scenario, place.stack, place.stack.path, place.x)
    teller.block(at.to(LayerPlace, path=layer.path, x=place.x, layer=layer), memory or TOP)
    if problems.found:
        raise ValueError(problems.found[0].wrong)
    return tuple(teller.parts)


def frame_told(
    scenario: Scenario, parts: Sequence[PlannedStep], made: Mapping[Name, Name]
) -> tuple[PlannedStep, ...]:
    """Returns the steps of a scenario outside its layers, beside a story with these parts.

    `made` names what the last layer of each stack makes, by the stack's path. Raises ValueError
    where steps find something wrong.
    """
    teller, problems = _beside(scenario, parts)
    x = TOP
    for stack in (scenario.encoder, scenario.stack):
        if stack is not None:
            place = Place(scenario, stack, stack.path, below(stack.path, "X"))
            teller.input(place)
            x = teller.behind_layers(place, made[stack.path])
    teller.prediction(x)
    if problems.found:
        raise ValueError(problems.found[0].wrong)
    return tuple(teller.parts)


def _beside(scenario: Scenario, parts: Iterable[PlannedStep]) -> tuple[_Teller, Diagnostics]:
    """Makes a teller of steps beside those of a story, with the same given matrices; returns it
    with the problems that it will find."""
    problems = Diagnostics()
    teller = _Teller(scenario, NamedProblems(scenario.file.places, problems))
    given = {line.step for line in GIVEN}
    made = (d for part in parts if part.step in given for d in part.definitions)
    teller.replaced = {d.wire: d.name for d in made if d.wire}
    return teller, problems


def _reads_at_once(cell: Recurrent) -> bool:
    """Tells whether the memory is read out at each time, and not once all are there."""
    return cell.readout_every and cell.direction != "both"


def planned(scenario: Scenario, problems: Diagnostics) -> Scenario:
    """Returns the scenario with its story, and its shapes with all that they tell; what is wrong
    goes to `problems`."""
    complaints = NamedProblems(scenario.file.places, problems)
    for stack in scenario.stacks:
        if stack.text.sentence is not None and not stack.text.tokens and not problems.found:
            where = below(stack.path, "sentence")
            complaints.add(where, "the sentence has no tokens", "write some words")
    steps = story(scenario, complaints)
    complaints.hear(_check_rounding(scenario, steps))
    scenario = _with_makers(scenario, steps)
    if scenario.prediction.generation.length > 1:
        from attncli.trace.generation import check_generation

        complaints.hear(check_generation(scenario))
    known = len(problems.found)
    shapes = shapes_of(scenario, steps, problems)
    if len(problems.found) > known:
        problems.found[known:] = _without_own_steps(scenario, problems.found[known:])
    if awaits_times(scenario) and not problems.found:
        steps = story(replace(scenario, plan=replace(scenario.plan, shapes=shapes)))
        shapes = shapes_of(scenario, steps, problems)
    plan = replace(scenario.plan, story=steps, shapes=shapes)
    whole = replace(scenario, plan=plan)
    complaints.hear(_check_fits(whole))
    if problems.found:
        return whole
    return replace(whole, plan=replace(plan, story=tuple(sized(whole))))


class _FlowTeller(_Teller):
    """A teller that notes what flows into each step, and what on from it."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario, None)
        self.flows: dict[tuple[str, Site], tuple[Name, Name]] = {}
        self.whole()

    def add(self, step: str, place: Place) -> Name:
        from attncli.steps.written.standing import site_of

        x = super().add(step, place)
        self.flows[step, site_of(place)] = place.x, x
        return x


def _without_own_steps(scenario: Scenario, found: list[Problem]) -> list[Problem]:
    """Returns what is at fault where shapes don't fit together: what doesn't without the steps of a
    scenario's own either; else their output that has another shape than what flows there without
    them."""
    own = _FlowTeller(scenario).own
    if own is None:
        return found
    written = scenario.plan.written._replace(steps=())
    model = _FlowTeller(replace(scenario, plan=replace(scenario.plan, written=written)))
    alone = Diagnostics()
    shapes = shapes_of(model.scenario, model.parts, alone)
    both = [problem for problem in found if problem in alone.found]
    return both or own.outputs_at_fault(model.flows, shapes) or found


def _check_rounding(scenario: Scenario, planned: Iterable[PlannedStep]) -> Objections:
    """Complains of other decimals for quantities that no step makes, by their last or their full
    names."""
    if not scenario.rounding.quantities:
        return
    known = {made for step in steps() for made in step.results.names}
    known |= {definition.name for part in planned for definition in part.definitions}
    for name in scenario.rounding.quantities:
        if name not in known:
            right = nearest(name, sorted(known))
            yield f"rounding.quantities.{name}", f"no step makes {name}", right


def _with_makers(scenario: Scenario, planned: Iterable[PlannedStep]) -> Scenario:
    """Returns the scenario with a rounding that knows what each step of its own makes, where one
    has decimals of its own."""
    rounding = scenario.rounding
    own = [part for part in planned if part.place.called in rounding.steps]
    makers: dict[str, str] = {d.name: part.place.called for part in own for d in part.definitions}
    return replace(scenario, rounding=replace(rounding, makers=makers)) if makers else scenario


def _check_fits(scenario: Scenario) -> Objections:
    """Yields what steps find wrong when all shapes in a scenario's story are known."""
    part: PlannedStep
    for part in scenario.plan.story:
        if scenario.training and part.is_again:  # which fits as it did the first time
            continue
        fits = step_of(part).results.fits
        for definition in part.definitions:
            if definition.operands and definition.name not in scenario.given.matrices:
                yield from fits(definition, scenario)


def with_numbers(scenario: Scenario) -> Iterator[PlannedStep]:
    """Yields the story of a scenario, at places that know its numbers."""
    part: PlannedStep
    for part in scenario.plan.story:
        place = replace(part.place, scenario=scenario)
        if isinstance(place, BackwardPlace):
            place = replace(place, forward=replace(place.forward, scenario=scenario))
        yield PlannedStep(part.step, place, part.definitions)


def sized(scenario: Scenario) -> Iterator[PlannedStep]:
    """Yields the story of a scenario with all that its shapes tell."""
    steps: list[PlannedStep] = []
    part: PlannedStep
    for part in scenario.plan.story:
        if isinstance(part.place, BackwardPlace | UpdatePlace):
            break
        step, place = step_of(part), replace(part.place, scenario=scenario)
        sized = (step.results.sized(place, planned) for planned in part.definitions)
        made = [d if d.step == step.name else d._replace(step=step.name) for d in sized]
        steps.append(PlannedStep(part.step, place, tuple(made)))
        yield steps[-1]
    if scenario.goes_back:
        from attncli.steps.backward.chain_rule import what_follows

        yield from islice(what_follows(scenario, steps), len(scenario.plan.story) - len(steps))
