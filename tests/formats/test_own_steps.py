"""Steps of a scenario's own in formats and commands: by their author's names, as the steps that are
shipped."""

from __future__ import annotations

import io
import json
import re
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import openpyxl
import pytest
from typer.testing import CliRunner

from attncli import load, work
from attncli.cli import app
from attncli.formats import RenderOptions, contents_of, render
from attncli.maths.equations.tree import Apply, Reduced, Relation, Symbol, at
from attncli.maths.notation import plain
from attncli.maths.notation.latex import latex
from attncli.maths.notation.mathml import mathml
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from attncli.scenario.file.editing import edited
from attncli.scenario.file.problems import ScenarioError
from attncli.steps.schema import SCENARIO
from tests.formats.test_live import drawn, page_of, shown, wrong_in
from tests.helpers.file_schema import faults
from tests.helpers.spreadsheets import (
    needs_libreoffice,
    not_as_worked,
    range_of,
    recalculated,
)

OWN = """\
title: Fading
names: {node: [a, b, c]}
given:
  X[node, d]: [[1, 0], [0, 2], [1, 1]]
  W[d, d_k]: [[1, 0.5], [-1, 1]]
  A[node, node]: [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
  gamma: 0.5
steps:
  project:
    title: Keys
    equations:
      - leaky(x) = x if x > 0 else 0.2 * x
      - K[i, j] = leaky(sum(X[i, k] * W[k, j] for k))
  scores:
    title: Neighbours
    why: Only neighbours count.
    equations:
      - e[i, j] = sum(K[i, k] * K[j, k] for k) + 800
      - alpha[i, j] = softmax(e[i, j] for j if A[i, j] == 1)
      - best[i] = max(K[i, j] for j)
      - phi_i = prod(best[i] + 1 for i if best[i] > 0.3)
    mistakes:
      all_nodes:
        says: Taking all nodes.
        instead: {alpha: "softmax(e[i, j] for j)"}
  fade:
    title: Memory
    over: t
    start: {S: 0}
    equations:
      - S[t, j] = gamma ** (t - 1) * S[t - 1, j] + K[t, j]
"""
RUNNER = CliRunner()


@pytest.fixture
def own(tmp_path: Path) -> str:
    path = tmp_path / "own.yaml"
    path.write_text(OWN, "utf-8")
    return str(path)


def attn(*arguments: str, code: int = 0) -> str:
    result = RUNNER.invoke(app, [*arguments], env={"COLUMNS": "100"})
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def test_a_step_is_asked_for_by_the_name_of_its_author(own: str) -> None:
    page = attn("run", own, "--step", "scores")
    assert "Neighbours" in page
    assert "best[a]" in page
    assert "Keys" not in page
    assert "did you mean fade?" in attn("run", own, "--step", "fad", code=2)
    through = attn("run", own, "--step", "softmax", code=2)
    assert "it goes through project, scores, fade" in through


def test_explain_tells_a_step_with_its_mistakes(own: str) -> None:
    page = attn("explain", own, "--step", "scores")
    for told in ("Neighbours", "Only neighbours count.", "Common mistakes", "Taking all nodes."):
        assert told in page
    assert "as the equations say" not in page
    whole = attn("explain", own)
    assert all(title in whole for title in ("Keys", "Neighbours", "Memory"))


def test_what_is_given_is_changed_by_its_name(own: str) -> None:
    usual = work(load(own))
    for key in ("X[b, 2]=5", "X[2,2]=5", "given.X[2,2]=5"):
        assert work(load(own, [key]))["X"].values[1, 1] == 5
    assert work(load(own, ["gamma=0.25"]))["S[3]"].values.tolist() != usual["S[3]"].values.tolist()
    for wrong, right in {
        "gama=1": "did you mean gamma?",
        "given.gama=1": "did you mean gamma?",
        "W[3,1]=0": "count from 1 to 2",
    }.items():
        with pytest.raises(ScenarioError, match=right):
            load(own, [wrong])


def test_what_is_changed_is_written_into_the_file() -> None:
    text = edited(OWN, ["gamma=0.25", "X[b, 2]=5"], SCENARIO.known)
    assert "gamma: 0.25" in text
    assert "X[node, d]: [[1, 0], [0, 5], [1, 1]]" in text
    assert len(text) == len(OWN) + 1


def test_compare_tells_what_was_changed_and_hides_places_along_a_side(own: str) -> None:
    page = attn("compare", own, "--set", "gamma=0.25", code=1)
    assert re.search(r"gamma +│ +0\.5 +0\.25", page)
    assert "S[3]" in page
    assert "count" not in page


def test_variants_change_some_of_what_is_given(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(f"{OWN}variants: {{slow: {{given: {{gamma: 0.25}}}}}}\n", "utf-8")
    trace = work(load(str(path)))
    assert trace.variants["slow"]["gamma"].values.tolist() == [[0.25]]
    assert trace.variants["slow"]["K"].values.tolist() == trace["K"].values.tolist()
    page = attn("run", str(path))
    assert "slow (gamma: 0.25): 2 of the 3 rows of S differ" in page


def test_decimals_are_those_of_a_step_or_of_a_quantity(own: str) -> None:
    trace = work(load(own, ["rounding.steps.scores=1", "rounding.quantities.best=2"]))
    decimals = {name: trace[name].matrix.decimals for name in ("K", "alpha", "alpha_exp", "best")}
    assert decimals == {"K": 3, "alpha": 1, "alpha_exp": 1, "best": 2}
    with pytest.raises(ScenarioError, match="did you mean scores"):
        load(own, ["rounding.steps.scorse=1"])
    assert "(scores: 1)" in attn("run", own, "--set", "rounding.steps.scores=1")


def test_a_scenario_ends_with_a_step_of_its_own(own: str) -> None:
    trace = work(load(own, ["until=scores"]))
    assert "phi_i" in trace
    assert "S[1]" not in trace
    assert trace.scenario.plan.written.alone
    with pytest.raises(ScenarioError, match="name one of project, scores, fade"):
        load(own, ["until=softmax"])


def test_the_schema_takes_names_of_own_steps_where_there_are_some() -> None:
    for last in ("rounding: {steps: {fade: 4}}\n", "until: fade\n"):
        assert faults(OWN + last) == []
        assert faults(last)


def test_the_page_has_the_names_of_its_author_alone(own: str) -> None:
    page = attn("run", own)
    assert "3 nodes · d = d_k = 2" in page
    for foreign in ("d_model", "tokens", "Scaling", "query", "layer", "count.3"):
        assert foreign not in page
    data = json.loads(attn("run", own, "--format", "json"))
    assert [step["step"] for step in data["steps"]][:2] == ["project", "scores"]
    assert "count.3" not in json.dumps(data)


def test_a_program_finds_what_own_steps_made(own: str) -> None:
    trace = work(load(own))
    assert trace["S[2]"].shape == (1, 2)
    assert [step.name for step in trace.steps][:2] == ["project", "scores"]
    assert not [name for name in trace if name.startswith("count")]
    assert len(trace) == len([*trace])
    assert "Neighbours" in str(trace.step("scores"))


@pytest.mark.wing("models")
def test_an_implementation_is_compared_by_own_names(own: str, tmp_path: Path) -> None:
    trace = work(load(own, ["rounding.policy=exact"]))
    dump: dict[str, Any] = {name: trace[name].values for name in ("X", "W", "K", "e", "alpha")}
    dump["S"] = np.stack([trace[f"S[{t}]"].values[0] for t in (1, 2, 3)])
    np.savez(tmp_path / "right.npz", **dump)
    assert "agrees" in attn("diff", own, str(tmp_path / "right.npz"))
    np.savez(tmp_path / "wrong.npz", **{**dump, "e": dump["e"] + 1})
    assert "e departs" in attn("diff", own, str(tmp_path / "wrong.npz"), code=1)


def test_formulas_in_every_notation() -> None:
    """Greek letters, what must hold, the largest of some."""
    met = Apply(
        "and",
        (Relation("<", Symbol("j"), Symbol("i")), Relation("≠", at("z", "j"), Symbol("phi_i"))),
    )
    largest = Reduced("max", "j", at("alpha", "i", "j"), met)
    assert plain(largest).replace("\xa0", " ") == "max_{j: j < i and z[j] ≠ phi_i}(alpha[i, j])"
    written = latex(largest)
    assert r"\alpha[i, j]" in written
    assert r"\phi _{i}" in written
    assert r"j \lt i\text{ and }z[j] \ne" in written
    assert "<mo>&lt;</mo>" in mathml(largest)
    assert "<mi>α</mi>" in mathml(largest)


@pytest.mark.parametrize("form", ["markdown", "html", "latex", "json"])
def test_every_format_tells_them(own: str, form: str) -> None:
    page = render(walkthrough(work(load(own)), Selection()), form, RenderOptions())
    assert "Neighbours" in page
    assert "count.3" not in page


def test_a_softmax_is_drawn_as_a_map(own: str) -> None:
    assert "alpha as a map" in attn("run", own, "--format", "svg")


def test_formulas_of_a_workbook_have_numbers_for_places(own: str) -> None:
    data = contents_of(walkthrough(work(load(own)), Selection()), "xlsx", RenderOptions())
    assert isinstance(data, bytes)
    book = openpyxl.load_workbook(io.BytesIO(data))
    assert "Needed from elsewhere" not in book.sheetnames
    assert not [name for name in book.defined_names if "count" in name]


@needs_libreoffice
def test_a_workbook_works_itself_again(own: str, tmp_path: Path) -> None:
    files, traces = {}, {}
    for policy in ("carry", "exact"):
        trace = work(load(own, [f"rounding.policy={policy}"]))
        data = contents_of(walkthrough(trace, Selection()), "xlsx", RenderOptions())
        assert isinstance(data, bytes)
        for name, (i, j), key, number in (
            ("A", (0, 2), "A[1,3]", 1),
            ("X", (1, 1), "X[2,2]", -0.5),
            ("gamma", (0, 0), "gamma", 0.25),
        ):
            book = openpyxl.load_workbook(io.BytesIO(data))
            range_of(book, name)[i][j].value = number
            kept = io.BytesIO()
            book.save(kept)
            files[f"{policy} {name}"] = kept.getvalue()
            traces[f"{policy} {name}"] = work(
                load(own, [f"rounding.policy={policy}", f"{key}={number}"])
            )
    found = recalculated(tmp_path, files)
    wrong = {name: not_as_worked(found[name], trace) for name, trace in traces.items()}
    assert {name: texts for name, texts in wrong.items() if texts} == {}


def test_the_page_works_itself_again(chromium: Any, own: str, tmp_path: Path) -> None:
    document, rng = page_of(own), Random(61)
    changes = [[("A[1,3]", "1")], [("X[2,2]", "-0.5")], [("gamma", "0.25")]]
    with shown(chromium, document, tmp_path / "page.html") as page:
        for made in (*changes, *(drawn(document, rng) for _ in range(3))):
            assert wrong_in(page, own, made) == []


@pytest.mark.real("pdflatex", "amsmath.sty", "booktabs.sty", "geometry.sty")
def test_latex_compiles(own: str, tmp_path: Path) -> None:
    (tmp_path / "page.tex").write_text(
        render(walkthrough(work(load(own)), Selection()), "latex", RenderOptions()), "utf-8"
    )
    typeset = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    ran = subprocess.run(typeset, cwd=tmp_path, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:]
