"""The story of attention: one small module a step, and the order in which they are taken.

order              the list of all steps in their order
step               what a step is; `mistakes` what people do wrong in it
declared           steps that are files of YAML
written            steps that a scenario writes itself
story              the steps of a scenario, where they are taken, what flows between them
schema             what a scenario file may say
input              from a text to rows; `tokenizing` from a corpus to its pieces
attention, block   the steps of a layer
linear, quantizing  matrices of weights, and in few bits
recurrent          recurrent cells
prediction         the steps after the last layer
backward           the way back; `optimizers` and `training` by it
general_formulas   the formulas of steps in general
configurations     parts of a model in other configurations
unused_settings    what a scenario says and no step uses
"""

from attncli.steps.order import STORY, step_named
from attncli.steps.step import Mistake, Step, formulas_of
from attncli.steps.story import steps, story

__all__ = ["STORY", "Mistake", "Step", "formulas_of", "step_named", "steps", "story"]
