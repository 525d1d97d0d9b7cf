"""The settings of a model in a scenario, without its numbers: typed, with the paper's defaults.

A stack has a text and layers, a layer its attentions, norms and feed-forward network. `path`
says where each stands in the file, and so begins the names of its quantities.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from attncli.names import TOP, Name, Word, below

if TYPE_CHECKING:
    from attncli.maths.equations.matrix import Matrix
    from attncli.maths.equations.tree import Number
    from attncli.scenario.file.keys import Key, KeyValues
    from attncli.tokenizers.merge_training import MergeTraining
    from attncli.tokenizers.pieces import CountedDictionary, CountedWord
    from attncli.tokenizers.splitting import WordTokenizer
    from attncli.tokenizers.unigram import Summing
    from attncli.tokenizers.unigram_by_counts import CountTraining
    from attncli.tokenizers.unigram_by_em import EMTraining


T = TypeVar("T")
ENCODER = Name("encoder")
"""The place of the encoder's stack."""
_ONE_DROPS = ("layers", "heads")
"""Lists whose single entry is named without its number."""


def entry_path(path: Name, key: str, k: int, count: int) -> Name:
    """Returns the path of the k-th entry of a list, from 0: `layers[1]` for the first.

    A single layer or head is named as if there were no list, and a single rule as the mask itself.
    """
    if count == 1 and key in _ONE_DROPS:
        return path
    return below(path, key, None if count == 1 and key == "mask" else k + 1)


class Phrase(NamedTuple):
    """A sentence or a part of one."""

    text: str
    """Its English text, with gaps `{…}`."""
    gaps: "Mapping[str, Phrase | Word | str]" = MappingProxyType({})
    """What stands in the gaps, by name."""


def phrase(text: str, **gaps: Phrase | Word | str) -> Phrase:
    """Makes a phrase of a text and what stands in its gaps."""
    return Phrase(text, gaps)


class Tokenizing(NamedTuple):
    """A tokenizer with a vocabulary, and the record of how it was learned."""

    tokenizer: "WordTokenizer"
    words: "tuple[CountedWord, ...]" = ()
    """The words of the corpus that it was learned from."""
    learned: "MergeTraining | CountedDictionary | CountTraining | EMTraining | None" = None
    """How it was learned, if it was."""
    pieces: tuple[str, ...] = ()
    """For a model with log-probabilities, the pieces that can be found in a word, in the order of
    `log_p`."""
    log_p: "Matrix | None" = None
    """The log-probabilities of the pieces [pieces, 1], unless they come from rounds that the page
    shows."""
    name: str = ""
    """The name of its kind."""
    phrases: tuple[Phrase, ...] = ()
    """What its settings mean, for the page."""
    counts_given: bool = True
    """Whether the scenario gives the counts of the words."""
    anew: "Callable[[Summing], Tokenizing | None] | None" = None
    """Learns the same again with another way to add up numbers that aren't whole, if there are
    any."""


class EmbeddingTable(NamedTuple):
    """The table of embeddings of a text, and which row of it is whose."""

    name: Name = Name("embeddings")
    """Its full name."""
    row_names: tuple[str, ...] = ()
    """The names of its rows."""
    features: tuple[str, ...] = ()
    """The names of its columns, if they have some."""
    by_id: bool = False
    """Whether its rows are found by ID, and not by token."""
    rows: Mapping[str, int] = MappingProxyType({})
    """The row of every known token."""
    one_hot: bool = False
    """Whether its rows only tell tokens apart and are not learned."""


class TokenizedText(NamedTuple):
    """The tokens of a stack, their IDs, and their rows of the embedding table."""

    sentence: str | None = None
    cut: bool = True
    """Whether the tokens are cut from the sentence, and not given."""
    tokenizer: str = "whitespace"
    """The name of the tokenizer's kind."""
    tokens: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    known_ids: Mapping[str, int] = MappingProxyType({})
    """The ID of every known token."""
    table: EmbeddingTable = EmbeddingTable()
    rows_of_tokens: tuple[int, ...] = ()
    """The row of the table that each of the tokens has."""
    tokenizing: Tokenizing | None = None
    """The tokenizer, where it is one that cuts words into pieces."""

    def learned_as(self, record: type[T]) -> T | None:
        """Returns the record of how the tokenizer was learned, if it is of this type, and None
        otherwise."""
        learned = self.tokenizing.learned if self.tokenizing else None
        return learned if isinstance(learned, record) else None

    def with_token(self, token: str) -> "TokenizedText | None":
        """Returns the text with one more token, or None for a token that has no embedding."""
        if token not in self.table.rows or (self.ids and token not in self.known_ids):
            return None
        return self._replace(
            cut=False,
            tokens=(*self.tokens, token),
            ids=(*self.ids, self.known_ids[token]) if self.ids else (),
            rows_of_tokens=(*self.rows_of_tokens, self.table.rows[token]),
        )

    @property
    def last(self) -> "TokenizedText":
        """Returns the last token alone."""
        rows, ids = self.rows_of_tokens[-1:], self.ids[-1:]
        return self._replace(cut=False, tokens=self.tokens[-1:], ids=ids, rows_of_tokens=rows)


class Settings(NamedTuple):
    """A set of settings: what a scenario says of a part of the model, by keys."""

    path: Name = TOP
    values: "KeyValues" = MappingProxyType({})
    own: frozenset[str] = frozenset()
    """The keys that are said at `path` itself."""
    above: Name = TOP
    """The place where the other keys are said, for this part and others."""

    def says(self, key: "Key[object]") -> bool:
        """Tells whether something is said for a key."""
        return key.name in self.values

    def get(self, key: "Key[T]") -> T:
        """Returns what is said for a key, or else its default."""
        value: T = self.values.get(key.name, key.default)
        return value

    def at(self, key: "Key[object]") -> Name:
        """Returns the full name of what is said for a key."""
        return below(self.path if key.name in self.own else self.above, key.name)

    @property
    def layout(self) -> str | None:
        """Returns how weights are kept, if that is said: `row` (in × out), `linear` (out × in) or
        `torch` (a recurrent cell's, stacked)."""
        return self.values.get("weights_layout")

    @property
    def linear(self) -> bool:
        """Tells whether weights are said to be out × in."""
        return self.layout == "linear"


FOR_ATTENTION = ("rope", "alibi", "relative", "disentangled")
"""The kinds of positions that act where tokens attend, and aren't added to embeddings."""


class Positions(NamedTuple):
    """One kind of positions: sinusoidal, rope, alibi, relative, disentangled, or a given table."""

    kind: str
    config: Settings = Settings()

    @property
    def is_added(self) -> bool:
        """Tells whether the positions are added to the embeddings, and not to scores or by
        rotation."""
        return self.kind in ("sinusoidal", "given")

    @property
    def table(self) -> Name:
        """Returns the full name of a given table, which stands alone or beside its settings."""
        return (
            below(self.config.path, "table") if "kind" in self.config.values else self.config.path
        )

    @property
    def terms(self) -> tuple[str, ...]:
        """Returns the products that are added to scores: `c2p`, queries with keys of relative
        positions, and `p2c`, keys with queries of relative positions."""
        return tuple(self.config.values.get("terms", ("c2p", "p2c")))

    @property
    def norm(self) -> Name | None:
        """Returns the place of the norm of the table, or None."""
        return below(self.config.path, "norm") if "norm" in self.config.values else None

    @property
    def turned_by(self) -> tuple[Name, Name] | None:
        """Returns the full names of the tables of cosines and sines, or None where neither is
        given."""
        if not {"cos", "sin"} & {*self.config.values}:
            return None
        return below(self.config.path, "cos"), below(self.config.path, "sin")


class AttentionPositions(NamedTuple):
    """The positions that act where tokens attend, each where it does."""

    rotated: Positions | None = None
    """Those by which queries and keys are turned."""
    alibi: Positions | None = None
    relative: Positions | None = None
    disentangled: Positions | None = None


class Attention(NamedTuple):
    """One attention of a layer."""

    path: Name = TOP
    keys: tuple[str, ...] = ()
    """The tokens that it attends to, as far as they are known."""
    sees_memory: bool = False
    """Whether it attends to the encoder's memory."""
    heads: int = 1
    own_heads: bool = False
    """Whether each head has its own matrices."""
    kv_heads: int = 1
    projects: bool = True
    config: Settings = Settings()
    """All that a scenario says of it."""
    cached: tuple[str, ...] | None = None
    """The tokens whose keys and values are in its cache, None without one."""
    positions: AttentionPositions = AttentionPositions()

    @property
    def latent(self) -> Name:
        """Returns the place of the matrices that make its latent vectors."""
        config = self.config
        return below(config.path if "latent" in config.own else config.above, "latent")

    def head_path(self, head: int) -> Name:
        """Returns the path of a head, from 0. A single head has none of its own."""
        return self.path if self.heads == 1 else below(self.path, "heads", head + 1)


CELLS = ("rnn", "gru", "lstm")
WAYS = ("forward", "backward")
GATES = {
    "lstm": ("update", "forget", "candidate", "output"),
    "gru": ("reset", "update", "candidate"),
}
"""The gates of a cell in PyTorch's order; an update gate is also called an input gate."""
LETTERS = {"update": "u", "forget": "f", "reset": "r", "candidate": "c", "output": "o"}
"""The letters by which the matrices of a gate are named: `W_fx`, `W_fa`, `b_f`."""


class Recurrent(NamedTuple):
    """A recurrent cell that goes over a sentence."""

    kind: str = "rnn"
    activation: str = "tanh"
    direction: str = "forward"
    config: Settings = Settings()
    gradient: bool = False

    @property
    def readout_every(self) -> bool:
        """Tells whether the cell is read out at every time step, and not only at the last."""
        return self.config.values.get("readout_from") != "last"

    @property
    def stacked(self) -> bool:
        """Tells whether the matrices of all gates are kept in one."""
        return self.config.layout == "torch"

    @property
    def ways(self) -> tuple[str, ...]:
        """Returns the directions in which the cell goes over the sentence."""
        return ("forward", "backward") if self.direction == "both" else (self.direction,)

    @property
    def in_out(self) -> bool:
        """Tells whether matrices are kept in × out."""
        return self.config.layout == "row"

    def way_path(self, path: Name, way: str) -> Name:
        """Returns the path of a direction of a layer. A single direction has none of its own."""
        return below(path, way) if self.direction == "both" else path


class LayerNorms(NamedTuple):
    """The norms of a layer's sublayers."""

    order: str = "none"
    """Where they stand: `pre`, `post`, `after`, `both`, or `none`."""
    each: tuple[Settings, ...] = ()
    """The norm of each sublayer."""
    after: tuple[Settings, ...] = ()
    """The norm after each sublayer, where there is one before it as well (`both`)."""


class Experts(NamedTuple):
    """The feed-forward networks of which each token goes through a few."""

    routed: int = 0
    """How many there are, 0 where the layer has one network or none."""
    has_shared: bool = False
    """Whether there is one more, which every token goes through."""


class Layer(NamedTuple):
    """One layer of a stack, which may be a recurrent one."""

    path: Name = TOP
    block: str = "attention"
    """`attention`, `encoder`, `decoder`, or `recurrent`."""
    norms: LayerNorms = LayerNorms()
    residuals: bool = False
    parallel: str = "none"
    """How attention and network stand side by side: `shared_norm`, `own_norms`, or `none`."""
    attention: Attention = Attention()
    cross: Attention | None = None
    """A decoder's attention to the memory."""
    has_ffn: bool = False
    attends: bool = True
    """Whether it attends. A layer that doesn't has nothing but a norm or a feed-forward network."""
    experts: Experts = Experts()
    config: Settings = Settings()
    recurrent: Recurrent | None = None

    @property
    def expert_paths(self) -> tuple[Name, ...]:
        """Returns the places of its experts."""
        return tuple(below(self.path, "experts", k + 1) for k in range(self.experts.routed))

    @property
    def shared_path(self) -> Name:
        """Returns the place of the expert that every token goes through."""
        return below(self.path, "shared_expert")

    @property
    def networks(self) -> tuple[Name, ...]:
        """Returns the places of its feed-forward networks."""
        if not self.experts.routed:
            return (self.path,) if self.has_ffn else ()
        return (*self.expert_paths, *([self.shared_path] if self.experts.has_shared else []))


class Stack(NamedTuple):
    """A text and the layers that it goes through."""

    path: Name = TOP
    text: TokenizedText = TokenizedText()
    config: Settings = Settings()
    segments: tuple[int, ...] = ()
    positions: tuple[Positions, ...] = ()
    embedding_norm: Settings | None = None
    layers: tuple[Layer, ...] = (Layer(),)
    final_norm: Settings | None = None

    @property
    def sees(self) -> bool:
        """Tells whether a picture or a sound goes in instead of text."""
        return not self.config.values.keys().isdisjoint(("patches", "frames"))

    @property
    def added(self) -> Mapping[str, Positions]:
        """Returns the positions that are added to the embeddings, by the name of what is added: P,
        P2."""
        added = (p for p in self.positions if p.is_added)
        return {f"P{k}" if k > 1 else "P": p for k, p in enumerate(added, start=1)}


CONVOLVE, PROJECT, ADD, NORM = "convolve", "project_in", "positions", "norm"
"""The steps that turn the embeddings of a stack into its X."""
CONVOLUTIONS = ("convolution1", "convolution2")


def convolved_rows(values: "KeyValues", count: int, last: str = CONVOLUTIONS[-1]) -> int:
    """Counts the rows that convolutions leave of `count` rows, up to the `last` convolution."""
    for name in CONVOLUTIONS[: CONVOLUTIONS.index(last) + 1]:
        count = -(-count // values.get(name, {}).get("stride", 1))
    return count


def projected_when(stack: Stack) -> str:
    """Returns when embeddings are projected: `before` positions are added, or `after` everything
    else; empty for never."""
    projected = stack.config.values.get(PROJECT)
    return "" if projected is None else str(projected.get("when", "before"))


def steps_to_X(stack: Stack) -> tuple[str, ...]:  # noqa: N802
    """Returns the steps between embeddings and X, in order. The last of them makes X."""
    when = projected_when(stack)
    taken = (
        (CONVOLVE, any(name in stack.config.values for name in CONVOLUTIONS)),
        (PROJECT, when == "before"),
        (ADD, bool(stack.added or stack.segments)),
        (NORM, stack.embedding_norm is not None),
        (PROJECT, when == "after"),
    )
    return tuple(step for step, is_taken in taken if is_taken)


def makes_X(step: str, stack: Stack) -> bool:  # noqa: N802
    """Tells whether a step is the last of those between embeddings and X."""
    return steps_to_X(stack)[-1:] == (step,)


LOSSES: Mapping[str, str] = MappingProxyType({
    "cross_entropy": "loss",
    "binary_cross_entropy": "binary_loss",
    "mse": "mse",
})  # fmt: skip
"""The step of each loss, which makes a quantity of that name."""

REDUCTIONS: Mapping[str, str] = MappingProxyType({
    "mean": "mse",
    "mean_of_rows": "mse",
    "sum": "sse",
    "half_sum": "half_sse",
})  # fmt: skip
"""The ways to reduce squared errors to a loss, and the name of that loss."""


TARGETS = Name("targets")
"""The outputs wanted. They have the shape of what they are compared with."""


class Head(NamedTuple):
    """A prediction head: what stands between the last layer and the logits."""

    activation: str = "none"
    norm: Settings | None = None


class Logits(NamedTuple):
    """A description of how logits are made, and of what they are of."""

    unembedding: str = ""
    """`tied`, `own`, or nothing; `given` where logits or probabilities are."""
    scale: Decimal | None = None
    """What they are multiplied by."""
    softcap: Decimal | None = None
    """What they are kept below."""
    vocabulary: tuple[str, ...] = ()
    """The tokens, or classes, that their columns stand for."""
    labels: tuple[str, ...] = ()
    """The names of the classes that they are of."""

    @property
    def are_given(self) -> bool:
        """Tells whether logits or probabilities are given."""
        return self.unembedding == "given"


class Generation(NamedTuple):
    """A description of how the text goes on, one token after the other."""

    length: int = 0
    """How many tokens are made."""
    beams: int = 0
    """How many texts are kept at each token; 0 where the next token is chosen at once."""
    score: "Number | None" = None
    """The sum of the log-probabilities of the tokens that a beam has been continued by."""
    cache_bytes: Decimal | None = None
    """How many bytes a number takes in the cache that generation keeps, if it keeps one."""
    end_token: str = ""
    """The token after which none follows."""


class Loss(NamedTuple):
    """A description of the targets, and of what is worked of them."""

    kind: str = ""
    """`cross_entropy`, `binary_cross_entropy`, `mse`, or nothing."""
    reduction: str = "mean"
    """What becomes of squared errors."""
    label_smoothing: Decimal | None = None
    targets: tuple[str, ...] = ()
    """The targets, where they are tokens or classes."""
    ignored_target: str = ""
    """What stands in the place of a target that doesn't count."""
    target_places: tuple[int, ...] = ()
    """The places in the vocabulary, from 0, of the targets that count."""
    targets_in_numbers: bool = False
    """Whether targets are rows of numbers, and no tokens."""
    of_readout: bool = False
    """Whether targets are of what is read out of a recurrent cell."""
    written: str = ""
    """The name of a loss that a scenario writes itself."""

    @property
    def name(self) -> str:
        """Returns the name of the loss, or an empty text where there is none."""
        if self.written:
            return self.written
        return REDUCTIONS[self.reduction] if self.kind == "mse" else self.kind

    @property
    def counted(self) -> tuple[int, ...]:
        """Returns the places, from 0, of the targets that aren't ignored."""
        return tuple(k for k, text in enumerate(self.targets) if text != self.ignored_target)


class Prediction(NamedTuple):
    """A description of what is done with the output of the last layer."""

    logits: Logits = Logits()
    head: Head | None = None
    every: bool = False
    """Whether the output of every token is taken, and not only the last."""
    first: bool = False
    """Whether the output of the first token is taken."""
    config: Settings = Settings()
    """What is said of the choice of the next token."""
    generation: Generation = Generation()
    draft: "KeyValues" = MappingProxyType({})
    """What is said of the last tokens, where these are a draft."""
    loss: Loss = Loss()

    @property
    def draws(self) -> tuple[Decimal, ...]:
        """Returns the numbers by which this token and those after it are drawn, if they are."""
        said = self.config.values.get("draw", ())
        return tuple(said) if isinstance(said, list | tuple) else (said,)

    @property
    def after_a_token(self) -> "Prediction":
        """Returns the prediction for the token after the next one, which has a draw of its own."""
        draws = {"draw": self.draws[1:]} if len(self.draws) > 1 else {}
        config = self.config._replace(values={**self.config.values, **draws})
        generation = self.generation._replace(length=self.generation.length - 1)
        return self._replace(generation=generation, config=config)

    @property
    def which(self) -> str:
        """Returns whose vectors are taken: `last`, `first` or `every`."""
        return "every" if self.every else "first" if self.first else "last"

    @property
    def of_classes(self) -> bool:
        """Tells whether logits are of classes, and not of tokens."""
        return bool(self.logits.labels) or (self.first and self.logits.unembedding == "own")

    @property
    def foretells(self) -> bool:
        """Tells whether logits are of the next token, and not of a token that is there or of
        classes."""
        return not (self.head or self.first or self.logits.labels)


_NOTHING: Mapping[str, Decimal] = MappingProxyType({})


class Training(NamedTuple):
    """A description of how parameters are trained."""

    learning_rate: Decimal
    optimizer: str = "sgd"
    steps: int = 1
    of: tuple[str, ...] = ()
    """The names of the parameters, or none for all."""
    clip: Decimal | None = None
    warmup: int = 0
    schedule: str = "constant"
    least_rate: Decimal = Decimal(0)
    batches: tuple["KeyValues", ...] = ()
    """What each further micro-batch has in the place of what is given, by keys."""
    settings: Mapping[str, Decimal] = _NOTHING
    """The settings of the optimizer, as far as they are said."""

    @property
    def is_scheduled(self) -> bool:
        """Tells whether the learning rate changes from update to update."""
        return bool(self.warmup) or self.schedule != "constant"


UPDATES = "update"
"""The place of the updated parameters: `update.W_Q`."""
AVERAGED = "averaged"
"""The place of the means over all micro-batches: `averaged.grad.W_Q`, `averaged.mse`."""


def after_updates(count: int) -> Name:
    """Returns the place of all that is worked with the parameters after so many updates:
    `train[1]`."""
    return below(TOP, "train", count) if count else TOP


def over_batch(batch: int) -> Name:
    """Returns the place of a micro-batch, from 1 for the first after the scenario's own:
    `train.batches[1]`."""
    return below(Name("train"), "batches", batch)


def pass_of(name: Name) -> Name:
    """Returns the place in which a quantity, or a place, is worked again: after an update, or of
    another micro-batch. For what is worked first it is the top."""
    first, *others = name.places or (TOP,)
    if first.local != "train":
        return TOP
    return others[0] if others and others[0].local == "batches" else first


def updates_before(name: Name) -> int:
    """Returns after how many updates a quantity, or a place, is worked."""
    first = name.places[0] if name else TOP
    return first.number or 0 if first.local == "train" else 0
