"""A scenario as a Python program loads it, which shows in a notebook what it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ParamSpec

from attncli import pipeline
from attncli.library.notebook import Showable
from attncli.scenario.scenario import Scenario

if TYPE_CHECKING:
    from attncli.document.blocks import Document
    from attncli.models.checkpoints.scenario_of_model import Inputs
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
        source: Any,  # noqa: ANN401
        tokens: Any = None,  # noqa: ANN401
        *,
        config: Any = None,  # noqa: ANN401
        encoder_tokens: Any = None,  # noqa: ANN401
        picture: str | None = None,
        changes: str | Mapping[str, object] | Changes = (),
    ) -> LoadedScenario:
        """Makes the scenario of a model: of a folder as `transformers` saves it, or of a map of
        tensors by their names, a `state_dict()`, with the `config` that it goes by.

        `tokens` is what goes in: a text, where the folder has a tokenizer, or IDs, or vectors [n,
        d_model]; a `picture` of a model that sees some. Raises UserError.
        """
        from attncli.models.checkpoints.modules import inputs_of

        folder = Path(source) if isinstance(source, str | Path) else None
        inputs = inputs_of(folder, tokens, encoder_tokens)
        return scenario_of(source, config, inputs._replace(picture=picture), changes)


def _shown(load: Callable[_Arguments, Scenario]) -> Callable[_Arguments, LoadedScenario]:
    @wraps(load)
    def loaded(*source: _Arguments.args, **how: _Arguments.kwargs) -> LoadedScenario:
        scenario = load(*source, **how)
        return LoadedScenario(**{one.name: getattr(scenario, one.name) for one in fields(scenario)})

    return loaded


load = _shown(pipeline.load)


def scenario_of(
    source: Any,  # noqa: ANN401
    config: Any,  # noqa: ANN401
    inputs: Inputs,
    changes: str | Mapping[str, object] | Changes = (),
) -> LoadedScenario:
    """Makes the scenario of a model and of what goes in. Raises UserError."""
    with data_of(source, config, inputs) as data:
        in_place = isinstance(source, str | Path)
        return load(data, changes, outside=True, large=True, in_place=in_place)


@contextmanager
def data_of(
    source: Any,  # noqa: ANN401
    config: Any,  # noqa: ANN401
    inputs: Inputs,
    table: Mapping[str, Any] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yields what the scenario of a model says, as long as its tensors are there; of a part of one
    by a table of its own. Raises UserError."""
    from attncli.models.checkpoints import scenario_of_model
    from attncli.models.checkpoints.model_folder import Checkpoint
    from attncli.models.checkpoints.modules import checkpoint_of

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # some systems keep what is read
        if isinstance(source, str | Path):
            checkpoint = Checkpoint.of(str(source))
        else:
            checkpoint = checkpoint_of(source, config, Path(folder), table)
        yield scenario_of_model.scenario_of(checkpoint, Path(), inputs)
