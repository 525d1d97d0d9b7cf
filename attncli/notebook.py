"""What the library's `work` gives: a trace that a notebook shows as a page, and parts of it.

A page is told and rendered when something asks for it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, overload

from attncli import pipeline
from attncli.file.address import Address, Index
from attncli.records import dataclass
from attncli.scenario.scenario import Scenario
from attncli.trace import Quantity, Trace
from attncli.trace.token_lists import TokenList, token_lists

if TYPE_CHECKING:
    from attncli.document import Document


class Showable:
    """What is shown by a page, where it is a cell's last expression."""

    def page(self) -> Document:
        """The page. Raises SelectionError."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from attncli.render.html.frame import framed

        return framed(self._rendered("html"), whole=isinstance(self, Trace))

    def _repr_markdown_(self) -> str:
        return self._rendered("markdown")

    def _repr_latex_(self) -> str | None:
        from attncli.render.mathematics import mathematics_of

        return mathematics_of(self.page())

    def _rendered(self, form: str) -> str:
        from attncli.render import Page, render

        return render(self.page(), form, Page())


class ShownPart(Showable):
    """A step or a cell; `print` prints it as `attn run` does."""

    def __init__(self, page: Document) -> None:
        self._page = page

    def page(self) -> Document:
        return self._page

    def __str__(self) -> str:
        return self._rendered("terminal")


@dataclass(frozen=True, eq=False, repr=False)
class ShownQuantity(Showable, Quantity):
    """A quantity that knows the trace which it is of."""

    trace: Trace | None = None

    def cell(self, *indices: str | int) -> ShownPart:
        """The working of one cell, by names or by positions from 1. Raises ValueError."""
        from attncli.telling.cells import address_of, cells_page

        assert self.trace is not None
        said = tuple(Index(str(index), quoted=isinstance(index, str)) for index in indices)
        place = self.find(Address(self.name, said))
        return ShownPart(cells_page(self.trace, [(self.name, address_of(self, *place))]))

    def page(self) -> Document:
        from attncli.telling.single import quantity_page

        assert self.trace is not None
        return quantity_page(self.trace, self.trace[self.name])


class ShownTrace(Showable, Trace):
    """A trace whose steps, quantities and cells are shown."""

    @overload
    def __getitem__(self, name: Literal["tokens", "ids"]) -> TokenList: ...  # type: ignore[overload-overlap]

    @overload
    def __getitem__(self, name: str) -> ShownQuantity: ...

    def __getitem__(self, name: str) -> TokenList | ShownQuantity:
        if name not in self.quantities:
            return token_lists(self.scenario)[name]
        if name not in self._shown:
            self._shown[name] = _shown(self.quantities[name], self._plain)
        return self._shown[name]

    @cached_property
    def _plain(self) -> Trace:
        """What pages are told of: there a quantity is the same wherever it is met."""
        return Trace(
            self.scenario,
            self.quantities,
            self.story,
            self.unfinished,
            self.generated,
            self.variants,
        )

    @cached_property
    def _shown(self) -> dict[str, ShownQuantity]:
        """Those that were asked for."""
        return {}

    def step(
        self,
        name: str,
        *,
        token: str | None = None,
        layer: str | None = None,
        head: str | None = None,
    ) -> ShownPart:
        """A step, as `attn run --step` shows it. Raises ValueError."""
        from attncli.telling.single import step_page

        return ShownPart(step_page(self._plain, name, token, layer, head))

    def cell(self, address: str) -> ShownPart:
        """The working of one cell, `weights[love, AI]`. Raises ValueError."""
        from attncli.telling.cells import cells_page, find_cells

        return ShownPart(cells_page(self._plain, find_cells(self._plain, [address], ())))

    def page(self) -> Document:
        from attncli.telling.selection import select
        from attncli.telling.walkthrough import as_it_fits, check_told

        chosen = select(self._plain)
        check_told(self._plain, chosen)
        return as_it_fits(self._plain, chosen)


def _shown(quantity: Quantity, trace: Trace) -> ShownQuantity:
    one = quantity
    return ShownQuantity(
        one.name, one.matrix, one.rows, one.columns, one.definition, one.origin, trace
    )


def work(scenario: Scenario) -> ShownTrace:
    """The worked scenario, as far as what is given goes, which a notebook shows as a page.

    Raises ScenarioError where the numbers can't be worked.
    """
    trace = pipeline.work(scenario)
    return ShownTrace(
        trace.scenario,
        trace.quantities,
        trace.story,
        trace.unfinished,
        trace.generated,
        trace.variants,
    )
