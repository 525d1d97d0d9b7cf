"""`python -m tests.classroom.planted.classroom --students 80`: a class sits an exam in four forms, each
student with habits of rounding, some with a mistake, a slip, blanks, nonsense; somebody types the
papers in, one number in a hundred wrongly; all is marked, from each way of entry."""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
import time
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from typer.testing import CliRunner

from attncli.classroom.marking.exam import cell_of
from attncli.cli import app
from attncli.maths.notation.escaping import unguarded
from tests.classroom.planted import slips
from tests.classroom.planted.papers import Scenario
from tests.classroom.planted.sheet import PLACES, ROUNDED, Sheet, Slip
from tests.helpers.plain import read

ATTENTION = """\
sentence: I love AI
embeddings: {I: [1, 0.5], love: [0.4, 1.1], AI: [0.9, 1.2]}
W_Q: [[0.8, 0.3], [-0.4, 1.1]]
W_K: [[0.7, -0.6], [0.5, 0.9]]
W_V: [[1.1, 0.2], [0.6, 0.7]]
"""
CELL = """\
sentence: It works now
cell: rnn
embeddings: {It: [1, 0.5], works: [0.4, 1.1], now: [-0.3, 0.8]}
W_ax: [[0.5, -0.3], [0.4, 0.7]]
W_aa: [[0.6, 0.2], [-0.5, 0.9]]
b_a: [0.3, -0.2]
"""
EXAM = """\
exam: Midterm
forms: 4
parts:
  - {title: Attention, scenario: attention.yaml, ask: [project, scores, scale, softmax, weighted_sum]}
  - {title: A recurrent layer, scenario: cell.yaml, ask: [state]}
"""
MISTAKES = (
    ("down_the_columns", "not_scaled", "divided_by_d_k", "W_Q_and_W_K_swapped", "keys_for_values",
     "weights_by_column"),
    ("memory_not_carried", "activation_forgotten"),
)  # fmt: skip
SLIPS = ("sign", "digits_transposed")
NOTHING = ("", "?", "no idea")
HABITS = ("rounded each time", "kept in the calculator", "by turns")


class Student(NamedTuple):
    """Somebody's paper, and what is the matter with it."""

    name: str
    form: str
    answers: dict[str, str]
    """As somebody types them in."""
    paper: dict[str, str]
    """As they stand on the paper."""
    cause: str
    """What was planted, where the numbers tell it from all else."""
    is_honest: bool
    touched: frozenset[str]
    """The blanks that are empty, nonsense or typed wrongly."""


class Form(Scenario):
    """A part of a form of the exam, with the mistakes that are planted in it."""

    def __init__(self, path: Path, k: int, asked: list[str]) -> None:
        self.text, self.rng = path.read_text("utf-8"), np.random.default_rng(len(asked))
        self.data = read(self.text)
        self.mistakes = [*MISTAKES[k]]
        self.cells = {id_: cell_of(self.judge.trace, id_) for id_ in asked}

    @cached_property
    def names(self) -> list[str]:
        return [*dict.fromkeys(cell.quantity for cell in self.cells.values())]

    def id_of(self, slip: Slip) -> str:
        at = slip.name, slip.row, slip.column
        return next(id_ for id_, cell in self.cells.items() if cell == at)

    def answers(self, sheet: Sheet) -> dict[str, str]:
        return {
            id_: f"{sheet.written[cell.quantity][cell.row, cell.column]:.{PLACES}f}"
            for id_, cell in self.cells.items()
        }


def exam(folder: Path, text: str = EXAM) -> Path:
    """The exam as `attn exam` makes it."""
    files = {"attention.yaml": ATTENTION, "cell.yaml": CELL, "midterm.yaml": text}
    for name, content in files.items():
        (folder / name).write_text(content, "utf-8")
    made = folder / "midterm"
    attn("exam", folder / "midterm.yaml", "-o", made, "--format", "markdown")
    return made


def attn(*words: object) -> str:
    done = CliRunner().invoke(app, [*map(str, words)])
    assert done.exit_code in (0, 1), done.output
    return done.stdout


def forms_of(made: Path) -> dict[str, list[Form]]:
    manifest = json.loads((made / "manifest.json").read_text("utf-8"))
    return {
        form: [
            Form(made / part["file"], k, [*part["asked"]]) for k, part in enumerate(data["parts"])
        ]
        for form, data in manifest["forms"].items()
    }


def students(made: Path, number: int, seed: int) -> Iterator[Student]:
    """So many, form after form; half of them without a mistake."""
    forms, rng = forms_of(made), np.random.default_rng(seed)
    for k in range(number):
        form = [*forms][k % len(forms)]
        yield _student(f"Student {k + 1}", form, forms[form], rng)


def _student(name: str, form: str, parts: list[Form], rng: np.random.Generator) -> Student:
    habit, cause, slip_at, answers = str(rng.choice(HABITS)), "", "", dict[str, str]()
    guilty = int(rng.integers(0, len(parts))) if rng.random() < 0.5 else -1
    for k, part in enumerate(parts):
        mistake, slip = "", None
        if k == guilty:
            kind = str(rng.choice([*part.mistakes, *SLIPS]))
            right = part.work()
            slip = slips.draw(kind, right, part.names, rng) if kind in SLIPS else None
            mistake = "" if kind in SLIPS else kind
            tells = _slip_tells(part, slip) if slip else part.tells(mistake, part.names)
            cause = kind if tells else ""
            slip_at = f"{k + 1}/{part.id_of(slip)}" if slip else ""
        answers |= {
            f"{k + 1}/{id_}": t
            for id_, t in part.answers(_worked(part, habit, slip, mistake, rng)).items()
        }
    answers |= dict(_left_out(answers, rng))
    typed = dict(_mistyped(answers, rng))
    touched = frozenset(id_ for id_ in answers if id_ in typed or answers[id_] in NOTHING)
    cause = "" if slip_at in touched else cause
    return Student(name, form, answers | typed, answers, cause, guilty < 0, touched)


def _worked(
    part: Form, habit: str, slip: Slip | None, mistake: str, rng: np.random.Generator
) -> Sheet:
    """Somebody's working: with each number as it is written down, in full, or now so and now so."""
    seed = int(rng.integers(0, 2**31)) if habit == HABITS[2] else None
    return part.work(mistake, seed=seed, slip=slip, way=ROUNDED if habit == HABITS[0] else "")


def _slip_tells(part: Form, slip: Slip) -> bool:
    """Whether a slip changes its number by more than ways of rounding do, and no other slip so."""
    name, at, right = slip.name, (slip.row, slip.column), part.work()
    number, spread = part.work(slip=slip).written[name][at], part.spread[name][at]
    others = [x for kind, x in slips.likenesses(right, slip) if kind != slip.kind]
    return all(abs(number - x) > spread for x in (right.written[name][at], *others))


def _left_out(answers: Mapping[str, str], rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """What some leave empty, or have nonsense for."""
    if rng.random() < 0.2:
        for id_ in answers:
            if rng.random() < 0.1:
                yield id_, str(rng.choice(NOTHING))


def _mistyped(answers: Mapping[str, str], rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """One number in a hundred, with another digit."""
    for id_, text in answers.items():
        if text not in NOTHING and rng.random() < 0.01:
            at = int(rng.choice([i for i, letter in enumerate(text) if letter.isdigit()]))
            yield id_, f"{text[:at]}{(int(text[at]) + rng.integers(1, 10)) % 10}{text[at + 1 :]}"


def as_table(made: Path, path: Path, class_: list[Student]) -> Path:
    """The class as it is typed into the table of the exam."""
    with (made / "midterm_class.csv").open(encoding="utf-8", newline="") as file:
        headings = next(csv.reader(file))
    ids = [*map(unguarded, headings[3:])]
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(headings)
        for s in class_:
            rows.writerow([s.name, "", s.form, *(s.answers.get(id_, "") for id_ in ids)])
    return path


def as_answers(made: Path, folder: Path, class_: list[Student]) -> Path:
    """The class as files of answers, one a student."""
    folder.mkdir()
    for s in class_:
        data = yaml.safe_load((made / f"midterm_{s.form}_answers.yaml").read_text("utf-8"))
        data["student"] = s.name
        data["answers"] = {id_: s.answers[id_] for id_ in data["answers"]}
        (folder / f"{s.name}.yaml").write_text(yaml.safe_dump(data, allow_unicode=True), "utf-8")
    return folder


def as_responses(made: Path, path: Path, class_: list[Student]) -> Path:
    """The class as Moodle exports it, of a quiz whose forms are drawn."""
    forms = json.loads((made / "manifest.json").read_text("utf-8"))["forms"]
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["Last name", "First name", "ID number", "Question 1", "Response 1"])
        for s in class_:
            first, last = s.name.split()
            said = "; ".join(
                f"part {k}: {text}" for k, text in enumerate(s.answers.values(), start=1)
            )
            rows.writerow([last, first, "", f"Paper {forms[s.form]['hash']}", said])
    return path


def marked(made: Path, class_: Path, folder: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Each student's verdicts by blank, from the marked papers."""
    folder.mkdir()
    attn("grade", made, class_, "--format", "json", "-o", folder)
    papers = [json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")]
    return {
        paper["student"]: {
            f"{k}/{verdict['cell']}": verdict
            for k, part in enumerate(paper["parts"], start=1)
            for verdict in part["verdicts"]
        }
        for paper in papers
        if "parts" in paper
    }


class Report(NamedTuple):
    """What came of a class: wrong marks (points that a blank which nobody spoilt lost on an honest paper),
    and planted causes that are named."""

    wrong: list[str]
    planted: int
    missed: list[str]


def report(class_: list[Student], papers: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Report:
    wrong, missed = [], []
    for s in class_:
        verdicts = papers[s.name]
        lost = [id_ for id_, v in verdicts.items() if not v["points"] and id_ not in s.touched]
        wrong += [f"{s.name} {s.form} {id_}" for id_ in lost if s.is_honest]
        causes = {v["cause"]["name"] if v["cause"] else v["verdict"] for v in verdicts.values()}
        missed += (
            [f"{s.name} {s.form} {s.cause}: {causes}"] if s.cause and s.cause not in causes else []
        )
    return Report(wrong, sum(bool(s.cause) for s in class_), missed)


def main() -> None:
    parser = argparse.ArgumentParser(description="Plays a class that sits an exam.")
    parser.add_argument("--students", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = exam(folder)
        class_ = [*students(made, asked.students, asked.seed)]
        keys = sum(len(text) + 1 for s in class_ for text in s.answers.values())
        print(
            f"{len(class_)} papers of {len(class_[0].answers)} blanks, {keys / len(class_):.0f} keys each"
        )
        ways = {"table": as_table(made, folder / "class.csv", class_)}
        ways["files"] = as_answers(made, folder / "answers", class_)
        ways["responses"] = as_responses(made, folder / "responses.csv", class_)
        for way, path in ways.items():
            start = time.perf_counter()
            found = report(class_, marked(made, path, folder / f"marked_{way}"))
            taken = time.perf_counter() - start
            print(
                f"{way}: {len(found.wrong)} wrong marks, {found.planted - len(found.missed)} of",
                end=" ",
            )
            print(f"{found.planted} causes named, {taken:.1f} s")
            print(*(f"  {line}" for line in (*found.wrong, *found.missed)), sep="\n")


if __name__ == "__main__":
    main()
