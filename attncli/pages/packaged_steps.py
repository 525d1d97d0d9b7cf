"""Files of steps that installed packages add: a list of them, and a lesson on one, in letters."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.document.blocks import (
    Block,
    DefinitionList,
    Document,
    Paragraph,
    Section,
    Term,
)
from attncli.names import Word
from attncli.pages.parts.blocks import common_mistakes
from attncli.scenario.written import WrittenStep
from attncli.steps.written.files import files_of_packages, steps_of_package
from attncli.steps.written.formulas import formula_of


def packaged_steps() -> tuple[Block, ...]:
    """Lists the files of steps of all packages with the titles of the steps; nothing where there
    are none."""
    files = files_of_packages()
    if not files:
        return ()
    taken = Term("steps: {file: NAME}")
    rows = (
        (name, (Word("; ".join(_title(*step) for step in steps_of_package(entry).items())),))
        for name, entry in files.items()
    )
    what = Paragraph(("Files of steps in packages, which a scenario takes by ", taken, ":"))
    return what, DefinitionList(tuple(rows))


def lesson_on_file(name: str) -> Document:
    """Returns the lesson on the steps of a package's file. Raises ScenarioError where it is
    none."""
    steps = steps_of_package(files_of_packages()[name])
    taken = Paragraph(("A scenario takes these steps by ", Term(f"steps: {{file: {name}}}"), "."))
    sections = (
        Section(
            of,
            None,
            (Word(_title(of, step)),),
            tuple(formula_of(line.equation.target, line.equation.value) for line in step.lines),
            tuple(_page_of(step)),
        )
        for of, step in steps.items()
    )
    return Document(Word(name), tuple(sections), about=(taken,))


def _title(name: str, step: WrittenStep) -> str:
    return step.title or name.replace("_", " ").capitalize()


def _page_of(step: WrittenStep) -> Iterator[Block]:
    if step.why:
        yield Paragraph((Word(step.why),))
    if step.over is not None:
        order = ", the last one first" if step.over.backward else ", one after the other"
        yield Paragraph(("Worked for each ", Term(step.over.bound.name), f"{order}."))
    said = tuple((m.name, (Word(m.says),)) for m in step.mistakes)
    yield from common_mistakes([DefinitionList(said)] if said else [])
