"""What a scenario says of masks: their keys, and the rules that come of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from attncli.file.keys import Key, Record
from attncli.file.kinds import COUNT, NUMBER, Choice, Either, ListOf, OneOrMany, word_or
from attncli.file.matrices import TRUTH_TABLE, MatrixKind
from attncli.file.nodes import Scalar
from attncli.file.problems import Problems
from attncli.name import TOP, Name, below
from attncli.refusals import listed, quote
from attncli.scenario.model import Attention, entry_path
from attncli.scenario.tokenizers.kind import TOKEN
from attncli.trace import HeadPlace

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
MASK: Key[tuple[str | Mapping[str, Any], ...]] = Key(
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
    """One rule of a mask; `keys` are padded places from 0, `table` is the full name of the table
    that it goes by, if any; `from_top` says that the first query is at the first key."""

    kind: str
    width: int = 0
    keys: tuple[int, ...] = ()
    table: Name = TOP
    from_top: bool = False


def _said(attention: Attention) -> tuple[str | Mapping[str, Any], ...]:
    return attention.said.get(MASK)


def mask_rules(attention: Attention) -> tuple[MaskRule, ...]:
    """The rules of the mask of an attention."""
    found: list[MaskRule] = []
    for k, rule in enumerate(_said(attention)):
        if isinstance(rule, str):
            found += [MaskRule(rule)] if rule != "none" else []
        else:
            found += _rules_of(attention, _path(attention, k), rule)
    return tuple(found)


def _path(attention: Attention, k: int) -> Name:
    """The path of a rule, from 0; a single one has none of its own."""
    count = len(_said(attention))
    return entry_path(attention.said.at(MASK).path, MASK.name, k, count)


def _rules_of(attention: Attention, path: Name, rule: Mapping[str, Any]) -> Iterator[MaskRule]:
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
    """The places of a padded key, from 0; a token means all of its places."""
    keys = attention.keys
    places = [k for k, key in enumerate(keys) if key == name]
    if not places and name.isascii() and name.isdigit() and int(name) >= 1:
        return [int(name) - 1] if not keys or int(name) <= len(keys) else []
    return places


def check_mask(place: HeadPlace, problems: Problems) -> None:
    """No rule is empty, and padding is of keys that are there."""
    keys = place.attention.keys
    for k, rule in enumerate(_said(place.attention)):
        path = _path(place.attention, k)
        if not rule:
            wrong = "a mask without any rule"
            problems.add(place.scenario.where(path), wrong, "say causal, or give a rule")
        for name in () if isinstance(rule, str) else rule.get("padding", ()):
            if not _padded(place.attention, name):
                where = place.scenario.where(below(path, "padding"))
                right = f"name one of {listed(keys)}" if keys else "give positions from 1"
                problems.add(where, f"{quote(name)} is none of the keys", right)
