"""Remarks on what the numbers of a step mean: each is read, and worked again."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal

from tests.auditor.calculator import number, rounds_to, value
from tests.auditor.said import Said

_N = r"−?\d+(?:\.\d+)?"


def _is_worked(text: str) -> bool:
    """`0.5 × 0.25 = 0.125`"""
    working, _, result = text.partition(" = ")

    def no_names(name: str) -> Decimal:
        raise KeyError(name)

    return rounds_to(value(working, no_names), result.strip())


def _parameters(_: Said, match: re.Match[str]) -> bool:
    n, d, product = (int(match[name].replace(",", "")) for name in ("n", "d", "product"))
    return n * d == product


def _waves(_: Said, match: re.Match[str]) -> bool:
    """The wave lengths of the first pairs and of the last one; all of few."""
    texts, d = match["lengths"].split(", "), int(match["d"])
    gap = texts.index("…") if "…" in texts else len(texts)
    of = [*range(gap), *range(d // 2 - len(texts[gap + 1 :]), d // 2)]
    told = [text for text in texts if text != "…"]
    if len(of) != len(told):
        return False
    lengths = (2 * math.pi * float(number(match["base"])) ** (2 * i / d) for i in of)
    pairs_of = zip(lengths, told, strict=True)
    right = all(rounds_to(Decimal(repr(length)), text) for length, text in pairs_of)
    return right and _is_worked(match["factor"])


def _way(claim: Said, match: re.Match[str]) -> bool:
    return len(claim.table("states").rows) == int(match["steps"]) + 1


def _kept(_: Said, match: re.Match[str]) -> bool:
    return all(_is_worked(text) for text in match["shares"].split(", ") if text != "…")


def _left(claim: Said, match: re.Match[str]) -> bool:
    """Each part worked anew from the gates, whose update takes what is new or what is old, and the
    sum as exact as its sign says."""
    texts = re.sub(r" ([+−]) ", r" \1", match["parts"]).replace("+", "").split(" ")
    memory = claim.table(f"{match['name']}{match['time']}]").text[int(match["k"]) - 1]
    exact = (sum(map(number, texts)) == number(match["number"])) == (match["sign"] == "=")
    begun = int("the start" in match["whose"])
    count, last = len(texts) - begun, int(match["time"])
    times = range(1, count + 1) if last > 1 else range(count, 0, -1)
    starts = [claim.table(f"{match['name']}{0 if last > 1 else count + 1}]")] * begun
    begins = [number(table.text[int(match["k"]) - 1]) for table in starts]
    ways = (_left_by(claim, int(match["k"]) - 1, times, begins, new=new) for new in (True, False))
    return (
        exact
        and memory == match["number"]
        and any(all(map(rounds_to, parts, texts)) for parts in ways)
    )


def _left_by(
    claim: Said, k: int, times: range, begins: list[Decimal], *, new: bool
) -> list[Decimal]:
    """What is left of what a memory begins with, and of what is written to it at each time."""
    left = begins
    for time in times:
        at = claim.tables.full(f"gates[{time}].candidate", claim.path).removesuffix("candidate")
        gates = {
            local: number(claim.tables[f"{at}{local}"].text[k])
            for local in ("candidate", "update", "forget")
            if f"{at}{local}" in claim.tables
        }
        update = gates["update"] if new else 1 - gates["update"]
        left = [part * gates.get("forget", 1 - update) for part in left]
        left.append(update * gates["candidate"])
    return left


def _moved(_: Said, match: re.Match[str]) -> bool:
    then, now = (number(match[name].rpartition(" = ")[2]) for name in ("then", "now"))
    return now >= then and _is_worked(match["then"]) and _is_worked(match["now"])


def _shares(claim: Said, match: re.Match[str]) -> bool:
    """By how much the loss falls in all; what each part brings is worked in another test."""
    losses = [name for name in claim.tables if name.rpartition(".")[2] == "cross_entropy"]
    before, *_, after = (
        number(claim.tables[name].text[0]) for name in losses if "grad" not in name
    )
    return before - after == number(match["fall"])


def _like(digits: Decimal, exact: Decimal) -> Decimal:
    """A number with as many decimals as another."""
    return exact.quantize(digits, ROUND_HALF_UP)


def _drawn(claim: Said, match: re.Match[str]) -> bool:
    """The shares of the probabilities, and those that a softmax of the logits at the other
    temperature has, all worked to the digits that the page has."""
    table = claim.tables["probabilities"]
    digits = number(table.text[-1][0])
    names = ("next.capped_logits", "capped_logits", "scaled_logits", "logits")
    logits = next(claim.tables[name].text[-1] for name in names if name in claim.tables)
    quotients = (number(text) / number(match["other"]) for text in logits)
    powers = [_like(digits, _like(digits, entry).exp()) for entry in quotients]
    shares = [[*map(number, table.text[-1])], [entry / sum(powers) for entry in powers]]
    own = number(match["own"])
    tempered = zip(map(number, claim.tables["next.tempered"].text[-1]), logits, strict=True)
    if any(abs(entry * own - number(text)) > own / 100 for entry, text in tempered):
        return False
    likeliest = table.columns.index(match["token"])
    told = zip(shares, (match["now"], match["then"]), strict=True)
    return all(
        row[likeliest] == max(row) and rounds_to(100 * row[likeliest], text) for row, text in told
    )


REMARKS: tuple[tuple[str, Callable[[Said, re.Match[str]], bool]], ...] = (
    (r"The table has (?P<n>[\d,]+) × (?P<d>[\d,]+) = (?P<product>[\d,]+) parameters\.",
     _parameters),
    (rf"Pair i, the dimensions 2i and 2i\+1, repeats after 2π × (?P<base>{_N})\^\(2i/(?P<d>\d+)\)"
     rf" positions: (?P<lengths>.+?), each (?P<factor>.+ = {_N}) times as long as the one before\.", _waves),
    (r"From .+ to .+ it takes (?P<steps>\d+) steps, one after the other, and attention takes 1\.", _way),
    (r"the gates keep these shares of the memory's numbers: (?P<shares>.+?)\.$", _kept),
    (rf"(?P<name>\S+\[)(?P<time>\d+)\]\[(?P<k>\d+)\] = (?P<number>{_N}) (?P<sign>[=≈]) (?P<parts>[^:]+): what is left of"
     r" (?P<whose>.+)\.$", _left),
    (rf"^The cosine of .+ rises most, from (?P<then>.+? = {_N}) to"
     rf" (?P<now>.+? = {_N})\.", _moved),
    (rf"put back to the start, the loss falls by (?P<one>{_N}) of the (?P<fall>{_N}), with .+ by (?P<other>{_N})\.", _shares),
    (rf"Of 100 draws about (?P<now>\d+) would be “(?P<token>.+?)” at temperature (?P<own>{_N}), and about (?P<then>\d+) at temperature (?P<other>{_N})\.", _drawn),
)  # fmt: skip
"""What remarks say, and what tells whether it is so."""
