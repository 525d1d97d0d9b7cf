"""Builds a scenario of the values that were read: its stacks, its prediction, and what is given."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attncli.errors import Problem, listed, quote
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers.rounding import Rounding
from attncli.names import TOP, Name, below
from attncli.pipeline.given_matrices import Gathered, Gatherer, places
from attncli.pipeline.implied_values import (
    FileReader,
    numbers_of_texts,
    with_inherited,
    with_tokenizers,
)
from attncli.pipeline.prediction import OF_THE_LOSS, prediction_of
from attncli.pipeline.stacks import Builder, Names
from attncli.pipeline.texts import TextReader
from attncli.scenario.file import sources
from attncli.scenario.file.keys import KeyValues, typed
from attncli.scenario.file.nodes import Map, Scalar
from attncli.scenario.file.problems import (
    Diagnostics,
    NamedProblems,
    Objections,
    ScenarioError,
    nearest,
)
from attncli.scenario.model import ENCODER, Stack, Training, convolved_rows, entry_path, over_batch
from attncli.scenario.published import Claim
from attncli.scenario.scenario import (
    MOST_NUMBERS,
    MOST_SETTLED,
    GivenMatrices,
    PageSettings,
    PublishedSource,
    Scenario,
    ScenarioFile,
    ScenarioPlan,
)
from attncli.scenario.show import Show
from attncli.scenario.tokenizers.settings import TokenizerSettings
from attncli.scenario.written import GivenArray, WrittenModel, WrittenStep
from attncli.trace.quantity import distinct_tokens

if TYPE_CHECKING:
    from attncli.tokenizers.pieces import Progress


def _show_of(
    show: KeyValues,
    tokens: Sequence[str],
    rows: Mapping[str, Sequence[str]],
    complaints: NamedProblems,
) -> Show:
    """Returns what is said under `show`; its queries and keys are tokens, or are called by their
    `rows`.

    Complains of those that aren't known.
    """
    queries = rows.get("queries") or tokens or rows.get("Q", ())
    keys = rows.get("keys") or rows.get("K") or tokens
    named = [("show.queries", query) for query in show.get("queries", ())]
    named += [("show.token", show["token"])] if show.get("token") else []
    for name, query in named:
        counted = query.isascii() and query.isdigit() and 1 <= int(query) <= len(queries)
        if not counted:
            _check_known(name, query, queries, "queries", complaints)
    for query, targets in show.get("arrows", {}).items():
        arrow = below(Name("show.arrows"), query)
        _check_known(arrow, query, queries, "queries", complaints)
        for key in targets:
            _check_known(arrow, key, keys, "keys", complaints)
    return typed(Show, show)


def _check_known(
    name: str, token: str, known: Sequence[str], what: str, complaints: NamedProblems
) -> None:
    if token not in known:
        right = f"name some of {listed(known)}" if known else "give their tokens first"
        complaints.add(name, f"{quote(token)} is none of the {what}", right)


def _check_features(
    path: Name, values: KeyValues, given: Mapping[Name, Matrix], complaints: NamedProblems
) -> None:
    """Complains of dimensions without a name, and of two with the same one."""
    features = values.get("features", ())
    name = below(path, "features")
    matrices = (given.get(below(path, key)) for key in ("embeddings", "X"))
    wide = {matrix.shape[1] for matrix in matrices if matrix is not None}
    twice = next((value for value in features if features.count(value) > 1), None)
    if twice is not None:
        right = "give each feature a name of its own"
        complaints.add(name, f"{quote(twice)} is there twice", right)
    elif features and wide and wide != {len(features)}:
        columns = " and ".join(map(str, sorted(wide)))
        complaints.add(name, f"{len(features)} names for {columns} columns", "name each column")


_BESIDE_EQUATIONS = frozenset((
    "title", "about", "source", "given", "names", "sizes", "vary", "steps", "equations", "tokens",
    "rounding", "published", "claims", "ours", "show", "variants", "output", "until", "gradients",
    "train",
))  # fmt: skip
"""The keys of a scenario of equations alone."""
GRADIENTS = "gradients"
"""The key of what `backward` says where it isn't the way back of a cell."""
SIZES = ("d_model", "d_k", "d_v", "d_ff")


class Origin(NamedTuple):
    """The origin of a scenario: what it is called and which files it may read."""

    name: str
    """What it is called if it has no title."""
    folder: Path | None
    """The folder whose files it may read, None where it has none."""
    outside: bool
    """Whether it may read files outside this folder, too."""
    large: bool
    """Whether it may be large."""
    in_place: bool = False
    """Whether large matrices are left in their files."""
    progress: Progress | None = None
    """Who is told how far its tokenizer is."""


class ScenarioBuilder(NamedTuple):
    """A builder of the parts of one scenario, from the values that were read."""

    values: KeyValues
    complaints: NamedProblems
    read_from: Origin
    gathered: Gathered
    rounding: Rounding

    @classmethod
    def of(
        cls, tree: Map, values: KeyValues, origin: Origin, problems: Diagnostics
    ) -> ScenarioBuilder:
        """Makes the builder of a tree, from which these values were read."""
        complaints = NamedProblems(places(tree), problems)
        files = FileReader(origin.folder, origin.outside, complaints)
        read = with_inherited(files.read(_apart(values), TOP))
        most = math.inf if origin.large else MOST_SETTLED
        rounding = Rounding(**read.get("rounding", {}), most_settled=most)
        most = sources.MOST_NUMBERS if origin.large else MOST_NUMBERS
        settings = TokenizerSettings(TOP, read, complaints, rounding, origin.large, origin.progress)
        values = with_tokenizers(settings, most)
        kept = origin.in_place and not rounding.carries
        gatherer = Gatherer(rounding, origin.folder, origin.outside, kept, most, complaints)
        gathered = gatherer.gather(values)
        arrays: Mapping[str, GivenArray] = values.get("given", {})
        for local, array in arrays.items():
            for name, matrix in array.each(Name(local)):
                gatherer.put(gathered, name, matrix)
        return cls(values, complaints, origin, gathered, rounding)

    @property
    def names(self) -> Names:
        return Names(self.gathered.given, self.gathered.row_names)

    def scenario(self) -> Scenario:
        values, gathered = self.values, self.gathered
        encoder = self._encoder()
        memory = self._memory(encoder)
        stack = self._stack(TOP, values, self._words(TOP, values), memory)
        self._check_names_of_X(stack)
        self._check_memory(stack, memory)
        given = {**gathered.given, **numbers_of_texts(stack, encoder)}
        show = values.get("show", {})
        written, goes_back, training = self._written(), self._goes_back(stack), self._training()
        prediction = prediction_of(values, stack, gathered.given, self.complaints)
        if (goes_back or training) and not prediction.loss.kind:
            loss = prediction.loss._replace(written=written.loss)
            prediction = prediction._replace(loss=loss)
        return Scenario(
            title=values.get("title", self.read_from.name),
            rounding=self.rounding,
            stack=stack,
            encoder=encoder,
            prediction=prediction,
            page=PageSettings(
                values.get("about", ""),
                _show_of(show, stack.text.tokens, gathered.row_names, self.complaints),
            ),
            source=PublishedSource(
                name=values.get("source"),
                published=values.get("published", {}),
                claims={text: typed(Claim, v) for text, v in values.get("claims", {}).items()},
                ours=values.get("ours", ()),
            ),
            plan=ScenarioPlan(values.get("until", ""), goes_back, written),
            training=training,
            given=GivenMatrices(
                given,
                gathered.random,
                gathered.sources,
                gathered.row_names,
                gathered.vectors,
                self._sizes(values),
            ),
            file=ScenarioFile(self.complaints.places, self.read_from.large),
        )

    def _written(self) -> WrittenModel:
        """Returns what the scenario says in equations of its own; what is given to them is gathered
        with the other matrices."""
        values = self.values
        arrays: Mapping[str, GivenArray] = values.get("given", {})
        steps = tuple(s._replace(name=name) for name, s in values.get("steps", {}).items())
        if "equations" in values and "steps" in values:
            right = "make them a step of their own: steps: {name: {equations: […]}}"
            self.complaints.add("equations", "equations beside steps", right)
        elif "equations" in values:
            where = self.complaints.where("equations")
            steps = (*steps, WrittenStep("equations", where, values["equations"]))
        tokens = distinct_tokens(tuple(values["tokens"])) if "tokens" in values else ()
        labels = {"token": tokens} if tokens else {}
        labels |= {side: tuple(names) for side, names in values.get("names", {}).items()}
        return WrittenModel(
            {Name(name): array.sides for name, array in arrays.items()},
            labels,
            values.get("sizes", {}),
            steps,
            vary=self._varying(arrays),
            alone=any(key in self.complaints.places for key in ("steps", "equations"))
            and not any(step.standing for step in steps)
            and not {*values} - _BESIDE_EQUATIONS,
        )

    def _varying(self, arrays: Mapping[str, GivenArray]) -> tuple[str, ...] | None:
        """Returns the arrays that have other numbers in each form; None where that isn't said."""
        if "vary" not in self.values:
            return None
        names = tuple(self.values["vary"])
        for name in names:
            if name not in arrays:
                wrong = f"no array of given is called {quote(name)}"
                self.complaints.add("vary", wrong, nearest(name, [*arrays]))
        return names

    def _goes_back(self, stack: Stack) -> bool:
        """Tells whether gradients are asked for, and no updates after them."""
        asked: bool = self.values.get(GRADIENTS, False)
        cell = stack.layers[0].recurrent
        if asked and "layers" not in self.values and cell is not None and cell.direction == "both":
            self.complaints.add("backward", "no matrices of the way back, which belong here where"
                " a cell goes both ways", "give them, and train: {steps: 0} for the gradients; or"
                " write the cell into layers, beside which backward: true can stand",
            )  # fmt: skip
        return asked or _is_without_updates(self.values)

    def _training(self) -> Training | None:
        if "train" not in self.values or _is_without_updates(self.values):
            return None
        generate = self.values.get("generate", 0)
        training = _training_of(self.values["train"], generate, self.complaints)
        if training is not None:
            self.complaints.hear(_against_batches(training, self.gathered.given))
        return training

    def _check_names_of_X(self, stack: Stack) -> None:  # noqa: N802
        names, tokens = self.gathered.row_names.get("X", ()), stack.text.tokens
        if names and names != tokens:
            wrong = f"the rows of X are {listed(names)}, the tokens {listed(tokens)}"
            self.complaints.add("X", wrong, "name them alike, or give the rows without names")

    def _words(self, path: Name, values: KeyValues) -> TextReader:
        shared = {key: self.values[key] for key in _shared_keys(path, values) if key in self.values}
        return TextReader(path, values, self.complaints, shared)

    def _encoder(self) -> Stack | None:
        if "encoder" not in self.values:
            return None
        values = self.values["encoder"]
        return self._stack(ENCODER, values, self._words(ENCODER, values), None)

    def _stack(
        self, path: Name, values: KeyValues, words: TextReader, memory: Sequence[str] | None
    ) -> Stack:
        name = below(path, "embeddings") if "embeddings" in values else Name("embeddings")
        table = self.gathered.given.get(name)
        _check_features(path, values, self.gathered.given, self.complaints)
        text = words.text(table, None if table is None else table.shape[0])
        text = text._replace(tokens=text.tokens or self._pieces(path, values))
        return Builder(self.complaints, self.names).stack(path, values, text, memory)

    def _pieces(self, path: Name, values: KeyValues) -> tuple[str, ...]:
        """Returns what the rows are called that are made of a picture's patches or a sound's
        frames, with that of a class token."""
        key, letter = ("frames", "t") if "frames" in values else ("patches", "p")
        name = below(path, key)
        pieces = self.gathered.given.get(name)
        if pieces is None:
            return ()
        first = ("class",) if "class_token" in values else ()
        rows = convolved_rows(values, pieces.shape[0])
        counted = tuple(f"{letter}{k}" for k in range(1, rows + 1))
        named = self.gathered.row_names.get(name, ())
        return (*first, *(named if len(named) == rows else counted))

    def _memory(self, encoder: Stack | None) -> Sequence[str] | None:
        """Returns the names of what cross-attention sees; None where there is nothing."""
        if encoder is not None:
            if "memory" in self.values:
                self.complaints.add("memory", "a memory, and an encoder that makes one", "keep one")
            return encoder.text.tokens
        if "memory" in self.values:
            return self.names.of_rows(Name("memory"), ())
        return None

    def _check_memory(self, stack: Stack, memory: Sequence[str] | None) -> None:
        """Complains of a memory that nothing attends to."""
        attends = any(layer.cross or layer.block == "attention" for layer in stack.layers)
        if memory is not None and not attends:
            name = "encoder" if "encoder" in self.values else "memory"
            right = "use `block: decoder`, or leave it out"
            self.complaints.add(name, f"nothing attends to the {name}", right)

    def _sizes(self, values: KeyValues, path: Name = TOP) -> dict[str, int]:
        """Returns the extents that are stated, by full name: `layers[2].d_k`."""
        found: dict[str, int] = {below(path, key): values[key] for key in SIZES if key in values}
        if "features" in values and "project_in" not in values:
            found.setdefault(below(path, "d_model"), len(values["features"]))
        layers = values.get("layers", ())
        for k, layer in enumerate(layers):
            found |= self._sizes(layer, entry_path(path, "layers", k, len(layers)))
        if "encoder" in values:
            found |= self._sizes(values["encoder"], ENCODER)
        return found


def _shared_keys(path: Name, values: KeyValues) -> tuple[str, ...]:
    """Returns the keys that an encoder takes over from the main stack: the table of embeddings if
    it has none, and the vocabulary that goes with IDs."""
    if not path or "X" in values:
        return ()
    if "embeddings" not in values:
        return ("embeddings", "vocabulary")
    return () if isinstance(values["embeddings"], Mapping) else ("vocabulary",)


def _is_without_updates(values: KeyValues) -> bool:
    """Tells whether a training has no steps, which comes to its gradients alone."""
    return bool(values.get("train", {}).get("steps") == 0)


def _apart(values: KeyValues) -> KeyValues:
    """Returns the values of a file, with what is said of gradients told from the way back of a
    cell."""
    if not isinstance(values.get("backward"), bool):
        return values
    others = {key: value for key, value in values.items() if key != "backward"}
    return {**others, GRADIENTS: values["backward"]}


_KEY = "weights_layout"


def in_other_layout(
    tree: Map, found: Sequence[Problem], is_fine: Callable[[Map], bool]
) -> list[Problem]:
    """Returns what was found wrong with a tree; where nothing would be, if it said that its weights
    are kept the other way round, just that."""
    node = tree.get(_KEY)
    linear = isinstance(node, Scalar) and node.text == "linear"
    where = min(found).where if node is None else node.where
    try:
        fine = is_fine(tree.put(_KEY, Scalar("row" if linear else "linear", where)))
    except ScenarioError:
        fine = False
    if not fine:
        return [*found]
    kept = ("in × out", "out × in, as PyTorch keeps them")
    wrong = f"the weights fit only as {kept[not linear]}, and are taken as {kept[linear]}"
    right = "leave weights_layout out" if linear else "add weights_layout: linear"
    return [Problem(where, wrong, right)]


_TRAIN = Name("train")


def _training_of(values: KeyValues, generate: int, complaints: NamedProblems) -> Training | None:
    """Returns how a scenario is trained; None where it has no learning rate.

    What is wrong with it is complained of.
    """
    if "learning_rate" not in values:  # of which was complained
        return None
    others = (*Training._fields, *OF_THE_LOSS)
    settings = {name: value for name, value in values.items() if name not in others}
    training = typed(Training, values, settings=settings)
    _check_settings(training, complaints)
    if generate:
        wrong = "generate beside train: a model is trained, or continues a text"
        complaints.add("generate", wrong, "leave one of them out, and make two scenarios")
    return training


def _against_batches(training: Training, given: Mapping[Name, Matrix]) -> Objections:
    """Complains of what a micro-batch has that isn't in the place of a matrix at the top, isn't as
    large, or is trained."""
    for batch, key in ((k, key) for k, own in enumerate(training.batches, 1) for key in own):
        name, whole = below(over_batch(batch), key), given.get(Name(key))
        if whole is None:
            yield name, f"no numbers of {key} at the top", "give them there, or none here"
        elif key in training.of:
            yield name, f"{key} is trained, and one for all micro-batches", "leave it out here"
        elif name not in given or given[name].shape != whole.shape:
            shape = "{} × {}".format(*whole.shape)
            yield name, f"{key} is {shape} at the top, and not here", "give all in one shape"


def _check_settings(training: Training, complaints: NamedProblems) -> None:
    """Complains of settings that are those of another optimizer."""
    from attncli.steps.optimizers import OPTIMIZERS

    known = [key.name for key in OPTIMIZERS[training.optimizer].settings]
    for name in training.settings:
        if name not in known:
            settings = {o.name: [key.name for key in o.settings] for o in OPTIMIZERS.values()}
            owners = [text for text, names in settings.items() if name in names]
            its = training.optimizer
            wrong = f"{name} is no setting of {its}, but of {listed(owners, ' and ')}"
            right = f"take it out, or name another optimizer; {its} has {listed(known)}"
            complaints.add(below(_TRAIN, name), wrong, right)
    if training.schedule != "constant" and training.warmup >= training.steps > 0:
        wrong = f"a warm-up of {training.warmup} updates, and there are {training.steps}"
        complaints.add(below(_TRAIN, "warmup"), wrong, f"give a number below {training.steps}")
