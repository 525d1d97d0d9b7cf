"""Named tuples and dataclasses that cost little to define.

The standard library writes the methods of each class as source and compiles it, and compiles each
lazy annotation of a named tuple: 0.2 ms a named tuple and 0.9 ms a frozen dataclass, which for the
hundred and fifty classes of a short command was a third of the time until its first line. Here all
classes share their methods. To a type checker they are the standard library's, and they behave
like these as far as this package uses them (`tests/test_records.py` holds the two together).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from typing import NamedTuple

    @dataclass_transform(frozen_default=True)
    class Node:
        """What trees are made of: classes with fields, of which no two of different classes are
        equal, and which are as quick as tuples."""

        def __init__(self, *parts: object) -> None: ...

        @property
        def parts(self) -> tuple[Any, ...]:
            """The values of the fields."""

else:
    from attncli._records import NamedTuple, Node, dataclass, field, replace

__all__ = ["NamedTuple", "Node", "dataclass", "field", "replace"]
