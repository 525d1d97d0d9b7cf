"""A new scenario under the rules of nice numbers: a sentence, one layer of attention, a network.

Embeddings, values and what comes after them are small integers, so that only the softmax is
rounded; queries and keys are made with tenths, so that scores lie neither too near to each other
nor too far apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

from numpy.random import RandomState

from attncli.classroom.forms.costs import ALONE
from attncli.classroom.forms.pools import Pools
from attncli.classroom.forms.search import CostsWanted, SearchRequest, UnsatisfiedError, search
from attncli.maths.equations.matrix import Matrix
from attncli.maths.notation.escaping import commented
from attncli.maths.numbers import decimals
from attncli.names import Name
from attncli.pipeline import load
from attncli.scenario.file.emitting import written
from attncli.scenario.scenario import Scenario
from attncli.steps.schema import vectors

_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "name": (
            "Ada", "Ben", "Clara", "David", "Emil", "Fatima", "Grace", "Hugo", "Ida", "Jonas",
            "Kira", "Leo", "Mia", "Nils", "Olga", "Paul", "Rosa", "Sami", "Tilda", "Yusuf",
        ),
        "rests": (
            "dreams", "laughs", "listens", "reads", "runs", "sings", "sleeps", "smiles", "waits",
        ),
        "does": (
            "brings", "buys", "carries", "draws", "finds", "keeps", "likes", "paints", "sells",
        ),
        "do": ("bring", "buy", "carry", "draw", "find", "keep", "like", "paint", "sell"),
        "how often": ("always", "gladly", "never", "often", "rarely", "sometimes"),
        "what kind": ("bright", "little", "new", "old", "quiet", "red", "round", "small", "warm"),
        "what": (
            "apples", "bells", "boats", "books", "kites", "lamps", "maps", "pencils", "shells",
            "stamps", "stones", "trains",
        ),
        "where": ("abroad", "downstairs", "indoors", "nearby", "outside", "upstairs"),
        "when": ("today", "tomorrow", "tonight"),
    }
)  # fmt: skip

_PATTERNS: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {
        2: ("name", "rests"),
        3: ("name", "does", "what"),
        4: ("name", "does", "what kind", "what"),
        5: ("name", "how often", "does", "what kind", "what"),
        6: ("name", "how often", "does", "what kind", "what", "where"),
        7: ("name", "how often", "does", "what kind", "what", "where", "when"),
        8: ("name", "and", "name", "how often", "do", "what kind", "what", "where"),
    }
)
"""The kinds of words of a sentence of so many; a kind that isn't there is the word itself."""

FEWEST, MOST = min(_PATTERNS), max(_PATTERNS)


def _sentence(count: int, random: RandomState) -> list[str]:
    """Returns so many different words that make a sentence."""
    words: list[str] = []
    for kind in _PATTERNS[count]:
        known = _WORDS.get(kind, (kind,))
        left = [word for word in known if word not in words]
        words.append(left[random.randint(len(left))])
    return words


MOST_D_MODEL = 8

_EFFORT = 10
"""How many times as long a scenario is searched for: it is made once, and large ones are hard to
find."""

_INTEGERS = (-2, -1, 1, 2, 3)
_POSITIVE = (1, 2, 3)
_ONES = (-2, -1, -1, 1, 1, 2)
_SMALL_TENTHS = (-3, -2, -1, 1, 2, 3)
_TENTHS = (-5, -4, *_SMALL_TENTHS, 4, 5)
_MANY_TENTHS = tuple(count for count in range(-20, 21) if count)
_FEW_TOKENS, _FEW_DIMENSIONS, _MANY_DIMENSIONS = 3, 2, 5


MASKS, NORMS = ("none", "causal"), ("none", "layer", "rms")


USUAL_DECIMALS = 3


class Sizes(NamedTuple):
    """The sizes that are asked for, and what belongs to the layer besides."""

    tokens: int
    d_model: int
    heads: int
    decimals: int = USUAL_DECIMALS
    mask: str = MASKS[0]
    norm: str = NORMS[0]
    residuals: bool = False
    """Whether what goes into attention, and into the network, is added to what comes out."""
    network: bool = True
    """Whether a feed-forward network comes after attention."""

    @property
    def d_k(self) -> int:
        """Returns the dimensions of a head: its share of those of the embeddings, rounded up."""
        return -(-self.d_model // self.heads)

    @property
    def width(self) -> int:
        """Returns the columns of all heads together."""
        return self.heads * self.d_k

    @property
    def d_ff(self) -> int:
        """Returns how many hidden numbers there are: with a single one, relu would leave all rows
        as they are, or nothing of one."""
        return max(self.d_model, 2)


def sketch(
    sizes: Sizes, seed: int, allow: Collection[str] = (), own: Sequence[str] = ()
) -> tuple[Sequence[str], Scenario]:
    """Returns the words of a new scenario, which may be somebody's `own`, and the scenario with its
    numbers.

    The same sizes and the same seed give the same. Raises UnsatisfiedError where no numbers keep
    all rules but for those that are allowed to be broken.
    """
    words = own or _sentence(sizes.tokens, RandomState(list(f"{seed}, the words".encode())))
    blank = load(_blank(sizes, words))
    for same in range(sizes.tokens - 1):
        with suppress(UnsatisfiedError):
            return words, _searched(blank, sizes, seed, allow, same)
    return words, _searched(blank, sizes, seed, allow, sizes.tokens - 1, _EFFORT)


def _searched(
    blank: Scenario,
    sizes: Sizes,
    seed: int,
    allow: Collection[str],
    same: int,
    effort: int = 1,
) -> Scenario:
    """Returns the scenario with numbers under which so many queries of a head may attend most to
    what an earlier one does. Raises UnsatisfiedError where none are found."""
    spare = {"winners": same}
    small = sizes.d_model <= _MANY_DIMENSIONS  # sums of more products can't be kept small
    request = SearchRequest(
        1, seed, (), allow, _pools(sizes), effort, spare, costs=CostsWanted(ALONE), small=small
    )
    (designed,) = (trace.scenario for trace in search(blank, request))
    return designed


def _blank(sizes: Sizes, words: Sequence[str]) -> dict[str, object]:
    """Returns the scenario with numbers that can be worked with: no row that comes into a norm has
    equal ones."""
    d_model, d_ff, width = sizes.d_model, sizes.d_ff, sizes.width
    network = {
        "W1": _identity(d_model, d_ff),
        "b1": [0] * d_ff,
        "W2": _identity(d_ff, d_model),
        "b2": [0] * d_model,
    }
    W_O = _identity(width, d_model)
    return {
        "sentence": " ".join(words),
        "embeddings": {word: [*range(1, d_model + 1)] for word in words},
        **{name: _identity(d_model, width) for name in ("W_Q", "W_K", "W_V")},
        **({"heads": sizes.heads, "W_O": W_O} if sizes.heads > 1 else {}),
        "scale": _scale(sizes),
        **_layer(sizes),
        **(network if sizes.network else {}),
        "rounding": {"policy": "carry", "decimals": sizes.decimals},
    }


def _identity(rows: int, columns: int) -> list[list[int]]:
    """Returns a matrix by which numbers stay as they are, as many as there are columns."""
    return [[int(i == j) for j in range(columns)] for i in range(rows)]


def _layer(sizes: Sizes) -> dict[str, object]:
    """Returns what belongs to the layer besides matrices: a mask, residuals, norms."""
    said: dict[str, object] = {}
    if sizes.mask != MASKS[0]:
        said["mask"] = sizes.mask
    if sizes.residuals:
        said["residuals"] = True
    if sizes.norm != NORMS[0]:
        said |= {"norm": "post", "norms": {"kind": sizes.norm, "epsilon": 0}}
    return said


def _scale(sizes: Sizes) -> str:
    """Returns how scores are scaled: with one dimension a head there is nothing to scale, as √1 is
    1."""
    return "sqrt_d_k" if sizes.d_k > 1 else "none"


def _pools(sizes: Sizes) -> Pools:
    network = 0, _INTEGERS if _is_small(sizes) else _ONES
    pools: dict[str, tuple[int, tuple[int, ...]]] = {
        "embeddings": _of_embeddings(sizes),
        "W_Q": _before_softmax(sizes),
        "W_K": _before_softmax(sizes),
        "W_V": (0, _POSITIVE if _is_small(sizes) else _ONES),
        **({"W_O": (0, _ONES)} if sizes.heads > 1 else {}),
        **(dict.fromkeys(("W1", "b1", "W2", "b2"), network) if sizes.network else {}),
    }
    if sizes.norm != NORMS[0]:
        pools |= dict.fromkeys(_before_norms(sizes), (1, _TENTHS))
    return {(Name(name),): pool for name, pool in pools.items()}


def _before_norms(sizes: Sizes) -> Iterator[str]:
    """Yields the matrices that make what comes into norms: with tenths in them it stays small."""
    yield "W_O" if sizes.heads > 1 else "W_V"
    if sizes.network:
        yield "W2"


def _of_embeddings(sizes: Sizes) -> tuple[int, tuple[int, ...]]:
    if sizes.d_model == 1:  # one number has to tell all tokens apart
        return 1, _MANY_TENTHS
    return 0, _INTEGERS


def _is_small(sizes: Sizes) -> bool:
    few = sizes.tokens <= _FEW_TOKENS and sizes.d_model <= _FEW_DIMENSIONS
    return few and sizes.heads == 1


def _before_softmax(sizes: Sizes) -> tuple[int, tuple[int, ...]]:
    return 1, _SMALL_TENTHS if sizes.d_model > _MANY_DIMENSIONS else _TENTHS


def text_of(sizes: Sizes, words: Sequence[str], scenario: Scenario, command: str) -> str:
    """Returns the scenario as a file with comments; `command` makes it again."""
    return "\n".join(_lines(sizes, words, scenario, command)) + "\n"


def _lines(sizes: Sizes, words: Sequence[str], scenario: Scenario, command: str) -> Iterator[str]:
    given = scenario.given.matrices
    text = written(" ".join(words))
    yield from (f"# Made by `{commented(command)}`,", "# which makes it again.", "")
    yield from (f"title: {text}", f"sentence: {text}", "", "# Token → vector.", "embeddings:")
    table = scenario.text.table.row_names
    yield from (
        f"  {written(word)}: {_row_text(given[Name('embeddings')], table.index(word))}"
        for word in dict.fromkeys(words)
    )
    across = "d_model" if sizes.width == sizes.d_model else str(sizes.width)
    yield from ("", f"# Weights of queries, keys and values, d_model × {across}, used as x W.")
    if sizes.heads > 1:
        yield f"# Each of the {sizes.heads} heads takes {sizes.d_k} of their columns."
        yield f"heads: {sizes.heads}"
    for name in ("W_Q", "W_K", "W_V"):
        yield from _matrix(name, given[Name(name)])
    if sizes.heads > 1:
        yield from ("", "# What the heads' outputs, side by side, are multiplied by.")
        yield from _matrix("W_O", given[Name("W_O")])
    yield from ("", "# What the scores are divided by: sqrt_d_k, none, or a number.")
    yield f"scale: {_scale(sizes)}"
    yield from _lines_of_layer(sizes)
    if sizes.network:
        yield from ("", "# The feed-forward network: relu(x W1 + b1) W2 + b2.")
        for name in ("W1", "b1", "W2", "b2"):
            yield from _matrix(name, given[Name(name)])
    yield from ("", "# carry: every result is rounded, and the next step uses the rounded number.")
    yield from ("rounding:", "  policy: carry", f"  decimals: {sizes.decimals}")


def _lines_of_layer(sizes: Sizes) -> Iterator[str]:
    """Yields what belongs to the layer besides matrices."""
    if sizes.mask != MASKS[0]:
        yield from ("", "# No query sees a key that comes after it.", f"mask: {sizes.mask}")
    if sizes.residuals:
        yield from (
            "",
            "# What goes into a sublayer is added to what comes out.",
            "residuals: true",
        )
    if sizes.norm != NORMS[0]:
        yield from ("", "# A norm after each sublayer.", "norm: post", "norms:")
        yield from (f"  kind: {sizes.norm}", "  epsilon: 0")


def _matrix(name: str, matrix: Matrix) -> Iterator[str]:
    if name in vectors():
        yield f"{name}: {_row_text(matrix, 0)}"
        return
    yield f"{name}:"
    yield from (f"  - {_row_text(matrix, i)}" for i in range(matrix.shape[0]))


def _row_text(matrix: Matrix, i: int) -> str:
    numbers = (decimals.text(matrix.number(i, j).shown) for j in range(matrix.shape[1]))
    return f"[{', '.join(numbers)}]"
