"""The terms of an exercise, read from what was typed: how many forms, which format, where to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attncli.choices import KEYS
from attncli.cli.output import OutputError

if TYPE_CHECKING:
    from attncli.cli.order import Order
    from attncli.telling.exercise.choice import Blanking, Points

MOST_FORMS = 10_000


class Counts(NamedTuple):
    """Numbers: of forms (None: the scenario's own numbers), the seed, the share of a blank's
    points that a known mistake earns, in per cent, if one was said, and the variants to make
    under stress."""

    forms: int | None
    seed: int
    share: int | None
    stress: int | None

    @property
    def names(self) -> list[str]:
        """What the forms are called."""
        from attncli.document import OWN_FORM, form_name

        return [OWN_FORM] if self.forms is None else [form_name(k) for k in range(self.forms)]


class Manner(NamedTuple):
    """How and where an exercise is written. `kinds` are the papers of each form; `share` is what a
    known mistake earns, in per cent, where mistakes are to be looked for."""

    format: str
    key: str
    folder: bool
    kinds: tuple[str, ...]
    share: int | None


class Terms(NamedTuple):
    """All that an order says, but for what is asked of the scenario."""

    blanking: Blanking
    points: Points
    counts: Counts
    manner: Manner


def parse_counts(order: Order) -> Counts:
    """The numbers of an order. Raises OutputError, naming all that are wrong."""
    wrong: list[str] = []

    def number(option: str, text: str | None, least: int, most: int) -> int | None:
        if text is None:
            return None
        if text.isascii() and text.isdigit() and least <= int(text) <= most:
            return int(text)
        wrong.append(f"{option} {text}: a whole number from {least} to {most:,} is wanted")
        return None

    forms = number("--forms", order.forms, 1, MOST_FORMS)
    seed = number("--seed", order.seed, 0, 2**32 - 1)
    share = number("--mistakes", order.mistakes, 0, 99)
    stress = number("--stress", order.stress, 1, MOST_FORMS)
    if order.forms is not None and order.stress is not None:
        wrong.append("--stress: it makes its own variants; leave --forms out")
    if wrong:
        raise OutputError("\n".join(wrong))
    return Counts(forms, seed or 0, share, stress)


def parse_manner(order: Order, counts: Counts | None) -> Manner:
    """How and where it is to be written. Raises OutputError, naming all that is wrong."""
    from attncli.render import exercise_format_names, format_names, format_of_file
    from attncli.scenario.problems import nearest

    known = [*format_names(), *exercise_format_names()]
    wrong: list[str] = []
    if order.form is not None and order.form not in known:
        wrong.append(f"--format {order.form}: no such format; {nearest(order.form, known)}")
    if order.key is not None and order.key not in KEYS:
        wrong.append(f"--key {order.key}: no such choice; {nearest(order.key, KEYS)}")
    if wrong:
        raise OutputError("\n".join(wrong))
    many = order.hints or order.key == "separate" or (counts is not None and len(counts.names) > 1)
    folder = order.output is not None and _is_folder(order.output, many=many)
    form = order.form or (format_of_file(order.output or "", known) if not folder else "terminal")
    manner = _checked(order, form, folder=folder)
    said = None if counts is None else counts.share
    return manner if said is None else manner._replace(share=said)


def _is_folder(output: str, *, many: bool) -> bool:
    path = Path(output)
    if output.endswith(("/", os.sep)) or path.is_dir():
        return True
    return many and output != "-" and not path.suffix


def _checked(order: Order, form: str, *, folder: bool) -> Manner:
    from attncli.render import format_names, module_of

    module = module_of(form)
    allowed: Sequence[str] = getattr(module, "KEYS", ("embedded", "none", "separate"))
    usual = "separate" if folder and "separate" in allowed else allowed[0]
    key = order.key or usual
    wrong = []
    if key not in allowed:
        wrong.append(f"--key {key}: the format {form} goes with {' or '.join(allowed)}")
    if order.hints and hasattr(module, "KEYS"):
        wrong.append(f"--hints: the format {form} has none; choose another, or leave --hints out")
    if order.stress is not None and form not in format_names():
        wrong.append(f"--format {form}: the report of --stress is no exercise; choose another")
    if order.fragment and not getattr(module, "HAS_FRAGMENT", False):
        wrong.append(f"--fragment: the format {form} has none; leave it out")
    if wrong:
        raise OutputError("\n".join(wrong))
    kinds = ("sheet", *(("key",) if key == "separate" else ()), *(("hints",) * order.hints))
    return Manner(form, key, folder, kinds, getattr(module, "SHARE", None))
