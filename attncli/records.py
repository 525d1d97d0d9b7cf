"""Named tuples and dataclasses that cost little to define.

The standard library writes the methods of each class as source and compiles it, and compiles each
lazy annotation of a named tuple: 0.2 ms a named tuple and 0.9 ms a frozen dataclass, which for the
hundred and fifty classes of a short command was a third of the time until its first line. Here all
classes share their methods. To a type checker they are the standard library's, and they behave
like these as far as this package uses them (`tests/test_records.py` holds the two together).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from typing import NamedTuple
else:
    from attncli._records import NamedTuple, dataclass, field, replace

__all__ = ["NamedTuple", "dataclass", "field", "replace"]
