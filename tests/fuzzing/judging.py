"""What must hold of each run, whatever it was given."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

import yaml

from tests.fuzzing.case import Case
from tests.fuzzing.worker import SECONDS, Outcome

BAD_INPUT = 2
LONGEST_MESSAGE = 1000
MOST_LINES = 40

_TIME_IS_UP = {-14, -27}
"""What a process ends with that has used up its time: SIGALRM, SIGPROF."""

_OWN = dict.fromkeys(("check", "grade", "practice", "compare", "site"), (1,)) | {"diff": (1, 3)}
"""Those that judge end with 1, too, where something doesn't follow or differs; a site where it
lacks one; with 3 where nothing can be told."""

Files = Mapping[str, bytes]
READERS: Mapping[str, Callable[[str], object]] = {
    "json": json.loads,
    "yaml": yaml.safe_load,
    "csv": lambda text: list(csv.reader(io.StringIO(text), strict=True)),
    "moodle": ElementTree.fromstring,
}
"""Those who read what formats for machines write; each raises an error for what it can't."""


def files_of(folder: Path) -> Files:
    """All files below a folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def faults(case: Case, outcome: Outcome, before: Files, after: Files) -> list[str]:
    """All that is wrong with a run."""
    return [
        *_ending(case, outcome),
        *_messages(case, outcome),
        *_page(case, outcome),
        *_files(case, outcome, before, after),
    ]


def _ending(case: Case, outcome: Outcome) -> Iterator[str]:
    if outcome.status in _TIME_IS_UP:
        yield f"takes more than {SECONDS} seconds"
    elif outcome.status not in (0, BAD_INPUT, *_OWN.get(case.arguments[0], ())):
        yield f"ends with status {outcome.status}: {last_words(outcome)}"
    elif b"Traceback" in outcome.stderr:
        yield f"prints a traceback: {last_words(outcome)}"


def last_words(outcome: Outcome) -> str:
    """The innermost place of ours in a traceback, and the kind of the error."""
    text = outcome.stderr.decode(errors="replace")
    ours = re.findall(r'File ".*?(attncli/\S+)", line (\d+), in (\S+)', text)
    errors = re.findall(
        r"^(\w+(?:\.\w+)*(?:Error|Interrupt|Warning)\b.{0,120})", text, re.MULTILINE
    )
    return " ".join([":".join(ours[-1]) if ours else "", errors[-1] if errors else text[-200:]])


def _messages(case: Case, outcome: Outcome) -> Iterator[str]:
    """Bad input is told on standard error, and nothing else is."""
    text = outcome.stderr.decode(errors="replace")
    if outcome.status == 0 and text:
        yield f"says something on standard error: {text[:200]!r}"
    if outcome.status != BAD_INPUT:
        return
    if outcome.stdout and case.arguments[0] != "validate":
        yield "writes to standard output, though the input is bad"
    if not text:
        yield "says nothing of what is wrong"
    if not text.startswith("Usage: "):
        yield from _lines(text.splitlines())


def _lines(lines: list[str]) -> Iterator[str]:
    """Each line says `what is wrong; what would be right`."""
    if len(lines) > MOST_LINES:
        yield f"says {len(lines)} things at once"
    for line in lines:
        if "; " not in line:
            yield f"lacks what would be right: {line[:200]!r}"
        if len(line) > LONGEST_MESSAGE:
            yield f"says {len(line)} characters: {line[:200]!r}"


def _page(case: Case, outcome: Outcome) -> Iterator[str]:
    """What is printed can be read by those whom its format is for."""
    if outcome.status != 0:
        return
    try:
        text = outcome.stdout.decode()
    except UnicodeDecodeError as error:
        yield f"prints what isn't UTF-8: {error}"
        return
    reader = READERS.get(case.said("--format"))
    if reader is None or case.said("--output", "-o") not in ("", "-"):
        return
    try:
        reader(text)
    except Exception as error:
        yield f"prints what can't be read: {type(error).__name__}: {error}"


def _files(case: Case, outcome: Outcome, before: Files, after: Files) -> Iterator[str]:
    """Nothing is left behind, and without success nothing is changed."""
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    hidden = sorted(n for n in changed if "/." in f"/{n}" and n not in case.arguments)
    if hidden:
        yield f"leaves {hidden} behind"
    if outcome.status != 0 and changed:
        yield f"changes {sorted(changed)} without success"
    if "--force" not in case.arguments and any(name in before for name in changed):
        yield f"changes {sorted(changed)} without --force"
    if any(not after.get(name) for name in changed):
        yield f"leaves {sorted(changed)} empty, or takes them away"
