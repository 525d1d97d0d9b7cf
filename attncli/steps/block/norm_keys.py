"""What a scenario may say of norms, key by key."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from attncli.file.keys import Key, Record
from attncli.file.kinds import Choice, Flag, NumberKind
from attncli.file.matrices import VECTOR

KIND = Key(
    "kind",
    Choice(("layer", "rms", "batch")),
    "`layer` (the default), `rms`, which takes no mean away, or `batch`, each column by a `mean`"
    " and a `variance` that are given",
    "layer",
)
EPSILON = Key("epsilon", NumberKind(least=0), "ε, 0.00001 by default", Decimal("0.00001"))
EPSILON_IN = Key(
    "epsilon_in",
    Choice(("root", "deviation")),
    "where ε is added: under the `root` (the default), or to the `deviation`",
    "root",
)
OVER = Key(
    "over",
    Choice(("n", "n-1")),
    "what the sum of the squares is divided by: `n` (the default) or `n-1`",
    "n",
)
PLUS_ONE = Key(
    "gamma_plus_one",
    Flag(),
    "whether numbers are multiplied by 1 + γ instead of γ, as Gemma has it",
    False,
)
SETTINGS: tuple[Key[Any], ...] = (KIND, EPSILON, EPSILON_IN, OVER, PLUS_ONE)
NORM = Record.of(
    *SETTINGS,
    Key("gamma", VECTOR, "γ, [d], multiplied; left out where it isn't given"),
    Key("beta", VECTOR, "β, [d], added; left out where it isn't given"),
    Key("mean", VECTOR, "of `batch`: the mean of each column, [d], that training found"),
    Key("variance", VECTOR, "of `batch`: its variance, [d]"),
)
