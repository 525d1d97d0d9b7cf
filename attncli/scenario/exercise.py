"""An exercise as somebody orders it, in a file or by options: what is asked of a scenario, for how
many points, and what stands around the questions."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from attncli.arithmetic import decimals
from attncli.choices import BLANKS, LANGUAGES, Layout
from attncli.refusals import Where, quote

MOST_POINTS = 100
MOST_FORMS = 10_000
_WRITTEN = ":written"
LARGEST_SEED = 10**18


class UnreadableBlanking(ValueError):  # noqa: N818  (a condition of the input, not a fault)
    """What says nothing of what is to be taken out: what is wrong, and what would be right."""

    def __init__(self, wrong: str, right: str) -> None:
        self.wrong, self.right = wrong, right
        super().__init__(wrong)


class Blanking(NamedTuple):
    """What is taken out: `results`, `working`, `all`, or a seeded `random` share of all."""

    kind: str = "results"
    share: Decimal = Decimal(1)

    @classmethod
    def of(cls, text: str) -> Blanking:
        """What `results` or `random:0.4` says. Raises UnreadableBlanking."""
        kind, colon, share = text.partition(":")
        if kind not in BLANKS or (colon and kind != "random"):
            raise UnreadableBlanking("no such choice", f"say {', '.join(BLANKS)}, or random:0.4")
        if kind != "random":
            return cls(kind)
        try:
            part = decimals.parse(share or "0.5")
        except ValueError:
            part = Decimal(0)
        if not 0 < part <= 1:
            right = "give one above 0 and at most 1, like random:0.4"
            raise UnreadableBlanking(f"{quote(share)} is no share", right)
        return cls(kind, part)

    @property
    def results(self) -> bool:
        return self.kind != "working"

    @property
    def terms(self) -> bool:
        return self.kind != "results"


class Ask(NamedTuple):
    """Something that is asked for: a step, a cell, a question that is answered in words, or without
    any of them all that is made; of a token, a layer and a head, if these are said. What it doesn't
    say of blanks and points the whole exercise does. The answer of a question is chosen, or
    `written`. `where` it is said, in a file."""

    step: str | None = None
    cell: str | None = None
    token: str | None = None
    layer: str | None = None
    head: str | None = None
    blank: Blanking | None = None
    points: Decimal | None = None
    question: str | None = None
    written: bool = False
    where: Where | None = None

    def asking(self, text: str) -> Ask:
        """What `--ask` says: a question, perhaps with `:written` behind it."""
        question = text.removesuffix(_WRITTEN)
        return self._replace(question=question, written=question != text)


class Points(NamedTuple):
    """The points of a blank: of all of them, of those of a step, and of those of a quantity."""

    each: Decimal = Decimal(1)
    steps: Mapping[str, Decimal] = MappingProxyType({})
    quantities: Mapping[str, Decimal] = MappingProxyType({})

    def of(self, step: str, quantity: str) -> Decimal:
        """The points of a blank of a quantity, by its last name, that a step makes."""
        return self.quantities.get(quantity, self.steps.get(step, self.each))


class Frame(NamedTuple):
    """What stands around the questions, and in which language the program's own words do."""

    title: str = ""
    course: str = ""
    date: str = ""
    institution: str = ""
    instructions: str = ""
    language: str = LANGUAGES[0]


class ExerciseFile(NamedTuple):
    """All that an exercise is made from besides its scenario, which `scenario` names: a path, or
    a shipped name. `forms` is None for the scenario's own numbers, `mistakes` what a known one
    earns, in per cent; `path` is the file's, where it is one, and `places` says where its keys
    stand."""

    scenario: str
    ask: tuple[Ask, ...] = (Ask(),)
    frame: Frame = Frame()
    blank: Blanking = Blanking()
    points: Points = Points()
    tolerance: Mapping[str, Decimal] = MappingProxyType({})
    layout: Layout | None = None
    detail: str | None = None
    forms: int | None = None
    seed: int = 1
    allow: tuple[str, ...] = ()
    mistakes: int | None = None
    path: Path | None = None
    places: Mapping[str, Where] = MappingProxyType({})
