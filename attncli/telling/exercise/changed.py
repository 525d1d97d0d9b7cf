"""What changed between two makings of an exercise, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attncli.building.exercise_file import FormMade, Manifest, Rows
from attncli.refusals import listed


def what_changed(before: Manifest | None, made: Manifest) -> str:
    """`B changed: W_Q[1, 2]; A, C, D as they were`, as a line; none for an exercise that wasn't
    there before."""
    if before is None:
        return ""
    told = [*_changed(before, made)]
    same = [name for name in made.forms if _is_same(before.forms.get(name), made.forms[name])]
    asked = [name for name in same if before.forms[name].asked != made.forms[name].asked]
    if asked:
        told.append(f"{listed(asked)} with other questions about the same numbers")
    if left := [name for name in same if name not in asked]:
        told.append(f"{listed(left)} as {'it was' if len(left) == 1 else 'they were'}")
    if gone := [name for name in before.forms if name not in made.forms]:
        told.append(f"{listed(gone)} no longer made, the files are left")
    if before.seed != made.seed:
        told.append("forms that are there keep their numbers, whatever the seed is")
    return f"{'; '.join(told)}\n"


def _is_same(old: FormMade | None, new: FormMade) -> bool:
    return old is not None and old.numbers == new.numbers


def _changed(before: Manifest, made: Manifest) -> Iterator[str]:
    for name, form in made.forms.items():
        old = before.forms.get(name)
        if old is None:
            yield f"{name} is new"
        elif not _is_same(old, form):
            cells = [*_cells(old.given, form.given)]
            yield f"{name} changed: {listed(cells) if cells else 'what is done with its numbers'}"


def _cells(old: Mapping[str, Rows], new: Mapping[str, Rows]) -> Iterator[str]:
    """The addresses of numbers that are others now; a whole matrix where its shape is."""
    for name, rows in new.items():
        was = old.get(name)
        if was is None or [len(row) for row in was] != [len(row) for row in rows]:
            yield name
            continue
        for i, (own, others) in enumerate(zip(rows, was, strict=True), start=1):
            pairs = enumerate(zip(own, others, strict=True), start=1)
            yield from (f"{name}[{i}, {j}]" for j, (a, b) in pairs if a != b)
    yield from (name for name in old if name not in new)
