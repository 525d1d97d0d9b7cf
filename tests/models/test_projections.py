"""Embeddings of another width than the model's: beside plain NumPy, as they are told, and what is
said of them wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work
from attncli.models.dumps.meanings import meant_by
from attncli.steps import step_named
from tests.auditor import audit
from tests.helpers.pages import page_of, tables_of

E = np.array([[1.0, -0.5], [0.25, 2.0], [-1.0, 0.75]])
W_IN = np.array([[0.5, -1.0, 0.25, 2.0], [1.0, 0.5, -0.75, 0.25]])
B_IN = np.array([0.125, -0.25, 0.5, 1.0])
W_OUT = np.array([[1.0, 0.5], [-0.25, 2.0], [0.75, -1.0], [0.5, 0.25]])
B_OUT = np.array([0.5, -0.125])
P = np.array([[0.1, 0.2, -0.3, 0.4], [0.0, -0.1, 0.5, 0.2], [1.0, 0.3, -0.2, 0.6]])
WORDS = ("a", "b", "c")
EXACT = {"rounding": {"policy": "exact"}}


def said(**more: Any) -> dict[str, Any]:
    """A bare attention, whose output is the mean of what it sees: all weights are alike."""
    embeddings = {word: row.tolist() for word, row in zip(WORDS, E, strict=True)}
    bare = {"projection": "none", "scores": [[0.0] * 3] * 3, "block": "attention", **EXACT}
    return {"tokens": [*WORDS], "embeddings": embeddings, **bare, **more}


def same(trace: Any, name: str, expected: Any) -> None:
    np.testing.assert_allclose(trace[name].values, expected, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("layout", ["linear", "row"])
@pytest.mark.parametrize("biased", [False, True])
def test_opt_projects_before_positions_and_back_before_tied_logits(
    layout: str, biased: bool
) -> None:
    """Zhang et al. 2022, arXiv:2205.01068."""
    turn = layout == "linear"
    into: dict[str, Any] = {"W": (W_IN.T if turn else W_IN).tolist()}
    back: dict[str, Any] = {"W": (W_OUT.T if turn else W_OUT).tolist()}
    if biased:
        into["b"], back["b"] = B_IN.tolist(), B_OUT.tolist()
    trace = work(
        load(
            said(
                project_in=into, project_out=back, positions=P.tolist(), weights_layout=layout,
                unembedding="tied", predict_from="every",
            )
        )
    )  # fmt: skip
    projected = E @ W_IN + B_IN * biased
    same(trace, "project_in.projected", projected)
    same(trace, "X", projected + P)
    last = np.tile((projected + P).mean(axis=0), (3, 1)) @ W_OUT + B_OUT * biased
    same(trace, "project_out.projected", last)
    same(trace, "logits", last @ E.T)
    assert trace["logits"].columns.names == WORDS
    assert not trace.unfinished
    assert trace.unused == ()


def test_electra_projects_behind_its_norm() -> None:
    """Clark et al. 2020, arXiv:2003.10555; so does ALBERT (arXiv:1909.11942)."""
    norm, table = {"gamma": [2, 0.5], "epsilon": 0.1}, P[:, :2]
    into = {"W": W_IN.tolist(), "b": B_IN.tolist(), "when": "after"}
    trace = work(load(said(project_in=into, embedding_norm=norm, positions=table.tolist())))
    summed = E + table
    centered = summed - summed.mean(axis=1, keepdims=True)
    normed = centered / np.sqrt((centered**2).mean(axis=1, keepdims=True) + 0.1) * [2, 0.5]
    same(trace, "summed", summed)
    same(trace, "embedding_norm.normed", normed)
    same(trace, "X", normed @ W_IN + B_IN)
    page = page_of(trace)
    assert "d_embed 2 · d_model 4" in page
    assert "(Σ_j summed[i, j]) / d_embed" in page
    assert "X = embedding_norm.normed W + b" in page


@pytest.mark.parametrize("when", ["before", "after"])
def test_with_nothing_to_add_it_makes_x(when: str) -> None:
    trace = work(load(said(project_in={"W": W_IN.tolist(), "when": when})))
    same(trace, "X", E @ W_IN)
    assert "project_in.projected" not in trace


def test_the_root_of_d_model_is_of_the_model_not_of_the_embeddings() -> None:
    whole = said(project_in={"W": W_IN.tolist()}, embedding_scale="sqrt_d_model")
    trace = work(load(whole))
    same(trace, "scaled_E", 2 * E)  # √4
    same(trace, "X", 2 * E @ W_IN)


@pytest.mark.parametrize(("when", "width"), [("before", "d_model"), ("after", "d_embed")])
def test_waves_are_as_wide_as_what_they_are_added_to(when: str, width: str) -> None:
    whole = said(project_in={"W": W_IN.tolist(), "when": when}, positions="sinusoidal")
    trace = work(load(whole))
    assert trace["P"].matrix.shape == (3, 4 if when == "before" else 2)
    assert f"sin(pos / 10000^(2i/{width}))" in page_of(trace)


def test_sizes_follow_from_what_is_said() -> None:
    """Random matrices have the rows and columns that embeddings and the model leave them."""
    drawn = {"random": "normal", "seed": 1}
    whole = said(project_in={"W": drawn, "when": "after"}, positions=[[0, 0]] * 3, d_model=5)
    trace = work(load(whole))
    assert trace["project_in.W"].matrix.shape == (2, 5)
    assert trace["X"].matrix.shape == (3, 5)


def test_names_of_features_are_those_of_the_embeddings() -> None:
    trace = work(load(said(project_in={"W": W_IN.tolist()}, features=["old", "royal"])))
    assert trace["embeddings"].columns.names == trace["project_in.W"].rows.names == ("old", "royal")
    assert trace["X"].columns.names == ("1", "2", "3", "4")


def test_a_projection_by_itself() -> None:
    whole = {key: said()[key] for key in ("tokens", "embeddings")}
    trace = work(load({**whole, **EXACT, "project_in": {"W": W_IN.tolist()}}))
    same(trace, "X", E @ W_IN)
    assert not trace.unfinished


def test_an_encoder_has_its_own() -> None:
    encoder = {"tokens": ["b", "a"], "project_in": {"W": W_IN.tolist()},
               "project_out": {"W": W_OUT.tolist()}, "block": "attention", "projection": "none",
               "scores": [[0, 0], [0, 0]]}  # fmt: skip
    trace = work(load(said(encoder=encoder, scores=[[0, 0]] * 3)))
    same(trace, "encoder.X", E[[1, 0]] @ W_IN)
    made = np.tile((E[:2] @ W_IN).mean(axis=0), (2, 1)) @ W_OUT
    same(trace, "encoder.project_out.projected", made)
    same(trace, "V", made)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"project_in": {"W": P.tolist()}}, "don't fit together (X = E project_in.W)"),
        ({"project_out": {"W": P.tolist()}}, "don't fit together (projected = output W)"),
        ({"project_in": {"w": [[1]]}}, "did you mean W?"),
        ({"project_in": {"W": W_IN.tolist(), "when": "never"}}, "project_in.when"),
        (
            {"project_in": {"W": W_IN.tolist()}, "positions": P[:, :3].tolist()},
            "X = project_in.projected + P",
        ),
        ({"embeddings_project": {"W": W_IN.tolist()}}, "it is called project_in here"),
    ],
)
def test_what_is_wrong_is_said(more: dict[str, Any], told: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        load(said(**more))
    assert told in str(refused.value).replace("\N{NO-BREAK SPACE}", " ")


def test_given_inputs_are_not_projected() -> None:
    whole = {key: value for key, value in said().items() if key != "embeddings"}
    with pytest.raises(ScenarioError, match="project_in goes into X, and X itself is given"):
        load({**whole, "X": E.tolist(), "project_in": {"W": W_IN.tolist()}})


def test_a_projection_without_its_matrix_is_not_gone_through() -> None:
    assert "project_in.W" in str(work(load(said(project_in={"b": B_IN.tolist()}))).unfinished)


@pytest.mark.parametrize("policy", ["carry", "exact"])
def test_the_page_is_true(policy: str) -> None:
    whole = said(
        project_in={"W": W_IN.tolist(), "b": B_IN.tolist()}, project_out={"W": W_OUT.tolist()},
        positions=P.tolist(), unembedding="tied", targets=["b", "c", "a"], backward=True,
        rounding={"policy": policy},
    )  # fmt: skip
    trace = work(load(whole))
    page = page_of(trace, "terminal", 80, "full")
    report = audit(page, "terminal", tables_of(trace))
    assert report.checked > 0
    assert report.false == []
    assert "projected = output W" in page


def test_others_names_of_it_are_known() -> None:
    """As the hooks of `transformers` call what these modules make."""
    early = work(load(said(project_in={"W": W_IN.tolist()}, positions=P.tolist())))
    late = {"W": W_IN.tolist(), "when": "after"}
    late_trace = work(load(said(project_in=late, positions=P[:, :2].tolist())))
    found = {
        theirs: next(meant_by(theirs, trace)).names[0]
        for theirs, trace in (
            ("model.decoder.project_in", early),
            ("model.decoder.project_in.weight", early),
            ("electra.embeddings_project", late_trace),
            ("encoder.embedding_hidden_mapping_in", late_trace),
        )
    }
    assert found == {
        "model.decoder.project_in": "project_in.projected",
        "model.decoder.project_in.weight": "project_in.W",
        "electra.embeddings_project": "X",
        "encoder.embedding_hidden_mapping_in": "X",
    }


MISTAKES: dict[tuple[str, str], Any] = {
    ("project_in", "bias_forgotten"): lambda x: x @ W_IN,
    ("project_in", "by_the_matrix_back"): lambda x: x @ W_OUT.T,
    ("project_out", "bias_forgotten"): lambda x: x @ W_OUT,
    ("project_out", "by_the_matrix_in"): lambda x: x @ W_IN.T,
}


@pytest.mark.parametrize("layout", ["linear", "row"])
@pytest.mark.parametrize(("step", "mistake"), MISTAKES)
def test_mistakes_come_to_what_their_names_say(step: str, mistake: str, layout: str) -> None:
    turn = layout == "linear"
    into = {"W": (W_IN.T if turn else W_IN).tolist(), "b": B_IN.tolist()}
    back = {"W": (W_OUT.T if turn else W_OUT).tolist(), "b": B_OUT.tolist()}
    trace = work(load(said(project_in=into, project_out=back, weights_layout=layout)))
    part = next(entry for entry in trace.story if entry.step == step)
    made = next(m for m in step_named(step).mistakes if m.name == mistake)
    definition = next(iter(made.ways(part.place, part.definitions)))[0]
    assert definition is not None
    wanted = MISTAKES[step, mistake](trace[part.definitions[0].operands[0]].values)
    changed = trace.remake(definition)[definition.name]
    np.testing.assert_allclose(changed.values, wanted, atol=1e-12)


@pytest.mark.parametrize("step", ["project_in", "project_out"])
def test_the_matrix_of_as_many_rows_as_columns_can_be_turned(step: str) -> None:
    square = [[1.0, 2.0], [-0.5, 0.25]]
    trace = work(load(said(**{step: {"W": square}})))
    part = next(entry for entry in trace.story if entry.step == step)
    turned = next(m for m in step_named(step).mistakes if m.name == "transposed")
    definition = next(iter(turned.ways(part.place, part.definitions)))[0]
    assert definition is not None
    wanted = trace[part.definitions[0].operands[0]].values @ np.transpose(square)
    np.testing.assert_allclose(trace.remake(definition)[definition.name].values, wanted, atol=1e-12)
