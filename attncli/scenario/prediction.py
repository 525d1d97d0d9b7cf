"""What is done with a model's last vectors: a head, logits, and what these stand for."""

from __future__ import annotations

from decimal import Decimal

from attncli.records import NamedTuple
from attncli.scenario.model import Settings


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
