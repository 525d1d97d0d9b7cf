"""What is told where something can't be written."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from attncli.refusals import Refusal


class OutputError(Refusal):
    """A file that can't be written, or an option that doesn't go."""


def check_named(place: str) -> None:
    """Raises OutputError for a name that nobody would see in a listing."""
    if not place.strip():
        right = "name a file, or a folder for several"
        raise OutputError.of(f'"{place}"', "names nothing", right)


@contextmanager
def told(place: str) -> Iterator[None]:
    """Raises OutputError where the system refuses to write in a place."""
    try:
        yield
    except FileExistsError:
        raise exists(place) from None
    except OSError as error:
        wrong = f"can't be written ({error.strerror})"
        raise OutputError.of(place, wrong, "choose another place") from None


def exists(place: str) -> OutputError:
    return OutputError.of(place, "exists already", "choose another name, or add --force")


def unsupported() -> OSError:
    """What a system says of what it doesn't have."""
    return OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
