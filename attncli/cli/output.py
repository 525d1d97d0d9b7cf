"""Getting a result to where it is wanted, whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from attncli.document import Document

_FAILED = 1
_DEFAULT_WIDTH = 80


class OutputError(ValueError):
    """A file that can't be written."""


def deliver(document: Document, form: str | None, output: str | None, *, force: bool) -> None:
    """Renders a document and writes it to a file or to standard output.

    Without a format, a file's suffix tells it. Raises OutputError.
    """
    from attncli.render import Page, format_of_file, render

    if output is None or output == "-":
        colour = wants_colour() and output is None
        write_out(render(document, form or "terminal", Page(terminal_width(), colour)))
    else:
        text = render(document, form or format_of_file(output), Page(_DEFAULT_WIDTH))
        write_file(output, text, force=force)


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


def check_output(form: str | None, output: str | None, *, force: bool) -> None:
    """Raises OutputError for an unknown format, or where a file is in the way."""
    from attncli.render import format_names
    from attncli.scenario.problems import nearest

    if form is not None and form not in format_names():
        raise OutputError(f"--format {form}: no such format; {nearest(form, format_names())}")
    check_free(output, force=force)


def check_free(output: str | None, *, force: bool) -> None:
    """Raises OutputError where a file is in the way."""
    if output is None or output == "-" or force:
        return
    path = Path(output)
    if path.is_dir() or path.is_file():
        what = "is a folder" if path.is_dir() else "exists already"
        right = "name a file in it" if path.is_dir() else "choose another name, or add --force"
        raise OutputError(f"{output}: {what}; {right}")


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
        raise OutputError(
            f"{output}: can't be written ({error.strerror}); choose another place"
        ) from None


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
