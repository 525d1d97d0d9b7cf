"""What findings of `attn lint` are called, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Rule(NamedTuple):
    """What findings are called, several of them and one, and what is said of them."""

    several: str
    one: str
    says: str

    @property
    def title(self) -> str:
        return self.several[0].upper() + self.several[1:]


WEAK: Mapping[str, Rule] = MappingProxyType(
    {
        "ambiguous": Rule(
            "ambiguous roundings",
            "ambiguous rounding",
            "Somebody who rounds on the way (carry) and somebody who doesn't (exact) get"
            " different numbers here. A key has to accept both.",
        ),
        "wide": Rule(
            "answers that tell little",
            "answer that tells little",
            "Honest ways of rounding lead to all of these, more than five units of the last place,"
            " and a key has to accept them. Another decimal for what they are made of, and not for"
            " them, narrows that.",
        ),
        "hiding": Rule(
            "mistakes that rounding hides",
            "mistake that rounding hides",
            "What these common mistakes give here isn't right, but near enough to it that honest"
            " ways of rounding lead there, too, and a key has to accept it.",
        ),
        "edges": Rule(
            "rounding edges",
            "rounding edge",
            "These are so near to where rounding goes the other way that the last digit hangs by"
            " a hair.",
        ),
        "ties": Rule(
            "ties",
            "tie",
            "Weights of one row are shown alike, so that it isn't clear whom the query attends"
            " to most, and an exchange of the two goes unseen.",
        ),
        "sums": Rule(
            "rows that don't add up",
            "row that doesn't add up",
            "The weights of these rows don't add up to exactly 1 as they are shown, which makes"
            " people look for a mistake.",
        ),
        "extreme": Rule(
            "extreme weights",
            "extreme weight",
            "These weights are shown as 0 or are above 0.95, so that the softmax picks rather than"
            " blends.",
        ),
        "uniform": Rule(
            "rows of nearly equal weights",
            "row of nearly equal weights",
            "The largest weight of these rows is less than a quarter above the smallest, so that"
            " the query attends to everything alike.",
        ),
        "winners": Rule(
            "winners that come again",
            "winner that comes again",
            "These rows have their largest weight where an earlier row has it.",
        ),
        "exponentials": Rule(
            "long exponentials",
            "long exponential",
            "These powers of e have more than two digits before the decimal point.",
        ),
        "method": Rule(
            "subtracted maxima",
            "subtracted maximum",
            "The maximum of these rows is subtracted first, since e^x would be too long or too"
            " small.",
        ),
        "singular": Rule(
            "singular matrices",
            "singular matrix",
            "One of the rows or columns of these follows from the others.",
        ),
        "unvaried": Rule(
            "unvaried matrices",
            "unvaried matrix",
            "More than half of the numbers of these are the same.",
        ),
        "trivial": Rule(
            "trivial cells",
            "trivial cell",
            "Fewer than two of the products in these sums are other than 0, so that there is"
            " nothing to add up.",
        ),
        "zeros": Rule("rows of zeros", "row of zeros", "Nothing is left of these rows."),
        "repeats": Rule(
            "repeated rows and columns",
            "repeated row or column",
            "These are shown like another row or column of their matrix, so that working them"
            " out is mere copying.",
        ),
        "large": Rule(
            "large numbers",
            "large number",
            "These have more than four digits before the decimal point.",
        ),
        "mistakes": Rule(
            "mistakes that can't be revealed",
            "mistake that can't be revealed",
            "With these numbers a common mistake gives what the right way gives, or can't be told"
            " from it as shown.",
        ),
    }
)
"""All that can be weak, in the order in which it is told."""
