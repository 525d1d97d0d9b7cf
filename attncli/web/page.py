"""The parts of a served page that a file doesn't have: problems, changes, panels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attncli.formats.html.blocks import escaped
from attncli.maths.notation.escaping import visible
from attncli.names import Word
from attncli.plugins import COMMANDS, plugins
from attncli.web.session import ServedScenario

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
    return f'<div class="wrong" role="alert">{told}</div>'


def _excerpt(lines: Sequence[tuple[int, str, bool]]) -> str:
    return f"<pre>{''.join(_lines(lines))}</pre>" if lines else ""


def _lines(lines: Iterable[tuple[int, str, bool]]) -> Iterator[str]:
    for number, line, is_wrong in lines:
        cut = visible(Word(line[:_LONGEST])) + "…" * (len(line) > _LONGEST)
        text = escaped(f"{number:>4}  {cut}")
        yield f"<mark>{text}</mark>\n" if is_wrong else f"{text}\n"


def _changed(session: ServedScenario) -> str:
    """Shows what was changed, and what can be done about it."""
    made = {change.key: change.value for change in session.changes}
    acts = [("undo", "Undo")] if session.changes or session.undone else []
    if made:
        acts = [("write", "Write to file"), *acts, ("drop", "Drop")]
    texts = ", ".join(f"{escaped(key)} = {escaped(value)}" for key, value in made.items())
    many = f"{len(made)} {'change' if len(made) == 1 else 'changes'}: {texts} " if made else ""
    buttons = " ".join(f'<button type="button" data-act="{a}">{t}</button>' for a, t in acts)
    return f'<p class="made">{many}{buttons}</p>' if acts else ""


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
