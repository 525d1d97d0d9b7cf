"""Reading answers from files, by their endings: tables, and YAML with `form`, `hash` and `answers`,
a cell a line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attncli.file.nodes import Map, Node, Scalar, describe
from attncli.file.problems import Problems
from attncli.file.reading import read_value
from attncli.marking.answers.sheets import AnswerSheet
from attncli.marking.verdicts import Given, read_number
from attncli.refusals import Problem, Refusal, Where

LARGEST_FILE = 16 * 2**20
SUFFIXES = (".yaml", ".yml", ".csv", ".tsv", ".txt")


class AnswersError(Refusal):
    """Answers that can't be read: all that is wrong with a file."""


def files_in(path: str) -> list[str]:
    """The files with answers in a folder and those below it, in order; of a file itself."""
    folder = Path(path)
    return _in(folder, with_answers=True) if folder.is_dir() else [path]


def others_in(path: str) -> list[str]:
    """The files in a folder and below it that are no answers files by their endings."""
    folder = Path(path)
    return _in(folder, with_answers=False) if folder.is_dir() else []


def _in(folder: Path, *, with_answers: bool) -> list[str]:
    """Files of a folder; those that begin with a dot or a tilde are the system's."""
    found = (one for one in folder.rglob("*") if not one.name.startswith((".", "~")))
    files = (one for one in found if one.is_file())
    return sorted(str(one) for one in files if (one.suffix.lower() in SUFFIXES) == with_answers)


def read_answers(path: str | Path, asked: Sequence[str] = ()) -> tuple[AnswerSheet, ...]:
    """The answers of a file, of one student or of several; `asked` are the ids of what is asked,
    in order, for files that only count. Raises AnswersError."""
    source = str(path)
    text = text_of(Path(path), source)
    if Path(path).suffix.lower() in (".yaml", ".yml"):
        return (_sheet_of(text, source),)
    from attncli.marking.answers.tables import sheets_of

    return sheets_of(text, source, asked)


def text_of(path: Path, source: str) -> str:
    """What a file says: UTF-8, UTF-16 with its mark, or what old spreadsheets write."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise AnswersError.of(source, "no such file", "name one that is there") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise AnswersError.of(source, f"can't be read ({reason})", "give another") from None
    if len(data) > LARGEST_FILE:
        most = f"answers have at most {LARGEST_FILE // 2**20} MiB"
        raise AnswersError.of(source, "the file is too large", most)
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise AnswersError.of(source, "this is no text", "save it as CSV or YAML, in UTF-8")
    for encoding in ("utf-16",) if b"\0" in data else ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AnswersError([Problem.of(source, "this is no text in UTF-8", "save it as UTF-8")])


_TEXTS = ("student", "id", "form", "hash")


def _sheet_of(text: str, source: str) -> AnswerSheet:
    """The answers of a file. Raises ScenarioError for what is no answers file."""
    problems = Problems()
    start = Where(source, 1, 1)
    node = read_value(text, start, problems)
    if not isinstance(node, Map):
        problems.add(start, "there are no answers", _LIKE)
        problems.stop_if_any()
        node = Map((), start)
    said = {key.text: value for key, value in node.entries}
    told = {name: _text(said.get(name), name, problems) for name in _TEXTS}
    answers = _answers(said.get("answers", node), problems)
    _check_keys(node, problems)
    problems.stop_if_any()
    student = told["student"] or Path(source).stem
    return AnswerSheet(student, told["form"], told["hash"], answers, source, told["id"])


_LIKE = "write them as `attn exercise SCENARIO --format yaml --key none` does"


def _check_keys(node: Map, problems: Problems) -> None:
    """A file that has `answers` has nothing beside but what it belongs to."""
    if node.get("answers") is None:
        return
    for key, _ in node.entries:
        if key.text not in (*_TEXTS, "answers"):
            problems.add(key.where, f"{key.text} is no key of an answers file", _LIKE)


def _text(node: Node | None, name: str, problems: Problems) -> str:
    if node is None:
        return ""
    if not isinstance(node, Scalar):
        problems.add(node.where, f"{name} is {describe(node)}", "write a text")
        return ""
    return node.text


def _answers(node: Node, problems: Problems) -> dict[str, Given]:
    """Each answer by its cell; what is no text is unreadable, as is what is no number."""
    if isinstance(node, Scalar) and not node.text.strip():
        return {}
    if not isinstance(node, Map):
        problems.add(node.where, f"the answers are {describe(node)}", _LIKE)
        return {}
    told = ((key.text, value) for key, value in node.entries if key.text not in _TEXTS)
    return {name: _given(value) for name, value in told}


def _given(node: Node) -> Given:
    where = f"{node.where.source}:{node.where.line}"
    if isinstance(node, Scalar):
        empty = not node.quoted and node.text in ("~", "null")
        return read_number("" if empty else node.text, where)
    return Given(describe(node), None, where=where)
