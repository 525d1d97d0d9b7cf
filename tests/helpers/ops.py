"""Every operation by its name."""

# ruff: noqa: F403

from __future__ import annotations

from attncli.maths.operations.activations import *
from attncli.maths.operations.attention import *
from attncli.maths.operations.equation import *
from attncli.maths.operations.gradients import *
from attncli.maths.operations.list_of_equations import *
from attncli.maths.operations.losses import *
from attncli.maths.operations.masking import *
from attncli.maths.operations.norms import *
from attncli.maths.operations.operation import *
from attncli.maths.operations.optimizers import *
from attncli.maths.operations.positions import *
from attncli.maths.operations.prediction import *
from attncli.maths.operations.quantizing import *
from attncli.maths.operations.rearranging import *
from attncli.maths.operations.recurrent import *
from attncli.maths.operations.relative_positions import *
from attncli.maths.operations.softmax import *
from attncli.maths.operations.subwords import *
