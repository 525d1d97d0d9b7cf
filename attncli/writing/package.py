"""Several files as one .zip file, the same bytes each time."""

from __future__ import annotations

import io
from collections.abc import Mapping
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from attncli.writing.contents import Contents, encoded

_READABLE = 0o644 << 16
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The day that the format begins with; the day of making it would make each package another."""


def packed(files: Mapping[str, Contents]) -> bytes:
    """Files by their names, as a package."""
    package = io.BytesIO()
    with ZipFile(package, "w") as archive:
        for name, text in files.items():
            entry = ZipInfo(name, _FIRST_DAY)
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, _READABLE
            archive.writestr(entry, encoded(text))
    return package.getvalue()
