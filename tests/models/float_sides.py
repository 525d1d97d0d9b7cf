"""What the float side makes of a trace's own numbers, beside what the trace has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncli import Trace
from attncli.maths.equations.enclosures import Enclosure
from attncli.models.dumps.floats import Floats, Grain


def told_otherwise(trace: Trace) -> Iterator[str]:
    """The quantities that an operation makes otherwise at NumPy's speed, or elsewhere between its
    bounds, than the trace has them in full precision, each from the trace's own operands."""
    known = {name: Enclosure.of(trace[name].values) for name in trace}
    floats = Floats(trace, Grain("float32"), known)
    for name in trace:
        if trace[name].definition is None:
            continue
        right, value = trace[name].values, floats.value(name)
        size = np.abs(right[np.isfinite(right)]).max(initial=1.0)
        little = 1e-12 * size  # of what cancels, the trace has more digits
        if not np.allclose(value, right, rtol=1e-9, atol=little):
            yield f"the value of {name}"
        low, high = floats.made(name)
        if not floats.takes(Enclosure(low - little, high + little), right).all():
            yield f"the bounds of {name}"
