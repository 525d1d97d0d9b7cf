"""What the shipped scenarios hold, kept beside them: to plan 22 stories anew for `attn list` would
take as long as four commands.

Each summary is kept with the hash of its file; that of a file that is another one now is told
anew. A test holds them to what the program says, and `pytest --rewrite-golden` writes them.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from attncli.arithmetic.expression import Equation, Number, Symbol
from attncli.document import Document, Facts, Span, Spans
from attncli.file import shipped
from attncli.word import Word

FILE = "summaries.json"


def scenarios_catalogue() -> Document:
    """Every shipped scenario: its title and what it holds."""
    kept = _kept()
    rows = [(name, kept.get(_key(name)) or told_anew(name)) for name in shipped.names()]
    return Document(Word("Scenarios"), (), closing=(Facts(tuple(rows)),))


def told_anew(name: str) -> Spans:
    """The summary of a shipped scenario, from its file."""
    from attncli.pipeline import outline
    from attncli.telling.summaries import summary

    return summary(outline(str(shipped.path_of(name))))


def to_keep() -> str:
    """The summaries of all shipped scenarios as they are kept."""
    lines = [
        f"{json.dumps(_key(name))}: {json.dumps(list(map(_as_data, told_anew(name))))}"
        for name in shipped.names()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _kept() -> dict[str, Spans]:
    path = shipped.folder() / FILE
    data = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {key: tuple(map(_span, spans)) for key, spans in data.items()}


def _key(name: str) -> str:
    return f"{name} {sha256(shipped.path_of(name).read_bytes()).hexdigest()}"


def _as_data(span: Span) -> object:
    match span:
        case Word():
            return {"word": span.raw}
        case Equation(Symbol(name), Number(value)):
            return {"size": name, "is": int(value)}
        case str():
            return span
        case _:
            raise TypeError(f"{type(span).__name__} has no place in a summary")


def _span(data: Any) -> Span:  # noqa: ANN401
    match data:
        case {"word": str(raw)}:
            return Word(raw)
        case {"size": str(name), "is": int(value)}:
            return Equation(Symbol(name), Number.written(value))
        case _:
            return str(data)
