"""Makes a place for each step where it has all that it can have, for its formulas in general."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from attncli.errors import Where
from attncli.maths.equations.formulas import cell
from attncli.maths.equations.language import read_equation
from attncli.maths.equations.tree import Product, Total
from attncli.maths.operations.written import WrittenOperation
from attncli.names import TOP, Name, below
from attncli.scenario.file.nodes import TextPlace
from attncli.scenario.model import (
    FOR_ATTENTION,
    Attention,
    AttentionPositions,
    EmbeddingTable,
    Experts,
    Layer,
    LayerNorms,
    Logits,
    Loss,
    Prediction,
    Settings,
    Stack,
    TokenizedText,
    Tokenizing,
    Training,
)
from attncli.scenario.scenario import Scenario
from attncli.scenario.written import EquationLine, WrittenStep
from attncli.steps.order import THROUGH, step_named
from attncli.steps.written.planning import PlannedPart
from attncli.trace import (
    AttentionPlace,
    BackwardPlace,
    CutPlace,
    Definition,
    HeadPlace,
    Place,
    RoundPlace,
    UpdatePlace,
)


@dataclass(frozen=True, eq=False)
class _Everything(Scenario):
    """A scenario that gives all that a step can take: every bias, γ and β."""

    known: tuple[str, ...] = ()

    def gives(self, name: Name) -> bool:
        return name.local in self.known


def general_place(name: str, also: tuple[str, ...] = ()) -> Place:
    """Makes a place where a step does all that it can, with what it is given in general, and `also`
    some more.

    The place of a recurrent cell is the second of three times.
    """
    step = step_named(name)
    if step.at is BackwardPlace:
        return _back_through(name)
    if step.at is UpdatePlace:
        return _trained(name)
    shown = step.formulas
    kind: type[Place] = HeadPlace if step.at is AttentionPlace and shown.heads == 1 else step.at
    kinds = {p.kind: p for p in shown.positions}
    attention = Attention(
        heads=shown.heads,
        config=Settings(values=shown.config),
        positions=AttentionPositions(*map(kinds.get, FOR_ATTENTION)),
    )
    layer = Layer(
        attention=attention, has_ffn=True, norms=LayerNorms(each=(Settings(Name("norm")),)),
        experts=Experts(3, has_shared=True),
    )  # fmt: skip
    layer = layer._replace(recurrent=shown.cell)
    tokenizing = _tokenizing(name) if name in _TOKENIZING else None
    text = TokenizedText(sentence="ab", table=EmbeddingTable(by_id=True), tokenizing=tokenizing)
    stack = Stack(
        text=text, positions=shown.positions, layers=(layer,), config=Settings(values=shown.config)
    )
    prediction = Prediction(
        Logits("own", Decimal("0.125"), Decimal(30)), draft=shown.config.get("draft", {}),
        loss=Loss(target_places=(0,)),
    )  # fmt: skip
    scenario = _Everything(stack=stack, prediction=prediction, known=(*shown.gives, *also))
    x = Name(shown.x)
    values: dict[str, Any] = {
        "scenario": scenario, "stack": stack, "path": _PATHS.get(step.at, shown.path), "x": x,
        "round": 1, "shown": True, "word": "ab", "norm": layer.norms.each[0], "out": Name("normed"),
        "skipped": Name("x"), "number": 1, "also": (), "layer": layer,
        "attention": attention, "source": x, "wires": {}, "head": 0,
        "cell": shown.cell, "way": "forward", "times": 3, "time": 2,
        "own": _of_its_own(name), "part": PlannedPart(None, (_MADE,)),
    }  # fmt: skip
    return kind(**{name: values[name] for name in kind.__match_args__})


_MADE = Definition(
    Name("y"),
    WrittenOperation("i k, k 1 -> i 1", Total("k", Product((cell(0, "i", "k"), cell(1, "k"))))),
    (Name("X"), Name("w")),
)
"""What an equation of one's own might make: y[i] = Σ_k X[i, k] × w[k]."""


def _of_its_own(name: str) -> WrittenStep:
    """Makes a scenario's own step with one function, as one might write it."""
    where = Where("")
    equation = read_equation("phi(x) = x + 1 if x > 0 else exp(x)")
    return WrittenStep(name, where, (EquationLine(equation, TextPlace(where)),))


def _back_through(name: str) -> BackwardPlace:
    """Makes the place of a step that leads back through another one, which is at its general
    place."""
    from attncli.steps.backward.chain_rule import in_general

    through = step_named(THROUGH[name])
    back = through.backward
    assert back is not None
    forward = general_place(through.name, back.gives)
    planned = in_general(back.whole(forward, through.planned(forward)), back.fixed)
    return forward.to(BackwardPlace, forward=forward, planned=planned)


def _trained(step: str) -> UpdatePlace:
    """Makes the place of an update by gradient descent of a matrix W, or of the progress after
    it."""
    from attncli.steps.training import in_general

    training = Training(Decimal("0.1"))
    scenario = Scenario(training=training)
    return in_general(scenario, training, Name("W"), Name("cross_entropy"))[step]


def _tokenizing(step: str) -> Tokenizing:
    """Makes a tokenizer with the record of what it learned, of which the step tells."""
    from attncli.tokenizers.merge_training import MergeSettings, learn_merges
    from attncli.tokenizers.pieces import CountedWord, make_dictionary
    from attncli.tokenizers.splitting import WhiteSpace, WordTokenizer
    from attncli.tokenizers.unigram import UnigramSettings
    from attncli.tokenizers.unigram_by_counts import train_by_counts

    words = (CountedWord("ab", 2),)
    trained, dictionary = train_by_counts(words, UnigramSettings(3)), make_dictionary(words)
    merges = learn_merges(words, MergeSettings(merges=1, score="likelihood"))
    records = {"learn": merges, "dictionary": dictionary, "viterbi": None}
    tokenizer = WordTokenizer(WhiteSpace(), trained.model)
    return Tokenizing(tokenizer, words, records.get(step, trained), ("a", "b"))


_TOKENIZING = ("learn", "dictionary", "estimate", "prune", "viterbi")
_PATHS = {RoundPlace: below(TOP, "rounds", 1), CutPlace: below(TOP, "words", 1)}
