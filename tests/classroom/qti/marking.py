"""What response processing gives for answers, by the rules of the information model."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element

from tests.classroom.qti.schema import QTI

ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    "lt": operator.lt,
    "gt": operator.gt,
    "lte": operator.le,
    "gte": operator.ge,
}
KINDS: Mapping[str, Callable[[str], object]] = {
    "float": float,
    "integer": int,
    "string": str,
    "identifier": str,
}


class Marked(NamedTuple):
    """What is earned, and which feedback is shown."""

    score: float
    feedback: tuple[str, ...]


def named(name: str) -> str:
    return f"{{{QTI}}}{name}"


def mark(item: Element, answers: Mapping[str, str], attempt: int = 1) -> Marked:
    """What answers earn by their variables; an answer that isn't there is NULL."""
    values: dict[str, object] = {"numAttempts": attempt}
    for declared in item.iterfind(named("responseDeclaration")):
        name = declared.attrib["identifier"]
        given = answers.get(name)
        values[name] = None if given is None else KINDS[declared.attrib["baseType"]](given)
    for declared in item.iterfind(named("outcomeDeclaration")):
        default = declared.find(f"{named('defaultValue')}/{named('value')}")
        kind = KINDS[declared.attrib["baseType"]]
        values[declared.attrib["identifier"]] = (
            None if default is None else kind(default.text or "")
        )
    (rules,) = item.iterfind(named("responseProcessing"))
    for rule in rules:
        _follow(rule, values)
    score, value = values["SCORE"], values["FEEDBACK"]
    assert isinstance(score, float)
    assert value is None or isinstance(value, tuple)
    return Marked(score, value or ())


def _follow(rule: Element, values: dict[str, object]) -> None:
    if rule.tag == named("setOutcomeValue"):
        values[rule.attrib["identifier"]] = _value(rule[0], values)
        return
    assert rule.tag == named("responseCondition")
    for case in rule:
        condition, *rules = case
        if _value(condition, values) is True:
            for element in rules:
                _follow(element, values)
            return


def _value(node: Element, values: Mapping[str, object]) -> object:
    name = node.tag.removeprefix(f"{{{QTI}}}")
    if name == "variable":
        return values[node.attrib["identifier"]]
    if name == "baseValue":
        return KINDS[node.attrib["baseType"]](node.text or "")
    parts = [_value(child, values) for child in node]
    if name == "multiple":  # leaves out what is NULL
        return tuple(
            value
            for part in parts
            if part is not None
            for value in (part if isinstance(part, tuple) else (part,))
        )
    if name == "and":
        return False if False in parts else None if None in parts else True
    if name == "or":
        return True if True in parts else None if None in parts else False
    return None if None in parts else _of_known(name, node, parts)


def _of_known(name: str, node: Element, parts: list[object]) -> object:
    """The value of an operator none of whose operands is NULL."""
    if name == "stringMatch":
        first, second = (str(part) for part in parts)
        exact = node.attrib["caseSensitive"] == "true"
        return first == second if exact else first.casefold() == second.casefold()
    if name == "match":
        return parts[0] == parts[1]
    numbers = [part for part in parts if isinstance(part, int | float)]
    assert len(numbers) == len(parts)
    return float(sum(numbers)) if name == "sum" else ORDERS[name](*numbers)
