"""What a scenario's targets are compared with, and by which loss."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from attncli.arithmetic.matrix import Matrix
from attncli.file.matrices import MatrixLike
from attncli.file.problems import NamedProblems
from attncli.name import Name, below
from attncli.scenario.model import Stack

Values = Mapping[str, Any]


class ReadOut(NamedTuple):
    """What is read out of the last layer's cell: what becomes of it, whether at every time, and how
    many numbers it is, where that is known."""

    end: str
    every: bool
    width: int | None


def read_out_of(values: Values, stack: Stack, given: Mapping[Name, Matrix]) -> ReadOut | None:
    """What targets are compared with where nothing else is made of the states."""
    layer = stack.layers[-1] if stack.layers else None
    cell = None if layer is None else layer.recurrent
    if layer is None or cell is None or "W_ya" not in cell.said.values:
        return None
    if "targets" not in values or "unembedding" in values or "logits" in values:
        return None
    W = given.get(below(layer.path, "W_ya"))
    width = None if W is None else W.shape[1 if cell.in_out else 0]
    return ReadOut(cell.said.values.get("readout", "sigmoid"), cell.readout_every, width)


def with_said_of_training(values: Values) -> Values:
    """The values with the loss that `train` names, in the place of one that is said at the top."""
    said = values.get("train", {})
    return {**values, **{key: said[key] for key in _OF_THE_LOSS if key in said}}


_OF_THE_LOSS = ("loss", "label_smoothing")


def are_numbers(values: Values) -> bool:
    """Whether the targets are rows of numbers, and no tokens."""
    return isinstance(values.get("targets"), MatrixLike)


class LossReader(NamedTuple):
    """Reads which loss is worked, and complains of what doesn't go together."""

    values: Values
    read_out: ReadOut | None
    has_logits: bool
    complaints: NamedProblems

    def read(self) -> str:
        """The name of the loss; nothing where there are no targets, or none fits them."""
        if "targets" not in self.values:
            for key in _OF_THE_LOSS:
                if key in self.values:
                    self.complaints.add(*self._said(key), f"{key}, and no targets", "give targets")
            return ""
        usual = "mse" if are_numbers(self.values) else "cross_entropy"
        loss: str = self.values.get("loss", usual)
        self._check(loss)
        self._check_numbers(loss)
        return loss

    def _check(self, loss: str) -> None:
        """Each loss is of its own kind of numbers."""
        end = None if self.read_out is None else self.read_out.end
        if loss == "cross_entropy" and end not in (None, "softmax"):
            self.complaints.add(*self._said("targets"),
                f"a cross-entropy needs probabilities of classes, and the read-out is {end}",
                "say readout: softmax, or give the targets as rows of numbers",
            )  # fmt: skip
        if loss == "binary_cross_entropy" and end != "sigmoid":
            self.complaints.add(*self._said("loss"),
                "binary_cross_entropy is of what a sigmoid reads out of a recurrent cell",
                "use mse or cross_entropy",
            )  # fmt: skip
        if loss == "cross_entropy" and are_numbers(self.values) and not self.has_logits and not end:
            self.complaints.add(*self._said("loss"),
                "cross_entropy needs logits, and there is no unembedding",
                "add `unembedding: tied`, or a matrix",
            )  # fmt: skip

    def _check_numbers(self, loss: str) -> None:
        numbers = are_numbers(self.values)
        if not numbers and loss != "cross_entropy":
            self.complaints.add("targets", f"{loss} is of numbers, and the targets are tokens",
                "give them as rows of numbers, like [[1, 0], [0, 1]]",
            )  # fmt: skip
        if numbers and "ignored_target" in self.values:
            self.complaints.add("ignored_target", "an ignored target, and targets in numbers",
                "leave it out",
            )  # fmt: skip
        if loss != "cross_entropy" and "label_smoothing" in self.values:
            self.complaints.add(*self._said("label_smoothing"),
                f"label smoothing is for a cross-entropy, not for {loss}", "leave it out",
            )  # fmt: skip

    def _said(self, key: str) -> tuple[str]:
        """Where it is said: of a loss that goes without saying, by the targets."""
        if key in self.values.get("train", {}):
            return (f"train.{key}",)
        return (key if key in self.values else "targets",)
