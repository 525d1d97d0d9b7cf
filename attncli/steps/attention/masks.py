"""Masks: which keys a query may see (Vaswani et al. 2017, arXiv:1706.03762, 3.2.3).

Sliding windows: Beltagy et al. 2020, arXiv:2004.05150.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from attncli.errors import listed, quote
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Number
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array
from attncli.maths.operations.masking import (
    Causal,
    Finite,
    Masked,
    Padding,
    Rule,
    Seen,
    TableRule,
    Window,
)
from attncli.maths.operations.softmax import MaskedShare
from attncli.names import TOP, Name, below
from attncli.scenario.file.keys import (
    COUNT,
    NUMBER,
    Choice,
    Either,
    Key,
    KeyValues,
    ListOf,
    OneOrMany,
    Record,
    word_or,
)
from attncli.scenario.file.matrices import TRUTH_TABLE, MatrixKind
from attncli.scenario.file.nodes import Scalar
from attncli.scenario.file.problems import Objections
from attncli.scenario.model import Attention, entry_path
from attncli.scenario.scenario import Scenario
from attncli.scenario.tokenizers.settings import TOKEN
from attncli.steps.attention.weights import softmax, without_softmax
from attncli.steps.mistakes import by, instead, left_out, wrong
from attncli.steps.step import (
    Backward,
    Chosen,
    Example,
    Formulas,
    Inquiry,
    Misreading,
    Mistake,
    Planned,
    Prominence,
    Results,
    Step,
    Wording,
    WordsAsked,
    in_no_order,
)
from attncli.trace import Definition, HeadPlace, Trace

_WORD = Choice(("causal", "none"), "a rule like {padding: [3]}")
_CORNERS = ("top-left", "bottom-right")
_RULE = Record.of(
    Key(
        "causal",
        Choice(_CORNERS),
        "`{causal: top-left}`: no later keys, the first query standing at the first key;"
        " `bottom-right` is `causal`: the last query stands at the last key",
    ),
    Key(
        "padding",
        ListOf(TOKEN),
        "`{padding: [<pad>]}`: keys that nobody sees, tokens or positions from 1",
    ),
    Key("window", COUNT, "`{window: 3}`: no key 3 or more places away is seen"),
    Key(
        "allowed",
        TRUTH_TABLE,
        "`{allowed: [[true, false], …]}`, [n, m]: what may be seen; 1 and 0 do as well",
    ),
    Key("blocked", TRUTH_TABLE, "`{blocked: [[false, true], …]}`, [n, m]: what may not be seen"),
    Key(
        "add",
        MatrixKind(infinite=True),
        "`{add: [[0, -inf], …]}`, [n, m]: numbers to add to the scores; -inf: not seen",
    ),
)
MASK = Key(
    "mask",
    OneOrMany(Either(lambda node: _WORD if isinstance(node, Scalar) else _RULE, (_WORD, _RULE))),
    "which keys are seen: `causal` (no later ones), `none` (all of them, in a decoder "
    "too), or one of the rules below; a list of them for several together",
    (),
    shared=True,
)
MASK_VALUE: Key[str | Decimal] = Key(
    "mask_value",
    word_or(("-inf",), NUMBER),
    "what stands in the place of a masked score: `-inf` (the default), or a number",
    "-inf",
    shared=True,
    inherited=True,
)


class MaskRule(NamedTuple):
    """One rule of a mask."""

    kind: str
    width: int = 0
    keys: tuple[int, ...] = ()
    """The places of padded keys, from 0."""
    table: Name = TOP
    """The full name of the table that it goes by, if any."""
    from_top: bool = False
    """Whether the first query is at the first key."""


def mask_rules(attention: Attention) -> tuple[MaskRule, ...]:
    found, entries = list[MaskRule](), attention.config.get(MASK)
    for k, rule in enumerate(entries):
        if isinstance(rule, str):
            found += [MaskRule(rule)] if rule != "none" else []
        else:
            found += _rules_of(attention, _path(attention, k), rule)
    return tuple(found)


def _path(attention: Attention, k: int) -> Name:
    """Returns the path of a rule, from 0; a single one has none of its own."""
    count = len(attention.config.get(MASK))
    return entry_path(attention.config.at(MASK).path, MASK.name, k, count)


def _rules_of(attention: Attention, path: Name, rule: KeyValues) -> Iterator[MaskRule]:
    if "causal" in rule:
        yield MaskRule("causal", from_top=rule["causal"] == _CORNERS[0])
    if "padding" in rule:
        keys = [k for name in rule["padding"] for k in _padded(attention, name)]
        yield MaskRule("padding", keys=tuple(dict.fromkeys(keys)))
    if "window" in rule:
        yield MaskRule("window", width=rule["window"])
    for kind in ("allowed", "blocked", "add"):
        if kind in rule:
            yield MaskRule(kind, table=below(path, kind))


def _padded(attention: Attention, name: str) -> list[int]:
    """Returns the places of a padded key, from 0; a token means all of its places."""
    keys = attention.keys
    places = [k for k, key in enumerate(keys) if key == name]
    if not places and name.isascii() and name.isdigit() and int(name) >= 1:
        return [int(name) - 1] if not keys or int(name) <= len(keys) else []
    return places


def check_mask(place: HeadPlace) -> Objections:
    """Complains of a rule that is empty, and of padding for keys that aren't there."""
    keys, entries = place.attention.keys, place.attention.config.get(MASK)
    for k, rule in enumerate(entries):
        path = _path(place.attention, k)
        if not rule:
            yield path, "a mask without any rule", "say causal, or give a rule"
        for name in () if isinstance(rule, str) else rule.get("padding", ()):
            if not _padded(place.attention, name):
                right = f"name one of {listed(keys)}" if keys else "give positions from 1"
                wrong = f"{quote(name)} is none of the keys"
                yield below(path, "padding"), wrong, right


_MOST_LISTED = 4
"""How many masks there are to choose from."""
_LABELS = "ABCD"
_WIDTH = 2
"""The width of a window that might be taken for the mask."""


def which_mask(place: HeadPlace, trace: Trace) -> tuple[WordsAsked, ...]:
    """Asks which of some tables is the mask."""
    mask = trace[place.name("mask")].values
    others = (array for array in _like_masks(mask.shape) if not np.array_equal(array, mask))
    tables = [mask, *others][:_MOST_LISTED]
    order = in_no_order(len(tables), trace[place.x].values)
    shown = [tables[k] for k in order]
    zeros_and_ones = tuple(Matrix.of_array(array, 0, carry=False) for array in shown)
    says = "Which of these is the mask, 1 where a query (row) sees a key (column)?"

    def right(low: Array, high: Array) -> Chosen:
        ends = (low, high)
        return frozenset(
            k for k, array in enumerate(shown) if any(np.array_equal(array, end) for end in ends)
        )

    def turned(low: Array, high: Array) -> Chosen:
        return right(low.T, high.T)

    options = tuple(_LABELS[: len(shown)])
    misread = (Misreading("row_and_column", "Rows and columns were exchanged.", turned),)
    return (WordsAsked(None, (says,), options, right, tables=zeros_and_ones, misread=misread),)


def _like_masks(shape: tuple[int, int]) -> list[Array]:
    """Returns what might be taken for the mask: causal, the other way round, off by one, a window,
    none; each once. [n, m] each"""
    n, m = shape
    apart = np.arange(m) - np.arange(n)[:, None] - (m - n)
    rules = (
        apart <= 0, apart >= 0, apart <= 1, apart < 0, abs(apart) <= 1,
        (apart <= 0) & (apart > -_WIDTH), apart == apart,  # noqa: PLR0124
    )  # fmt: skip
    found: dict[bytes, Array] = {}
    for rule in rules:
        found.setdefault(rule.tobytes(), rule.astype(float))
    return list(found.values())


_IN_WORDS = {
    "causal": "no query sees a key that comes after it",
    "padding": "padded keys are seen by nobody",
    "allowed": "a given table says what may be seen",
    "blocked": "a given table says what may not be seen",
    "add": "where a given table says −∞, nothing is seen",
}


def _fits(definition: Definition, scenario: Scenario) -> Objections:
    """Complains of a padded key that isn't there."""
    keys, seen = scenario.plan.shapes[definition.operands[0]][1], definition.operation
    rules = seen.rules if isinstance(seen, Seen) else ()
    last = max((k for rule in rules if isinstance(rule, Padding) for k in rule.keys), default=-1)
    if keys is not None and last >= keys:
        wrong, right = f"there is no key {last + 1}", f"count the keys from 1 to {keys}"
        yield below(definition.blame, "padding"), wrong, right


def _value(place: HeadPlace) -> Decimal:
    """Returns what stands in the place of a masked score."""
    value = place.attention.config.get(MASK_VALUE)
    return Decimal("-Infinity") if isinstance(value, str) else value


def _rule(rule: MaskRule) -> Rule:
    match rule.kind:
        case "causal":
            return Causal(from_top=rule.from_top)
        case "window":
            return Window(rule.width)
        case "padding":
            return Padding(rule.keys)
        case "add":
            return Finite()
        case _:
            return TableRule(rule.kind == "allowed")


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    rules = mask_rules(place.attention)
    if not rules:
        return ()
    blame = below(place.attention.path, "mask")
    tables = tuple(rule.table for rule in rules if rule.table)
    value = Number.written(_value(place))
    must_see = _value(place).is_infinite() and not without_softmax(place)
    seen = Seen(tuple(map(_rule, rules)), must_see=must_see)
    mask = Definition(place.name("mask"), seen, (place.x, *tables), blame=blame)
    masked = Definition(place.name("masked"), Masked(value), (place.x, mask.name), blame=blame)
    return mask, masked


def _not_masked(place: HeadPlace, planned: Planned) -> Iterator[Planned]:
    """Yields the ways to forget a mask: it hides nothing, or it is written down and forgotten, at
    once or before the softmax.

    What is worked again after an update has the mask that was made before.
    """
    *made, masked = planned
    for mask in made:
        yield (mask._replace(operation=Seen((), must_see=False), operands=(place.x,)),)
    yield (left_out(masked, place),)
    if not without_softmax(place):
        yield softmax(place, place.x, TOP, "softmax")[:1]


def _after_softmax(place: HeadPlace, planned: Planned) -> Iterator[Planned]:
    if without_softmax(place):
        return
    masked = planned[-1]
    weights = Definition(place.name("weights"), MaskedShare(), (place.x, masked.operands[1]))
    yield weights, left_out(masked, place)


def _is_raised(place: HeadPlace) -> bool:
    """Tells whether e is raised to the scores, so that a hidden one may not be 0."""
    return not without_softmax(place)


def _seen(place: HeadPlace, *, later: int = 0, from_top: bool = False) -> Definition | None:
    """Defines the mask with a causal rule that is off; returns None where it has no causal rule."""
    (mask, _), rules = _plan(place), mask_rules(place.attention)
    if not any(rule.kind == "causal" for rule in rules):
        return None
    moved = tuple(
        Causal(later, rule.from_top) if rule.kind == "causal" else _rule(rule) for rule in rules
    )
    return mask._replace(operation=Seen(moved, must_see=True, from_top=from_top))


def _aligned(place: HeadPlace, rule: MaskRule) -> str:
    """Says which corner of the table a causal rule starts from, where there is more than one
    way."""
    n, m = (side(place.x) for side in (place.height, place.width))
    if rule.kind != "causal" or (n == m and not rule.from_top):
        return ""
    if rule.from_top:
        return ", and the first query stands at the first key (aligned top left)"
    return ", and the last query stands at the last key (aligned bottom right)" if n and m else ""


def _happens(place: HeadPlace) -> str:
    texts = [
        f"no query sees a key {rule.width} or more places away" if rule.kind == "window"
        else _IN_WORDS[rule.kind] + _aligned(place, rule)
        for rule in mask_rules(place.attention)
    ]  # fmt: skip
    value = _value(place)
    hidden = "−∞" if value.is_infinite() else decimals.text(value).replace("-", "−")
    rules = "; ".join(texts)
    last = f" {_OF_THE_LAST}" if _sees_all(place) else ""
    return f"{rules[:1].upper()}{rules[1:]}.{last} Where the mask is 0, the score becomes {hidden}."


_OF_THE_LAST = "So the last row hides nothing."


def _sees_all(place: HeadPlace) -> bool:
    """Tells whether the last query sees every key: the rule is causal alone, and it stands at the
    last key."""
    n, m = (side(place.x) for side in (place.height, place.width))
    return all(
        rule.kind == "causal" and (n == m or not rule.from_top)
        for rule in mask_rules(place.attention)
    )


MASK_STEP = Step(
    name="mask",
    at=HeadPlace,
    keys=(MASK, MASK_VALUE),
    check=check_mask,
    words=Wording(
        title="Mask",
        does="hides the keys that a query must not see",
        shapes="scores [n, m], mask [n, m] → masked [n, m]",
        happens=_happens,
        why=(
            "A mask hides keys that a query must not see, such as the next tokens, which a decoder"
            " has to predict."
        ),
        more=(
            "A mask that hides what comes after a query is called causal. In training all of a text"
            " is there at once, and only the mask keeps the answer from the question. A score of −∞"
            " gets the weight e^(−∞) = 0, so its key has no part in the output. To put 0 in its"
            " place wouldn't do, as e^0 = 1. Padding and keys that are too far away are hidden in"
            " the same way."
        ),
        of_last_row=_OF_THE_LAST,
    ),
    results=Results(names=("mask", "masked"), nouns={"masked": "score"}, plan=_plan, fits=_fits),
    formulas=Formulas(x="scores", config={"mask": ("causal",)}),
    example=Example("i_love_tennis_causal", ("mask=causal",)),
    prominence=Prominence(on_the_way=True),
    inquiries=(Inquiry("which_mask", "which of some tables is the mask", ("mask",), which_mask),),
    mistakes=(
        Mistake("not_masked", "Forgetting the mask.", _not_masked),
        Mistake(
            "zero_for_infinity",
            "Writing 0 instead of −∞, or multiplying by the mask: the hidden key still gets e^0 ="
            " 1 before the division.",
            wrong(by(Masked(Number.written(0))), "masked", when=_is_raised),
        ),
        Mistake(
            "minus_one_for_infinity",
            "Writing −1 instead of −∞: the hidden key still gets e^(−1) before the division.",
            wrong(
                by(Masked(Number.written(-1))),
                "masked",
                when=lambda place: _value(place).is_infinite() and _is_raised(place),
            ),
        ),
        Mistake(
            "sees_the_next",
            "Letting each query see the next key too: the mask is one place off.",
            instead(lambda place: _seen(place, later=1)),
        ),
        Mistake(
            "does_not_see_itself",
            "Hiding each query's own key too: the mask is one place off, to the other side.",
            instead(lambda place: _seen(place, later=-1)),
        ),
        Mistake(
            "other_corner",
            "Counting the queries from the first key, although the cached keys come first.",
            instead(lambda place: _seen(place, from_top=True) if place.attention.cached else None),
        ),
        Mistake(
            "masked_after_softmax",
            "Setting weights to 0 after the softmax, so that the rest don't add up to 1.",
            _after_softmax,
        ),
    ),
    backward=Backward(
        "the mask",
        "A hidden score has no part in the loss and gets no gradient, and the other scores get"
        " theirs unchanged.",
        fixed=("add", "allowed", "blocked"),
    ),
)
