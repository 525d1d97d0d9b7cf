"""Answers in YAML: `form`, `hash` and `answers`, a cell a line."""

from __future__ import annotations

from pathlib import Path

from attncli.file.nodes import Map, Node, Scalar, describe
from attncli.file.problems import Problems
from attncli.file.reading import read_value
from attncli.marking.answers.sheets import AnswerSheet
from attncli.marking.numerals import read_number
from attncli.marking.verdicts import Given
from attncli.refusals import Where

_TEXTS = ("student", "id", "form", "hash")


def sheet_of(text: str, source: str) -> AnswerSheet:
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
