"""Rendering a document for where it goes, and sending it there."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attncli.errors import listed
from attncli.output_files import OutputError
from attncli.scenario.file.problems import nearest

if TYPE_CHECKING:
    from attncli.formats import FormatInfo, RenderOptions


_DEFAULT_WIDTH = 80


def is_written(output: str | None, *, large: bool = False) -> str:
    """Tells that the file of a scenario is written, if there is one, and what can be done with it;
    of a `large` one how."""
    if output in (None, "-"):
        return ""
    from attncli.maths.notation.escaping import printed
    from attncli.names import Word
    from attncli.pages.parts.next_commands import typed

    name = printed(Word(str(output)))
    how = " --large --detail summary" if large else ""
    return f"{name} is written; `attn run {typed(name)}{how}` works it out\n"


def chosen_format(form: str | None, output: str | None, known: Sequence[str]) -> str:
    """Returns the format that is asked for, or that a file's suffix means; the first of those known
    where neither is said. Raises OutputError for a format or a suffix of none."""
    if form is not None:
        if form not in known:
            raise OutputError.of(f"--format {form}", "no such format", nearest(form, known))
        return form
    suffix = "" if output is None else Path(output).suffix
    return _of_suffix(suffix, str(output), known) if suffix else known[0]


def abilities_chosen(form: str | None, output: str | None) -> FormatInfo:
    """Returns what the format can do that is asked for. Raises OutputError."""
    from attncli.formats import info_of, page_format_names

    return info_of(chosen_format(form, output, page_format_names()))


def _of_suffix(suffix: str, output: str, known: Sequence[str]) -> str:
    from attncli.formats import suffixes_of

    meant = (name for name in known if suffix.lower() in suffixes_of(name))
    found = next(meant, None)
    if found is None:
        first = [suffixes_of(name)[0] for name in known]
        right = f"end its name in {listed(first)}, or choose a --format"
        raise OutputError.of(output, f"no format is written to files in {suffix}", right)
    return found


def page_for(output: str | None) -> RenderOptions:
    """Returns what a renderer has to know of where its text goes: a file is 80 cells wide."""
    from attncli.formats import RenderOptions

    if output is None or output == "-":
        return RenderOptions(terminal_width(), wants_colour() and output is None)
    return RenderOptions(_DEFAULT_WIDTH)


def wants_colour() -> bool:
    """Tells whether standard output takes colours: by NO_COLOR, FORCE_COLOR, TERM, then by what it
    is."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def terminal_width() -> int:
    return shutil.get_terminal_size((_DEFAULT_WIDTH, 24)).columns


def check_target(output: str | None, *, force: bool) -> None:
    """Raises OutputError for what is no name of a file, and where a file is in the way."""
    if output is not None and output != "-":
        from attncli.output_files import check_free

        check_free(output, force=force)


def check_binary(form: str, output: str | None) -> None:
    """Raises OutputError for files that are no text where nobody names one."""
    from attncli.formats import binary_format_names, suffixes_of

    if output is None and form in binary_format_names():
        right = f"name one, like -o page{suffixes_of(form)[0]}, or -o - for a pipe"
        raise OutputError.of(
            f"--format {form}", "its files aren't text that can be shown here", right
        )


def check_able(ability: str, form: str, option: str, wrong: str) -> None:
    """Raises OutputError for a format that can't do what an option asks for."""
    from attncli.formats import info_of, page_format_names

    able = [name for name in page_format_names() if getattr(info_of(name), ability)]
    if form not in able:
        right = f"add {' or '.join(f'--format {name}' for name in able)}"
        raise OutputError.of(option, f"{form} {wrong}", right)


def format_named(form: str) -> str:
    """Returns the name of a format, which its files' suffix may stand for: `markdown` of `md`.
    Raises ValueError."""
    from attncli.formats import page_format_names, suffixes_of

    known, suffix = page_format_names(), f".{form.removeprefix('.')}"
    found = [name for name in known if name == form or suffix in suffixes_of(name)]
    if not found:
        from attncli.scenario.file.problems import nearest

        raise ValueError(f"no format {form!r}; {nearest(form, known)}")
    return found[0]
