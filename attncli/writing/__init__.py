"""Getting a result to a file, a folder or standard output, whole or not at all.

What writes files is imported where one is written, from `file` and `folder`.
"""

from attncli.writing.contents import Contents, OutputError
from attncli.writing.streams import standard_streams, write_out

__all__ = [
    "Contents",
    "OutputError",
    "standard_streams",
    "write_out",
]
