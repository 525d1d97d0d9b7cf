"""Names of quantities: values with parts, which are also the texts that are printed."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path

import pytest

from attncli.names import TOP, Name, below
from attncli.pages.explain import find_cells
from tests.helpers.pages import LIGHT, page_of, page_of_cells, shipped_trace, trace_of

ROOT = Path(__file__).resolve().parents[2]

LAYER = below(Name("encoder"), "layers", 1)
HEAD = below(LAYER, "heads", 2)
GATE = below(below(LAYER, "gates").at(3), "forget")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (TOP, ""),
        (Name("weights"), "weights"),
        (HEAD, "encoder.layers[1].heads[2]"),
        (below(HEAD, "W_Q"), "encoder.layers[1].heads[2].W_Q"),
        (below(LAYER, "a").at(0), "encoder.layers[1].a[0]"),
        (below(LAYER, "a").at("t−1"), "encoder.layers[1].a[t−1]"),
        (GATE, "encoder.layers[1].gates[3].forget"),
        (GATE.at(1), "encoder.layers[1].gates[1].forget"),
        (below(LAYER, "a").at(2).at(None), "encoder.layers[1].a"),
        (below(below(TOP, "mask", 2), "add"), "mask[2].add"),
    ],
)
def test_a_name_is_its_text(name: Name, text: str) -> None:
    assert str(name) == name == text
    assert {name: 1}[text] == {text: 1}[name] == 1  # type: ignore[index]


def test_parts() -> None:
    assert (HEAD.local, HEAD.number, HEAD.time, HEAD.path) == ("heads", 2, None, LAYER)
    assert (GATE.local, GATE.number, GATE.time) == ("forget", None, 3)
    assert GATE.path.time == 3
    assert TOP.path == TOP
    assert Name("Q").path == TOP
    assert HEAD.places == ("encoder", LAYER, HEAD)
    assert TOP.places == ()


def test_a_mask_s_number_is_no_time() -> None:
    table = below(below(LAYER, "mask", 2), "add")
    assert table.path.number == 2
    assert table.time is None


def test_the_last_part_alone() -> None:
    assert below(LAYER, "a").at(2).alone == "a[2]"
    assert GATE.alone == "forget"
    assert GATE.alone.time is None
    assert HEAD.alone.number == 2


def test_inside() -> None:
    assert HEAD.inside(LAYER)
    assert HEAD.inside(Name("encoder"))
    assert HEAD.inside(TOP)
    assert not HEAD.inside(HEAD)
    assert not LAYER.inside(HEAD)
    assert not below(TOP, "layers", 12).inside(below(TOP, "layers", 1))
    assert not Name("encoder2").inside(Name("encoder"))


@pytest.mark.parametrize(
    ("name", "place", "seen"),
    [
        (below(HEAD, "Q"), HEAD, "Q"),
        (below(LAYER, "X"), HEAD, "X"),
        (below(HEAD, "Q"), LAYER, "heads[2].Q"),
        (below(HEAD, "Q"), TOP, "encoder.layers[1].heads[2].Q"),
        (Name("embeddings"), HEAD, "embeddings"),
        (below(below(TOP, "layers", 12), "X"), below(TOP, "layers", 1), "layers[12].X"),
        (below(LAYER, "a").at(2), LAYER, "a[2]"),
        (GATE, LAYER, "gates[3].forget"),
        (GATE, GATE.path, "forget"),
    ],
)
def test_seen_from_a_place(name: Name, place: Name, seen: str) -> None:
    here = name.seen_from(place)
    assert here == seen
    assert (here.local, here.number) == (name.local, name.number)


def test_a_time_stays_as_long_as_it_is_seen() -> None:
    assert GATE.seen_from(LAYER).at(1) == "gates[1].forget"
    assert GATE.seen_from(GATE.path).time is None


def test_names_don_t_change() -> None:
    with pytest.raises(AttributeError, match="names don't change"):
        HEAD.local = "X"


@pytest.mark.parametrize("name", [TOP, HEAD, GATE, below(LAYER, "a").at(2)])
def test_copies_keep_their_parts(name: Name) -> None:
    for other in (copy.deepcopy(name), pickle.loads(pickle.dumps(name))):
        assert isinstance(other, Name)
        assert other == name
        assert other.places == name.places
        assert [(p.local, p.number, p.time) for p in other.places] == [
            (p.local, p.number, p.time) for p in name.places
        ]


_PART = re.compile(r"(\w+)(?:\[(\d+)\])?")
"""What a part of a name looks like: letters of any language, digits and `_`, then what counts it"""


@pytest.mark.parametrize("name", LIGHT)
def test_no_part_hides_another(name: str) -> None:
    """What a person reads in the text of each name is what the name knows."""
    trace = shipped_trace(name)
    for quantity in trace.quantities.values():
        read = [_PART.fullmatch(part) for part in quantity.name.split(".")]
        for place, match in zip(quantity.name.places, read, strict=True):
            assert match is not None
            inherited = place.path.time is not None
            own = place.number if place.time is None or inherited else place.time
            assert (place.local, own) == (match[1], match[2] and int(match[2])), quantity.name


TWO_RULES = """
Q: [[1, 0], [0, 1]]
K: [[1, 0], [0, 1]]
V: [[1, 0], [0, 1]]
mask: [causal, {add: [[0, -1], [2, 0]]}]
"""


def test_a_rule_of_a_mask_is_no_time_in_latex() -> None:
    """`mask[2].add` was printed like `gates[2].forget`: mask to the power of ⟨2⟩."""
    page = page_of(trace_of(TWO_RULES), "markdown")
    assert r"\mathrm{mask[2].add}[i, j]" in page
    assert r"\langle" not in page


CACHED = """
tokens: [b, c]
cache: {tokens: ["a (2)", c], K: [[1, 0], [0, 1]], V: [[1, 2], [3, 4]]}
embeddings: {b: [1, 0], c: [0, 1]}
W_Q: [[1, 0], [0, 2]]
W_K: [[1, 0], [0, 1]]
W_V: [[1, 0], [0, 1]]
"""


def test_a_cached_token_that_looks_numbered_is_found() -> None:
    """c is repeated and so gets its positions; the token `a (2)` is still that token."""
    trace = trace_of(CACHED)
    assert trace["weights"].columns.names == ("a (2) (1)", "c (2)", "b", "c (4)")
    ((name, address),) = find_cells(trace, ['weights[b, "a (2)"]'], ())
    assert trace[name].find(address) == (0, 0)
    assert "weights[b, a (2) (1)] = " in page_of_cells(trace, ['weights[b, "a (2)"]'])


def test_a_position_comes_before_a_token_that_looks_like_it() -> None:
    trace = trace_of(CACHED.replace('"a (2)", c', '"c (2)", c'))
    assert trace["weights"].columns.names == ("c (2) (1)", "c (2)", "b", "c (4)")
    ((name, address),) = find_cells(trace, ['weights[b, "c (2)"]'], ())
    assert trace[name].find(address) == (0, 1)
