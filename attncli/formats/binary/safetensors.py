"""The quantities alone as tensors, by their full names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attncli.document.blocks import Document
from attncli.errors import UserError
from attncli.formats import FormatInfo, RenderOptions
from attncli.formats.bare_quantities import arrays_of

SUFFIXES = (".safetensors",)
ABILITIES = FormatInfo(detail="full", package="safetensors")


class MissingSafetensorsError(UserError):
    """A fault: the package that writes tensors isn't there."""


def bytes_of(documents: Sequence[Document], page: RenderOptions) -> bytes:  # noqa: ARG001
    """Writes the documents' quantities as tensors. Raises MissingSafetensorsError,
    NoQuantitiesError."""
    try:
        from safetensors.numpy import save
    except ImportError:
        right = "install it with: pip install 'attncli[safetensors]'"
        raise MissingSafetensorsError.of(
            "--format safetensors", "it takes safetensors", right
        ) from None
    arrays = arrays_of(documents, "safetensors")
    return bytes(save({name: np.ascontiguousarray(array) for name, array in arrays.items()}))
