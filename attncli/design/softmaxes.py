"""What makes the weights of a softmax weak: one small function a rule, as in `rules`."""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.operations.softmax import Exponential
from attncli.design.quantity import CandidateQuantity, Flags, along

_MOST_WEIGHT = 0.95
_LEAST_RATIO = 1.25
_TWO_DIGITS = 100.0


def _many_seen(seen: Flags) -> Flags:
    """The rows that see two keys or more. [n, m] -> [n, 1]"""
    return np.asarray(along(np.add, seen.astype(np.int64)) > 1)


def ties(made: CandidateQuantity) -> Flags | None:
    """Weights that are shown like another one of their row; masked ones aside."""
    if made.seen is None:
        return None
    shown = np.where(made.seen, made.shown, np.nan)
    broken = np.zeros(shown.shape, dtype=np.bool_)
    for apart in range(1, shown.shape[1]):
        same = shown[:, apart:] == shown[:, :-apart]
        broken[:, apart:] |= same
        broken[:, :-apart] |= same
    return broken


def extreme(made: CandidateQuantity) -> Flags | None:
    """Weights that are shown as 0 or above 0.95, where there are others that aren't masked."""
    if made.seen is None:
        return None
    shown = made.units
    ends = (shown == 0) | (shown > _MOST_WEIGHT * 10.0**made.decimals)
    return np.asarray(ends & made.seen & _many_seen(made.seen))


def uniform(made: CandidateQuantity) -> Flags | None:
    """Rows of weights that are nearly all the same. -> [n, 1]"""
    if made.seen is None:
        return None
    top = along(np.maximum, np.where(made.seen, made.values, 0.0))
    low = along(np.minimum, np.where(made.seen, made.values, np.inf))
    return np.asarray((top < _LEAST_RATIO * low) & _many_seen(made.seen))


def winners(made: CandidateQuantity) -> Flags | None:
    """Rows that have their largest weight where an earlier one has it; of those that a page shows,
    and that see two keys or more. -> [n, 1]"""
    if made.seen is None:
        return None
    weights = np.where(made.seen, made.values, -1.0)
    winner = weights.argmax(axis=1)[:, np.newaxis]
    counts = np.broadcast_to(_many_seen(made.seen), winner.shape).copy()
    if made.rows is not None:
        counts &= np.isin(np.arange(len(winner)), made.rows).reshape(-1, *[1] * (winner.ndim - 1))
    broken = np.zeros(winner.shape, dtype=np.bool_)
    for apart in range(1, len(winner)):
        broken[apart:] |= (winner[apart:] == winner[:-apart]) & counts[apart:] & counts[:-apart]
    return broken


def exponentials(made: CandidateQuantity) -> Flags | None:
    """Powers of e with three digits or more before the decimal point."""
    return made.values >= _TWO_DIGITS if isinstance(made.operation, Exponential) else None


def method(made: CandidateQuantity) -> Flags | None:
    """Rows whose maximum is subtracted before e is raised to them. -> [n, 1]"""
    if not isinstance(made.operation, Exponential):
        return None
    return made.operation.shifted(made.operands[0])


def sums(made: CandidateQuantity) -> Flags | None:
    """Rows of weights that don't add up to exactly 1 as shown. -> [n, 1]"""
    if made.seen is None:
        return None
    shown = made.units
    hidden = (shown == 0) & (made.values > 0)  # shown with more decimals than the others
    off = (along(np.add, shown) != 10.0**made.decimals) | along(np.logical_or, hidden)
    return np.asarray(off & along(np.logical_or, made.seen))
