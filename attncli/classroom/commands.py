"""The commands of a classroom: `attn exercise`, `exam`, `practice`, `grade`, `lint`, `design`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from attncli.commands.arguments import (
    BY_SUFFIX,
    STEP,
    Allowed,
    Arguments,
    Excerpt,
    ForThisRun,
    Output,
    PageOptions,
    PageOutput,
    scenario_names,
)
from attncli.commands.declaring import argument, choice, command, flag, output, text
from attncli.efforts import SHEETS, Effort
from attncli.option_values import BLANKS, DETAILS, KEYS, LANGUAGES, LAYOUTS, PAPER_SIZES

if TYPE_CHECKING:
    from attncli.document.blocks import Document
    from attncli.trace import Trace


def _paper_formats() -> Iterable[str]:
    from attncli.formats import paper_format_names

    return paper_format_names()


class ExerciseArguments(NamedTuple):
    """A request for an exercise: what it asks, how, and where it goes."""

    scenario: Annotated[
        str,
        argument(
            "SCENARIO",
            "A scenario file, or the name of a shipped one; or an exercise file, which says by "
            "itself what is asked.",
            scenario_names,
        ),
    ]
    part: Excerpt = Excerpt()
    cell: Annotated[
        Sequence[str] | None,
        text(
            "--cell",
            "CELL",
            "Ask only for this cell, `'weights[love, AI]'`; one of a given matrix, "
            "`'W_Q[1, 2]'`, is asked for only so; may be repeated.",
        ),
    ] = None
    ask: Annotated[
        Sequence[str] | None,
        text(
            "--ask",
            "QUESTION[:written]",
            "Ask something that is answered in words, chosen from a list, or written: "
            "`attends_most`, or one alone, `'attends_most[love]'`; `merged`, `which_mask`; may be "
            "repeated.",
        ),
    ] = None
    blank: Annotated[
        str,
        choice(
            "--blank",
            lambda: BLANKS,
            "What is left blank: `results`, the terms inside the lines of `working`, `all` of "
            "both, or a seeded share of both, `random:0.4`.",
            "|".join((*BLANKS[:-1], "random:SHARE")),
        ),
    ] = BLANKS[0]
    points: Annotated[
        Sequence[str] | None,
        text(
            "--points",
            "[NAME=]N",
            "Points of a blank: of all, of those of a step, `softmax=2`, or of a quantity, "
            "`exp=0.5`; 1 if nothing is said; may be repeated.",
        ),
    ] = None
    key: Annotated[
        str | None,
        choice(
            "--key",
            lambda: KEYS,
            "Where the key goes: nowhere (`none`), behind the sheet in the same file "
            "(`embedded`), or into a file of its own (`separate`): beside `sheet.pdf` it is "
            "`sheet_key.pdf`. Without it the key is behind the sheet on standard output, and "
            "apart from it in files. One source in `latex` has both, and prints the sheet. A "
            "file in `html` is a sheet that checks itself as `attn grade` marks it, by the "
            "student's own numbers, without a key.",
        ),
    ] = None
    hints: Annotated[
        bool,
        flag(
            "--hints",
            "A sheet of hints as well: each step in words, formulas and names, without a "
            "number; questions for Moodle and QTI have them anyway.",
        ),
    ] = False
    grid: Annotated[
        bool,
        flag(
            "--grid",
            "An answer grid as well, to mark papers by eye: all forms in one table, a row for each "
            "blank, with what is right in each form.",
        ),
    ] = False
    forms: Annotated[
        str | None,
        text(
            "--forms",
            "N",
            "So many forms, A to Z, then A1 and on, each with other numbers of the same "
            "difficulty.",
        ),
    ] = None
    students: Annotated[
        str | None,
        text(
            "--students",
            "LIST",
            "A sheet for each student of a CSV list with the columns name, ID and perhaps "
            "form, and all of them in one file to print; of an exercise file, into a folder.",
        ),
    ] = None
    seed: Annotated[
        str,
        text(
            "--seed",
            "N",
            "Chooses the numbers of forms and random blanks; the same seed gives the same bytes.",
        ),
    ] = "1"
    allow: Annotated[
        Sequence[str] | None,
        text(
            "--allow",
            "RULE",
            "Numbers needn't keep this rule; may be repeated. `attn help exercise` lists them.",
        ),
    ] = None
    mistakes: Annotated[
        str | None,
        text(
            "--mistakes",
            "PERCENT",
            "Tell known mistakes by what they give: in the key, and for this share of the "
            "points in Moodle and QTI (50 there if nothing is said).",
        ),
    ] = None
    changed: ForThisRun = ForThisRun()
    detail: Annotated[
        str | None,
        choice(
            "--detail",
            lambda: DETAILS,
            "`summary`: tables to fill in, and room for the working (the default for "
            "results); `rows`: one line a row; `full`: every cell.",
        ),
    ] = None
    layout: Annotated[
        str,
        choice(
            "--layout",
            lambda: LAYOUTS,
            "How much room there is for the working: none, on fuller pages (`compact`), some "
            "`lines` for each question, or `pages`, one at least for each.",
        ),
    ] = LAYOUTS[1]
    room: Annotated[
        str | None,
        text(
            "--room",
            "LINES",
            "So many lines for the working of each question, whatever the layout; 0 for none.",
        ),
    ] = None
    paper: Annotated[
        str,
        choice(
            "--paper",
            lambda: PAPER_SIZES,
            "What `pdf`, `latex` and printed `html` are laid out for.",
        ),
    ] = PAPER_SIZES[0]
    language: Annotated[
        str,
        choice(
            "--language",
            lambda: LANGUAGES,
            "The language of the program's own words on the papers; numbers keep their points.",
        ),
    ] = LANGUAGES[0]
    page: PageOptions = PageOptions()
    context: Any = None


@command(
    ExerciseArguments,
    own={
        "form": choice("--format", _paper_formats, BY_SUFFIX),
        "output": output(
            "FILE|FOLDER",
            "A file for one paper, a folder for several; all of them are written or none.",
        ),
    },
    effort=SHEETS,
)
def exercise(typed: ExerciseArguments) -> Output:
    """Write an exercise: the student's sheet, the answer key, hints.

    Examples:

      attn exercise i_love_ai --step softmax

      attn exercise i_love_ai --step softmax --blank all --key none -o sheet.md

      attn exercise i_love_ai --forms 26 --seed 7 --format latex -o forms/

      attn exercise i_love_ai --step softmax --forms 30 --format moodle -o softmax.xml

      attn exercise i_love_ai --step softmax --forms 30 -o softmax.zip

      attn exercise exam.yaml --format latex -o exam/

      attn exercise exam.yaml -o exam/ --students list.csv
    """
    from attncli.classroom.making_exercises import exercise_of

    return exercise_of(typed)


class ExamArguments(NamedTuple):
    """A request for an exam: its file, for whom it is made, and where it goes."""

    exam: Annotated[str, argument("EXAM", "The exam file: its parts, or an exercise file.")]
    students: Annotated[
        str | None,
        text(
            "--students",
            "LIST",
            "A sheet for each student of a CSV list with the columns name, ID and perhaps "
            "form, and all of them in one file to print; of an exercise file, into a folder.",
        ),
    ] = None
    page: PageOptions = PageOptions()
    context: Any = None


@command(
    ExamArguments,
    without=("fragment",),
    own={
        "form": text(
            "--format", "FORMAT", "That of sheets and keys; by default PDF, or HTML without typst."
        ),
        "output": output("FOLDER", "The folder for all of it."),
    },
    effort=SHEETS,
)
def exam(typed: ExamArguments) -> Output:
    """Make an exam: papers, keys, files for the class and for an LMS.

    Its file has parts: exercises about scenarios, and questions in your own words. All of it goes
    into one folder with one manifest, by which `attn grade` marks. `NAME_entry.html` is for typing
    papers in: it judges each number by the paper's own before it, asks again for what doesn't
    follow and may be a typing error, and saves the table. `attn grade` then names mistakes. What
    each form costs, and which mistakes show in it, `attn design midterm.yaml` tells.

    Examples:

      attn exam midterm.yaml -o midterm/

      attn exam midterm.yaml -o midterm/ --students list.csv --format latex

      attn grade midterm/ midterm/midterm_class.csv
    """
    from attncli.classroom.making_exams import exam_of

    whole = ExerciseArguments(typed.exam, students=typed.students, page=typed.page)
    return exam_of(whole._replace(context=typed.context))


class PracticeArguments(NamedTuple):
    """A request to practise: what, for how long, and where it is kept."""

    scenario: Annotated[
        str,
        argument(
            "SCENARIO",
            "A scenario file, the name of a shipped one, or an exercise file.",
            scenario_names,
        ),
    ]
    part: Excerpt = Excerpt()
    cell: Annotated[
        Sequence[str] | None,
        text("--cell", "CELL", "Ask only for this cell, `'weights[love, AI]'`; may be repeated."),
    ] = None
    ask: Annotated[
        Sequence[str] | None,
        text(
            "--ask",
            "QUESTION",
            "Ask something that is answered in words, as `attn exercise` has it: "
            "`attends_most`; may be repeated.",
        ),
    ] = None
    by_row: Annotated[
        bool, flag("--by-row", "Ask for the numbers of a row at once, not for each.")
    ] = False
    seed: Annotated[
        str | None, text("--seed", "N", "Other numbers of the same difficulty, chosen by this.")
    ] = None
    minutes: Annotated[
        str | None,
        text(
            "--minutes",
            "N",
            "Continue for so many minutes, each time with other numbers. This suits one `--step` "
            "best.",
        ),
    ] = None
    place: Annotated[
        str | None,
        text(
            "--place",
            "FILE",
            "Where to keep how far you are; by default, in a terminal, in your own folder "
            "for such things.",
        ),
    ] = None
    memory: Annotated[
        str | None,
        text(
            "--memory",
            "FILE",
            "Where to remember what was right and what wasn't, over all sessions; by default, in a "
            "terminal, in your own folder for such things.",
        ),
    ] = None
    fresh: Annotated[bool, flag("--fresh", "Begin anew, whatever was answered before.")] = False
    changed: ForThisRun = ForThisRun()
    allowed: Allowed = Allowed()


@command(PracticeArguments, effort=SHEETS, talks=True)
def practice(typed: PracticeArguments) -> int:
    """Practise number by number, and hear at once what follows.

    A known mistake is named, `?` gives a hint, `show` works another line, and
    you may go on from your own number. What was wrong comes again, with other numbers. Answers may
    come from a file or a pipe too, one a line. Exit status 0 if all that was answered is right, 1
    if something isn't.

    Examples:

      attn practice i_love_ai --step softmax

      attn practice i_love_ai --step softmax --minutes 10

      attn practice i_love_ai --step scores --token love --by-row

      attn practice i_love_ai --step softmax --ask attends_most

      attn practice yassine_rnn --seed 3 --fresh

      attn practice exam.yaml --place mine.json
    """
    from attncli.classroom.practice.dialogue import practise

    return 0 if practise(typed) else 1


class GradeArguments(NamedTuple):
    """A request to grade what was handed in for an exercise."""

    scenario: Annotated[
        str,
        argument(
            "EXERCISE|SCENARIO",
            "The exercise file, with all of its forms, or the folder made from it, or "
            "this folder's manifest. For a scenario, what is asked is read from the answers.",
        ),
    ]
    answers: Annotated[
        Sequence[str],
        argument(
            "ANSWERS...",
            "Answers files: YAML, CSV, or the responses that Moodle exports; or a folder of them.",
        ),
    ]
    asked: Annotated[
        str | None,
        text(
            "--asked",
            "FILE",
            "An answers file with all that is asked, where the answers don't name it all; "
            "Moodle's responses need it.",
        ),
    ] = None
    students: Annotated[
        str | None,
        text(
            "--students",
            "LIST",
            "A CSV list of the class with the columns name, ID and perhaps form: whose names and "
            "IDs it doesn't have is named, and who handed nothing in. It wins over the list that "
            "an exam was made with.",
        ),
    ] = None
    points: Annotated[
        Sequence[str] | None,
        text(
            "--points",
            "[STEP=]N",
            "Points of a blank, of all steps or of one, as for `attn exercise`; may be repeated.",
        ),
    ] = None
    scheme: Annotated[
        str | None,
        text(
            "--scheme",
            "FILE",
            "Mark by the scheme of a file (`attn help exam` has its keys), whatever the exam says.",
        ),
    ] = None
    overrides: Annotated[
        str | None,
        text(
            "--overrides",
            "FILE",
            "Points that you give: CSV with the columns student, cell, points, reason. They win "
            "over those of the program, and the marked paper says so.",
        ),
    ] = None
    no_carry: Annotated[
        bool,
        flag(
            "--no-carry",
            "Each wrong number costs by itself, also where it only follows from another or repeats "
            "a mistake.",
        ),
    ] = False
    restore_commas: Annotated[
        bool,
        flag(
            "--restore-commas",
            "Put decimal commas and points back that a spreadsheet took for separators of "
            "thousands, 17190 for 17,190, in papers of which most such numbers are right then.",
        ),
    ] = False
    anonymous: Annotated[
        bool,
        flag(
            "--anonymous",
            "Students by numbers everywhere, also in the names of files; in a folder, `names.csv` "
            "alone says whose they are.",
        ),
    ] = False
    changed: ForThisRun = ForThisRun()
    page: PageOptions = PageOptions()


@command(
    GradeArguments,
    without=("fragment",),
    own={
        "form": text(
            "--format",
            "FORMAT",
            "The output format, as of `attn run`; `csv` for the table of a class.",
        ),
        "output": output(
            "FILE|FOLDER",
            "A file for the report or the table. A folder also gets each student's marked paper, a "
            "page for the next lesson, and tables that Moodle and Canvas import.",
        ),
    },
    effort=SHEETS,
)
def grade(typed: GradeArguments) -> Output:
    """Mark answers: what each file is worth, and what went wrong.

    An answers file says which form of the exercise it belongs to. A wrong number costs once: what
    follows from it by the right working keeps its points. Of a folder, or of several papers, there
    is a table, with those that can't be marked and students of the list who handed nothing in.
    Exits with 0 if all is right, with 1 if something isn't, with 2 on bad input.

    Examples:

      attn grade i_love_ai answers.yaml

      attn grade exam.yaml answers/ -o marked/

      attn grade exam/ answers/ --format csv

      attn grade midterm/ midterm/midterm_class.csv --students list.csv -o marked/

      attn grade i_love_ai answers/ --format csv -o table.csv
    """
    from attncli.classroom.grading import graded

    return graded(typed)


class NewLayer(NamedTuple):
    """What belongs to the layer of a new scenario besides its matrices."""

    heads: Annotated[
        str,
        text(
            "--heads",
            "N",
            "How many heads share these dimensions; of three dimensions two heads have two each.",
        ),
    ] = "1"
    mask: Annotated[
        str, choice("--mask", lambda: ("none", "causal"), "What queries don't see.")
    ] = "none"
    norm: Annotated[
        str,
        choice("--norm", lambda: ("none", "layer", "rms"), "The norm after each sublayer."),
    ] = "none"
    residuals: Annotated[
        bool, flag("--residuals", "What goes into each sublayer is added to what comes out.")
    ] = False
    no_ffn: Annotated[bool, flag("--no-ffn", "No feed-forward network after attention.")] = False


class DesignArguments(NamedTuple):
    """A request for a new scenario of some size, or for forms of a scenario."""

    scenario: Annotated[
        str | None,
        argument(
            "[SCENARIO]",
            "A scenario file or a shipped one, or an exercise file, to make forms of; without "
            "one, a new scenario is made.",
            scenario_names,
        ),
    ] = None
    """The scenario that forms are made of."""
    forms: Annotated[
        str | None,
        text("--forms", "N", "So many forms that cost the same, and a table of what they cost."),
    ] = None
    """How many forms there are."""
    step: Annotated[Sequence[str] | None, STEP] = None
    """The steps that are asked of them."""
    sentence: Annotated[
        str | None,
        text("--sentence", "TEXT", "The sentence, of 2 to 8 words; else one is made up."),
    ] = None
    tokens: Annotated[
        str | None,
        text("--tokens", "N", "How many words, 2 to 8; by default those of --sentence, or 3."),
    ] = None
    d_model: Annotated[str, text("--d-model", "N", "The dimensions of the embeddings, 1 to 8.")] = (
        "2"
    )
    layer: NewLayer = NewLayer()
    seed: Annotated[
        str, text("--seed", "N", "Chooses the numbers; the same seed gives the same bytes.")
    ] = "1"
    decimals: Annotated[str, text("--decimals", "N", "The decimals of every step.")] = "3"
    allow: Annotated[
        Sequence[str] | None,
        text(
            "--allow",
            "RULE",
            "Numbers needn't keep this rule; may be repeated. `attn help exercise` lists them.",
        ),
    ] = None
    """The rules that the numbers needn't keep."""
    page: PageOptions = PageOptions()
    context: Any = None


@command(
    DesignArguments,
    without=("fragment",),
    own={
        "output": output(
            "FILE|FOLDER", "A file for the scenario or the table; a folder for forms and the table."
        )
    },
    effort=SHEETS,
)
def design(typed: DesignArguments) -> Output:
    """Make a new scenario, or forms that cost the same.

    The table of forms says what each is worth, how much there is to multiply, and which known
    mistakes show in it. The forms of a scenario are those of `attn exercise` with the same seed.

    Examples:

      attn design --tokens 3 --d-model 2 --heads 1 --seed 7 -o mine.yaml

      attn design --sentence "the cats eat fish" --d-model 4 --heads 2 -o cats.yaml

      attn design --tokens 7 --d-model 4 --heads 2 --allow sums

      attn design --tokens 4 --d-model 3 --heads 2 --mask causal --residuals --norm layer

      attn design i_love_ai --forms 4 --step scores --step softmax

      attn design --forms 4 -o forms/
    """
    from attncli.classroom.designs import designed

    asked = ExerciseArguments("", Excerpt(typed.step), forms=typed.forms, seed=typed.seed)
    return designed(typed, asked._replace(allow=typed.allow, context=typed.context))


@command(
    Arguments,
    without=(
        "layer",
        "head",
        "time",
        "rows",
        "columns",
        "cell",
        "pictures",
        "fragment",
        "gradient_check",
        "precision",
        "from_",
        "text",
        "encoder_text",
        "trace",
    ),
    own={
        "detail": choice(
            "--detail",
            lambda: ("summary", "full"),
            "`full`: each finding with its numbers, the mistakes that can be revealed, and what is"
            " taken for nice, as always in JSON; by default `summary`: how many of what, and where"
            " first.",
        ),
    },
    effort=Effort(steps=1.5, numbers=12, memory=7),
)
def lint(typed: Arguments) -> PageOutput:
    """Tell what is weak about a scenario's numbers.

    Ambiguous roundings, ties, trivial cells, rows that don't add up, hidden mistakes.

    Examples:

      attn lint i_love_ai

      attn lint mine.yaml --step softmax --decimals 4

      attn lint i_love_ai --token love
    """
    trace = typed.work()
    page = _weak(trace, typed.part.steps, typed.part.token)
    # programs look for what they need
    whole = typed.detail == "full" or typed.page.chosen() == "json"
    return PageOutput(page if whole else _in_short(page), typed.page)


def _in_short(page: Document) -> Document:
    """Returns a page of weak numbers that says how many of what there are, without the sections of
    each, which its last line leads to."""
    from attncli.document.blocks import Callout, Term

    more = ("Each with its numbers, and the mistakes that can be revealed: ", Term("--detail full"),
            "; only those of a step: ", Term("--step softmax"))  # fmt: skip
    return page._replace(sections=(), closing=(*page.closing, Callout(more)))


def _weak(trace: Trace, steps: Sequence[str], token: str | None) -> Document:
    from dataclasses import replace

    from attncli.classroom.lint import weaknesses
    from attncli.pages.parts.selection import check_on_page, select

    check_on_page(trace, select(trace, steps, token))
    if token is not None:
        page = trace.scenario.page
        page = replace(page, show=page.show._replace(queries=(token,)))
        trace = trace.rerun(replace(trace.scenario, page=page))
    return weaknesses(trace, steps)
