"""Reading answers from files, by their endings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attncli.marking.answers.sheets import AnswerSheet
from attncli.refusals import Problem, Refusal

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
        from attncli.marking.answers.yaml_files import sheet_of

        return (sheet_of(text, source),)
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
