"""The parts of a served page that a file doesn't have: problems, changes, panels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attncli.formats.html.blocks import escaped
from attncli.maths.notation.escaping import visible
from attncli.names import Word
from attncli.plugins import COMMANDS, plugins
from attncli.web.session import Edit, ServedScenario, told_edits

_LONGEST = 160
_PANELS = {
    "lint": "What is weak about these numbers",
    "why": "Where a number comes from",
    "compare": "What changed",
    "exercise": "Make it an exercise",
}
"""What is folded out below the page, each by the command that tells it."""


def panels() -> Mapping[str, str]:
    """Returns the panels of the commands that are there, with their titles."""
    return {name: title for name, title in _PANELS.items() if name in plugins(COMMANDS)}


def with_state(session: ServedScenario) -> str:
    """Adds to the page of a session what is said of it by now.

    The session may be at work: its version, which it counts last, is read first, so that no older
    page has a newer one's.
    """
    version = session.version
    head, main, rest = session.page.partition("</main>")
    return f"{head}{main}\n{_state(session, version)}\n{rest}"


def _state(session: ServedScenario, version: int) -> str:
    each = "".join(
        f'<details data-panel="{name}"><summary>{title}</summary><div tabindex="0"></div></details>'
        for name, title in panels().items()
    )
    return f"""\
<aside id="served" aria-label="The scenario's file">
<div class="state" data-version="{version}">{_wrong(session)}{_changed(session)}</div>
<p class="refused" role="alert"></p>
<div class="panels">{each}</div>
</aside>"""


def _wrong(session: ServedScenario) -> str:
    """Shows each problem with the lines of the file around it."""
    if not session.problems:
        return ""
    told = "".join(f"<p>{escaped(t)}</p>{_excerpt(ls)}" for t, ls in session.excerpts())
    dimmed = "<p>The numbers above are as they were before.</p>" if session.worked else ""
    return f'<div class="wrong" role="alert">{told}{dimmed}</div>'


def _excerpt(lines: Sequence[tuple[int, str, bool]]) -> str:
    return f"<pre>{''.join(_lines(lines))}</pre>" if lines else ""


def _lines(lines: Iterable[tuple[int, str, bool]]) -> Iterator[str]:
    for number, line, is_wrong in lines:
        cut = visible(Word(line[:_LONGEST])) + "…" * (len(line) > _LONGEST)
        text = escaped(f"{number:>4}  {cut}")
        yield f"<mark>{text}</mark>\n" if is_wrong else f"{text}\n"


def _changed(session: ServedScenario) -> str:
    """Shows what was changed or written, and what can be done about it: only that."""
    acts: list[tuple[str, str]] = []
    if session.can_write:
        acts.append(("write", f"Write to {session.path.name}"))
    if session.can_undo and not session.problems:
        whose = "Undo" if session.changes else "Take the writing back"
        acts.append(("undo", f"{whose}: {_in_short(session.undoing)}"))
    if session.changes:
        acts.append(("drop", "Drop all"))
    pending = session.pending
    told = f"Not in the file: {told_edits(pending)}." if pending else session.said
    buttons = " ".join(
        f'<button type="button" data-act="{act}">{escaped(text)}</button>' for act, text in acts
    )
    if not told and not buttons:
        return ""
    return f'<p class="made"><span role="status">{escaped(told)}</span> {buttons}</p>'


_MOST_TOLD = 2


def _in_short(edits: Sequence[Edit]) -> str:
    """Says some changes, of many the first ones."""
    more = len(edits) - _MOST_TOLD
    told = told_edits(edits[:_MOST_TOLD])
    return f"{told} and {more} more" if more > 0 else told


def exercise_links(files: Iterable[str]) -> str:
    """Links to the files of an exercise."""
    each = "".join(
        f'<li><a href="exercise/{escaped(name)}" download>{escaped(name)}</a></li>'
        for name in files
    )
    return f"<ul>{each}</ul>"


def inside(page: str) -> str:
    """Returns what stands in the body of a page, for another one."""
    return page.partition("<main")[2].partition(">")[2].partition("</main>")[0]
