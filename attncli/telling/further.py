"""The whole pages of the traces beside a scenario's own: of its variants, and of each token that is
generated after the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from attncli.document import Note
from attncli.word import Word

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.trace import Trace


class FurtherPages(Mapping[str, "Document"]):
    """The pages by what they are called; each is told when somebody asks for it."""

    def __init__(self, trace: Trace, tell: Callable[[Trace], Document]) -> None:
        generated = {f"token {k}": one for k, one in enumerate(trace.generated, start=2)}
        self._title, self._tell = trace.scenario.title, tell
        self._traces = {**trace.variants, **generated}

    def __getitem__(self, name: str) -> Document:
        trace = self._traces[name]
        page = self._tell(trace)
        varied = Word("; ".join(trace.scenario.varied))
        other = (
            (Note(("Otherwise than in the scenario itself: ", varied, ".")),) if varied.raw else ()
        )
        title = Word(f"{self._title}: {name}")
        return page._replace(title=title, opening=(*other, *page.opening), closing=())

    def __iter__(self) -> Iterator[str]:
        return iter(self._traces)

    def __len__(self) -> int:
        return len(self._traces)
