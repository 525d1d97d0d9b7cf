"""`attn exercise`, `grade`, `practice`: what is asked, and what is answered."""

import typer

from attncli.classroom.arguments import (
    ExamArguments,
    ExerciseArguments,
    GradeArguments,
    PracticeArguments,
)
from attncli.cli import options
from attncli.cli.calling import taking
from attncli.commands.arguments import Output
from attncli.commands.pages import WITHOUT
from attncli.efforts import SHEETS
from attncli.option_values import (
    BLANKS,
    DETAILS,
    KEYS,
    LANGUAGES,
    LAYOUTS,
    PAPER_SIZES,
)

_EXERCISE = {
    "context": typer.Context,
    "scenario": options.scenario(
        "A scenario file, or the name of a shipped one; or an exercise file, which says by "
        "itself what is asked."
    ),
    "cell": options.texts(
        "--cell",
        "CELL",
        "Ask only for this cell, `'weights[love, AI]'`; one of a given matrix, "
        "`'W_Q[1, 2]'`, is asked for only so; may be repeated.",
    ),
    "ask": options.texts(
        "--ask",
        "QUESTION[:written]",
        "Ask something that is answered in words, chosen from a list, or written: "
        "`attends_most`, or one alone, `'attends_most[love]'`; `merged`, `which_mask`; may be "
        "repeated.",
    ),
    "blank": options.choice(
        "--blank",
        lambda: BLANKS,
        "What is taken out: `results`, the terms inside the lines of `working`, `all` of "
        "both, or a seeded share of both, `random:0.4`.",
        "|".join((*BLANKS[:-1], "random:SHARE")),
    ),
    "points": options.texts(
        "--points",
        "[NAME=]N",
        "Points of a blank: of all, of those of a step, `softmax=2`, or of a quantity, "
        "`exp=0.5`; 1 if nothing is said; may be repeated.",
    ),
    "key": options.choice(
        "--key",
        lambda: KEYS,
        "Where the key goes: nowhere (`none`), behind the sheet in the same file (`embedded`), or "
        "into a file of its own (`separate`): beside `sheet.pdf` it is `sheet_key.pdf`. Without "
        "it the key is behind the sheet on standard output, and apart from it in files. One "
        "source in `latex` has both, and prints the sheet. A file in `html` is a sheet that "
        "checks itself as `attn grade` marks it, by the student's own numbers, without a key.",
    ),
    "hints": options.flag(
        "--hints",
        "A sheet of hints as well: each step in words, formulas and names, without a "
        "number; questions for Moodle and QTI have them anyway.",
    ),
    "grid": options.flag(
        "--grid",
        "An answer grid as well, to mark papers by eye: all forms in one table, a row for each "
        "blank, with what is right in each form.",
    ),
    "forms": options.text(
        "--forms",
        "N",
        "So many forms, A to Z, then A1 and on, each with other numbers of the same difficulty.",
    ),
    "students": options.text(
        "--students",
        "LIST",
        "A sheet for each student of a CSV list with the columns name, ID and perhaps "
        "form, and all of them in one file to print; of an exercise file, into a folder.",
    ),
    "seed": options.text(
        "--seed",
        "N",
        "Chooses the numbers of forms and random blanks; the same seed gives the same bytes.",
    ),
    "mistakes": options.text(
        "--mistakes",
        "PERCENT",
        "Tell known mistakes by what they give: in the key, and for this share of the "
        "points in Moodle and QTI (50 there if nothing is said).",
    ),
    "detail": options.choice(
        "--detail",
        lambda: DETAILS,
        "`summary`: tables to fill in, and room for the working (the default for "
        "results); `rows`: one line a row; `full`: every cell.",
    ),
    "layout": options.choice(
        "--layout",
        lambda: LAYOUTS,
        "How much room there is for the working: none, on fuller pages (`compact`), some `lines` "
        "for each question, or `pages`, one at least for each.",
    ),
    "room": options.text(
        "--room",
        "LINES",
        "So many lines for the working of each question, whatever the layout; 0 for none.",
    ),
    "paper": options.choice(
        "--paper",
        lambda: PAPER_SIZES,
        "What `pdf`, `latex` and printed `html` are laid out for.",
    ),
    "language": options.choice(
        "--language",
        lambda: LANGUAGES,
        "The language of the program's own words on the papers; numbers keep their points.",
    ),
    "form": options.EXERCISE_FORMAT,
    "output": options.output(
        "FILE|FOLDER",
        "A file for one paper, a folder for several; all of them are written or none.",
    ),
}


@taking(ExerciseArguments, own=_EXERCISE, effort=SHEETS)
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
    from attncli.classroom import making_exercises as exercises

    return exercises.exercise(typed)


_EXAM = {
    "context": typer.Context,
    "exam": options.argument("EXAM", "The exam file: its parts, or an exercise file."),
    "students": _EXERCISE["students"],
    "form": options.text(
        "--format", "FORMAT", "That of sheets and keys; by default PDF, or HTML without typst."
    ),
    "output": options.output("FOLDER", "The folder for all of it."),
}


@taking(ExamArguments, WITHOUT["exam"], own=_EXAM, effort=SHEETS)
def exam(typed: ExamArguments) -> Output:
    """Make an exam: papers, keys, files for the class and for an LMS.

    Its file has parts: exercises about scenarios, and questions in your own words. All of it goes
    into one folder with one manifest, by which `attn grade` marks. `NAME_entry.html` is for typing
    papers in: it judges each number by the paper's own before it, as it will be marked, asks again
    for what doesn't follow, and saves the table that is marked.

    Examples:

      attn exam midterm.yaml -o midterm/

      attn exam midterm.yaml -o midterm/ --students list.csv --format latex

      attn grade midterm/ midterm/midterm_class.csv
    """
    from attncli.classroom import making_exams as exams

    return exams.exam(typed)


_GRADE = {
    "scenario": options.argument(
        "EXERCISE|SCENARIO",
        "The exercise file, with all of its forms, or the folder that was made of it, or "
        "this folder's manifest; or a scenario, where what is asked is read from the answers.",
    ),
    "answers": options.arguments(
        "ANSWERS...",
        "Answers files: YAML, CSV, or the responses that Moodle exports; or a folder of them.",
    ),
    "asked": options.text(
        "--asked",
        "FILE",
        "An answers file with all that is asked, where the answers don't name it all; "
        "Moodle's responses need it.",
    ),
    "points": options.texts(
        "--points",
        "[STEP=]N",
        "Points of a blank, of all steps or of one, as for `attn exercise`; may be repeated.",
    ),
    "scheme": options.text(
        "--scheme",
        "FILE",
        "Mark by the scheme of a file (`attn help exam` has its keys), whatever the exam says.",
    ),
    "overrides": options.text(
        "--overrides",
        "FILE",
        "Points that you give: CSV with the columns student, cell, points, reason. They win over "
        "those of the program, and the marked paper says so.",
    ),
    "no_carry": options.flag(
        "--no-carry",
        "Each wrong number costs by itself, also where it only follows from another or repeats "
        "a mistake.",
    ),
    "anonymous": options.flag(
        "--anonymous",
        "Students by numbers everywhere, also in the names of files; in a folder, `names.csv` "
        "alone says whose they are.",
    ),
    "form": options.text(
        "--format", "FORMAT", "The output format, as of `attn run`; `csv` for the table of a class."
    ),
    "output": options.output(
        "FILE|FOLDER",
        "A file for the report or the table; a folder for a marked paper of each student as well, "
        "a page for the next lesson, and tables that Moodle and Canvas import.",
    ),
}


@taking(GradeArguments, WITHOUT["grade"], own=_GRADE, effort=SHEETS)
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

      attn grade i_love_ai answers/ --format csv -o table.csv
    """
    from attncli.classroom import grading

    return grading.grade(typed)


_PRACTICE = {
    "scenario": options.scenario(
        "A scenario file, the name of a shipped one, or an exercise file."
    ),
    "cell": options.texts(
        "--cell", "CELL", "Ask only for this cell, `'weights[love, AI]'`; may be repeated."
    ),
    "ask": options.texts(
        "--ask",
        "QUESTION",
        "Ask something that is answered in words, as `attn exercise` has it: "
        "`attends_most`; may be repeated.",
    ),
    "rows": options.flag("--rows", "Ask for the numbers of a row at once, not for each."),
    "seed": options.text("--seed", "N", "Other numbers of the same difficulty, chosen by this."),
    "minutes": options.text(
        "--minutes",
        "N",
        "Go on for so many minutes, each time with other numbers; best with one `--step`.",
    ),
    "place": options.text(
        "--place",
        "FILE",
        "Where to keep how far you are; by default, in a terminal, in your own folder "
        "for such things.",
    ),
    "memory": options.text(
        "--memory",
        "FILE",
        "Where to remember what was right and what wasn't, over all sessions; by default, in a "
        "terminal, in your own folder for such things.",
    ),
    "fresh": options.flag("--fresh", "Begin anew, whatever was answered before."),
}


@taking(PracticeArguments, own=_PRACTICE, effort=SHEETS, talks=True)
def practice(typed: PracticeArguments) -> int:
    """Practise number by number, and hear at once what follows.

    A wrong number is told from a known mistake, `?` gives a hint, `show` works another line, and
    you may go on from your own number. What was wrong comes again, with other numbers. Answers may
    come from a file or a pipe too, one a line. Exit status 0 if all that was answered is right, 1
    if something isn't.

    Examples:

      attn practice i_love_ai --step softmax

      attn practice i_love_ai --step softmax --minutes 10

      attn practice i_love_ai --step scores --token love --rows

      attn practice i_love_ai --step softmax --ask attends_most

      attn practice yassine_rnn --seed 3 --fresh

      attn practice exam.yaml --place mine.json
    """
    from attncli.classroom.practice.dialogue import practise

    return 0 if practise(typed) else 1
