"""Arrays of other packages: PyTorch's, JAX's, pandas' and whoever else's.

They are taken by the protocols that NumPy reads, `__array__` and DLPack, so that nobody needs to be
imported for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from attncli.maths.numbers.rounding import AnyArray


class SupportsDLPack(Protocol):
    """An array of any package that shares its memory by the DLPack protocol."""

    def __dlpack__(self, **how: object) -> object: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...


def as_array(value: object) -> AnyArray | None:
    """Converts an array of any package to one of NumPy; returns None for what is no array.

    Numbers of types that NumPy doesn't know (bfloat16) come back as float64.
    """
    if isinstance(value, np.ndarray):
        return _known(value)
    if isinstance(value, np.generic | str) or not _is_array(value):
        return None
    return _known(_taken(value))


def _is_array(value: object) -> bool:
    return hasattr(value, "__array__") or hasattr(value, "__dlpack__")


def _taken(value: Any) -> AnyArray:  # noqa: ANN401
    for without in ("detach", "cpu"):  # a tensor that has a gradient, or is elsewhere, isn't given
        value = getattr(value, without, lambda same=value: same)()
    if not hasattr(value, "__array__"):
        return np.from_dlpack(value)
    try:
        return np.asarray(value)
    except TypeError:  # PyTorch's bfloat16, which NumPy has no name for
        return np.asarray(value.double())


def _known(array: AnyArray) -> AnyArray:
    """Converts floats of a type that another package registered (bfloat16) to float64."""
    if array.dtype.kind == "V" and array.dtype.fields is None:
        return array.astype(np.float64)
    return array
