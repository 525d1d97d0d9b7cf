"""The prediction that a scenario asks for: the tokens of its logits, and the targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from attncli.errors import listed, quote
from attncli.maths.equations.matrix import Matrix
from attncli.names import Name, below
from attncli.scenario.file.keys import KeyValues
from attncli.scenario.file.matrices import MatrixLike
from attncli.scenario.file.problems import NamedProblems, Objections
from attncli.scenario.model import (
    Generation,
    Head,
    Logits,
    Loss,
    Prediction,
    Settings,
    Stack,
)


class ReadOut(NamedTuple):
    """A read-out of the last layer's cell."""

    end: str
    """What becomes of it: `sigmoid`, `softmax`, `none`."""
    every: bool
    """Whether it is read out at every time."""
    width: int | None
    """How many numbers it is, where that is known."""


def _read_out_of(values: KeyValues, stack: Stack, given: Mapping[Name, Matrix]) -> ReadOut | None:
    """Returns what targets are compared with where nothing else is made of the states; None where
    that isn't a read-out."""
    layer = stack.layers[-1] if stack.layers else None
    cell = None if layer is None else layer.recurrent
    if layer is None or cell is None or "W_ya" not in cell.config.values:
        return None
    if "targets" not in values or "unembedding" in values or "logits" in values:
        return None
    W = given.get(below(layer.path, "W_ya"))
    width = None if W is None else W.shape[1 if cell.in_out else 0]
    return ReadOut(cell.config.values.get("readout", "sigmoid"), cell.readout_every, width)


OF_THE_LOSS = ("loss", "label_smoothing", "reduction")


def _are_numbers(values: KeyValues) -> bool:
    """Tells whether the targets are rows of numbers, and no tokens."""
    return isinstance(values.get("targets"), MatrixLike)


_OF_LOGITS = ("logit_scale", "logit_softcap", "generate", "end_token")
_OF_TARGETS = ("targets", "ignored_target", "label_smoothing", "labels")
_PREDICTED = ("logits", "probabilities")
_NO_LOGITS = "needs logits, and there is no unembedding"
_UNEMBED = "add `unembedding: tied`, or a matrix"


def prediction_of(
    values: KeyValues,
    stack: Stack,
    given: Mapping[Name, Matrix],
    complaints: NamedProblems,
) -> Prediction:
    """Returns what is said of the next token after a stack; what is wrong with it is complained
    of."""
    value = values.get("train", {})  # whose loss is in the place of one that is said at the top
    values = {**values, **{key: value[key] for key in OF_THE_LOSS if key in value}}
    tied = values.get("unembedding") == "tied"
    matrix = given.get(Name("embeddings" if tied else "unembedding"))
    predicted = next((given[Name(key)] for key in _PREDICTED if Name(key) in given), None)
    X = given.get(Name("X")) if predicted is None else predicted
    read_out = _read_out_of(values, stack, given)
    width = _width(predicted, matrix, turned=tied or stack.config.linear)
    reader = _PredictionReader(
        values,
        (len(stack.text.tokens) if predicted is None else 0) or (0 if X is None else X.shape[0]),
        _columns(values, stack) if read_out is None else _classes(values, stack, read_out),
        width if read_out is None else read_out.width,
        read_out,
        complaints,
    )
    return reader.read()


def _classes(values: KeyValues, stack: Stack, read_out: ReadOut) -> Mapping[str, int]:
    """Returns the places of what is read out of a cell, by name: of classes by their labels, of
    tokens where these are as many, or else of classes by their numbers from 1."""
    known = _columns(values, stack)
    width = read_out.width or len(known)
    if len(known) == width or "labels" in values:
        return known
    return {str(k + 1): k for k in range(width)}


def _columns(values: KeyValues, stack: Stack) -> Mapping[str, int]:
    """Returns the columns of the logits by what they are called: classes by their labels, or
    tokens."""
    if "labels" in values:
        return {label: k for k, label in enumerate(values["labels"])}
    if values.get("unembedding") == "tied":
        return stack.text.table.rows
    if values.get("predict_from") == "first":
        return {}
    return stack.text.known_ids or stack.text.table.rows


def _width(predicted: Matrix | None, matrix: Matrix | None, *, turned: bool) -> int | None:
    """Returns how many columns the logits have, where that is known."""
    if predicted is not None:
        return predicted.shape[1]
    return None if matrix is None else matrix.shape[0 if turned else 1]


class _PredictionReader(NamedTuple):
    """A reader of a scenario's prediction."""

    values: KeyValues
    positions: int
    """How many tokens there are, 0 if unknown."""
    rows: Mapping[str, int]
    """The columns of known tokens, or their order."""
    width: int | None
    """The columns of the logits, where they are known."""
    read_out: ReadOut | None
    complaints: NamedProblems

    def read(self) -> Prediction:
        values = self.values
        unembedding, which = values.get("unembedding"), values.get("predict_from")
        is_given = any(key in values for key in _PREDICTED)
        has_logits = unembedding is not None or is_given
        if unembedding is None:
            self.complaints.hear(self._unneeded(is_given=is_given))
        usual = "mse" if _are_numbers(values) else "cross_entropy"
        loss = str(values.get("loss", usual)) if "targets" in values else ""
        self.complaints.hear(self._against_loss(loss, has_logits=has_logits))
        every = is_given or (which or ("every" if "targets" in values else "last")) == "every"
        tells, numbers = has_logits or self.read_out is not None, _are_numbers(values)
        bare = Prediction(every=every if loss else which == "every")
        prediction = self._over_tokens(every=every) if tells else bare
        made = "given" if is_given else "tied" if unembedding == "tied" else "own"
        return prediction._replace(
            logits=prediction.logits._replace(unembedding=made if has_logits else ""),
            head=self._head(),
            first=which == "first",
            loss=prediction.loss._replace(
                kind=loss if tells or numbers else "",
                reduction=values.get("reduction", "mean"),
                targets_in_numbers=numbers,
                of_readout=self.read_out is not None,
            ),
        )

    def _over_tokens(self, *, every: bool) -> Prediction:
        """Returns what is said of the tokens or classes that probabilities are of."""
        values, vocabulary = self.values, self._vocabulary()
        draft = values.get("draft", {})
        loss = Loss(
            label_smoothing=values.get("label_smoothing"),
            targets=() if _are_numbers(values) else values.get("targets", ()),
            ignored_target=values.get("ignored_target", ""),
        )
        prediction = Prediction(
            Logits(
                scale=values.get("logit_scale"),
                softcap=values.get("logit_softcap"),
                vocabulary=vocabulary,
                labels=values.get("labels", ()),
            ),
            every=every if self.read_out is None else self.read_out.every,
            config=Settings(Name("next"), values.get("next", {})),
            generation=self._generation(),
            draft=draft if {"q", "r", "draw"} <= draft.keys() else {},
        )
        self.complaints.hear(self._against_labels())
        self.complaints.hear(self._against_end(prediction._replace(loss=loss)))
        target_places = self._places_of(loss, vocabulary, every=prediction.every)
        return prediction._replace(loss=loss._replace(target_places=target_places))

    def _generation(self) -> Generation:
        said, end = self.values.get("generate", 0), self.values.get("end_token", "")
        if not isinstance(said, Mapping):
            return Generation(said, end_token=end)
        bytes_ = said.get("cache", {}).get("bytes")
        tokens, beams = said.get("tokens", 0), said.get("beams", 0)
        return Generation(tokens, beams, cache_bytes=bytes_, end_token=end)

    def _head(self) -> Head | None:
        head = self.values.get("head")
        if head is None:
            return None
        norm = Settings(Name("norm", Name("head")), head["norm"]) if "norm" in head else None
        return Head(head.get("activation", "none"), norm)

    def _against_loss(self, loss: str, *, has_logits: bool) -> Objections:
        """Complains of a loss that is of another kind of numbers, and of one without targets."""
        end = None if self.read_out is None else self.read_out.end
        numbers = _are_numbers(self.values)
        entropy, other = loss == "cross_entropy", loss not in ("", "cross_entropy")
        needless = ("loss", "label_smoothing", "ignored_target", "reduction")
        loss_given, smoothed, ignored, reduced = (key in self.values for key in needless)
        rows = (
            (not loss and loss_given, "loss", "loss, and no targets", "give targets"),
            (not loss and smoothed, "label_smoothing",
             "label_smoothing, and no targets", "give targets"),
            (not loss and reduced, "reduction", "reduction, and no targets", "give targets"),
            (loss not in ("", "mse") and reduced, "reduction",
             f"a reduction is of squared errors, and {loss} is a mean",
             "use loss: mse, or leave it out"),
            (entropy and end not in (None, "softmax"), "targets",
             f"a cross-entropy needs probabilities of classes, and the read-out is {end}",
             "say readout: softmax, or give the targets as rows of numbers"),
            (loss == "binary_cross_entropy" and end != "sigmoid", "loss",
             "binary_cross_entropy is of what a sigmoid reads out of a recurrent cell",
             "use mse or cross_entropy"),
            (entropy and numbers and not has_logits and not end, "loss",
             f"cross_entropy {_NO_LOGITS}", _UNEMBED),
            (other and not numbers, "targets",
             f"{loss} is of numbers, and the targets are tokens",
             "give them as rows of numbers, like [[1, 0], [0, 1]]"),
            (ignored and numbers, "ignored_target",
             "an ignored target, and targets in numbers", "leave it out"),
            (other and smoothed, "label_smoothing",
             f"label smoothing is for a cross-entropy, not for {loss}", "leave it out"),
        )  # fmt: skip
        return ((self._said(key), wrong, right) for so, key, wrong, right in rows if so)

    def _said(self, key: str) -> str:
        """Returns where it is said: of a loss that goes without saying, by the targets."""
        if key in self.values.get("train", {}):
            return f"train.{key}"
        return key if key in self.values else "targets"

    def _against_labels(self) -> Objections:
        """Complains of labels that aren't as many as logits, and of what is for a next token beside
        a head, labels or the first token, which tell of what is there."""
        labels = self.values.get("labels", ())
        if labels and self.width not in (None, len(labels)):
            wrong = f"{len(labels)} labels, and {self.width} logits"
            yield "labels", wrong, "name each of the logits"
        first = "predict_from" if self.values.get("predict_from") == "first" else ""
        other = next((key for key in ("head", "labels", first) if key in self.values), None)
        for key in ("next", "generate", "draft") if other else ():
            if key in self.values:
                wrong = f"{key} is for a next token, and with {other} none is foretold"
                yield key, wrong, "leave one of them out"

    def _unneeded(self, *, is_given: bool) -> Objections:
        """Complains of what goes on from logits where there are none."""
        more = ("head",) if is_given else _OF_TARGETS
        if "logits" not in self.values:
            more = (*more, "next", *(() if is_given else ("draft",)))
        for key in ("b_U", "predict_from", *_OF_LOGITS, *more):
            if key in self.values and key not in self._for_a_loss():
                yield key, f"{key} {_NO_LOGITS}", _UNEMBED
        if {*_PREDICTED} <= self.values.keys():
            wrong = "logits beside probabilities, which are computed from them"
            yield "logits", wrong, "keep one of the two"

    def _for_a_loss(self) -> tuple[str, ...]:
        """Returns the keys that are said without an unembedding, too."""
        texts: tuple[str, ...] = ("label_smoothing",)
        if self.read_out is not None:
            texts += ("targets", "ignored_target", "labels")
        elif _are_numbers(self.values):
            texts += ("targets", "ignored_target", "predict_from")
        return (*texts, "predict_from") if "head" in self.values else texts

    def _against_end(self, prediction: Prediction) -> Objections:
        """Complains of tokens at which nothing can end, or that stand for no target."""
        loss, vocabulary = prediction.loss, prediction.logits.vocabulary
        end, ignored = prediction.generation.end_token, loss.ignored_target
        if end and end not in vocabulary:
            wrong = f"{quote(end)} is no token that can be made"
            yield "end_token", wrong, f"known: {listed(vocabulary)}"
        if end and not prediction.generation.length:
            yield "end_token", "end_token, and nothing is generated", "add generate: 10"
        if ignored and ignored not in loss.targets:
            wrong = f"{quote(ignored)} is not among the targets"
            yield "ignored_target", wrong, "write it in the place of each target that doesn't count"
        elif loss.targets and not loss.counted:
            yield "targets", "all targets are ignored", "give one that counts"

    def _vocabulary(self) -> tuple[str, ...]:
        """Returns the tokens that the columns of the logits stand for, as far as they are known:
        columns enough for every ID, or where IDs leave gaps, one for each token."""
        places, most = self.rows, max(self.rows.values(), default=-1) + 1
        least = most if most <= 2 * len(places) else len(places)
        width = least if self.width is None else self.width
        if places and max(places.values()) >= width and len(places) == width:
            in_order = sorted(places, key=places.__getitem__)
            places = {token: k for k, token in enumerate(in_order)}
        names = {place: token for token, place in places.items()}
        return tuple(names.get(place, str(place)) for place in range(width))

    def _places_of(self, loss: Loss, vocabulary: Sequence[str], *, every: bool) -> tuple[int, ...]:
        targets = loss.targets
        counted = [targets[k] for k in loss.counted]
        wanted = self.positions if every else min(self.positions, 1)
        if targets and wanted and len(targets) != wanted:
            wrong = f"the targets are {len(targets)}, the positions with logits {wanted}"
            self.complaints.add("targets", wrong, "give the token that should follow each")
        for target in dict.fromkeys(counted):
            if target not in vocabulary:
                wrong = f"the target {quote(target)} is not among the tokens that logits stand for"
                self.complaints.add("targets", wrong, f"known: {listed(vocabulary)}")
        return tuple(vocabulary.index(t) if t in vocabulary else 0 for t in counted)
