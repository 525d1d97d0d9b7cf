"""Saved models for commands of the core: `attn run --from`, `attn new --from`, `attn help`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attncli.commands.arguments import ScenarioOfModel
from attncli.models.checkpoints.model_folder import Checkpoint
from attncli.models.checkpoints.module_inputs import inputs_of
from attncli.models.checkpoints.modules import checkpoint_of
from attncli.models.checkpoints.scenario_of_model import Inputs, reading_of, scenario_of
from attncli.models.checkpoints.told import told_of_models
from attncli.scenario.scenario import MOST_NUMBERS


def scenario(
    folder: str,
    place: Path,
    read: Mapping[str, str | None],
    files: Mapping[str, Any] = {},
) -> ScenarioOfModel:
    """Makes the scenario of a model in a folder, for a file in a place. What it reads is a text or
    IDs, by the option that says it, and then what its encoder reads, or is in `files`. Raises
    UserError."""
    checkpoint = Checkpoint.of(folder)
    own, of_encoder = (
        None if text is None else reading_of(option, text, checkpoint.file.parent, place)
        for option, text in read.items()
    )
    assert own is not None
    made = scenario_of(checkpoint, place, Inputs(own, of_encoder, **files))
    return ScenarioOfModel(made, checkpoint.size > MOST_NUMBERS)


def data_of(
    source: str | Path | Mapping[str, object],
    tokens: object,
    *,
    config: object,
    encoder_tokens: object,
    picture: str | None,
) -> AbstractContextManager[dict[str, object]]:
    """Yields what the scenario of a model says, of a folder or of a map of tensors by their names,
    as long as its tensors are there. Raises UserError."""
    folder = Path(source) if isinstance(source, str | Path) else None
    inputs = inputs_of(folder, tokens, encoder_tokens)
    return data_with(source, config, inputs._replace(picture=picture))


@contextmanager
def data_with(
    source: str | Path | Mapping[str, object],
    config: object,
    inputs: Inputs,
    table: Mapping[str, object] | None = None,
) -> Iterator[dict[str, object]]:
    """Yields what the scenario of a model says, as long as its tensors are there; of a part of one
    by a table of its own. Raises UserError."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # some systems keep what is read
        if isinstance(source, str | Path):
            checkpoint = Checkpoint.of(str(source))
        else:
            checkpoint = checkpoint_of(source, config, Path(folder), table)
        yield scenario_of(checkpoint, Path(), inputs)


told = told_of_models
