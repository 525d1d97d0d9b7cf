"""What a text was cut into, beside the numbers of a trace."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from attncli.name import Name, below
from attncli.records import NamedTuple
from attncli.scenario.scenario import Scenario


class TokenList(NamedTuple):
    """The tokens of a text, or their IDs, which aren't worked: `values` is a NumPy array [n] of
    texts or of whole numbers."""

    name: Name
    values: NDArray[np.str_] | NDArray[np.int_]


def token_lists(scenario: Scenario) -> Mapping[str, TokenList]:
    """The tokens and their IDs, of an encoder too: `encoder.tokens`."""
    lists = (
        TokenList(below(stack.path, name), np.array(values))
        for stack in scenario.stacks
        for name, values in (("tokens", stack.text.tokens), ("ids", stack.text.ids))
        if values
    )
    return {one.name: one for one in lists}
