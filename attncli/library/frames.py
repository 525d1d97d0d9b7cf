"""The numbers of a quantity with their names, as plain dictionaries and for pandas."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from attncli.trace import Axis, Quantity
from attncli.trace.quantity import IDS, counted

if TYPE_CHECKING:
    from pandas import DataFrame

_ROLES: Mapping[str, str] = MappingProxyType({"Q": "query", "K": "key"})


def dict_of(quantity: Quantity) -> dict[Any, Any]:
    rows, columns = (_labels(axis) for axis in (quantity.rows, quantity.columns))
    values = quantity.values.tolist()
    if quantity.is_number:
        return {quantity.local: values[0][0]}
    if quantity.is_list:
        return {row: number for row, (number,) in zip(rows, values, strict=True)}
    named = {
        row: dict(zip(columns, one, strict=True)) for row, one in zip(rows, values, strict=True)
    }
    return named[""] if rows == [""] else named


def frame_of(quantity: Quantity) -> DataFrame:
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    rows = [row if row != "" else quantity.local for row in _labels(quantity.rows)]
    columns = _labels(quantity.columns) or [quantity.local]
    index, heads = (
        pd.Index(labels, name=_ROLES.get(axis.role, axis.role) or None)
        for labels, axis in ((rows, quantity.rows), (columns, quantity.columns))
    )
    return pd.DataFrame(np.array(quantity.values), index=index, columns=heads)


def _labels(axis: Axis) -> list[str | int]:
    """The names along an axis; whole numbers where they are IDs, or nothing but positions."""
    if axis.names and (axis.role == IDS or axis.names == counted(len(axis.names))):
        return [int(name) for name in axis.names]
    return [str(name) for name in axis.names]
