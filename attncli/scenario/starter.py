"""The scenario that `attn new` writes."""

from __future__ import annotations

from pathlib import Path


def text() -> str:
    """Returns a commented scenario that runs as it is."""
    return (Path(__file__).parent / "starter.yaml").read_text(encoding="utf-8")
