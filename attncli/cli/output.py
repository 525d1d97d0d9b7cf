"""Getting a result to where it is wanted, whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attncli.refusals import Refusal

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.render import Page

_FAILED = 1
_DEFAULT_WIDTH = 80


class OutputError(Refusal):
    """A file that can't be written, or an option that doesn't go."""


def deliver(
    document: Document,
    form: str | None,
    output: str | None,
    *,
    force: bool,
    fragment: bool = False,
) -> None:
    """Renders a document and writes it to a file or to standard output.

    Without a format, a file's suffix tells it. Raises OutputError.
    """
    from attncli.render import render

    page = page_for(output)._replace(fragment=fragment)
    text = render(document, _form(form, output), page)
    if output is None or output == "-":
        write_out(text)
    else:
        write_file(output, text, force=force)


def _form(form: str | None, output: str | None) -> str:
    """The format that is asked for, or that a file's suffix means."""
    from attncli.render import format_names, format_of_file

    if form is not None or output is None or output == "-":
        return form or "terminal"
    return format_of_file(output, format_names())


def page_for(output: str | None) -> Page:
    """What a renderer has to know of where its text goes: a file is 80 cells wide."""
    from attncli.render import Page

    if output is None or output == "-":
        return Page(terminal_width(), wants_colour() and output is None)
    return Page(_DEFAULT_WIDTH)


def wants_colour() -> bool:
    """Whether standard output takes colours: NO_COLOR, FORCE_COLOR, TERM, then what it is."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def terminal_width() -> int:
    return shutil.get_terminal_size((_DEFAULT_WIDTH, 24)).columns


def write_out(text: str) -> None:
    """Writes to standard output, in UTF-8; a reader who stops reading is no error."""
    data = text.encode("utf-8", errors="backslashreplace")
    try:
        sys.stdout.flush()
        binary = getattr(sys.stdout, "buffer", None)
        if binary is None:
            sys.stdout.write(text)
        else:
            binary.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(_FAILED) from None
    except OSError as error:
        typer.echo(f"standard output can't be written ({error.strerror})", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(_FAILED) from None


def check_output(
    form: str | None, output: str | None, *, force: bool, fragment: bool = False
) -> None:
    """Raises OutputError for an unknown format, for one that has no fragments where one is asked
    for, or where a file is in the way."""
    from attncli.render import format_names
    from attncli.scenario.problems import nearest

    if form is not None and form not in format_names():
        right = nearest(form, format_names())
        raise OutputError.of(f"--format {form}", "no such format", right)
    if fragment:
        check_fragment(_form(form, output))
    check_free(output, force=force)


def check_fragment(form: str) -> None:
    """Raises OutputError for a format whose pages don't go without a preamble."""
    from attncli.render import abilities_of, format_names

    with_fragments = [name for name in format_names() if abilities_of(name).fragment]
    if form not in with_fragments:
        right = f"add {' or '.join(f'--format {name}' for name in with_fragments)}"
        raise OutputError.of("--fragment", f"{form} has no preamble to leave out", right)


def check_free(output: str | None, *, force: bool) -> None:
    """Raises OutputError where a file is in the way."""
    if output is None or output == "-" or force:
        return
    path = Path(output)
    if path.is_dir() or path.is_file():
        what = "is a folder" if path.is_dir() else "exists already"
        right = "name a file in it" if path.is_dir() else "choose another name, or add --force"
        raise OutputError.of(output, what, right)


def write_file(output: str, text: str, *, force: bool) -> None:
    """Writes a file whole or not at all, and over an existing one only with `force`."""
    check_free(output, force=force)
    path = Path(os.path.realpath(output))
    data = text.encode("utf-8", errors="backslashreplace")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)  # a device or a pipe, such as /dev/null
        else:
            _replace(path, data)
    except OSError as error:
        wrong = f"can't be written ({error.strerror})"
        raise OutputError.of(output, wrong, "choose another place") from None


def _replace(path: Path, data: bytes) -> None:
    """A new file beside the old one takes its place in one move."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    file = fresh.open("xb")
    try:
        with file:
            file.write(data)
        if path.exists():
            shutil.copymode(path, fresh)
        fresh.replace(path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise
