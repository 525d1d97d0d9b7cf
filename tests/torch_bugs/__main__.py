"""How many bugs are found where they are, and named: `python -m tests.torch_bugs --seeds 5`."""

from __future__ import annotations

from argparse import ArgumentParser

import torch

from tests.torch_bugs.bugs import BUGS, UNNAMED
from tests.torch_bugs.dumping import compared


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--dtype", choices=("float32", "float64"), default="")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    seeds = range(1, options.seeds + 1)
    dtype = getattr(torch, options.dtype) if options.dtype else None
    print(f"{len(BUGS)} bugs, {len(seeds)} seeds each: no false alarm, right place, right name")
    totals = [0, 0, 0]
    for name, bug in BUGS.items():
        if options.only not in name:
            continue
        counts = [0, 0, 0]
        others: list[str] = []
        for seed in seeds:
            right, wrong = compared(bug._replace(dtype=dtype or bug.dtype), seed)
            first = wrong.first
            called = first.causes[0].name if first is not None and first.causes else UNNAMED
            counts[0] += right.first is None
            counts[1] += first is not None and first.name == bug.shows
            counts[2] += called == bug.called != UNNAMED
            others += [called] if called != bug.called else []
        totals = [a + b for a, b in zip(totals, counts, strict=True)]
        print(f"{name:26} {bug.called:28} {counts} {', '.join(others)}")
    print(f"{'all':26} {len(BUGS) * len(seeds):<28} {totals}")


if __name__ == "__main__":
    main()
