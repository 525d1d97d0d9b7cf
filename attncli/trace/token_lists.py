"""What a text was cut into, beside the numbers of a trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attncli.name import Name, below
from attncli.scenario.scenario import Scenario

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class TokenList:
    """The tokens of a text, or their IDs, which aren't worked: `values` is a NumPy array [n] of
    texts or of whole numbers, one of which is `tokens[0]`."""

    name: Name
    values: NDArray[np.str_] | NDArray[np.int_]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: ANN401
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[str | int]:
        return iter(self.values.tolist())

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401
        return self.values[key]


def token_lists(scenario: Scenario) -> Mapping[str, TokenList]:
    """The tokens and their IDs, of an encoder too: `encoder.tokens`."""
    lists = (
        TokenList(below(stack.path, name), np.array(values))
        for stack in scenario.stacks
        for name, values in (("tokens", stack.text.tokens), ("ids", stack.text.ids))
        if values
    )
    return {one.name: one for one in lists}
