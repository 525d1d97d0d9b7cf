"""The story of attention: one small module a step."""

from importlib import import_module

from attncli.scenario import STORY
from attncli.steps.step import Mistake, Step

STEPS: tuple[Step, ...] = tuple(import_module(f"attncli.steps.{name}").STEP for name in STORY)
"""The steps in the order of the story, `scenario.declaration.STORY`."""

__all__ = ["STEPS", "Mistake", "Step"]
