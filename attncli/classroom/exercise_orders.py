"""Orders of exercises: read from files and options, checked, and warned of what they lose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from attncli import __version__
from attncli.classroom.arguments import command_line, set_by_file, typed_options
from attncli.classroom.files.exercise_file import LARGEST_SEED, MOST_FORMS
from attncli.classroom.paper_files import (
    PaperSettings,
    form_names,
    parse_choice,
    parse_manner,
)
from attncli.commands.arguments import AskedScenario, Excerpt, check_steps_of, whole_number
from attncli.errors import Complaints, Problem, listed
from attncli.maths.notation import plain
from attncli.option_values import LANGUAGES, LAYOUTS, MOST_ROOM, PAPER_SIZES
from attncli.output_files import Contents, OutputError

if TYPE_CHECKING:
    from attncli.classroom.commands import ExerciseArguments
    from attncli.classroom.exercises.exam_papers import ExamForm
    from attncli.classroom.files.exam_file import ExamFile
    from attncli.classroom.files.exercise_file import Ask
    from attncli.classroom.forms.candidate_quantity import Attempt
    from attncli.classroom.marking.class_list import Student
    from attncli.document.blocks import Pool
    from attncli.document.languages import Words
    from attncli.document.questions import Item
    from attncli.trace import Trace


_SAID_BY_A_FILE = (
    *(
        "step",
        "layer",
        "head",
        "time",
        "token",
        "rows",
        "columns",
        "cell",
        "ask",
        "blank",
        "points",
        "forms",
        "seed",
        "allow",
    ),
    *("mistakes", "decimals", "rounding", "set_", "detail", "layout", "room", "paper", "language"),
)
"""Options that an exercise file has keys for, or that belong into its scenario."""


_COUNTS = (
    ("forms", 1, MOST_FORMS),
    ("seed", 0, LARGEST_SEED),
    ("mistakes", 0, 99),
    ("room", 0, MOST_ROOM),
)
_CHOICES = (("layout", LAYOUTS), ("paper", PAPER_SIZES), ("language", LANGUAGES))


def ordered_exam(order: ExerciseArguments, complaints: Complaints) -> ExamFile | None:
    """Reads the exam that is ordered, or an exercise as an exam of a single part; None where
    something is wrong, which `complaints` hears."""
    from attncli.classroom.files.kinds import is_ordered

    by_file = complaints.hear(is_ordered, order.scenario)
    if by_file is None:
        return None
    exam = (_by_file if by_file else _by_options)(order, complaints)
    each = [order.allow or ()] if exam is None else [e.numbers.allow for e in exam.exercises]
    if any(each):
        from attncli.classroom.forms.rules import check_names

        complaints.problems += check_names([name for allow in each for name in allow])
    return exam


def _by_file(order: ExerciseArguments, complaints: Complaints) -> ExamFile:
    from attncli.classroom.files.exam_file import load_exam

    pairs = typed_options(order.context)
    complaints.problems += [
        set_by_file(option) for name, option in pairs if name in _SAID_BY_A_FILE
    ]
    exam = complaints.hear(load_exam, order.scenario)
    complaints.stop_if_any()  # it says which scenarios are to be read
    assert exam is not None
    return exam


def _by_options(order: ExerciseArguments, complaints: Complaints) -> ExamFile | None:
    from attncli.classroom.exercises.asking import parse_blanking, parse_points
    from attncli.classroom.files.exam_file import ExamFile
    from attncli.classroom.files.exercise_file import ExerciseFile, FormNumbers, Frame
    from attncli.pages.parts.selection import check_detail
    from attncli.scenario.file.keys import typed

    hear = complaints.hear
    hear(check_detail, order.detail or "full")
    before = len(complaints.problems)
    said: dict[str, object] = {
        "blank": hear(parse_blanking, order.blank),
        "points": hear(parse_points, order.points or ()),
        "detail": order.detail,
        "allow": tuple(order.allow or ()),
    }
    for name, known in _CHOICES:
        said[name] = hear(parse_choice, f"--{name}", getattr(order, name), known)
    for name, least, most in _COUNTS:
        text = getattr(order, name)
        option = f"--{name}"
        said[name] = None if text is None else hear(whole_number, option, text, least, most)
    if len(complaints.problems) > before:
        return None
    asks = asks_of(order.part, order.cell, order.ask)
    numbers = typed(FormNumbers, said)
    exercise = typed(ExerciseFile, said, scenario=order.scenario, ask=asks, numbers=numbers)
    return ExamFile.of(exercise)._replace(frame=typed(Frame, said))


def asks_of(
    part: Excerpt, cells: Sequence[str] | None, questions: Sequence[str] | None
) -> tuple[Ask, ...]:
    """Returns what options ask for: steps, or cells, and what is answered in words; without any,
    all."""
    from attncli.classroom.files.exercise_file import Ask, Within

    rows, columns = tuple(part.rows or ()), tuple(part.columns or ())
    asked = Ask(within=Within(part.token, part.layer, part.head, part.time, rows, columns))
    steps = [asked._replace(step=step) for step in part.steps]
    asks = [asked._replace(cell=cell) for cell in cells or ()]
    if steps and asks:  # which don't go together, as is told when they are looked for
        asks = [cell._replace(step=steps[0].step) for cell in asks]
        steps = []
    words = [asked.asking(text) for text in questions or ()]
    return (*steps, *asks, *words) or (asked,)


class CheckedOrder(NamedTuple):
    """An order that nothing is wrong with."""

    order: ExerciseArguments
    exam: ExamFile
    manner: PaperSettings
    """How and where it is written."""
    traces: Sequence[Trace | None]
    """The worked scenario of each part that has one."""
    students: tuple[Student, ...]
    """The students whose sheets are made."""
    hidden: list[Attempt]
    """The mistakes that forms turn out to be hardly able to show."""

    @property
    def says(self) -> str:
        """Tells which known mistakes may not be visible in every form; empty if there are none."""
        each = dict.fromkeys(f"{a.definition.name}: {a.mistake.name}" for a in self.hidden)
        named = [*each][:_MOST_NAMED]
        more = f", and {len(each) - len(named)} more" if each.keys() - named else ""
        told = f"mistakes that may not be visible in every form: {', '.join(named)}{more}"
        return f"{told}; `{self.table}` tells in which\n" if each else ""

    @property
    def table(self) -> str:
        """Writes the command that has a table of what forms cost, and of the mistakes that show; of
        an exercise that options ask for, without these."""
        if self.exam.path is None:
            return "attn design"
        from attncli.maths.notation.escaping import harmless
        from attncli.pages.parts.next_commands import typed

        return f"attn design {harmless(typed(self.order.scenario))}"

    @property
    def scenarios(self) -> tuple[str, ...]:
        return tuple(exercise.scenario for exercise in self.exam.exercises)

    @property
    def names(self) -> list[str]:
        """Returns the names of the forms."""
        return form_names(self.exam.forms)

    @property
    def command(self) -> str:
        """Writes the command, with what else made the papers of a key as a comment of the
        shell's."""
        command = command_line(self.order.context, leave_out=("output", "force"))
        seed = "" if self.exam.path is None else f", seed {self.exam.seed}"
        return f"{command} # attncli {__version__}{seed}"


class LostToRounding:
    """A collector of answers that platforms of some formats round to what is no longer right."""

    def __init__(self, formats: Sequence[str]) -> None:
        from attncli.formats import info_of

        known = ((name, info_of(name).papers.decimals) for name in formats)
        self._decimals = {name: places for name, places in known if places is not None}
        self._found: dict[str, dict[str, Item]] = {name: {} for name in self._decimals}

    def heard(self, form: ExamForm) -> ExamForm:
        """Looks at a form's answers, and returns the form."""
        for name, places in self._decimals.items():
            lost = (q for q in form.whole.items if q.key and not q.key.is_kept(places))
            self._found[name].update({item.id: item for item in lost})
        return form

    @property
    def says(self) -> str:
        """Tells which answers are lost to rounding; empty where none are."""
        lines = (
            f"{name.capitalize()} rounds what is typed to {self._decimals[name]} decimals, so the"
            f" right answer is marked wrong for {self._listed_items([*items.values()])}."
            " Give the numbers another scale, or ask for fewer decimals\n"
            for name, items in self._found.items()
            if items
        )
        return "".join(lines)

    def _listed_items(self, items: Sequence[Item]) -> str:
        some = [f"{item.id} = {plain(item.right.number)}" for item in items[:_MOST_NAMED]]
        more = len(items) - len(some)
        return listed([*some, *((f"{more} more",) if more else ())])


_MOST_NAMED = 3
_LONG, _MANY_PAGES = 40, 4
"""The points, and the pages, of a sheet that somebody may have asked for without meaning it."""
_PAGE = re.compile(rb"/Type\s*/Page\b(?!s)")
"""A page of a PDF."""


class FirstForm:
    """The first of some forms, as far as there is something to say of it."""

    def __init__(self) -> None:
        self._form: ExamForm | None = None

    def heard(self, form: ExamForm) -> ExamForm:
        """Keeps the first form that it is given, and returns each."""
        self._form = self._form or form
        return form

    def notes(self, files: Sequence[Contents], formats: Sequence[str]) -> list[Problem]:
        """Says how long the first of some files is, if it is long, and how platforms of some
        formats come to draw from pools."""
        form = self._form
        if form is None:
            return []
        return [*_notes_on_length(form, files), *_notes_on_pools(form, formats)]


def _notes_on_length(form: ExamForm, files: Sequence[Contents]) -> Iterator[Problem]:
    """Says how long the first of some files is, and how to ask for less, if it is long and somebody
    may not have meant it: all points being said, it is as long as it was chosen."""
    from attncli.document.questions import points_text

    first = next(iter(files), "")
    pages = len(_PAGE.findall(first)) if isinstance(first, bytes) else 0
    unsaid = sum(
        whole.paper.points
        for part, whole in zip(form.exam.parts, form.wholes, strict=True)
        if part.exercise and part.exercise.points.total is None and whole.paper
    )
    paper = form.whole.paper
    if paper is None or not unsaid or (unsaid <= _LONG and pages <= _MANY_PAGES):
        return
    on = f" on {pages} pages" if pages else ""
    wrong = f"it asks for {points_text(paper.points)} points{on}"
    by = "exam" if len(form.exam.parts) > 1 else "exercise"
    yield Problem.of("the sheet", wrong, _LESS["options" if form.exam.path is None else by])


_LESS = {
    "options": "--step, --token and --cell ask for less; --points total=30 says how many points"
    " there are to be",
    "exercise": "`ask` asks for less, like {step: softmax, token: last}; `points: {total: 30}` says"
    " how many there are to be",
    "exam": "`ask` of a part asks for less, like {step: softmax, token: last}; `points: 30` says"
    " how many the part has",
}
"""How to ask for less, by what says what is asked."""


def _notes_on_pools(form: ExamForm, formats: Sequence[str]) -> Iterator[Problem]:
    """Says, by the first form of an exam, how platforms of some formats come to draw from its
    pools."""
    from attncli.classroom.exercises.left_to_draw import left_to_draw
    from attncli.document.languages import words_of
    from attncli.formats import info_of
    from attncli.maths.notation.escaping import visible

    left = left_to_draw(form)
    if left is None:
        return
    for name in formats:
        draws = info_of(name).papers.draws
        if draws == "questions":
            words = words_of(form.exam.frame.language).files
            rest = [f"1 from “{words.without_pools}”"] if left.rest else []
            pools = (_random_from(pool, words) for pool in left.pools())
            right = f"random questions: {listed([*rest, *pools])}"
            tells = [visible(pool.title) for pool in left.pools() if pool.tells]
            but = f"; in “{tells[0]}” a question shows what another asks for" if tells else ""
            wrong = "its forms have what they drew"
            yield Problem.of(name, wrong, f"to have it drawn anew, add {right}{but}")
        elif draws and not left.drawn(blanks=draws == "blanks"):
            wrong = "it can't draw from the pools: its forms have what they drew"
            yield Problem.of(name, wrong, "`attn help exam` says what it can draw from")


def _random_from(pool: Pool, words: Words) -> str:
    from attncli.maths.notation.escaping import visible

    name = words.pool.format(title=visible(pool.title), count=pool.take)
    return f"{pool.take} from “{name}”"


def checked(order: ExerciseArguments) -> CheckedOrder:
    """Checks an order and works its scenarios. Raises UserError of all that is wrong."""
    complaints = Complaints()
    exam = ordered_exam(order, complaints)
    manner = complaints.hear(parse_manner, order, exam)
    allowed = order.page.allowed
    if exam is not None:
        complaints.hear(allowed.check_count, exam.forms or 1, "forms", order.scenario)
    students: tuple[Student, ...] | None = ()
    if order.students is not None and exam is not None and manner is not None:
        students = complaints.hear(_students, order.students, exam, manner)
        if students is not None:
            complaints.hear(allowed.check_count, len(students), "students", order.students)
    scenarios = (order.scenario,) if exam is None else exam.scenarios
    traces = allowed.worked_each(scenarios, order.changed.changes(), complaints)
    asked = [
        AskedScenario(source, order.changed.changes(), trace)
        for source, trace in zip(scenarios, traces, strict=True)
    ]
    complaints.hear(check_steps_of, order.part.steps, asked)
    complaints.stop_if_any()
    assert exam is not None
    assert manner is not None
    assert students is not None
    from attncli.classroom.exercises.drawing import with_draws

    exam = with_draws(exam.each(mistakes=manner.share), traces, form_names(exam.forms))
    return CheckedOrder(order, exam, manner, traces, students, [])


def _students(listed_in: str, exam: ExamFile, manner: PaperSettings) -> tuple[Student, ...]:
    """Reads the students of a list. Raises UserError."""
    from attncli.classroom.marking.class_list import read_students
    from attncli.formats import info_of, paper_format_names

    wrong = []
    if exam.path is None or not manner.folder:
        right = "say it like attn exercise exam.yaml -o exam/ --students list.csv"
        text = "it is for an exercise file that is made into a folder"
        wrong.append(Problem.of("--students", text, right))
    having = [name for name in paper_format_names() if "none" in info_of(name).papers.keys]
    if manner.format not in having:
        text = f"the format {manner.format} has no sheets"
        wrong.append(Problem.of("--students", text, f"choose {listed(having, ' or ')}"))
    if wrong:
        raise OutputError(wrong)
    return read_students(listed_in, form_names(exam.forms))
