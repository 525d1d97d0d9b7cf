"""A scenario's text as PyYAML alone reads it, for the oracle."""

from __future__ import annotations

from typing import Any

import yaml

_LOADER: type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def read(text: str) -> dict[str, Any]:
    """The mapping that a text holds, every scalar a string."""
    data = yaml.load(text, Loader=_LOADER)
    assert isinstance(data, dict)
    return data
