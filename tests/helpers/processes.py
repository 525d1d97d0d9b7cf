"""The program in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

COMMAND = (sys.executable, "-m", "attncli")


def attn(
    *words: str, environment: Mapping[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[Any]:
    """What came of a command; the options are those of `subprocess.run`."""
    known = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    env = {**os.environ, **(environment or {})}
    return subprocess.run([*COMMAND, *words], check=False, env=env, **{**known, **options})
