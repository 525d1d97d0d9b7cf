"""The quantities alone, as NumPy reads them: an array each, by its full name."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from numpy.lib.format import write_array

from attncli.document.blocks import Document
from attncli.formats import FormatInfo, RenderOptions
from attncli.formats.bare_quantities import arrays_of

SUFFIXES = (".npz",)
ABILITIES = FormatInfo(detail="full")


def bytes_of(documents: Sequence[Document], page: RenderOptions) -> bytes:  # noqa: ARG001
    """Writes the documents' quantities as an archive; the same page is the same file, since no
    array has a time. Raises NoQuantitiesError."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, array in arrays_of(documents, "npz").items():
            entry = ZipInfo(f"{name}.npy")
            entry.compress_type = ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as file:
                write_array(file, array, allow_pickle=False)
    return buffer.getvalue()
