"""`python -m tests.classroom.planted --papers 2000`: plants causes and counts which are found."""

from __future__ import annotations

import argparse

from tests.classroom.planted.counting import Count, counted
from tests.classroom.planted.papers import papers


def main() -> None:
    parser = argparse.ArgumentParser(description="Plants causes and counts which marking finds.")
    parser.add_argument(
        "--papers", type=int, default=400, help="how many, of each number of causes"
    )
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for causes, text in enumerate(("no cause: right on honest paths", "one cause", "two causes")):
        count = counted(papers(asked.papers, asked.seed, causes))
        _tell(text, count, table=causes == 1)


def _tell(text: str, count: Count, *, table: bool) -> None:
    share = 100 * count.named / max(count.papers, 1)
    print(f"{text}: {count.named} of {count.papers} papers named first ({share:.1f} %),", end=" ")
    print(f"{count.loose} with more found wrong than follows")
    if not table:
        return
    for cause in sorted({cause for cause, _ in count.confusion}):
        by_name = {name: n for (entry, name), n in count.confusion.items() if entry == cause}
        others = {name or "correct": n for name, n in by_name.items() if name != cause}
        print(f"  {cause:28}{by_name.get(cause, 0):5} of {sum(by_name.values()):5}", end="")
        print("".join(f"  {name}: {n}" for name, n in sorted(others.items())))


if __name__ == "__main__":
    main()
