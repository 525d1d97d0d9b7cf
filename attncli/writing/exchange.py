"""Two folders change places in one move."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from attncli.writing.errors import unsupported

_HERE = -100
"""`AT_FDCWD`: paths are as they are."""
_EXCHANGE = 2
"""`RENAME_EXCHANGE`."""


def exchange(one: Path, other: Path) -> None:
    """Two paths change what they stand for, and at no moment stand for nothing.

    Only Linux has it (renameat2), and Python doesn't say it, so the C library is asked. Raises
    OSError, also where a system or a file system can't.
    """
    import ctypes

    library = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    call = getattr(library, "renameat2", None)
    if call is None:
        raise unsupported()
    if call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
