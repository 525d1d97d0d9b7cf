"""Getting a result to a file, a folder or standard output, whole or not at all."""

from attncli.writing.errors import OutputError
from attncli.writing.file import check_free, write_file
from attncli.writing.folder import check_folder, write_files
from attncli.writing.streams import standard_streams, write_out

__all__ = [
    "OutputError",
    "check_folder",
    "check_free",
    "standard_streams",
    "write_file",
    "write_files",
    "write_out",
]
