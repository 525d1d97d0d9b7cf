"""What a format can do besides writing a document, and what it has to know of the place that it is
printed on."""

from __future__ import annotations

from typing import NamedTuple


class Abilities(NamedTuple):
    """`keys` are the places where the key of an exercise may go, the usual one first. A format has
    a `fragment` if its pages go without a preamble. One that is `self_keyed` writes sheet and key
    as one source, from the exercise itself; `share` is what a known mistake earns in it, in per
    cent, if nothing is said, None if mistakes aren't looked for. `hints` is where these go: on a
    sheet of their own (`separate`), into the exercise itself (`embedded`), or nowhere (`none`). One
    that is `gathered` writes all forms of an exercise as one file, by `render_forms`; one that can
    have sheets `together` writes many as one file to print, by `render_together`; one that is
    `packed` writes a package of several, by `files_of`. One that is `pictured` has all
    pictures of a page without being asked for them. `detail` is how closely a page is told in
    it if nothing is said, None if that is as it fits. In one that is `checking` sheets check
    themselves. `package` is the one that it takes besides those that are always there. One
    with `values_only` can leave all texts out."""

    keys: tuple[str, ...] = ("embedded", "none", "separate")
    fragment: bool = False
    self_keyed: bool = False
    share: int | None = None
    hints: str = "separate"
    gathered: bool = False
    together: bool = False
    packed: bool = False
    pictured: bool = False
    detail: str | None = None
    checking: bool = False
    package: str = ""
    values_only: bool = False


class Page(NamedTuple):
    """The width in terminal cells, whether colours are wanted, whether only a fragment is: what
    goes into a document of one's own; whether looks and scripts stand in files beside it, for pages
    that share them; and whether values are wanted without texts."""

    width: int = 80
    colour: bool = False
    fragment: bool = False
    shared: bool = False
    values_only: bool = False
