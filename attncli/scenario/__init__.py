"""Reading and checking scenario files."""

from attncli.scenario.declaration import SCENARIO, STORY, json_schema
from attncli.scenario.loading import load
from attncli.scenario.problems import Problem, ScenarioError, Where
from attncli.scenario.scenario import Scenario

__all__ = [
    "SCENARIO",
    "STORY",
    "Problem",
    "Scenario",
    "ScenarioError",
    "Where",
    "json_schema",
    "load",
]
