"""What is asked, one after the other, and the numbers that it starts from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from attncli.arithmetic.expression import Location
from attncli.document import Block, Prose, Section, Table, each, parts_of
from attncli.tables import MatrixBlock
from attncli.telling.exercise.inquiries import AskedInWords
from attncli.telling.exercise.lines import Blankable
from attncli.telling.exercise.request import ExerciseRequest
from attncli.telling.exercise.sections import StepSection
from attncli.telling.selection import SelectionError
from attncli.trace import PlannedStep, Trace


class Task(NamedTuple):
    """What is asked at once: some cells, of one row, that a part of the story makes; or a question
    that is answered in `words`."""

    section: int
    part: PlannedStep
    cells: tuple[Location, ...]
    words: AskedInWords | None = None


@dataclass(frozen=True)
class Lesson:
    """All that is asked of a trace: by cells, or by rows."""

    trace: Trace
    wish: ExerciseRequest
    by_rows: bool = False

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """What is asked, in the order of the working. Raises SelectionError where there is
        nothing."""
        tasks = tuple(self._tasks())
        if not tasks:
            right = "ask for a step that makes numbers"
            raise SelectionError.of("practice", "there is nothing to ask", right)
        return tasks

    def _tasks(self) -> Iterator[Task]:
        known: set[Location] = set()
        for k, told in enumerate(self.sections):
            made = {definition.name for definition in told.part.definitions}
            cells = [cell for cell in self._cells(k) if cell.quantity in made and cell not in known]
            known.update(cells)
            rows = groupby(cells, lambda cell: cell[:2] if self.by_rows else cell)
            yield from (Task(k, told.part, tuple(row)) for _, row in rows)
            yield from (Task(k, told.part, (), one) for one in self._in_words(told.part))

    def _in_words(self, part: PlannedStep) -> list[AskedInWords]:
        """What a part is asked besides numbers."""
        asked = self.wish.in_words(self.trace)
        return [one for one in asked if one.question.part == part]

    def _cells(self, section: int) -> list[Location]:
        told, places = self._asked[section]
        asked = (p for p in places if self.wish.asking_for(self.trace, told.part, p) is not None)
        return [place.cell for place in asked if place.cell is not None]

    @property
    def sections(self) -> Sequence[StepSection]:
        return [told for told, _ in self._asked]

    @cached_property
    def _asked(self) -> list[tuple[StepSection, list[Blankable]]]:
        page = self.wish.page(self.trace)
        return page.asking(page.everything())

    @cached_property
    def shown(self) -> frozenset[str]:
        """The quantities that are shown to start from, and are neither given nor asked for."""
        asked = {cell.quantity for task in self.tasks for cell in task.cells}
        blocks = (block for told in self.sections for block in told.section.blocks)
        names = {table.quantity for one in blocks for table in parts_of(one, MatrixBlock)} - asked
        return frozenset(name for name in names if not self.trace[name].given)

    def opening_of(self, section: int) -> Section:
        """A section with what its working starts from, tables and words, and nothing that is
        asked."""
        told = self.sections[section]
        if told.only_asked:
            return told.section._replace(number=None)
        made = {definition.name for definition in told.part.definitions}
        hidden = made | {cell.quantity for task in self.tasks for cell in task.cells}
        happens, *others = told.section.blocks
        blocks = [*([happens] if not isinstance(happens, Prose) else []), *others]
        kept = tuple(one for one in each(blocks) if _starts_from(one, hidden))
        return told.section._replace(number=None, blocks=kept, questions=(), solution=())


def _starts_from(block: Block, hidden: Collection[str]) -> bool:
    """Whether a block is shown before anything is asked: words, and tables but for some."""
    if isinstance(block, MatrixBlock):
        return block.quantity not in hidden
    return isinstance(block, Prose | Table)
