"""An answers file as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from attncli.marking.verdicts import Given
from attncli.refusals import Problem


class AnswerSheet(NamedTuple):
    """What a student answered, by the addresses of cells as they are written; of which form, and
    by its `mark`, the hash, of which exercise; `id` is the student's. What the file doesn't say
    is empty. `wrong` is what keeps it from being marked, `unread` are columns of its table that
    aren't read."""

    student: str
    form: str
    mark: str
    answers: Mapping[str, Given]
    source: str = ""
    id: str = ""
    wrong: tuple[Problem, ...] = ()
    unread: tuple[str, ...] = ()

    def answers_alike(self, other: AnswerSheet) -> bool:
        """Whether another sheet says the same, of the same form."""
        own, others = ({k: one.text.strip() for k, one in sheet.answers.items()}
                       for sheet in (self, other))  # fmt: skip
        return own == others and (self.form, self.mark) == (other.form, other.mark)

    @property
    def unreadable(self) -> dict[str, Given]:
        """The answers that say something, but no number."""
        told = self.answers.items()
        return {id_: one for id_, one in told if one.number is None and not one.is_empty}
