"""The record of somebody's practice over all sessions, and what comes again, as a text to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from attncli.errors import UserError
from attncli.maths.notation.escaping import json_text
from attncli.scenario.file.named_files import parsed_json

Kind = tuple[str, str]
"""What can be practised: a step, and the last name of a quantity or of a question of it."""
Outcome = Literal["right", "hinted", "wrong", "shown"]
"""What became of an answer: right at once, right after hints, not at the first go, or shown."""

_VERSION = 1
_TWICE = 2
"""How often what was wrong is to be right at once, each time with other numbers."""


class Skill(NamedTuple):
    """A record of how one kind of question went."""

    right: int = 0
    """How often it was answered right at once."""
    hinted: int = 0
    """How often it was answered right after hints."""
    wrong: int = 0
    """How often a wrong answer was given first."""
    shown: int = 0
    """How often its answer was shown."""
    mistakes: Mapping[str, int] = MappingProxyType({})
    """How often each known mistake was made, by its name."""
    again: int = 0
    """How often it is still to come again."""
    last: str = ""
    """When it was asked last."""

    def after(self, outcome: Outcome, mistakes: Sequence[str], when: str) -> Skill:
        """Returns the record with one answer more, and the names of its mistakes."""
        made = {mistake: self.mistakes.get(mistake, 0) + 1 for mistake in mistakes}
        counts = {outcome: getattr(self, outcome) + 1}
        return self._replace(mistakes={**self.mistakes, **made}, last=when, **counts)


@dataclass(frozen=True)
class Memory:
    """A memory of how each kind of question went."""

    skills: dict[Kind, Skill] = field(default_factory=dict)

    @property
    def answers(self) -> int:
        """Counts the answers that are remembered."""
        counts = get_args(Outcome)
        return sum(getattr(skill, name) for skill in self.skills.values() for name in counts)

    def due(self) -> list[Kind]:
        """Lists the kinds of questions that are to come again."""
        return [kind for kind, skill in self.skills.items() if skill.again]

    def note(
        self,
        kind: Kind,
        found: Sequence[tuple[Outcome, Sequence[str]]],
        when: str,
        *,
        is_first: bool,
    ) -> None:
        """Remembers what was answered together, each with the names of its mistakes. Right at once
        counts for what comes again where it `is_first` of its kind with some numbers."""
        skill = self.skills.get(kind, Skill())
        for outcome, mistakes in found:
            skill = skill.after(outcome, mistakes, when)
        outcomes = {outcome for outcome, _ in found}
        if outcomes & {"wrong", "shown"}:
            skill = skill._replace(again=_TWICE)
        elif outcomes == {"right"} and is_first:
            skill = skill._replace(again=max(0, skill.again - 1))
        self.skills[kind] = skill

    def written(self) -> str:
        """Writes the memory as JSON."""
        steps: dict[str, dict[str, object]] = {}
        for (step, name), skill in self.skills.items():
            steps.setdefault(step, {})[name] = skill._asdict() | {"mistakes": {**skill.mistakes}}
        data = {"practised": _VERSION, "steps": steps}
        return json_text(data, indent=1) + "\n"


def memory_of(text: str, file: str) -> Memory:
    """Reads the memory that a text keeps. Raises UserError for what is none, or a newer
    program's."""
    right = "name another file with --memory, or move this one away"
    try:
        data = parsed_json(text)
        version = data["practised"]
        if version == _VERSION:
            steps = data["steps"].items()
            return Memory({(s, name): _skill(**it) for s, by in steps for name, it in by.items()})
        is_newer = _is_count(version) and version > _VERSION
    except (ValueError, KeyError, TypeError, AttributeError):
        is_newer = False
    if not is_newer:
        raise UserError.of(file, "isn't what attn practice remembers", right)
    wrong = f"is of version {version}, and this attncli knows version {_VERSION}"
    raise UserError.of(file, wrong, "update attncli, or name another file with --memory")


def _skill(*, mistakes: Mapping[str, int], last: str, **counts: int) -> Skill:
    """Returns a skill as it was kept. Raises TypeError for what is none."""
    if not all(map(_is_count, (*counts.values(), *mistakes.values()))) or type(last) is not str:
        raise TypeError
    return Skill(mistakes=mistakes, last=last, **counts)


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0
