"""What a scenario says of training, from the values that were read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncli.file.problems import NamedProblems
from attncli.name import Name, below
from attncli.refusals import listed
from attncli.scenario.training import Training
from attncli.steps.training.updates import OPTIMIZERS

_TRAIN = Name("train")


def training_of(
    values: Mapping[str, Any], generate: int, complaints: NamedProblems
) -> Training | None:
    """How a scenario is trained, if it says so; what is wrong with it is complained of."""
    if "learning_rate" not in values:  # of which was complained
        return None
    own = {name: values[name] for name in Training._fields if name in values}
    settings = {name: value for name, value in values.items() if name not in own}
    training = Training(**own, settings=settings)
    _check_settings(training, complaints)
    if generate:
        wrong = "generate beside train: a model is trained, or goes on with a text"
        complaints.add("generate", wrong, "leave one of them out, and make two scenarios")
    return training


def _check_settings(training: Training, complaints: NamedProblems) -> None:
    """Complains of settings that are those of another optimizer."""
    known = [key.name for key in OPTIMIZERS[training.optimizer].settings]
    for name in training.settings:
        if name not in known:
            settings = {one.name: [key.name for key in one.settings] for one in OPTIMIZERS.values()}
            owners = [one for one, names in settings.items() if name in names]
            complaints.add(
                below(_TRAIN, name),
                f"{name} is no setting of {training.optimizer}, but of {listed(owners, ' and ')}",
                f"take it out, or name another optimizer; {training.optimizer} has {listed(known)}",
            )
