"""An answers file as data."""

from __future__ import annotations

from collections.abc import Mapping

from attncli.marking.verdicts import Given
from attncli.records import NamedTuple


class AnswerSheet(NamedTuple):
    """What a student answered, by the addresses of cells as they are written; of which form, and
    by its `mark`, the hash, of which exercise; `id` is the student's. What the file doesn't say
    is empty."""

    student: str
    form: str
    mark: str
    answers: Mapping[str, Given]
    source: str = ""
    id: str = ""

    @property
    def unreadable(self) -> dict[str, Given]:
        """The answers that say something, but no number."""
        told = self.answers.items()
        return {id_: one for id_, one in told if one.number is None and one.text.strip()}
