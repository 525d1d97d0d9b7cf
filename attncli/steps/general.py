"""Each step at a place where it has all that it can have, for its formulas in general."""

from __future__ import annotations

from decimal import Decimal

from attncli.name import TOP, Name, below
from attncli.records import replace
from attncli.scenario import Scenario
from attncli.scenario.model import (
    GATES,
    Attention,
    Layer,
    Norm,
    Positions,
    Prediction,
    Recurrent,
    Settings,
    Stack,
    TokenizedText,
    Tokenizing,
)
from attncli.trace import Place

_GIVEN = (
    *("b1", "b2", "gamma", "beta", "W_O", "bias"),
    *("b_a", "b_u", "b_f", "b_r", "b_c", "b_o", "b_ih", "b_hh", "W_ya", "b_y"),
)


_SAID = {
    "softcap": Decimal(50),
    "temperature": Decimal("0.7"),
    "mask": ("causal",),
    "dropout": {"p": Decimal("0.1")},
}


class _Everything(Scenario):
    """A scenario that gives every bias, γ and β."""

    def gives(self, name: Name) -> bool:
        return name.local in _GIVEN


def general_place(step: str) -> Place:
    """A place where a step does all that it can; of a cell the second of three times."""
    attention = Attention(
        said=Settings(values=_SAID),
        rotated=Positions("rope") if step == "rotate" else None,
        alibi=Positions("alibi", slopes=(Decimal("0.5"),)),
    )
    if step in ("split", "merge"):
        attention = attention._replace(path=TOP, heads=2)
    layer = Layer(attention=attention, has_ffn=True, norms=(Norm(Name("norm")),))
    layer = layer._replace(recurrent=_CELLS.get(step))
    positions = (Positions("sinusoidal"),) if step == "positions" else ()
    tokenizing = _tokenizing(step) if step in _TOKENIZING else None
    text = TokenizedText(sentence="ab", by_id=True, tokenizing=tokenizing)
    stack = Stack(text=text, positions=positions, layers=(layer,))
    prediction = Prediction("own", every=False, target_places=(0,))
    scenario = _Everything(stack=stack, prediction=prediction)
    x = Name(_INPUTS.get(step, "X"))
    place = Place(scenario, x=x, stack=stack, layer=layer, round=1, word="ab")
    place = replace(place, time=2, times=3) if step in _CELLS else place
    beside, out = Name(_BESIDE.get(step, "")), Name(_OUT.get(step, ""))
    return place.at(_PATHS.get(step, TOP), attention=attention, beside=beside, out=out)


def _tokenizing(step: str) -> Tokenizing:
    """A tokenizer that learned something, which the step tells of."""
    from attncli.tokenizing.corpus import CountedWord
    from attncli.tokenizing.count_training import train_by_counts
    from attncli.tokenizing.dictionary import make_dictionary
    from attncli.tokenizing.merge_learning import MergeSettings, learn_merges
    from attncli.tokenizing.pre_tokenizers import WhiteSpace
    from attncli.tokenizing.tokenizer import WordTokenizer
    from attncli.tokenizing.unigram import UnigramSettings

    words = (CountedWord("ab", 2),)
    trained, dictionary = train_by_counts(words, UnigramSettings(3)), make_dictionary(words)
    merges = learn_merges(words, MergeSettings(merges=1, score="likelihood"))
    records = {"learn": merges, "dictionary": dictionary, "viterbi": None}
    tokenizer = WordTokenizer(WhiteSpace(), trained.model)
    return Tokenizing(tokenizer, words, records.get(step, trained), ("a", "b"))


_TOKENIZING = ("learn", "dictionary", "estimate", "prune", "viterbi")
_STACKED = Recurrent("gru", layout="torch", gate_order=GATES["gru"])
_CELLS = {
    **dict.fromkeys(("start", "input", "memory", "state", "states"), Recurrent()),
    "unstack": _STACKED,
    "gates": Recurrent("lstm"),
    "readout": Recurrent(readout="softmax"),
    "gradient": Recurrent(gradient=True),
}

_INPUTS = {
    "positions": "E",
    **dict.fromkeys(("scale", "softcap", "bias", "temperature", "mask"), "scores"),
    "softmax": "scaled",
    "dropout": "weights",
    "weighted_sum": "weights",
    "residual": "attention",
    "norm": "x",
    "ffn": "output",
    "unembed": "x",
    "predict": "logits",
}
_PATHS = {
    **dict.fromkeys(("learn", "estimate", "prune"), below(TOP, "rounds", 1)),
    "viterbi": below(TOP, "words", 1),
    "gates": Name("gates").at(2),
}
_BESIDE = {"residual": "x"}
_OUT = {"residual": "residual1"}
