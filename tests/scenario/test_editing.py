"""Changes written into the text of a scenario: read by PyYAML's own loader, and nothing else of
the text touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
import yaml

from attncli.errors import UserError
from attncli.scenario.file.editing import edited, splice_of
from tests.conftest import ROOT, THOROUGH

SHIPPED = sorted((ROOT / "scenarios").glob("*.yaml"))


def _scalars(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _scalars(value, (*path, key))
    elif isinstance(data, list):
        for k, value in enumerate(data):
            yield from _scalars(value, (*path, k))
    elif path:
        yield path


def _key(path: tuple[Any, ...]) -> str | None:
    """A path as `--set` takes it: names, and what follows the last of them in brackets."""
    if any(isinstance(part, str) and not part.replace("_", "").isalnum() for part in path):
        return None
    text = ""
    for k, part in enumerate(path):
        if isinstance(part, int):
            inner = any(isinstance(later, str) for later in path[k:])
            text += f"[{part + 1}]" if inner else ""
        else:
            text += f".{part}"
    numbers: list[str] = []
    while path and isinstance(path[-1], int):
        numbers.insert(0, str(path[-1] + 1))
        path = path[:-1]
    return text.removeprefix(".") + (f"[{', '.join(numbers)}]" if numbers else "")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_scalars_of_shipped_scenarios(path: Any) -> None:
    text = path.read_text()
    places = [(place, _key(place)) for place in _scalars(yaml.safe_load(text))]
    chosen = [(place, key) for place, key in places if key is not None]
    for place, key in chosen if THOROUGH else Random(path.stem).sample(chosen, min(2, len(chosen))):
        cut = splice_of(text, key)
        if cut is None:
            assert "&" in text  # what has two names stays
            continue
        data = yaml.safe_load(text)
        inside = data
        for part in place[:-1]:
            inside = inside[part]
        inside[place[-1]] = 77.25
        new = edited(text, [f"{key}=77.25"], {})
        assert yaml.safe_load(new) == data
        assert new == f"{text[: cut.start]}{cut.before}77.25{text[cut.end :]}"


TOGETHER = """\
W: # rows
- [1, 0] # one
-  [0,1]
e: {a: [1, 0], b: [2]}
rounding:
  policy: carry
scale: none # or not
"""
VALUES = {
    "W[1,1]": ("5", "-2"), "W[2,2]": ("6",), "W": ("[[1, 2], [3, 4]]", "[[7]]"), "e[a,1]": ("8",),
    "e": ("{a: [9], c: [1]}",), "e[c,1]": ("3",), "rounding.policy": ("exact",), "scale": ("none",),
    "rounding.decimals": ("2", "4"), "mask": ("causal",), "heads[1].W_K": ("[[1]]",),
}  # fmt: skip


def test_changes_at_once_say_what_one_after_the_other_do() -> None:
    pen = Random(58)
    agreed = refused = 0
    for _ in range(3000 if THOROUGH else 300):
        keys = pen.choices([*VALUES], k=pen.randrange(2, 7))
        changes = [f"{key}={pen.choice(VALUES[key])}" for key in keys]
        new = TOGETHER
        try:
            for change in changes:
                new = edited(new, [change], {})
        except UserError:
            refused += 1
            with pytest.raises(UserError):
                edited(TOGETHER, changes, {})
            continue
        agreed += 1
        together = edited(TOGETHER, changes, {})
        assert yaml.safe_load(together) == yaml.safe_load(new)
        assert sorted(together) == sorted(new)  # what is new may stand in another order
    assert min(agreed, refused) > 20


def test_a_thousand_changes_are_written_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[int]()

    def counted(parse: Callable[..., Any]) -> Callable[..., Any]:
        def counting(text: str, **named: Any) -> Any:
            read.append(len(text))
            return parse(text, **named)

        return counting

    for name in ("parse", "compose"):
        monkeypatch.setattr(yaml, name, counted(getattr(yaml, name)))
    text = f"W: {[[0] * 100 for _ in range(10)]}\n"
    changes = [f"W[{k % 10 + 1},{k % 99 + 1}]={k}" for k in range(1010)]
    new = edited(text, changes, {})
    assert yaml.safe_load(new)["W"][9][98] == 989
    assert 0 < sum(size > 100 for size in read) <= 4  # the others are the values


CASES = {
    "a number in a row": ("W: [[1,  0], # ä\n    [0, 1]] # e\n", "W[2,1]", "-2.50", "W: [[1,  0], # ä\n    [-2.50, 1]] # e\n"),
    "a name": ("e:\n  love: [1, 0]\n", "e[love,2]", "3", "e:\n  love: [1, 3]\n"),
    "quoted": ("scale: 'none' # why\n", "scale", "sqrt_d_k", "scale: sqrt_d_k # why\n"),
    "nothing": ("scale:   # why\na: 1\n", "scale", "none", "scale: none   # why\na: 1\n"),
    "a block": ("mask: # who\n  - [1, 0]\n\n# next\nb: 1\n", "mask", "causal", "mask: # who\n   causal\n\n# next\nb: 1\n"),
    "a list at its key": ("mask:\n- [1, 0]\nb: 1\n", "mask", "causal", "mask:\n causal\nb: 1\n"),
    "a folded text": ("about: >-\n  one\n  two\n\nb: 1\n", "about", "three: four", 'about: "three: four"\n\nb: 1\n'),
    "of a layer": ("layers:\n  - heads:\n      - {W_K: [[1]]}\n", "layers[1].heads[1].W_K[1,1]", "2", "layers:\n  - heads:\n      - {W_K: [[2]]}\n"),
    "a new key": ("a: 1 # one", "scale", "none", "a: 1 # one\nscale: none"),
    "below a text": ("a: |\n  1\n", "scale", "none", "a: |\n  1\nscale: none\n"),
    "in a block": ("rounding: # r\n  policy: carry # c\n\n# b\nb: 1\n", "rounding.decimals", "2", "rounding: # r\n  policy: carry # c\n  decimals: 2\n\n# b\nb: 1\n"),
    "in a flow": ("rounding: { policy: carry }\r\nb: 1\r\n", "rounding.decimals", "2", "rounding: { policy: carry, decimals: 2 }\r\nb: 1\r\n"),
    "in what isn't there": ("a: 1\r\n", "rounding.steps.softmax", "2", "a: 1\r\nrounding: {steps: {softmax: 2}}\r\n"),
    "of json": ('{"a": [1, 2]}', "a[2]", "3", '{"a": [1, 3]}'),
}  # fmt: skip


@pytest.mark.parametrize(("text", "key", "value", "new"), CASES.values(), ids=CASES)
def test_what_a_change_does_to_a_text(text: str, key: str, value: str, new: str) -> None:
    from attncli.scenario.file.keys import Key, TextKind

    assert edited(text, [f"{key}={value}"], {"about": Key("about", TextKind(), "")}) == new


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("W: {random: normal, seed: 1}\n", "W[1,1]"),
        ("a: &a [1, 0]\nb: *a\n", "a[1]"),
        ("a: &a [1, 0]\nb: *a\n", "b[1]"),
        ("a: &a {x: 1}\nb:\n  <<: *a\n  y: 2\n", "b.x"),
        ("a: [1, 0]\n", "a[3]"),
        ("a: [1, 0\n", "a[1]"),
        ("", "scale"),
    ],
)
def test_what_has_no_place_of_its_own(text: str, key: str) -> None:
    assert splice_of(text, key) is None
    with pytest.raises(UserError):
        edited(text, [f"{key}=7"], {})
