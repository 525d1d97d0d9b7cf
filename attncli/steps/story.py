"""The story of a scenario: which steps are taken, where, and what flows from one to the next.

Heads are slices of the same steps, a block is a list of steps, a stack is a list of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from attncli.file.problems import Problems, ScenarioError
from attncli.name import TOP, Name, below
from attncli.records import replace
from attncli.scenario.budget import MOST_PLACES, Cost
from attncli.scenario.model import Attention, Norm, Recurrent, Stack
from attncli.scenario.scenario import Scenario
from attncli.steps.order import IN_HEADS, STORY, WITH_HEADS, StepLine, step_named
from attncli.steps.step import Step
from attncli.trace import Place, PlannedStep
from attncli.trace.budget import excess


def story(scenario: Scenario, problems: Problems | None = None) -> tuple[PlannedStep, ...]:
    """Every step that a scenario takes, in order; with `problems`, what steps find wrong goes
    there."""
    teller = _Teller(scenario, problems)
    memory = Name("memory")
    memory = memory if scenario.gives(memory) else TOP
    if scenario.encoder is not None:
        memory = teller.stack(scenario.encoder, TOP)
    x = teller.stack(scenario.stack, memory)
    teller.prediction(x)
    return tuple(teller.parts)


def _times(place: Place) -> int:
    """How many rows the input of a stack has, as far as that can be told."""
    own = place.scenario.given.get(place.name("X"))
    height = own.shape[0] if own is not None else place.height(place.name("X"))
    return height or len(place.text.tokens)


def _in_order(place: Place) -> Sequence[int]:
    """The times in the order of a way."""
    times = range(1, place.times + 1)
    return times[::-1] if place.way == "backward" else times


def steps() -> tuple[Step, ...]:
    """All steps, in the order in which a head tells them."""
    return tuple(map(step_named, STORY))


def _asked(lines: Iterable[StepLine], place: Place) -> Iterator[StepLine]:
    """The steps of an attention that are taken always, or that a scenario asks for there."""
    said = place.attention.said.values
    heads = said.get("heads")
    asked = set(said).union(*heads) if isinstance(heads, tuple) else set(said)
    asked |= {"positions"} if place.stack.positions else set()
    return (line for line in lines if line.is_taken(asked))


class _Teller:
    """Gathers the parts of a story; each method gives the full name of what flows on."""

    def __init__(self, scenario: Scenario, problems: Problems | None) -> None:
        self.scenario = scenario
        self.problems = problems
        self.parts: list[PlannedStep] = []

    def add(self, step: str, place: Place) -> Name:
        """A step at a place, if it has anything to do there."""
        own = step_named(step)
        if self.problems is not None:
            own.check(place, self.problems)
        definitions = own.plan(place)
        if not definitions and not (step == "tokenize" and place.text.tokens):
            return place.x
        self.parts.append(PlannedStep(step, place, definitions))
        if len(self.parts) > MOST_PLACES and not self.scenario.large:
            self._stop_if_too_much()
        return definitions[-1].name if definitions else place.x

    def _stop_if_too_much(self) -> None:
        wrong = excess(self.scenario, Cost(len(self.parts)))
        if wrong is not None:
            raise ScenarioError([wrong])

    def stack(self, stack: Stack, memory: Name) -> Name:
        place = Place(
            self.scenario, stack.path, below(stack.path, "X"), stack=stack, layer=stack.layers[0]
        )
        if stack.text.tokenizing is not None:
            self._vocabulary(place)
            self._cuts(place)
        self.add("tokenize", place)
        x = self._input(place)
        place = replace(place, times=_times(place))
        for layer in stack.layers:
            at = replace(place, path=layer.path, x=x, layer=layer)
            x = self.block(at, memory) if layer.recurrent is None else self.recurrent(at)
        if stack.final_norm is not None:
            x = self._norm(replace(place, x=x), stack.final_norm)
        return x

    def _vocabulary(self, place: Place) -> None:
        """How a tokenizer came to its vocabulary: at once, or in rounds."""
        from attncli.steps.estimate import told_numbers
        from attncli.steps.learn import told_rounds
        from attncli.steps.prune import trained_pruning

        self.add("dictionary", place)
        rounds: dict[int, tuple[str, ...]] = {one.number: ("learn",) for one in told_rounds(place)}
        rounds |= dict.fromkeys(told_numbers(place), ("estimate", "prune"))
        rounds |= {1: ("prune",)} if trained_pruning(place) else {}
        for number, steps in rounds.items():
            at = place.at(place.name("rounds", number), round=number)
            for step in steps:
                self.add(step, at)

    def _cuts(self, place: Place) -> None:
        """How words are cut where all ways are weighed."""
        from attncli.steps.viterbi import told_words

        for number, word in told_words(place):
            self.add("viterbi", place.at(place.name("words", number), word=word))

    def _input(self, place: Place) -> Name:
        """The embedded tokens, with positions and whatever else is added to them."""
        embedded = self.add("embed", place)
        goes_on = place.stack.goes_on
        summed = self.add("positions", replace(place, x=embedded)) if goes_on else embedded
        norm = place.stack.embedding_norm
        if norm is not None:
            return self._norm(replace(place, x=summed), norm, out=place.name("X"))
        return place.name("X")

    def _norm(self, place: Place, norm: Norm, out: Name = TOP) -> Name:
        return self.add("norm", replace(place, path=norm.path, norm=norm, out=out))

    def block(self, place: Place, memory: Name) -> Name:
        """One layer: attention, for a decoder cross-attention, and a feed-forward network."""
        layer = place.layer
        own = layer.attention
        x = self._sublayer(place, 1, lambda at: self.attention(at, own, memory))
        done = 1
        if layer.cross is not None:
            cross = layer.cross
            done += 1
            x = self._sublayer(
                replace(place, x=x), done, lambda at: self.attention(at, cross, memory)
            )
        if layer.has_ffn:
            x = self._sublayer(replace(place, x=x), done + 1, lambda at: self.add("ffn", at))
        return x

    def recurrent(self, place: Place) -> Name:
        """One recurrent layer: a list of cells, one a time, for each way that it goes."""
        cell = place.layer.recurrent or Recurrent()
        ways = [place.at(cell.way_path(place.path, way), way=way) for way in cell.ways]
        for way in ways:
            self.add("unstack", way)
            self.add("start", way)
            for time in _in_order(way):
                self._cell(replace(way, time=time))
        states = self.add("states", replace(place, way=cell.ways[0]))
        self._read_out(place, all_together=True)
        if cell.gradient:
            for time in reversed(_in_order(ways[0])):
                self.add("gradient", replace(ways[0], time=time))
        return states

    def _cell(self, place: Place) -> None:
        """A cell at one time, and what is read out of it there."""
        self.add("input", place)
        self.add("memory", place)
        self.add("gates", place.at(place.timed("gates")))
        self.add("state", place)
        self._read_out(place, all_together=False)

    def _read_out(self, place: Place, *, all_together: bool) -> None:
        """What is read out of the memory: at each time of one way, or once all are there."""
        cell = place.cell
        afterwards = cell.direction == "both" or not cell.readout_every
        if afterwards != all_together:
            return
        times = _in_order(replace(place, way=cell.ways[0])) if all_together else (place.time,)
        for time in times if cell.readout_every else times[-1:]:
            self.add("readout", replace(place, time=time))

    def _sublayer(self, place: Place, k: int, inner: Callable[[Place], Name]) -> Name:
        """A sublayer with its norm, before or after, and its residual."""
        layer = place.layer
        norm = layer.norms[k - 1] if layer.norms else None
        x = place.x
        if norm is not None and layer.norm == "pre":
            x = self._norm(place, norm)
        x = inner(replace(place, x=x))
        if layer.residuals:
            out = place.name(f"residual{k}")
            x = self.add("residual", replace(place, x=x, beside=place.x, out=out))
        if norm is not None and layer.norm == "post":
            x = self._norm(replace(place, x=x), norm)
        return x

    def attention(self, place: Place, attention: Attention, memory: Name) -> Name:
        """All heads of an attention, and what puts them together."""
        first = attention is place.stack.layers[0].attention
        beside = memory if attention.sees_memory else ""
        whole = place.at(attention.path, attention=attention, beside=beside, separate=first)
        if not attention.own_heads:
            self.add("project", whole)
        for line in _asked(WITH_HEADS, whole):
            whole = replace(self._after(line.step, whole), x=place.x)
        for head in range(attention.heads):
            output = self._head(self._of_head(whole, head))
        is_merged = attention.heads > 1 or whole.gives("W_O")
        return self.add("merge", replace(whole, x=output)) if is_merged else output

    @staticmethod
    def _of_head(whole: Place, head: int) -> Place:
        """The place of a head, from 0, which has queries, keys and values of its own where there
        are several."""
        path = whole.attention.head_path(head)
        wires = whole.wires if path == whole.path else {}
        return whole.at(path, head=head, wires=wires)

    def _head(self, place: Place) -> Name:
        if place.attention.own_heads:
            self.add("project", place)
        for line in _asked(IN_HEADS, place):
            place = self._after(line.step, place)
        return place.x

    def _after(self, step: str, place: Place) -> Place:
        """Takes a step; the place after it, where its result flows on, or else other queries, keys
        or values than the latest do."""
        before = len(self.parts)
        x = self.add(step, place)
        made = (one for part in self.parts[before:] for one in part.definitions)
        wires = {one.wire: one.name for one in made if one.wire}
        return place.wired(wires) if wires else replace(place, x=x)

    def prediction(self, x: Name) -> None:
        """Logits, probabilities and the loss, as far as they are asked for."""
        prediction = self.scenario.prediction
        if not prediction.unembedding:
            return
        stack = self.scenario.stack
        place = Place(self.scenario, TOP, x, stack=stack, layer=stack.layers[-1])
        logits = self.add("unembed", place)
        self.add("predict", place.at(place.name("next"), x=logits))
        if prediction.targets:
            self.add("loss", place)
