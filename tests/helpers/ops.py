"""Every operation by its name."""

# ruff: noqa: F403

from __future__ import annotations

from attncli.operations.activations import *
from attncli.operations.attention import *
from attncli.operations.equation import *
from attncli.operations.gradients import *
from attncli.operations.masking import *
from attncli.operations.norms import *
from attncli.operations.operation import *
from attncli.operations.optimizers import *
from attncli.operations.positions import *
from attncli.operations.prediction import *
from attncli.operations.quantizing import *
from attncli.operations.rearranging import *
from attncli.operations.recurrent import *
from attncli.operations.relative_positions import *
from attncli.operations.subwords import *
