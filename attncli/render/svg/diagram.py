"""Boxes in columns and rows with arrows between them: what flows where, paths, trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncli.pictures import Box, Diagram, Link
from attncli.render.svg.boxes import Rectangle, around, with_room
from attncli.render.svg.elements import Picture, element, head_at, placed, plate, text_at, text_of
from attncli.render.svg.layout import layout_of
from attncli.render.svg.routes import Route, route_of

_WIDEST, _BORDER, _ROUND, _LINE, _APART = 960, 2.0, 6, 19, 8.0


def diagram(block: Diagram) -> Picture:
    """The diagram; one that is too wide across goes down instead."""
    drawn = _drawn(block)
    if not block.across or drawn.size[0] <= _WIDEST:
        return drawn
    boxes = tuple(one._replace(column=one.row, row=one.column) for one in block.boxes)
    turned = _drawn(block._replace(across=False, boxes=boxes))
    return turned if turned.size[0] < drawn.size[0] else drawn


def _drawn(block: Diagram) -> Picture:
    layout = layout_of(block)
    boxes = {one.id: layout.box(one.id) for one in block.boxes}
    routes = [route_of(layout, k, link) for k, link in enumerate(block.links)]
    labels = _labels(block.links, routes, [*boxes.values()])
    order = sorted(range(len(routes)), key=lambda k: block.links[k].chosen)
    elements = (
        *(part for k in order for part in _link(routes[k], chosen=block.links[k].chosen)),
        *(part for one in block.boxes for part in _box(one, boxes[one.id])),
        *(part for link, box in labels for part in _label(link, box)),
    )
    tracks = (Rectangle(*one.spots[0], *one.spots[0]) for one in routes)
    whole = around([*boxes.values(), *(box for _, box in labels), *tracks])
    size = (whole.right - whole.left + 2 * _BORDER, whole.bottom - whole.top + 2 * _BORDER)
    inside = placed(Picture("", "", size, elements), _BORDER - whole.left, _BORDER - whole.top)
    return Picture(text_of(block.title), _in_words(block), size, (inside,))


def _labels(
    links: Sequence[Link], routes: Sequence[Route], boxes: Sequence[Rectangle]
) -> list[tuple[Link, Rectangle]]:
    """A place for each label on its link, where none stands upon another or a box."""
    taken = [*boxes]
    found = []
    for link, route in zip(links, routes, strict=True):
        text = text_of(link.label)
        if text:
            box = with_room(text, route.spots, taken)
            taken.append(box.wider(_APART))
            found.append((link, box))
    return found


def _link(route: Route, *, chosen: bool) -> Iterator[str]:
    kind = "chosen" if chosen else "link"
    yield element("path", d=route.outline, class_=f"way {kind}")
    yield head_at(route.before, route.end, f"head {kind}")


def _label(link: Link, box: Rectangle) -> Iterator[str]:
    """The label, with nothing of the line below it."""
    yield plate(*box.middle, text_of(link.label))
    kind = "middle most" if link.chosen else "middle"
    yield text_at(*box.middle, text_of(link.label), kind)


def _box(one: Box, place: Rectangle) -> Iterator[str]:
    """A box, its label, and what stands below that."""
    wide, high = place.right - place.left, place.bottom - place.top
    kind = "box chosen" if one.chosen else "box"
    yield element(
        "rect", x=place.left, y=place.top, width=wide, height=high, rx=_ROUND, class_=kind
    )
    x, y = place.middle
    y -= _LINE / 2 if one.below else 0
    yield text_at(x, y, text_of(one.label), "middle most" if one.chosen else "middle")
    if one.below:
        yield text_at(x, y + _LINE, text_of(one.below), "middle aside")


def _in_words(block: Diagram) -> str:
    """Each box, and each link."""
    names = {one.id: text_of(one.label) for one in block.boxes}
    boxes = (f"{text_of(one.label)} {text_of(one.below)}".strip() for one in block.boxes)
    links = (
        f"{names[one.source]} → {names[one.target]}"
        + (f": {text_of(one.label)}" if one.label else "")
        + (" (chosen)" if one.chosen else "")
        for one in block.links
    )
    return f"{'; '.join(boxes)}. {'; '.join(links)}.".replace(" .", "")
