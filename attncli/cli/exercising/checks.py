"""The terms of an exercise, read from what was typed: how many forms, which format, where to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attncli.choices import KEYS, LANGUAGES, LAYOUTS, Layout
from attncli.cli.arguments import whole
from attncli.cli.complaints import Complaints
from attncli.cli.output import check_binary, check_form, chosen_format
from attncli.file.problems import nearest
from attncli.refusals import Problem
from attncli.scenario.exercise import LARGEST_SEED, MOST_FORMS
from attncli.writing import OutputError

if TYPE_CHECKING:
    from attncli.cli.exercise import ExerciseArguments


class Counts(NamedTuple):
    """Numbers: of forms (None: the scenario's own numbers), the seed, the share of a blank's
    points that a known mistake earns, in per cent, if one was said, and the variants to make
    under stress."""

    forms: int | None
    seed: int
    share: int | None
    stress: int | None

    @property
    def names(self) -> list[str]:
        """What the forms are called."""
        from attncli.questions import OWN_FORM, form_name

        return [OWN_FORM] if self.forms is None else [form_name(k) for k in range(self.forms)]


class PaperSettings(NamedTuple):
    """How and where an exercise is written. `kinds` are the papers of each form; `share` is what a
    known mistake earns, in per cent, where mistakes are to be looked for."""

    format: str
    key: str
    folder: bool
    kinds: tuple[str, ...]
    share: int | None


def parse_counts(order: ExerciseArguments) -> Counts:
    """The numbers of an order. Raises OutputError, naming all that are wrong."""
    wrong: list[Problem] = []
    found: list[int | None] = []
    for option, text, least, most in (
        ("--forms", order.forms, 1, MOST_FORMS),
        ("--seed", order.seed, 0, LARGEST_SEED),
        ("--mistakes", order.mistakes, 0, 99),
        ("--stress", order.stress, 1, MOST_FORMS),
    ):
        try:
            found.append(None if text is None else whole(option, text, least, most))
        except OutputError as error:
            wrong += error.problems
    wrong += _beside_stress(order)
    if wrong:
        raise OutputError(wrong)
    forms, seed, share, stress = found
    return Counts(forms, seed or 0, share, stress)


def _beside_stress(order: ExerciseArguments) -> list[Problem]:
    """What doesn't go with `--stress`, which writes no exercise."""
    others: dict[str, object] = {"--forms": order.forms, "--key": order.key, "--hints": order.hints}
    others["--students"] = order.students
    others["--fragment"] = order.fragment
    said = [option for option, value in others.items() if value]
    if order.stress is None or not said:
        return []
    return [Problem.of("--stress", "it writes no exercise", f"leave {', '.join(said)} out")]


def parse_manner(
    order: ExerciseArguments, counts: Counts | None, *, by_file: bool = False
) -> PaperSettings:
    """How and where it is to be written. Raises OutputError, naming all that is wrong."""
    from attncli.render import paper_format_names

    _check_no_workbook(order.form, order.output)
    many = (
        by_file
        or order.hints
        or order.key == "separate"
        or (counts is not None and len(counts.names) > 1)
    )
    folder = order.output is not None and _is_folder(order.output, many=many)
    complaints = Complaints()
    known = paper_format_names()
    target = None if folder else order.output
    form = complaints.hear(chosen_format, order.form, target, known)
    complaints.hear(_check_choice, "--key", order.key, KEYS)
    if form is not None:
        complaints.hear(check_binary, form, order.output)
    if form is None or complaints.problems:
        raise OutputError(complaints.problems)
    manner = _checked(order, form, folder=folder)
    said = None if counts is None else counts.share
    return manner if said is None else manner._replace(share=said)


def _check_no_workbook(form: str | None, output: str | None) -> None:
    """Raises OutputError where a sheet is asked for as a workbook."""
    if form == "xlsx" or (form is None and output is not None and output.lower().endswith(".xlsx")):
        said = f"--format {form}" if output is None else output
        right = "a sheet in .html marks itself, and a spreadsheet fills in .csv for attn grade"
        wrong = "a workbook that marks answers would hold them for everybody to read"
        raise OutputError.of(said, wrong, right)


def _check_choice(option: str, said: str | None, known: Sequence[str]) -> None:
    if said is not None and said not in known:
        raise OutputError.of(f"{option} {said}", "no such choice", nearest(said, known))


def parse_layout(order: ExerciseArguments) -> Layout:
    """The layout that is ordered. Raises OutputError."""
    _check_choice("--layout", order.layout, LAYOUTS)
    return next(layout for layout in LAYOUTS if layout == order.layout)


def parse_language(order: ExerciseArguments) -> str:
    """The language that is ordered. Raises OutputError."""
    _check_choice("--language", order.language, LANGUAGES)
    return order.language


def _is_folder(output: str, *, many: bool) -> bool:
    path = Path(output)
    if output.endswith(("/", os.sep)) or os.path.isdir(path):  # noqa: PTH112 - a name too long is none
        return True
    return many and output != "-" and not path.suffix


def _checked(order: ExerciseArguments, form: str, *, folder: bool) -> PaperSettings:
    from attncli.render import abilities_of, page_format_names

    can = abilities_of(form)
    key = order.key or ("separate" if folder and "separate" in can.keys else can.keys[0])
    wrong = []
    if key not in can.keys:
        right = f"say {' or '.join(can.keys)}"
        wrong.append(Problem.of(f"--key {key}", f"the format {form} doesn't go with it", right))
    if order.hints and can.hints == "none":
        right = "choose another, or leave --hints out"
        wrong.append(Problem.of("--hints", f"the format {form} has none", right))
    if order.stress is not None and form not in page_format_names():
        wrong.append(
            Problem.of(
                f"--format {form}", "the report of --stress is no exercise", "choose another"
            )
        )
    if wrong:
        raise OutputError(wrong)
    check_form(form, fragment=order.fragment, values_only=order.values_only)
    first = "exercise" if key == "embedded" else "sheet"
    apart = order.hints and can.hints == "separate"
    kinds = (first, *(("key",) if key == "separate" else ()), *(("hints",) * apart))
    return PaperSettings(form, key, folder, kinds, can.share)
