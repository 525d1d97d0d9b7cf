"""Rectangles that mustn't overlap, and where a text finds room among them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from attncli.render.svg.elements import TEXT_SIZE, Point, text_width


class Rectangle(NamedTuple):
    """From its left upper to its right lower corner."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Rectangle) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def wider(self, by: float) -> Rectangle:
        """The rectangle with so much room at its sides."""
        return Rectangle(self.left - by, self.top, self.right + by, self.bottom)

    def holding(self, points: Sequence[Point]) -> int:
        """How many points are in it, of some in the order of x."""
        first = bisect_right(points, (self.left, inf))
        last = bisect_left(points, (self.right, -inf))
        return sum(self.top < y < self.bottom for _, y in points[first:last])

    @property
    def middle(self) -> Point:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


def text_box(text: str, middle: Point) -> Rectangle:
    """The place of a text around a point."""
    half, high = text_width(text) / 2, TEXT_SIZE * 0.6
    x, y = middle
    return Rectangle(x - half, y - high, x + half, y + high)


def with_room(
    text: str, places: Iterable[Point], taken: Sequence[Rectangle], lines: Sequence[Point] = ()
) -> Rectangle:
    """The first of the places where the text overlaps nothing; of those that stand on lines only,
    which are points in the order of x, the one that does so least; the last, where all overlap
    something."""
    boxes = [text_box(text, place) for place in places]
    free = [one for one in boxes if not any(map(one.overlaps, taken))]
    return min(free, key=lambda one: one.holding(lines), default=boxes[-1])


def around(boxes: Iterable[Rectangle]) -> Rectangle:
    """The least rectangle that has all of these in it."""
    all_boxes = [*boxes]
    return Rectangle(
        min(one.left for one in all_boxes),
        min(one.top for one in all_boxes),
        max(one.right for one in all_boxes),
        max(one.bottom for one in all_boxes),
    )
