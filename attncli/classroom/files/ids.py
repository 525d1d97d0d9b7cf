"""What a teacher's own question is called: `q1`, and `5/q1` as one of the fifth part."""

from __future__ import annotations

import re


def id_meant(name: str) -> str:
    """Returns the id of what is asked by a name: of a teacher's own question `5/q1`, which may be
    called `5/1`, as it was before; of all else the name itself."""
    return _QUESTION.sub(r"\1q\2", name)


_QUESTION = re.compile(r"^(\d+/)?[Qq]?(\d+)$")
