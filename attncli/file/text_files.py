"""Texts in files beside a scenario: a corpus, or what another program saved."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from attncli.file.files import RefusedFileError, found, unreadable
from attncli.file.kinds import Schema, TextKind
from attncli.file.nodes import Map, Node, Scalar
from attncli.file.problems import Problems
from attncli.refusals import Where, quote

MOST_BYTES = 2**25
CORPORA, TOKENIZERS = (".txt", ".md"), (".json",)
"""How the names of the files end that hold texts, or what another program saved."""


class TextFile(NamedTuple):
    """A file of text, by its path from the scenario's folder."""

    path: str
    where: Where


class TextFileKind:
    """`{file: corpus.txt}`."""

    def read(self, node: Node, problems: Problems) -> TextFile | None:
        path = node.get("file") if isinstance(node, Map) else None
        if path is None or (isinstance(node, Map) and len(node.entries) > 1):
            problems.add(node.where, "more than a file", "give {file: …} alone")
            return None
        text = TextKind("a path").read(path, problems)
        return None if text is None else TextFile(text, path.where)

    def schema(self) -> Schema:
        return {
            "type": "object",
            "properties": {"file": {"type": "string"}},
            "required": ["file"],
            "additionalProperties": False,
        }


def names_file(node: Node) -> bool:
    """Whether a map names a file; a number there is a count of the word `file`."""
    path = node.get("file") if isinstance(node, Map) else None
    return isinstance(path, Scalar) and not path.text.isdigit()


def text_of(file: TextFile, folder: Path | None, outside: bool, kinds: Iterable[str]) -> str:
    """What a file with one of the known endings says. Raises RefusedFileError."""
    there = found(file.path, folder or Path(), outside, kinds)
    try:
        if there.stat().st_size > MOST_BYTES:
            wrong = f"{quote(file.path)} has more than {MOST_BYTES // 2**20} MiB"
            raise RefusedFileError(wrong, "give a smaller file")
        return there.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise unreadable(file.path, error) from error
    except UnicodeDecodeError as error:
        wrong = f"{quote(file.path)} is not text in UTF-8"
        raise RefusedFileError(wrong, "save it in UTF-8") from error
