"""What a scenario says of the model, besides its numbers: typed, with the paper's defaults.

A stack has a text and layers, a layer its attentions, norms and feed-forward network. `path`
says where each stands in the file, and so begins the names of its quantities.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from attncli.names import TOP, Name, Word, below

if TYPE_CHECKING:
    from attncli.equations.matrix import Matrix
    from attncli.equations.tree import Number
    from attncli.file.keys import Key
    from attncli.tokenizers.merges import MergeTraining
    from attncli.tokenizers.pieces import CountedDictionary, CountedWord
    from attncli.tokenizers.splitting import WordTokenizer
    from attncli.tokenizers.unigram import Summing
    from attncli.tokenizers.unigram_training import CountTraining, EMTraining


T = TypeVar("T")
ENCODER = Name("encoder")
"""The place of the encoder's stack."""
_ONE_DROPS = ("layers", "heads")
"""Lists whose single entry is named without its number."""


def entry_path(path: Name, key: str, k: int, count: int) -> Name:
    """The path of the k-th of the entries of a list, from 0: `layers[1]`.

    A single layer or head is named as if there were no list, a single rule as the mask itself.
    """
    if count == 1 and key in _ONE_DROPS:
        return path
    return below(path, key, None if count == 1 and key == "mask" else k + 1)


class Phrase(NamedTuple):
    """A sentence or a part of one: its English text with gaps `{…}`, and what stands in these."""

    text: str
    gaps: "Mapping[str, Phrase | Word | str]" = MappingProxyType({})


def phrase(text: str, **gaps: Phrase | Word | str) -> Phrase:
    """A sentence and what stands in its gaps."""
    return Phrase(text, gaps)


class Tokenizing(NamedTuple):
    """A tokenizer with a vocabulary, and the record of how that was `learned`, if it was, of the
    `words` of a corpus. `pieces` are, for a model with log-probabilities, those that can be found
    in a word, in the order in which their log-probabilities are told; `log_p` [pieces, 1] are
    these, unless they come of rounds that are told. `name` is its kind, `phrases` tell its
    settings, `counts_given` whether the words' counts were. `anew` learns the same with another
    way to add numbers up, where any are that aren't whole."""

    tokenizer: "WordTokenizer"
    words: "tuple[CountedWord, ...]" = ()
    learned: "MergeTraining | CountedDictionary | CountTraining | EMTraining | None" = None
    pieces: tuple[str, ...] = ()
    log_p: "Matrix | None" = None
    name: str = ""
    phrases: tuple[Phrase, ...] = ()
    counts_given: bool = True
    anew: "Callable[[Summing], Tokenizing | None] | None" = None


class TokenizedText(NamedTuple):
    """The tokens of a stack: `cut` from a sentence or given, their IDs, their rows of a table.

    `embedded` names the table's rows, by ID where there is a vocabulary (`by_id`), else by
    token, `features` its columns if they have names; `table` is the table's full name, `rows` and
    `known_ids` are those of every token that is known. `one_hot` says that the table's rows only
    tell tokens apart, and are not learned.
    """

    sentence: str | None = None
    cut: bool = True
    tokenizer: str = "whitespace"
    tokens: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    table: Name = Name("embeddings")
    embedded: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    by_id: bool = False
    rows_of_tokens: tuple[int, ...] = ()
    rows: Mapping[str, int] = MappingProxyType({})
    known_ids: Mapping[str, int] = MappingProxyType({})
    tokenizing: Tokenizing | None = None
    one_hot: bool = False

    def learned_as(self, record: type[T]) -> T | None:
        """The record of how the tokenizer was learned, if that was in this way."""
        learned = self.tokenizing.learned if self.tokenizing else None
        return learned if isinstance(learned, record) else None

    def with_token(self, token: str) -> "TokenizedText | None":
        """The text with one more token; None for a token that has no embedding."""
        if token not in self.rows or (self.ids and token not in self.known_ids):
            return None
        return self._replace(
            cut=False,
            tokens=(*self.tokens, token),
            ids=(*self.ids, self.known_ids[token]) if self.ids else (),
            rows_of_tokens=(*self.rows_of_tokens, self.rows[token]),
        )

    @property
    def last(self) -> "TokenizedText":
        """Its last token alone."""
        rows, ids = self.rows_of_tokens[-1:], self.ids[-1:]
        return self._replace(cut=False, tokens=self.tokens[-1:], ids=ids, rows_of_tokens=rows)


class Settings(NamedTuple):
    """What a scenario says of a part of the model, by keys: what is `own` at its path, the rest
    for it and others at a place `above`."""

    path: Name = TOP
    values: Mapping[str, Any] = MappingProxyType({})
    own: frozenset[str] = frozenset()
    above: Name = TOP

    def says(self, key: "Key[Any]") -> bool:
        """Whether something is said for a key."""
        return key.name in self.values

    def get(self, key: "Key[T]") -> T:
        """What is said for a key, else its default."""
        value: T = self.values.get(key.name, key.default)
        return value

    def at(self, key: "Key[Any]") -> Name:
        """The full name of what is said for a key."""
        return below(self.path if key.name in self.own else self.above, key.name)

    @property
    def layout(self) -> str | None:
        """How weights are kept, if that is said: `row` (in × out), `linear` (out × in) or `torch`
        (a cell's, stacked)."""
        return self.values.get("weights_layout")

    @property
    def linear(self) -> bool:
        """Whether weights are said to be out × in."""
        return self.layout == "linear"


FOR_ATTENTION = ("rope", "alibi", "relative", "disentangled")
"""The kinds of positions that are told where tokens attend, and not added to embeddings."""


class Positions(NamedTuple):
    """One way in which positions are told: sinusoidal, rope, alibi, relative, disentangled, or a
    given table."""

    kind: str
    config: Settings = Settings()

    @property
    def is_added(self) -> bool:
        """Whether it is added to the embeddings, rather than to scores or by turning."""
        return self.kind in ("sinusoidal", "given")

    @property
    def table(self) -> Name:
        """The full name of a given table, which stands alone or beside its settings."""
        return (
            below(self.config.path, "table") if "kind" in self.config.values else self.config.path
        )

    @property
    def terms(self) -> tuple[str, ...]:
        """The products that are added to scores: `c2p`, of queries with keys of relative
        positions, and `p2c`, of keys with queries of such."""
        return tuple(self.config.values.get("terms", ("c2p", "p2c")))

    @property
    def norm(self) -> Name | None:
        """The place of the norm of that table, if there is one."""
        return below(self.config.path, "norm") if "norm" in self.config.values else None

    @property
    def turned_by(self) -> tuple[Name, Name] | None:
        """The full names of the tables of cosines and sines, where these are given."""
        if not {"cos", "sin"} & {*self.config.values}:
            return None
        return below(self.config.path, "cos"), below(self.config.path, "sin")


class Attention(NamedTuple):
    """One attention of a layer.

    `keys` names what it attends to, as far as that is known, which is the memory where
    `sees_memory`. `own_heads` says that each head has its own matrices. `config` is all that a
    scenario says of it.
    """

    path: Name = TOP
    keys: tuple[str, ...] = ()
    sees_memory: bool = False
    heads: int = 1
    own_heads: bool = False
    kv_heads: int = 1
    projects: bool = True
    config: Settings = Settings()
    cached: tuple[str, ...] | None = None
    rotated: Positions | None = None
    alibi: Positions | None = None
    relative: Positions | None = None
    disentangled: Positions | None = None

    @property
    def latent(self) -> Name:
        """The place of the matrices that its latent vectors are made by, if they are."""
        config = self.config
        return below(config.path if "latent" in config.own else config.above, "latent")

    def head_path(self, head: int) -> Name:
        """The path of a head, from 0; a single head has none of its own."""
        return self.path if self.heads == 1 else below(self.path, "heads", head + 1)


CELLS = ("rnn", "gru", "lstm")
WAYS = ("forward", "backward")
GATES = {
    "lstm": ("update", "forget", "candidate", "output"),
    "gru": ("reset", "update", "candidate"),
}
"""The gates of a cell in PyTorch's order; an update gate is also called an input gate."""
LETTERS = {"update": "u", "forget": "f", "reset": "r", "candidate": "c", "output": "o"}
"""How the matrices of a gate are called: `W_fx`, `W_fa`, `b_f`."""


class Recurrent(NamedTuple):
    """A recurrent cell that goes over a sentence."""

    kind: str = "rnn"
    activation: str = "tanh"
    direction: str = "forward"
    config: Settings = Settings()
    gradient: bool = False

    @property
    def readout_every(self) -> bool:
        """Whether it is read out at every time, not only at the last."""
        return self.config.values.get("readout_from") != "last"

    @property
    def stacked(self) -> bool:
        """Whether the matrices of all gates are kept in one."""
        return self.config.layout == "torch"

    @property
    def ways(self) -> tuple[str, ...]:
        """The directions that it goes."""
        return ("forward", "backward") if self.direction == "both" else (self.direction,)

    @property
    def in_out(self) -> bool:
        """Whether matrices are kept in × out."""
        return self.config.layout == "row"

    def way_path(self, path: Name, way: str) -> Name:
        """The path of a way of a layer; a single way has none of its own."""
        return below(path, way) if self.direction == "both" else path


class Layer(NamedTuple):
    """One layer: what it is made of, in which order; or a recurrent one. There is a norm for each
    sublayer, and with `both` one after each as well. One that doesn't attend has nothing but a norm
    or a feed-forward network. Where there are `experts`, these are its
    feed-forward networks."""

    path: Name = TOP
    block: str = "attention"
    norm: str = "none"
    norms: tuple[Settings, ...] = ()
    norms_after: tuple[Settings, ...] = ()
    residuals: bool = False
    parallel: str = "none"
    attention: Attention = Attention()
    cross: Attention | None = None
    has_ffn: bool = False
    attends: bool = True
    experts: int = 0
    has_shared_expert: bool = False
    config: Settings = Settings()
    recurrent: Recurrent | None = None

    @property
    def expert_paths(self) -> tuple[Name, ...]:
        """The places of its experts."""
        return tuple(below(self.path, "experts", k + 1) for k in range(self.experts))

    @property
    def shared_path(self) -> Name:
        """The place of the expert that every token goes through, if there is one."""
        return below(self.path, "shared_expert")

    @property
    def networks(self) -> tuple[Name, ...]:
        """The places of its feed-forward networks."""
        if not self.experts:
            return (self.path,) if self.has_ffn else ()
        return (*self.expert_paths, *([self.shared_path] if self.has_shared_expert else []))


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
        """Whether a picture or a sound goes in, and no text."""
        return not self.config.values.keys().isdisjoint(("patches", "frames"))

    @property
    def added(self) -> Mapping[str, Positions]:
        """The positions that are added to the embeddings, by what is added: P, P2."""
        added = (p for p in self.positions if p.is_added)
        return {f"P{k}" if k > 1 else "P": p for k, p in enumerate(added, start=1)}


CONVOLVE, PROJECT, ADD, NORM = "convolve", "project_in", "positions", "norm"
"""What is done to the embeddings of a stack before they are its X."""
CONVOLUTIONS = ("convolution1", "convolution2")


def convolved_rows(values: Mapping[str, Any], count: int, last: str = CONVOLUTIONS[-1]) -> int:
    """How many rows convolutions leave of so many, up to the `last` of those that are said."""
    for name in CONVOLUTIONS[: CONVOLUTIONS.index(last) + 1]:
        count = -(-count // values.get(name, {}).get("stride", 1))
    return count


def projected_when(stack: Stack) -> str:
    """When embeddings are projected: `before` positions are added, `after` all that is done to
    them, or never, which is nothing."""
    projected = stack.config.values.get(PROJECT)
    return "" if projected is None else str(projected.get("when", "before"))


def steps_to_X(stack: Stack) -> tuple[str, ...]:  # noqa: N802
    """The steps between embeddings and X, in order; the last of them makes X."""
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
    """Whether a step is the last of those."""
    return steps_to_X(stack)[-1:] == (step,)


# --------------------------------------------------------------------------------------------------
# What is done with a model's last vectors: a head, logits, and what these stand for.

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
"""What becomes of squared errors, and what the loss is called then."""


TARGETS = Name("targets")
"""What should come out. Whatever they are compared with, they have its shape."""


class Head(NamedTuple):
    """What stands between the last layer and the logits."""

    activation: str = "none"
    norm: Settings | None = None


class Prediction(NamedTuple):
    """What is done with the last layer's output, of the last token, of the `first` one or of
    `every` one."""

    unembedding: str = ""
    """`tied`, `own`, or nothing; `given` where logits or probabilities are."""
    vocabulary: tuple[str, ...] = ()
    every: bool = False
    config: Settings = Settings()
    logit_scale: Decimal | None = None
    logit_softcap: Decimal | None = None
    generate: int = 0
    beams: int = 0
    score: "Number | None" = None
    """The sum of the log-probabilities of the tokens that a beam has been continued by."""
    cache_bytes: Decimal | None = None
    """How many bytes a number takes in the cache that generation keeps, if it keeps one."""
    end_token: str = ""
    draft: Mapping[str, Any] = MappingProxyType({})
    """What is said of the last tokens, where these are a draft."""
    targets: tuple[str, ...] = ()
    ignored_target: str = ""
    target_places: tuple[int, ...] = ()
    head: Head | None = None
    first: bool = False
    labels: tuple[str, ...] = ()
    loss: str = ""
    """What is worked of the targets: `cross_entropy`, `binary_cross_entropy`, `mse`, or nothing."""
    reduction: str = "mean"
    """What becomes of squared errors."""
    label_smoothing: Decimal | None = None
    readout: bool = False
    """Whether targets are of what is read out of a recurrent cell."""
    targets_in_numbers: bool = False
    """Whether targets are rows of numbers, and no tokens."""

    @property
    def loss_name(self) -> str:
        """The name of the quantity that the loss is; nothing where there is none."""
        return REDUCTIONS[self.reduction] if self.loss == "mse" else self.loss

    @property
    def is_given(self) -> bool:
        """Whether logits or probabilities are given, whatever would make them."""
        return self.unembedding == "given"

    @property
    def counted(self) -> tuple[int, ...]:
        """The places, from 0, of the targets that aren't ignored."""
        return tuple(k for k, text in enumerate(self.targets) if text != self.ignored_target)

    @property
    def draws(self) -> tuple[Decimal, ...]:
        """The numbers by which this token and those after it are drawn, if they are."""
        said = self.config.values.get("draw", ())
        return tuple(said) if isinstance(said, list | tuple) else (said,)

    @property
    def after_a_token(self) -> "Prediction":
        """The same for the token after the next one, which has a draw of its own."""
        draws = {"draw": self.draws[1:]} if len(self.draws) > 1 else {}
        config = self.config._replace(values={**self.config.values, **draws})
        return self._replace(generate=self.generate - 1, config=config)

    @property
    def which(self) -> str:
        """Whose vectors are taken: `last`, `first` or `every`."""
        return "every" if self.every else "first" if self.first else "last"

    @property
    def of_classes(self) -> bool:
        """Whether logits are of classes, rather than of tokens."""
        return bool(self.labels) or (self.first and self.unembedding == "own")

    @property
    def foretells(self) -> bool:
        """Whether logits are of the next token, and not of what is there, or of classes."""
        return not (self.head or self.first or self.labels)


# --------------------------------------------------------------------------------------------------
# What a scenario says of training: by which loss, which parameters, and how they are updated.

_NOTHING: Mapping[str, Decimal] = MappingProxyType({})


class Training(NamedTuple):
    """How parameters are trained: `of` names those, or is empty for all; `batches` is what other
    micro-batches have in the place of what is given, by its keys, and `settings` are those of the
    optimizer, as far as they are said."""

    learning_rate: Decimal
    optimizer: str = "sgd"
    steps: int = 1
    of: tuple[str, ...] = ()
    clip: Decimal | None = None
    warmup: int = 0
    schedule: str = "constant"
    least_rate: Decimal = Decimal(0)
    batches: tuple[Mapping[str, Any], ...] = ()
    settings: Mapping[str, Decimal] = _NOTHING

    @property
    def is_scheduled(self) -> bool:
        """Whether the learning rate is another one from update to update."""
        return bool(self.warmup) or self.schedule != "constant"


UPDATES = "update"
"""The place of the updated parameters: `update.W_Q`."""
AVERAGED = "averaged"
"""The place of what is the mean of all micro-batches: `averaged.grad.W_Q`, `averaged.mse`."""


def after_updates(count: int) -> Name:
    """The place of all that is worked with the parameters after so many updates: `train[1]`."""
    return below(TOP, "train", count) if count else TOP


def over_batch(batch: int) -> Name:
    """The place of a micro-batch, from 1 of those after the scenario's own: `train.batches[1]`."""
    return below(Name("train"), "batches", batch)


def pass_of(name: Name) -> Name:
    """The place that a quantity, or a place, is worked again in: after an update, or of another
    micro-batch; at the top of what is worked first."""
    first, *others = name.places or (TOP,)
    if first.local != "train":
        return TOP
    return others[0] if others and others[0].local == "batches" else first


def updates_before(name: Name) -> int:
    """After how many updates a quantity, or a place, is worked."""
    first = name.places[0] if name else TOP
    return first.number or 0 if first.local == "train" else 0
