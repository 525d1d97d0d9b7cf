"""A scenario worked again at each change, in its file or its page: the page, problems, undoing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attncli.commands import pages as commands
from attncli.commands.arguments import (
    Arguments,
    FilesOutput,
    ForThisRun,
    PageOptions,
)
from attncli.commands.changing import changeable
from attncli.document.blocks import Document, Paragraph
from attncli.errors import Complaints, Problem, UserError
from attncli.formats import RenderOptions, render
from attncli.names import Word
from attncli.output_files import Contents, encoded, replace_file
from attncli.pages.parts.constants import told_with_constants
from attncli.pipeline import work
from attncli.pipeline.trees import FileText, tree_of, with_changes
from attncli.scenario.file import reading, shipped
from attncli.scenario.file.changes import Change
from attncli.scenario.file.editing import edited, splice_of
from attncli.scenario.file.named_files import named_in
from attncli.scenario.file.nodes import Map
from attncli.scenario.file.problems import Diagnostics
from attncli.steps.schema import SCENARIO, step_meant
from attncli.trace import Trace

if TYPE_CHECKING:
    from attncli.web.commands import ServeArguments

_MARK = b"\xef\xbb\xbf"
_SERVED = RenderOptions(served=True)
_WRITABLE = 0o222
"""The mode of a file that somebody may write."""


def _stamp(path: Path) -> object:
    """Returns what changes when a file is written."""
    try:
        stat = path.stat()
    except (OSError, ValueError) as error:
        return type(error)
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


class Edit(NamedTuple):
    """A value that is said otherwise."""

    key: str
    """Under which key."""
    old: str
    """What is said there before, nothing where nothing is."""
    new: str
    """What is said there then, nothing where nothing is any more."""
    line: int = 0
    """The line of the file where it is said then."""

    @property
    def back(self) -> Edit:
        """Returns what takes it back."""
        return Edit(self.key, self.new, self.old)


class Writing(NamedTuple):
    """A writing of changes into a file."""

    former: FileText
    """What the file said before."""
    edits: tuple[Edit, ...]
    """What was changed in that."""


class ChangedText(NamedTuple):
    """A file's text, and what is changed in that."""

    file: FileText
    changes: tuple[Change, ...] = ()

    @property
    def tree(self) -> Map:
        """Returns what the text says with the changes. Raises ScenarioError."""
        problems = Diagnostics()
        return with_changes(tree_of(self.file, problems), self.changes, problems)

    def written(self) -> FileText:
        """Returns the text with the changes in it. Raises ScenarioError."""
        mark = _MARK if self.file.data.startswith(_MARK) else b""
        text = edited(self.file.text, self.changes, SCENARIO.known)
        return self.file._replace(data=mark + encoded(text))

    def edits(self, after: FileText | None = None) -> Iterator[Edit]:
        """Yields what the changes do to the text, each key once, with its line in the text `after`
        it."""
        for key, new in {change.key: change.value for change in self.changes}.items():
            old = self.said(key)
            if old != new:
                place = None if after is None else splice_of(after.text, key)
                line = 0 if after is None or place is None else _line_at(after.text, place.start)
                yield Edit(key, old, new, line)

    def said(self, key: str) -> str:
        """Returns what the text says under a key, without the changes."""
        place = splice_of(self.file.text, key)
        return "" if place is None else self.file.text[place.start : place.end].strip()

    def stamps(self) -> Mapping[Path, object]:
        """Returns what changes when a file is written, for each file that is named in the text."""
        with suppress(UserError):
            places = [self.file.path.parent / name for name in named_in(self.tree)]
            return {place: _stamp(place) for place in places}
        return {}


def _line_at(text: str, place: int) -> int:
    """Returns the number of the line in which a place of a text is."""
    return text.count("\n", 0, place) + 1


class Worked(NamedTuple):
    """A trace that was once worked, with its page."""

    of: ChangedText
    trace: Trace
    page: str


class ServedScenario:
    """A scenario that is served. `version` counts what is shown; `page` is the last that could be
    worked, and `problems` are what is wrong by now."""

    def __init__(self, typed: ServeArguments) -> None:
        self.path = shipped.find(typed.scenario)
        self.version = 0
        self.problems: Sequence[Problem] = ()
        self.changes: tuple[Change, ...] = ()
        self.file = FileText(self.path, b"")
        self.writings: list[Writing] = []
        self.said = ""
        """What the last act did to the file."""
        self.saved: list[Worked] = []  # the last two texts of the file
        self._shipped = str(self.path) != typed.scenario
        page = PageOptions("html", allowed=typed.allowed)
        self._typed = Arguments(str(self.path), page=page)
        self._written = b""
        self._known: object = None
        self._named: Mapping[Path, object] = {}
        self._worked: Worked | None = None

    @property
    def page(self) -> str:
        """Returns the whole page; before it is worked one that says so."""
        if self._worked is not None:
            return self._worked.page
        wait = Paragraph(("This page is being worked out.",))
        return render(Document(Word(self.path.stem), (), closing=(wait,)), "html", _SERVED)

    @property
    def worked(self) -> bool:
        """Tells whether there are numbers to show."""
        return self._worked is not None

    def read(self) -> bytes:
        """Reads what the file says by now. Raises UserError for what is no scenario's file."""
        return reading.bytes_of(self.path, step_meant, again=True)

    def follow(self) -> None:
        """Works the page anew if the file was written since, or one that it names."""
        known, before = _stamp(self.path), self._known
        self._known = known
        is_new = known != before and (
            not self.version or bool(self.problems) or not self._says(self.file.data)
        )
        if is_new or any(_stamp(path) != stamp for path, stamp in self._named.items()):
            self.said = ""
            self.renew()

    def _says(self, data: bytes) -> bool:
        """Tells whether the file says this by now, and nothing else."""
        try:
            return self.read() == data
        except UserError:
            return False

    def renew(self) -> None:
        """Works the page of what the file says with the changes, or tells what is wrong."""
        complaints = Complaints()
        data = complaints.hear(self.read)
        if data is None:
            self.problems = complaints.problems
        else:
            self.file = self.file._replace(data=data)
            self._named = ChangedText(self.file, self.changes).stamps()  # before they are read
            self.problems = self._attempted(self.changes)
        self.version += bool(self.problems)

    def _attempted(self, changes: tuple[Change, ...]) -> Sequence[Problem]:
        """Works the page with changes; what is wrong with them or with the file, if anything."""
        complaints = Complaints()
        try:
            worked = complaints.hear(self._work, ChangedText(self.file, changes))
        except Exception as error:
            worked, name = None, type(error).__name__
            right = "please report it with the scenario"
            complaints.problems.append(
                Problem.of("attn serve", f"an error of its own, {name}", right)
            )
        if worked is not None:
            self._show(worked)
        return complaints.problems

    def _show(self, worked: Worked) -> None:
        self._worked, (self.file, self.changes), self.problems = worked, worked.of, ()
        if not self.changes and (not self.saved or self.saved[-1].of != worked.of):
            self.saved = [*self.saved[-1:], worked]
        self.version += 1

    def _work(self, changed: ChangedText) -> Worked:
        trace = work(self._typed.page.allowed.load(*changed))
        page = told_with_constants(commands.whole_page(trace, self._typed), trace)
        interactive = page.interactive._replace(changeable=changeable(trace, *changed))
        page = page._replace(interactive=interactive)
        return Worked(changed, trace, render(page, "html", _SERVED))

    def change(self, key: str, value: str) -> None:
        """Works the page with one more change. Raises UserError where that can't be, and then
        nothing has changed."""
        changes = (*self.changes, Change(f"{key}={value}", key, value))  # nobody typed `--set`
        named = ChangedText(self.file, changes).stamps()
        wrong = self._attempted(changes)
        if wrong:
            raise UserError(wrong)
        self._named, self.said = named, ""

    @property
    def pending(self) -> tuple[Edit, ...]:
        """Returns the changes that aren't in the file yet."""
        return tuple(ChangedText(self._readable, self.changes).edits())

    @property
    def _readable(self) -> FileText:
        """Returns what the file said last that could be worked."""
        return self.file if self._worked is None else self._worked.of.file

    @property
    def undoing(self) -> tuple[Edit, ...]:
        """Returns what undoing does: it takes the last change back, or the last writing."""
        if not self.changes:
            return (
                tuple(edit.back for edit in reversed(self.writings[-1].edits))
                if self.can_undo
                else ()
            )
        key, value = self.changes[-1].key, self.changes[-1].value
        before = {change.key: change.value for change in self.changes[:-1]}
        return (Edit(key, value, before.get(key, ChangedText(self._readable).said(key))),)

    @property
    def can_undo(self) -> bool:
        """Tells whether there is something to take back: a change, or a writing with nothing
        written by others since."""
        return bool(self.changes) or (bool(self.writings) and self.file.data == self._written)

    @property
    def can_write(self) -> bool:
        """Tells whether the file may be written: one that comes with attn stays as it is."""
        return bool(self.changes) and not self._shipped and not self.problems

    def drop(self) -> None:
        """Goes back to what the file says."""
        self.changes, self.said = (), ""
        self.renew()

    def write(self) -> None:
        """Writes the changes into the file. Raises UserError where it was changed since, or can't
        be worked with them."""
        self._check_writable(self.file.data)
        changed = ChangedText(self.file, self.changes)
        new = ChangedText(changed.written())
        named, worked = new.stamps(), self._work(new)
        self._put(new.file, self.file.data)
        if self.file.data != self._written:
            self.writings.clear()  # what others wrote stays, whatever is taken back
        writing = Writing(self.file, tuple(changed.edits(new.file)))
        self.writings.append(writing)
        self._written, self._named = new.file.data, named
        self.said = f"Written: {told_edits(writing.edits, self.path.name)}."
        self._show(worked)

    def undo(self) -> None:
        """Takes the last change back, or else the last writing: the file says again what it said
        before. Raises UserError."""
        said = ""
        if self.changes:
            self.changes = self.changes[:-1]
        elif self.writings:
            former, back = self.writings[-1].former, self.undoing
            self._put(former, self._written)
            self.writings.pop()
            self._written = former.data
            said = f"{self.path.name} is as before: {told_edits(back)}."
        self.renew()
        self.said = said

    def _put(self, new: FileText, expected: bytes) -> None:
        replace_file(str(self.path), new.data, partial(self._check_writable, expected))

    def _check_writable(self, expected: bytes) -> None:
        if self._shipped:
            wrong, right = "it comes with attn, and stays as it is", "serve a copy of it"
            raise UserError.of(self.path.name, wrong, right)
        if self.read() != expected:
            wrong = "the file was changed by somebody else since"
            raise UserError.of(self.path.name, wrong, "change it there, or make the change again")
        is_open = self.path.stat().st_mode & _WRITABLE and os.access(self.path, os.W_OK)
        if not is_open:  # a mode holds for those, too, who may do everything
            wrong, right = "the file is write-protected", "allow writing to it, or serve a copy"
            raise UserError.of(self.path.name, wrong, right)

    def lint(self) -> Document:
        """Shows what is weak about its numbers."""
        from attncli.classroom.lint import weaknesses

        return weaknesses(self._last().trace)

    def why(self, cell: str) -> Document:
        """Shows what a number comes from, by its name. Raises UserError."""
        return commands.tree_of(self._last().trace, [cell], None)

    def compare(self) -> Document:
        """Shows what the changes change, or else the last saving of the file. Raises UserError."""
        from attncli.pages.compare import comparison
        from attncli.pages.parts.differences import compared
        from attncli.pipeline.trees import differences

        now, saved = self._last(), self.saved
        if now.of.changes:
            own, name = "as saved", "as changed"
            known = [one for one in saved if one.of.file == now.of.file]
            before = known[0] if known else self._work(now.of._replace(changes=()))
        elif len(saved) > 1:
            own, name, before = "as saved before", "as saved now", saved[0]
        else:
            right = "change a number, or save the file"
            raise UserError.of(self.path.name, "nothing was changed yet", right)
        changed = [*differences(before.of.tree, now.of.tree)]
        return comparison(compared([(own, before.trace), (name, now.trace)], changed))

    def exercise(self) -> Mapping[str, Contents]:
        """Makes the sheet and the key of an exercise on it, by their files' names. Raises
        UserError."""
        self.read()  # which refuses what nobody can read twice
        changed = ForThisRun(set_=[change.option for change in self._last().of.changes])
        page = self._typed.page._replace(output=str(self.path.parent / "exercise"), force=True)
        from attncli.classroom.commands import ExerciseArguments, exercise

        made = exercise(
            ExerciseArguments(str(self.path), key="separate", changed=changed, page=page)
        )
        assert isinstance(made, FilesOutput)
        return made.texts

    def _last(self) -> Worked:
        if self._worked is None:
            raise UserError.of(self.path.name, "it isn't worked yet", "wait, or mend the file")
        return self._worked

    def told(self, error: UserError) -> str:
        """Tells what is wrong, naming the file without the folders that it lies in."""
        return "\n".join(_shortly(problem, self.path) for problem in error.problems)

    def excerpts(self) -> Iterator[tuple[str, Sequence[tuple[int, str, bool]]]]:
        """Yields what is wrong, each with the lines of the file around it: the number of a line,
        its text, and whether it is the one that is wrong."""
        lines = self.file.data.decode("utf-8-sig", errors="replace").splitlines()
        for problem in self.problems[:_MOST_SHOWN]:
            at = problem.where.line if problem.where.source == str(self.path) else 0
            first = max(1, at - _AROUND)
            near = enumerate(lines[first - 1 : at + _AROUND if at else 0], start=first)
            yield _shortly(problem, self.path), [(k, text, k == at) for k, text in near]


def told_edits(edits: Sequence[Edit], file: str = "") -> str:
    """Says what is changed from what to what, and where in a file: `mine.yaml:7 W_K[1, 2] 1 →
    3`."""
    return "; ".join(_told_edit(edit, file) for edit in edits)


def _told_edit(edit: Edit, file: str) -> str:
    key, old, new = edit.key.replace(",", ", "), edit.old or "(not said)", edit.new or "(not said)"
    at = f"{file}:{edit.line} " if file and edit.line else ""
    return f"{at}{key} {old} → {new}"


_MOST_SHOWN = 5
"""Problems that are told; the next ones are told when these are mended."""
_AROUND = 2
"""Lines above and below the one that is wrong."""


def _shortly(problem: Problem, path: Path) -> str:
    """Writes a problem, naming the file without the folders that it lies in."""
    where = problem.where
    return str(
        problem._replace(where=where._replace(source=where.source.replace(str(path), path.name)))
    )
