"""The story of attention: one small module a step, and the order in which they are taken."""

from attncli.steps.order import STORY, step_named
from attncli.steps.step import Mistake, Step, formulas_of
from attncli.steps.story import steps, story

__all__ = ["STORY", "Mistake", "Step", "formulas_of", "step_named", "steps", "story"]
