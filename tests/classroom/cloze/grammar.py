"""Fields in the text of a cloze question, found and taken apart as Moodle does it.

Moodle has no parser here but regular expressions that retreat and try again, so that a slip in
one field may swallow text up to the end of another. Only the same kind of expressions misread
the same files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from html.entities import name2codepoint
from typing import NamedTuple

# Names that Moodle knows, by the kind of question that they make.
KINDS = {
    "numerical": ("NUMERICAL", "NM"),
    "shortanswer": ("SHORTANSWER", "SA", "MW", "SHORTANSWER_C", "SAC", "MWC"),
    "multichoice": (
        *("MULTICHOICE", "MC", "MULTICHOICE_V", "MCV", "MULTICHOICE_H", "MCH"),
        *("MULTICHOICE_S", "MCS", "MULTICHOICE_VS", "MCVS", "MULTICHOICE_HS", "MCHS"),
    ),
    "multiresponse": (
        *("MULTIRESPONSE", "MR", "MULTIRESPONSE_H", "MRH"),
        *("MULTIRESPONSE_S", "MRS", "MULTIRESPONSE_HS", "MRHS"),
    ),
}
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}

# An answer ends before ~ # } unless a backslash or an ampersand stands there (the start of an
# entity such as &#125;); feedback ends before ~ }, and only a backslash keeps it going. A
# backslash before a backslash counts for nothing.
_SHARE = r"(?:(?P<full>=)|%(?P<percent>-?[0-9]+(?:[.,][0-9]*)?)%)?"
_ANSWER = r"(?P<answer>.+?)(?<!\\)(?<!&)(?<!&amp;)(?=[~\#}]|$)"
_FEEDBACK = r"(?:\#(?P<feedback>.*?)(?<!\\)(?=[~}]|$))?"
_ALTERNATIVE = _SHARE + _ANSWER + _FEEDBACK
_UNNAMED = re.sub(r"\?P<\w+>", "?:", _ALTERNATIVE)
_NAMES = "|".join(KIND_OF)

FIELD = re.compile(
    rf"\{{(?P<weight>[0-9]*):(?P<name>{_NAMES}):"
    rf"(?P<alternatives>{_UNNAMED}(?:~{_UNNAMED})*)\}}",
    re.DOTALL,
)
ALTERNATIVE = re.compile(rf"~?{_ALTERNATIVE}", re.DOTALL)

_NUMBER = r"-?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][-+]?[0-9]+)?"
NUMERICAL = re.compile(rf"(?P<value>{_NUMBER})(?::(?P<tolerance>{_NUMBER}))?$")
ENTITY = re.compile(r"&(?:#(?P<dec>[0-9]+)|#[xX](?P<hex>[0-9a-fA-F]+)|(?P<name>[A-Za-z0-9]+));")

CATCH_ALL = "*"


class Alternative(NamedTuple):
    """One answer of a field: what it is worth, what it accepts, what is said to it."""

    share: Decimal
    text: str
    value: Decimal | None
    tolerance: Decimal | None
    feedback: str

    @property
    def catches_all(self) -> bool:
        return self.text.strip() == CATCH_ALL


class Field(NamedTuple):
    """A place to be filled in; `source` is the text that it stands for."""

    weight: int
    kind: str
    alternatives: tuple[Alternative, ...]
    source: str


def take_out(text: str) -> tuple[list[Field], str]:
    """The fields of a text and the text with `{#1}`, `{#2}`… in their places, as Moodle keeps
    it. It begins at the front again after each field: the marks are part of what it searches."""
    fields: list[Field] = []
    # Nothing ends after the last brace; to look there takes time beyond all bounds.
    while match := FIELD.search(text, 0, text.rfind("}") + 1):
        fields.append(_field(match))
        text = text.replace(match[0], f"{{#{len(fields)}}}", 1)
    return fields, text


def decoded(text: str) -> str:
    """Entities of HTML 4.01 resolved, as PHP does when it is told no version of HTML."""
    return ENTITY.sub(_character, text)


def undone(text: str) -> str:
    """Text of a field as Moodle keeps it: entities first, then `\\}` and `\\#`, nothing else."""
    return decoded(text).replace("\\}", "}").replace("\\#", "#")


def _field(match: re.Match[str]) -> Field:
    kind = KIND_OF[match["name"]]
    alternatives = tuple(_alternative(part, kind) for part in _alternatives(match["alternatives"]))
    return Field(int(match["weight"] or 1), kind, alternatives, match[0])


def _alternatives(rest: str) -> Iterator[re.Match[str]]:
    while match := ALTERNATIVE.search(rest):
        yield match
        rest = rest.split(match[0], 1)[1]


def _alternative(match: re.Match[str], kind: str) -> Alternative:
    feedback = undone(match["feedback"] or "")
    # The numbers are looked for before entities are resolved.
    number = NUMERICAL.match(match["answer"]) if kind == "numerical" else None
    if number is None:
        return Alternative(_share(match), undone(match["answer"]), None, None, feedback)
    tolerance = number["tolerance"]
    return Alternative(
        _share(match),
        number["value"],
        decimal(number["value"]),
        None if tolerance is None else decimal(tolerance),
        feedback,
    )


def _share(match: re.Match[str]) -> Decimal:
    if match["full"]:
        return Decimal(1)
    return decimal(match["percent"] or "0") / 100


def decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", "."))


def _character(entity: re.Match[str]) -> str:
    if entity["name"]:
        named = name2codepoint.get(entity["name"])  # HTML 4.01, so no &apos;
        return chr(named) if named else entity[0]
    code = int(entity["hex"], 16) if entity["hex"] else int(entity["dec"])
    return chr(code) if _is_a_character(code) else entity[0]


def _is_a_character(code: int) -> bool:
    plain = code in (9, 10, 13) or 0x20 <= code <= 0x7E
    return plain or 0xA0 <= code <= 0xD7FF or 0xE000 <= code <= 0x10FFFF
