"""What is done with a model's last vectors: a head, logits, and what these stand for."""

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from attncli.name import Name
from attncli.scenario.model import Settings

LOSSES: Mapping[str, str] = MappingProxyType({
    "cross_entropy": "loss",
    "binary_cross_entropy": "binary_loss",
    "mse": "mse",
})  # fmt: skip
"""The step of each loss, which makes a quantity of that name."""


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
    said: Settings = Settings()
    logit_scale: Decimal | None = None
    logit_softcap: Decimal | None = None
    generate: int = 0
    end_token: str = ""
    targets: tuple[str, ...] = ()
    ignored_target: str = ""
    target_places: tuple[int, ...] = ()
    head: Head | None = None
    first: bool = False
    labels: tuple[str, ...] = ()
    loss: str = ""
    """What is worked of the targets: `cross_entropy`, `binary_cross_entropy`, `mse`, or nothing."""
    label_smoothing: Decimal | None = None
    readout: bool = False
    """Whether targets are of what is read out of a recurrent cell."""
    targets_in_numbers: bool = False
    """Whether targets are rows of numbers, and no tokens."""

    @property
    def is_given(self) -> bool:
        """Whether logits or probabilities are given, whatever would make them."""
        return self.unembedding == "given"

    @property
    def counted(self) -> tuple[int, ...]:
        """The places, from 0, of the targets that aren't ignored."""
        return tuple(k for k, one in enumerate(self.targets) if one != self.ignored_target)

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
