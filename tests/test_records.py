"""Our records behave as the standard library's do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import typing
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from attncli import _records as ours
from attncli.records import NamedTuple, Node


def tuples(base: Any) -> Any:
    class Pair(base):  # type: ignore[misc]
        """Two."""

        first: int
        second: tuple[str, ...] = ("b",)

        @property
        def both(self) -> tuple[Any, ...]:
            return (self.first, self.second)

    return Pair


def longer(base: Any) -> Any:
    class Longer(base):  # type: ignore[misc]
        """More fields than most have."""

        a: int
        b: int
        c: int
        d: int
        e: int = 5
        f: int = 6

    return Longer


class Tuple(NamedTuple):
    """One that can be pickled."""

    first: int
    second: int = 2


def classes(library: Any, **settings: bool) -> Any:
    @library.dataclass(**settings)
    class Base:
        """A base."""

        first: int
        second: list[int] = library.field(default_factory=list)
        third: str = library.field(default="c", repr=False, compare=False)
        kind: ClassVar[str] = "base"

    @library.dataclass(**settings)
    class Derived(Base):
        fourth: float = 0.5

    return Derived


def outcome(act: Callable[[], Any]) -> tuple[str, str]:
    """What comes of it, or the kind of error."""
    try:
        return "done", repr(act())
    except AttributeError:
        return "refused", "attribute"
    except (TypeError, ValueError) as error:
        return "refused", type(error).__name__


TUPLE_ACTS: tuple[Callable[[Any], Any], ...] = (
    lambda made: made(1),
    lambda made: made(1, second=()),
    lambda made: made(),
    lambda made: made(1, 2, 3),
    lambda made: made(1, third=3),
    lambda made: made._make([1, 2]),
    lambda made: made(1)._replace(first=3),
    lambda made: made(1)._replace(third=3),
    lambda made: made(1)._asdict(),
    lambda made: (made._fields, made._field_defaults, made.__match_args__, made.__doc__),
    lambda made: (made.__name__, made.__qualname__[-4:], made.__module__, made.__mro__[-2:]),
    lambda made: made(1).both,
    lambda made: (made(1) == (1, ("b",)), hash(made(1)) == hash((1, ("b",)))),
    lambda made: setattr(made(1), "other", 3),
    lambda made: copy.deepcopy(made(1)),
    lambda made: [*made(1)],
)


@pytest.mark.parametrize("act", TUPLE_ACTS)
def test_a_named_tuple_is_as_typing_has_it(act: Callable[[Any], Any]) -> None:
    mine, theirs = tuples(ours.NamedTuple), tuples(typing.NamedTuple)
    assert outcome(lambda: act(mine)) == outcome(lambda: act(theirs))


LONGER_ACTS: tuple[Callable[[Any], Any], ...] = (
    lambda made: made(1, 2, 3, 4),
    lambda made: made(1, 2, 3, 4, 5, 7),
    lambda made: made(1, 2, c=3, d=4),
    lambda made: made(1, 2, 3, 4, f=8),
    lambda made: made(f=1, e=2, d=3, c=4, b=5, a=6),
    lambda made: made(1, 2, 3),
    lambda made: made(1, 2, d=3),
    lambda made: made(1, 2, 3, 4, 5, 6, 7),
    lambda made: made(1, 2, 3, 4, a=5),
    lambda made: made(1, 2, 3, 4, g=5),
    lambda made: made(1, 2, 3, 4)._replace(e=0),
)


@pytest.mark.parametrize("act", LONGER_ACTS)
def test_a_longer_named_tuple_is_as_typing_has_it(act: Callable[[Any], Any]) -> None:
    mine, theirs = longer(ours.NamedTuple), longer(typing.NamedTuple)
    assert outcome(lambda: act(mine)) == outcome(lambda: act(theirs))


def test_a_named_tuple_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Tuple(1))) == (1, 2)
    assert type(pickle.loads(pickle.dumps(Tuple(1)))) is Tuple


class Leaf(Node):
    """One that can be pickled."""

    first: int
    second: Tuple = Tuple(2)


class Other(Leaf):
    """With the same fields."""

    first: int
    second: Tuple = Tuple(2)


def test_nodes_are_what_their_class_and_their_parts_are() -> None:
    assert Leaf(1) == Leaf(1, Tuple(2)) == Leaf(first=1)
    assert hash(Leaf(1)) == hash(Leaf(1, Tuple(2)))
    assert Leaf(1) != Leaf(2)
    assert Leaf(1) != Other(1)
    assert Other(1).parts == (Other(1).first, Other(1).second) == (1, Tuple(2))
    assert repr(Other(1)) == "Other(1, Tuple(first=2, second=2))"
    for made in (copy.deepcopy(Leaf(1)), pickle.loads(pickle.dumps(Leaf(1)))):
        assert made == Leaf(1)
        assert type(made) is Leaf


@pytest.mark.parametrize("name", ["first", "third"])
def test_nodes_stay_as_they_are(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(Leaf(1), name, 2)
    with pytest.raises(TypeError):
        Leaf()  # type: ignore[call-arg]


CLASS_ACTS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda made, _: made(1),
    lambda made, _: made(1, [2], "d", fourth=4),
    lambda made, _: made(),
    lambda made, _: made(1, 2, 3, 4, 5),
    lambda made, _: made(1, fifth=3),
    lambda made, library: library.replace(made(1), fourth=3),
    lambda made, library: library.replace(made(1), third="x").third,
    lambda made, library: library.replace(made(1), fifth=3),
    lambda made, _: (made(1) == made(1), made(1) == made(1, third="x"), made(1) == made(2)),
    lambda made, _: made(1) == (1, [], "c", 0.5),
    lambda made, _: made(1).second is made(1).second,
    lambda made, _: hash(made(1, ())) == hash(made(1, (), third="x")),
    lambda made, _: hash(made(1)),
    lambda made, _: (made.__match_args__, made.kind, made.fourth, made.third),
    lambda made, _: setattr(made(1), "first", 3),
    lambda made, _: delattr(made(1), "first"),
    lambda made, _: copy.deepcopy(made(1)),
)
SETTINGS: tuple[dict[str, bool], ...] = (
    {}, {"frozen": True}, {"frozen": True, "eq": False, "repr": True},
)  # fmt: skip


@pytest.mark.parametrize("act", CLASS_ACTS)
@pytest.mark.parametrize("settings", SETTINGS)
def test_a_dataclass_is_as_the_standard_library_has_it(
    act: Callable[[Any, Any], Any], settings: dict[str, bool]
) -> None:
    mine, theirs = classes(ours, **settings), classes(dataclasses, **settings)
    if settings.get("eq") is False and "hash" in act.__code__.co_names:
        pytest.skip("the hash of an object by its place in memory")
    assert outcome(lambda: act(mine, ours)) == outcome(lambda: act(theirs, dataclasses))
