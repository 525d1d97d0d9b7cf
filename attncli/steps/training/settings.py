"""What a scenario may say of training: the keys of `train`, and the settings of all optimizers."""

from __future__ import annotations

from attncli.file.keys import Key, Needs, Record
from attncli.file.kinds import POSITIVE, SHARE, Choice, OneOrMany, TextKind, WholeNumber
from attncli.scenario.prediction import LOSSES
from attncli.steps.training.optimizers import optimizer_names, optimizers

_MOST_STEPS = 1000

TRAIN = Record.of(
    Key(
        "loss",
        Choice(tuple(LOSSES)),
        "what is made smaller, as `loss` says it at the top: `cross_entropy` (the default of"
        " targets that are tokens), `mse` (of rows of numbers) or `binary_cross_entropy`",
    ),
    Key(
        "label_smoothing",
        SHARE,
        "the share of each target that is spread over all classes alike, as at the top",
    ),
    Key(
        "of",
        OneOrMany(TextKind("a parameter")),
        "the parameters that are trained: `W_Q`, or `[W_Q, layers[1].W_K]`; a last name alone means"
        " all of that name. By default all matrices that the loss changes with, but for what comes"
        " in (`X`, a memory, an initial state) or stands for what is worked (`K`, `scores`)",
    ),
    Key(
        "optimizer",
        Choice(optimizer_names()),
        "how they are updated, with the settings of PyTorch: `sgd` (the default), `momentum`,"
        " `adam` or `adamw`",
    ),
    Key("learning_rate", POSITIVE, "η, how far a step goes; it has to be there"),
    Key(
        "steps",
        WholeNumber(0, _MOST_STEPS),
        "how many updates there are, 1 by default; 0 stops at the gradients, as `backward: true`"
        " does",
    ),
    Key(
        "clip",
        POSITIVE,
        "the largest norm that all gradients may have together, `1.0` as a rule; where it is"
        " larger, all are made smaller alike, as `torch.nn.utils.clip_grad_norm_` does it",
    ),
    *{key.name: key for one in optimizers() for key in one.settings}.values(),
    needs=Needs("train", ("learning_rate",), "{learning_rate: 0.1}", unless=("steps", 0)),
)
"""A setting that several optimizers have stands here once."""
