"""What blocks have to know of the page that they are set on."""

from __future__ import annotations

from attncli.records import NamedTuple
from attncli.render.typst.mathematics import WORKING, InkedNotation


class Setting(NamedTuple):
    """Whether there are colours: none on what is to be filled in. Whether room to write goes on to
    the end of the page."""

    coloured: bool = True
    whole_pages: bool = False

    @property
    def notation(self) -> InkedNotation:
        return WORKING if self.coloured else WORKING.but(coloured=False)

    def ink(self, name: str) -> str:
        """An ink, where there are some."""
        return name if self.coloured else ""
