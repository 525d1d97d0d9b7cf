"""Steps from a file beside the scenario that takes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attncli.pipeline import load, work
from attncli.pipeline.exporting import taken_along, texts_beside
from attncli.scenario.file.problems import ScenarioError

GIVEN = "given: {gamma: 0.5, 'X[token, d]': [[1, 2], [3, 4]]}\n"
BARE = """\
halves:
  title: Half of it
  equations: ["Y[i, j] = gamma * X[i, j]"]
sums:
  equations: ["z[i] = sum(Y[i, k] for k)"]
"""
WHOLE = "tokens: [c]\ngiven: {X: [[9]]}\nsteps:\n" + "".join(f"  {x}\n" for x in BARE.splitlines())


def scenario(folder: Path, file: str = "steps.yaml") -> Path:
    place = folder / "own.yaml"
    place.write_text(f"{GIVEN}steps: {{file: {file}}}\n")
    return place


def problems(place: Path) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        load(place)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("text", [BARE, WHOLE])
@pytest.mark.parametrize("file", ["steps.yaml", "inside/steps.yml"])
def test_a_file_has_steps_as_the_scenario_would(tmp_path: Path, text: str, file: str) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / file).write_text(text)
    trace = work(load(scenario(tmp_path, file)))
    story = trace.scenario.plan.story
    assert [part.place.called for part in story] == ["halves", "sums"]
    assert story[0].place.titled("") == "Half of it"
    assert np.allclose(trace["z"].values, [[1.5], [3.5]])


def test_what_is_wrong_has_its_place_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "steps.yaml"
    file.write_text(BARE.replace("gamma", "gama").replace("title", "titel"))
    assert problems(scenario(tmp_path)) == [
        f'{file}:2:3: unknown key "titel"; did you mean title?',
        f"{file}:3:26: nothing is called gama; did you mean gamma?",
    ]
    file.write_text("steps: {file: steps.yaml}\n")
    (told,) = problems(scenario(tmp_path))
    assert told.startswith(f"{file}:1:8: a file of steps that takes them from another")
    file.write_text("- a\n")
    assert problems(scenario(tmp_path))[0].startswith(f"{file}:1:1: the file is not a map")


@pytest.mark.parametrize(
    ("file", "wrong"),
    [
        ("nowhere.yaml", 'there is no file "nowhere.yaml" in'),
        ("../steps.yaml", '"../steps.yaml" leads out of the scenario\'s folder'),
        ("nobody", 'no package has steps that are called "nobody"'),
        ("steps.txt", 'no package has steps that are called "steps.txt"'),
    ],
)
def test_a_file_that_cant_be_used(tmp_path: Path, file: str, wrong: str) -> None:
    (tmp_path / "steps.yaml").write_text(BARE)
    (tmp_path / "below").mkdir()
    place = scenario(tmp_path / "below", file)
    (told,) = problems(place)
    assert told.startswith(f"{place}:2:15: {wrong}")
    if "leads out" in wrong:
        assert "--files-outside" in told
        assert np.allclose(work(load(place, outside=True))["z"].values, [[1.5], [3.5]])


def test_a_file_goes_with_its_scenario(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "steps.yaml").write_text(BARE)
    place = scenario(tmp_path, "inside/steps.yaml")
    files = taken_along(str(place), outside=False)
    assert [*files] == ["own.yaml", "inside/steps.yaml"]
    assert texts_beside(str(place)) == {"steps.yaml": BARE}
    assert texts_beside(str(scenario(tmp_path, "a_package"))) == {}
