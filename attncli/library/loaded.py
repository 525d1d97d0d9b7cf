"""A scenario as a Python program loads it, which shows in a notebook what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from attncli import pipeline
from attncli.commands.arguments import saved_models
from attncli.library.notebook import Showable
from attncli.scenario.scenario import Scenario

if TYPE_CHECKING:
    from attncli.document.blocks import Document
    from attncli.pipeline.trees import Changes

_Arguments = ParamSpec("_Arguments")


@dataclass(frozen=True, eq=False, repr=False)
class LoadedScenario(Scenario, Showable):
    """A scenario; nothing of it is worked to show it."""

    def document(self) -> Document:
        from attncli.pages.explain import given_page

        return given_page(pipeline.work_on_demand(self))

    @classmethod
    def from_checkpoint(
        cls,
        source: str | Path | Mapping[str, object],
        tokens: object = None,
        *,
        config: object = None,
        encoder_tokens: object = None,
        picture: str | None = None,
        changes: str | Mapping[str, object] | Changes = (),
    ) -> LoadedScenario:
        """Makes the scenario of a model: of a folder as `transformers` saves it, or of a map of
        tensors by their names, a `state_dict()`, with the `config` that it goes by.

        `tokens` is what goes in: a text, where the folder has a tokenizer, or IDs, or vectors [n,
        d_model]; a `picture` of a model that sees some. Raises UserError.
        """
        made = saved_models().data_of(
            source, tokens, config=config, encoder_tokens=encoder_tokens, picture=picture
        )
        with made as data:
            in_place = isinstance(source, str | Path)
            return load(data, changes, outside=True, large=True, in_place=in_place)


def _shown(load: Callable[_Arguments, Scenario]) -> Callable[_Arguments, LoadedScenario]:
    @wraps(load)
    def loaded(*source: _Arguments.args, **how: _Arguments.kwargs) -> LoadedScenario:
        scenario = load(*source, **how)
        return LoadedScenario(**{one.name: getattr(scenario, one.name) for one in fields(scenario)})

    return loaded


load = _shown(pipeline.load)
