"""What holds for the code as a whole: names that are told apart."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "attncli"


def _classes(path: Path) -> list[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def test_no_two_classes_share_a_name() -> None:
    """But for the oracle's, which shares no code, and what tells `records` to a type checker."""
    rooms = (path for path in PACKAGE.rglob("*.py") if "oracle" not in path.parts)
    found = Counter(name for path in rooms if path.name != "records.py" for name in _classes(path))
    assert len(found) > 300
    assert [name for name, count in found.items() if count > 1] == []
