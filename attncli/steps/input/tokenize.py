"""From a sentence to tokens and their IDs."""

from __future__ import annotations

from collections import Counter

from attncli.arithmetic.expression import Apply, Equation, Symbol
from attncli.arithmetic.formula import at, define
from attncli.file.keys import Key
from attncli.file.kinds import ListOf, MapOf, TextKind, WholeNumber
from attncli.scenario.model import TokenizedText
from attncli.scenario.tokenizers import tokenizer_kind
from attncli.scenario.tokenizers.keys import TOKENIZING
from attncli.scenario.tokenizers.kind import TOKEN
from attncli.steps.step import Step
from attncli.trace import Place
from attncli.trace.quantity import counted, told_apart
from attncli.word import Phrase, Word

_KEYS = (
    Key("sentence", TextKind("a sentence"), "the text that is worked on"),
    *TOKENIZING,
    Key("tokens", ListOf(TOKEN), "the tokens themselves, instead of cutting the sentence"),
    Key("vocabulary", MapOf(WholeNumber(0, 10**9), "token"), "token → ID"),
    Key(
        "ids",
        ListOf(WholeNumber(0, 10**9)),
        "the tokens by their IDs, instead of a sentence or tokens; without a vocabulary they are"
        " called by these",
    ),
)


def _happens(place: Place) -> str | Phrase:
    cut = "The tokens are given"
    if only_numbered(place.text):
        cut += f" without words: they are called 1 to {len(place.text.tokens)}"
    if place.text.cut:
        cut = tokenizer_kind(place.text.tokenizer).explained
    looked_up = ", and each token's ID is looked up in the vocabulary"
    told = f"{cut}{looked_up if place.text.ids else ''}."
    return told if place.text.tokenizing else (told, *_told_apart(place.text.tokens))


def only_numbered(text: TokenizedText) -> bool:
    """Whether tokens are given that have no other names than their positions."""
    named = text.tokens != counted(len(text.tokens)) or text.ids or text.cut
    return len(text.tokens) > 1 and not named


def _told_apart(tokens: tuple[str, ...]) -> Phrase:
    """How a token is called that comes more than once."""
    again = next((token for token, count in Counter(tokens).items() if count > 1), None)
    named = zip(told_apart(tokens), tokens, strict=True)
    names = [Word(name) for name, token in named if token == again]
    if again is None:
        return ()
    said = " A token that comes more than once is told apart by its position: "
    return (said, names[0], " and ", names[1], ".")


def _formulas(place: Place) -> tuple[Equation, ...]:
    tokens = define("tokens", Apply("tokenize", (Symbol("sentence"),)))
    ids = define("ids", at("vocabulary", "tokens"))
    with_ids = (ids,) if place.text.ids or not place.text.tokens else ()
    return (tokens, *with_ids) if place.text.cut else with_ids


STEP = Step(
    name="tokenize",
    at=Place,
    keys=(*_KEYS,),
    title="Tokens",
    does="cuts the text into tokens and looks up their IDs",
    makes=("tokens", "ids"),
    formulas=_formulas,
    shapes="a sentence → n tokens → n whole numbers",
    happens=_happens,
    why=(
        "A network works on numbers, so a text is cut into tokens: pieces that the model knows,"
        " each of which has its place in the vocabulary."
    ),
    more="That place is the token's ID, which is only a name: 103 is not more than 101.",
    plan=lambda _: (),
    pictures=("merge_trees",),
)
