"""Reading and checking scenario files."""

from attncli.refusals import Problem, Where
from attncli.scenario.keys.declaration import SCENARIO, STORY, json_schema
from attncli.scenario.loading import read
from attncli.scenario.problems import Problems, ScenarioError
from attncli.scenario.scenario import Scenario

__all__ = [
    "SCENARIO",
    "STORY",
    "Problem",
    "Problems",
    "Scenario",
    "ScenarioError",
    "Where",
    "json_schema",
    "read",
]
