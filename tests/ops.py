"""Every operation by its name."""

# ruff: noqa: F403

from __future__ import annotations

from attncli.arithmetic.operations.activations import *
from attncli.arithmetic.operations.base import *
from attncli.arithmetic.operations.derivatives import *
from attncli.arithmetic.operations.losses import *
from attncli.arithmetic.operations.masking import *
from attncli.arithmetic.operations.moved import *
from attncli.arithmetic.operations.norms import *
from attncli.arithmetic.operations.optimizing import *
from attncli.arithmetic.operations.pieces import *
from attncli.arithmetic.operations.positions import *
from attncli.arithmetic.operations.products import *
from attncli.arithmetic.operations.recurrent import *
from attncli.arithmetic.operations.relative import *
from attncli.arithmetic.operations.sampling import *
from attncli.arithmetic.operations.softmax import *
from attncli.arithmetic.operations.texts import *
