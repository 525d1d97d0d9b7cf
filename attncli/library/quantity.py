"""Quantities as a Python program has them: arrays with names, that show their working."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from attncli.library.notebook import Showable, ShownPart
from attncli.scenario.file.address import Address, Index
from attncli.trace import Axis, Quantity, Trace
from attncli.trace.quantity import IDS, counted

if TYPE_CHECKING:
    from pandas import DataFrame

    from attncli.document.blocks import Document

Label = str | int
"""A name along an axis; a whole number where nothing but positions or IDs is there."""
_ROLES: Mapping[str, str] = MappingProxyType({"Q": "query", "K": "key"})


@dataclass(frozen=True, eq=False, repr=False)
class WorkedQuantity(Showable, NDArrayOperatorsMixin, Quantity):
    """A quantity that knows the trace which it is of.

    NumPy, PyTorch and JAX take it as an array, and so do arithmetic signs; `quantity["love", "AI"]`
    takes numbers by their names, `quantity[0]` and slices by positions from 0, as NumPy does.
    """

    trace: Trace | None = None

    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__

    @property
    def shape(self) -> tuple[int, int]:
        """Returns the shape of its values [n, m]; a list such as `exp_sum` is [n, 1]."""
        return self.matrix.shape

    if not TYPE_CHECKING:  # to which a misspelt name stays one

        def __getattr__(self, name: str) -> NoReturn:
            right = (
                f"; its values have: quantity.values.{name}" if hasattr(np.ndarray, name) else ""
            )
            raise AttributeError(f"a quantity has no {name}{right}", name=name, obj=self)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """Returns an iterator over its rows."""
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: object) -> Any:  # noqa: ANN401
        """Returns numbers, as a float or an array. Raises ValueError for names that aren't
        there."""
        keys = key if isinstance(key, tuple) else (key,)
        if self.is_list and len(keys) == 1:
            keys = (*keys, 0)
        axes = (self.rows, self.columns)
        places = [
            axis.find(Index(value, quoted=True), self.name) if isinstance(value, str) else value
            for axis, value in zip(axes, keys, strict=False)
        ]
        found = self.values[(*places, *keys[2:])]
        return float(found) if np.ndim(found) == 0 else found

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **more: object) -> Any:  # noqa: ANN401
        arrays = [value.values if isinstance(value, Quantity) else value for value in inputs]
        return getattr(ufunc, method)(*arrays, **more)

    def __dlpack__(self, **how: Any) -> object:  # noqa: ANN401
        """Exports a copy, as nobody may write to the values themselves."""
        return np.array(self.values).__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()

    def __reduce__(self) -> tuple[object, ...]:
        return shown_of, (self.trace, self.name)

    def cell(self, *indices: str | int) -> ShownPart:
        """Shows the working of one cell, by names or by positions from 1. Raises ValueError."""
        from attncli.pages.explain import address_of, cells_page

        assert self.trace is not None
        place = self.find(self._address(indices))
        return ShownPart(cells_page(self.trace, [(self.name, address_of(self, *place))]))

    def working(self, *indices: str | int, width: int = 80) -> str:
        """Returns the lines of working of one cell, as `cell` takes it; of a row, or of all cells,
        where less is said. Raises ValueError."""
        from attncli.commands.renderings import cells_of, lines_of

        assert self.trace is not None
        cells = cells_of(self.trace, self.name, self._address(indices))
        return lines_of(self.trace, cells, width)

    def _address(self, indices: tuple[str | int, ...]) -> Address:
        indexes = (Index(str(index), quoted=isinstance(index, str)) for index in indices)
        return Address(self.name, tuple(indexes))

    def document(self) -> Document:
        from attncli.pages.explain import quantity_page

        assert self.trace is not None
        return quantity_page(self.trace, self.trace.quantities[self.name])

    def __str__(self) -> str:
        """Returns its table, with the names of its rows and columns."""
        from attncli.commands.renderings import table_of

        return table_of(self)

    def to_dict(self) -> dict[Label, Any]:
        """Returns the numbers by the names of their rows, then of their columns; of one row that
        has no name, and of one number a row, by single names."""
        rows, columns = (_labels(axis) for axis in (self.rows, self.columns))
        values = self.values.tolist()
        if self.is_number:
            return {self.local: values[0][0]}
        if self.is_list:
            return {row: number for row, (number,) in zip(rows, values, strict=True)}
        named = {
            row: dict(zip(columns, value, strict=True))
            for row, value in zip(rows, values, strict=True)
        }
        return named[""] if rows == [""] else named

    def to_frame(self) -> DataFrame:
        """Returns the numbers as a DataFrame of pandas. Raises ImportError where that isn't
        installed."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_frame needs pandas: pip install pandas") from None
        rows = [row if row != "" else self.local for row in _labels(self.rows)]
        columns = _labels(self.columns) or [self.local]
        index, heads = (
            pd.Index(labels, name=_ROLES.get(axis.role, axis.role) or None)
            for labels, axis in ((rows, self.rows), (columns, self.columns))
        )
        return pd.DataFrame(np.array(self.values), index=index, columns=heads)


def shown_of(trace: Trace, name: str) -> WorkedQuantity:
    """Returns a quantity of a trace, with that trace."""
    quantity = trace.quantities[name]
    return WorkedQuantity(
        quantity.name,
        quantity.matrix,
        quantity.rows,
        quantity.columns,
        quantity.definition,
        quantity.origin,
        trace,
    )


def _labels(axis: Axis) -> list[Label]:
    """Returns the names along an axis; whole numbers where they are IDs, or nothing but
    positions."""
    if axis.names and (axis.role == IDS or axis.names == counted(len(axis.names))):
        return [int(name) for name in axis.names]
    return [str(name) for name in axis.names]
