"""A scenario that is worked again whenever its file changes, or somebody changes a number in its
page: what the page is by now, what is wrong, what can be undone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from attncli.building.trees import with_changes
from attncli.document.blocks import Document, Paragraph
from attncli.errors import Complaints, Problem, UserError, problem_lines
from attncli.file import shipped
from attncli.file.changes import Change
from attncli.file.editing import edited, tree_in
from attncli.file.nodes import Map
from attncli.file.problems import Diagnostics
from attncli.formats import RenderOptions, render
from attncli.library import commands, exercises
from attncli.library.arguments import (
    Arguments,
    FilesOutput,
    ForThisRun,
    PageOptions,
    ServeArguments,
)
from attncli.library.changing import changeable
from attncli.library.exercise_arguments import ExerciseArguments
from attncli.names import Word
from attncli.output_files import Contents, encoded, write_file
from attncli.steps.schema import SCENARIO
from attncli.trace import Trace

_MARK = b"\xef\xbb\xbf"
_SERVED = RenderOptions(served=True)


_ARRAYS = re.compile(rb"""[^\s:,'"{}\[\]]+\.(?:npy|npz|safetensors)\b""")
"""What may be the name of a file of arrays."""


def _stamp(path: Path) -> object:
    """What changes when a file is written."""
    try:
        stat = path.stat()
    except (OSError, ValueError) as error:
        return type(error)
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


class Worked(NamedTuple):
    """A scenario as it was once worked: its file's text, what was changed in that, its page."""

    text: bytes
    changes: tuple[Change, ...]
    trace: Trace
    page: str

    def tree(self) -> Map:
        """What the text says with the changes."""
        problems = Diagnostics()
        return with_changes(tree_in(_decoded(self.text), problems), self.changes, problems)


class ServedScenario:
    """What is served. `version` counts what is shown; `page` is the last that could be worked, and
    `problems` are what is wrong by now."""

    def __init__(self, typed: ServeArguments) -> None:
        self.path = shipped.find(typed.scenario)
        self.version = 0
        self.problems: Sequence[Problem] = ()
        self.changes: tuple[Change, ...] = ()
        self.text = b""
        self.undone: list[bytes] = []  # what the file said before each change that was written
        self.saved: list[Worked] = []  # the last two texts of the file
        self._shipped = str(self.path) != typed.scenario
        page = PageOptions("html", allowed=typed.allowed)
        self._typed = Arguments(str(self.path), page=page)
        self._written: bytes | None = None
        self._known: object = None
        self._arrays: Sequence[object] = ()
        self._worked: Worked | None = None

    @property
    def page(self) -> str:
        """The whole page; before it is worked one that says so."""
        if self._worked is not None:
            return self._worked.page
        wait = Paragraph(("This page is being worked out.",))
        return render(Document(Word(self.path.stem), (), closing=(wait,)), "html", _SERVED)

    # -- following the file ------------------------------------------------------------------------

    def follow(self) -> None:
        """Works the page anew if the file was written since, or an array that it names."""
        known, before = _stamp(self.path), self._known
        self._known = known
        is_new = known != before and (
            not self.version or bool(self.problems) or self._on_disk() != self.text
        )
        if is_new or self._arrays_written() != self._arrays:
            self.renew()

    def _arrays_written(self) -> Sequence[object]:
        names = (name.decode("utf-8", "replace") for name in _ARRAYS.findall(self.text))
        return [_stamp(self.path.parent / name) for name in names]

    def _on_disk(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError:
            return b""

    def renew(self) -> None:
        """Works the page of what the file says with the changes, or tells what is wrong."""
        self.text = self._on_disk()
        self._arrays = self._arrays_written()  # before they are read
        self.problems = self._attempted(self.changes)
        self.version += bool(self.problems)

    def _attempted(self, changes: tuple[Change, ...]) -> Sequence[Problem]:
        """Works the page with changes; what is wrong with them or with the file, if anything."""
        complaints = Complaints()
        try:
            worked = complaints.hear(self._work, changes)
        except Exception as error:
            worked, name = None, type(error).__name__
            right = "please report it with the scenario"
            complaints.problems.append(
                Problem.of("attn serve", f"an error of its own, {name}", right)
            )
        if worked is not None:
            self._worked, self.changes, self.problems = worked, changes, ()
            if not changes and (not self.saved or self.saved[-1].text != worked.text):
                self.saved = [*self.saved[-1:], worked]
            self.version += 1
        return complaints.problems

    def _work(self, changes: tuple[Change, ...]) -> Worked:
        trace = self._typed.worked_with(changes)
        page = commands.whole_page(trace, self._typed)
        found = changeable(trace, str(self.path), changes)
        text = render(page._replace(changeable=found), "html", _SERVED)
        return Worked(self.text, changes, trace, text)

    # -- changing ----------------------------------------------------------------------------------

    def change(self, key: str, value: str) -> None:
        """Works the page with one more change. Raises UserError where that can't be, and then
        nothing has changed."""
        made = Change(f"{key}={value}", key, value)  # nobody has typed `--set`
        wrong = self._attempted((*self.changes, made))
        if wrong:
            raise UserError(wrong)

    def drop(self) -> None:
        """Back to what the file says."""
        self.changes = ()
        self.renew()

    def write(self) -> None:
        """Writes the changes into the file. Raises UserError where it was changed since, or doesn't
        load with them."""
        self._check_writable(self.text)
        texts = [self._edited(self.changes[:k]) for k in range(len(self.changes) + 1)]
        with NamedTemporaryFile(dir=self.path.parent, prefix=".attn-", suffix=".yaml") as beside:
            beside.write(texts[-1])
            beside.flush()
            self._typed.page.allowed.load(beside.name)
        if self.text != self._written:
            self.undone.clear()  # what others wrote isn't to be lost by undoing what was before it
        self._put(texts[-1])
        self.undone += texts[:-1]
        self.drop()

    def undo(self) -> None:
        """Takes the last change back, out of the file too. Raises UserError."""
        if self.changes:
            self.changes = self.changes[:-1]
        elif self.undone:
            self._check_writable(self._written)
            self._put(self.undone.pop())
        self.renew()

    def _check_writable(self, expected: bytes | None) -> None:
        if self._shipped:
            wrong, right = "it comes with attn, and stays as it is", "serve a copy of it"
            raise UserError.of(self.path.name, wrong, right)
        if self._on_disk() != expected:
            wrong = "the file was changed by somebody else since"
            raise UserError.of(self.path.name, wrong, "change it there, or make the change again")

    def _edited(self, changes: Sequence[Change]) -> bytes:
        mark = _MARK if self.text.startswith(_MARK) else b""
        return mark + encoded(edited(_decoded(self.text), changes, SCENARIO.known))

    def _put(self, text: bytes) -> None:
        write_file(str(self.path), text, force=True)
        self._written = text

    # -- what else is told of it -------------------------------------------------------------------

    def lint(self) -> Document:
        """What is weak about its numbers."""
        from attncli.pages.lint import weaknesses

        return weaknesses(self._last().trace)

    def why(self, cell: str) -> Document:
        """What a number comes from, by its name. Raises UserError."""
        return commands.tree_of(self._last().trace, [cell], None)

    def compare(self) -> Document:
        """What the changes change, or else the last saving of the file. Raises UserError."""
        from attncli.building.trees import differences
        from attncli.pages.compare import comparison
        from attncli.pages.parts.differences import compared

        now = self._last()
        if now.changes:
            known = [one for one in self.saved if one.text == now.text]
            before = known[0] if known else self._work(())
        elif len(self.saved) > 1:
            before = self.saved[0]
        else:
            right = "change a number, or save the file"
            raise UserError.of(self.path.name, "nothing was changed yet", right)
        name = "as changed" if now.changes else "as saved now"
        own = "as saved" if now.changes else "as saved before"
        changed = [*differences(before.tree(), now.tree())]
        return comparison(compared([(own, before.trace), (name, now.trace)], changed))

    def exercise(self) -> Mapping[str, Contents]:
        """The sheet and the key of an exercise on it, by their files' names. Raises UserError."""
        changed = ForThisRun(set_=[change.option for change in self._last().changes])
        page = self._typed.page._replace(output=str(self.path.parent / "exercise"), force=True)
        made = exercises.exercise(
            ExerciseArguments(str(self.path), key="separate", changed=changed, page=page)
        )
        assert isinstance(made, FilesOutput)
        return made.texts

    def _last(self) -> Worked:
        if self._worked is None:
            raise UserError.of(self.path.name, "it isn't worked yet", "wait, or mend the file")
        return self._worked

    def excerpts(self) -> Iterator[tuple[str, Sequence[tuple[int, str, bool]]]]:
        """What is wrong, each with the lines of the file around it: the number of a line, its text,
        and whether it is the one that is wrong."""
        with suppress(UnicodeDecodeError):
            lines = _decoded(self.text).splitlines()
            for problem in self.problems[:_MOST_SHOWN]:
                at = problem.where.line if problem.where.source == str(self.path) else 0
                first = max(1, at - _AROUND)
                near = enumerate(lines[first - 1 : at + _AROUND if at else 0], start=first)
                yield _shortly(problem, self.path), [(k, text, k == at) for k, text in near]
            return
        yield from ((line, ()) for line in problem_lines(self.problems))


_MOST_SHOWN = 5
"""Problems that are told; the next ones are told when these are mended."""
_AROUND = 2
"""Lines above and below the one that is wrong."""


def _shortly(problem: Problem, path: Path) -> str:
    """A problem, of the file without the folders that it lies in."""
    where = problem.where
    return str(
        problem._replace(where=where._replace(source=where.source.replace(str(path), path.name)))
    )


def _decoded(text: bytes) -> str:
    return text.decode("utf-8-sig")
