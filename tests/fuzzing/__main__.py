"""`python -m tests.fuzzing 17`: the case of a number; `… 0 1000`: a thousand of them."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter

from tests.fuzzing.trial import Verdict, verdicts


def kind(fault: str) -> str:
    """A fault without what is of its case alone."""
    return re.sub(r"\d+", "…", fault)[:160]


def replay(found: Verdict) -> None:
    print(found.told())
    print(found.outcome.stdout.decode(errors="replace"))
    print(found.outcome.stderr.decode(errors="replace"))
    print(f"status {found.outcome.status}, {found.outcome.seconds} s, {found.outcome.megabytes} MB")


def several(first: int, last: int) -> None:
    """Prints the first of each kind of fault, and how many there were."""
    seen, status = Counter[str](), Counter[int]()
    begun = time.monotonic()
    for found in verdicts(range(first, last)):
        status[found.outcome.status] += 1
        if status.total() % 100 == 0:
            print(f"{status.total()} cases, {seen.total()} faults", file=sys.stderr)
        for fault in found.faults:
            seen[kind(fault)] += 1
            if seen[kind(fault)] == 1:
                print(f"{found.told()}\n", flush=True)
    for what, count in seen.most_common():
        print(f"{count:6} × {what}")
    print(f"{last - first} cases in {time.monotonic() - begun:.0f} s; status: {dict(status)}")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    if len(given) == 1:
        replay(next(verdicts(given)))
    else:
        several(*given)
