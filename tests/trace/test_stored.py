"""Weights that stay in their file until they are worked with: the same numbers, read later."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from attncli import ScenarioError, load, work
from attncli.formats import RenderOptions, render
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.stored_matrix import MANY, Kept, Stored
from attncli.maths.operations.attention import Affine, AffineTransposed, Linear, MatMul
from attncli.maths.operations.equation import EquationText
from attncli.names import Name
from attncli.pages.parts.findings import Largest
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from attncli.scenario.scenario import Scenario
from attncli.trace import Quantity
from attncli.trace.quantity import Axis

WIDTH, WORDS = 260, 4300
IDS = [7, 4299, 0, 31]
LAYOUTS = ("linear", "columns")


def saved(folder: Path, **changed: np.ndarray) -> Path:
    """A model's tensors as float32: a table of more than a part, and square matrices."""
    rng = np.random.default_rng(5)
    sides = {
        **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), (WIDTH, WIDTH)),
        "embeddings": (WORDS, WIDTH),
        "W1": (WIDTH, WIDTH),
        "W2": (WIDTH, WIDTH),
        "b_Q": (WIDTH,),
    }
    tensors = {name: rng.normal(size=side) / 16 for name, side in sides.items()} | changed
    file = folder / "model.safetensors"
    save_file({name: value.astype(np.float32) for name, value in tensors.items()}, file)
    return file


def scenario(
    folder: Path, *, in_place: bool, layout: str = "linear", policy: str = "exact"
) -> Scenario:
    names = ("embeddings", "W_Q", "b_Q", "W_K", "W_V", "W_O", "W1", "W2")
    lines = [
        f"ids: {IDS}",
        "unembedding: tied",
        f"rounding: {{policy: {policy}, decimals: 4}}",
        "weights: {file: model.safetensors, keys: {" + ", ".join(f"{n}: {n}" for n in names) + "}}",
    ]
    if layout == "linear":
        lines.append("weights_layout: linear")
    file = folder / "m.yaml"
    file.write_text("\n".join(lines), "utf-8")
    return load(file, large=True, in_place=in_place)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numbers_and_pages_are_the_same(tmp_path: Path, layout: str) -> None:
    saved(tmp_path)
    stored, read = (work(scenario(tmp_path, in_place=k, layout=layout)) for k in (True, False))
    assert [*stored] == [*read]
    for name, quantity in read.quantities.items():
        np.testing.assert_allclose(
            stored[name].values, quantity.values, rtol=1e-12, atol=1e-13, err_msg=name
        )
    pages = [
        render(walkthrough(w, Selection(detail="summary")), "markdown", RenderOptions(100))
        for w in (stored, read)
    ]
    assert pages[0] == pages[1]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_is_made_float64_as_a_whole(tmp_path: Path, layout: str) -> None:
    saved(tmp_path)
    trace = work(scenario(tmp_path, in_place=True, layout=layout))
    render(walkthrough(trace, Selection(detail="summary")), "terminal", RenderOptions(80))
    kept = {n: q.matrix.kept for n, q in trace.quantities.items() if isinstance(q.matrix, Stored)}
    assert {*kept} == {"embeddings", "W_Q", "W_K", "W_V", "W_O", "W1", "W2"}
    assert not [name for name, entry in kept.items() if "values" in vars(entry)]


def test_only_what_is_asked_for_stays_in_its_file(tmp_path: Path) -> None:
    saved(tmp_path)
    for entry in (
        scenario(tmp_path, in_place=False),
        scenario(tmp_path, in_place=True, policy="carry"),
    ):
        assert not [name for name, matrix in entry.given.matrices.items() if matrix.is_stored]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_found_in_the_file(tmp_path: Path, bad: float) -> None:
    """At once, or where they stay in their file, when they are worked with."""
    W = np.ones((WIDTH, WIDTH))
    W[3, 8] = bad
    saved(tmp_path, W_K=W)
    texts = []
    for in_place in (True, False):
        with pytest.raises(ScenarioError) as error:
            work(scenario(tmp_path, in_place=in_place))
        texts.append(str(error.value))
    assert texts[0] == texts[1]
    assert "row 4, column 9" in texts[0]


def test_a_stored_matrix_is_one_of_its_numbers() -> None:
    rng = np.random.default_rng(1)
    array = rng.normal(size=(1500, 900)).astype(np.float32)
    stored, plain = Stored(Kept(array), 3), Matrix(array.astype(np.float64), None, 3)
    assert array.size > 2**20 > MANY  # more than one part
    assert stored.shape == plain.shape
    assert stored.range == plain.range
    for axis in (0, 1):
        assert stored.squares(axis) == pytest.approx(plain.squares(axis))
    assert stored.named("W").number(7, 5).shown == plain.named("W").number(7, 5).shown
    assert stored.row(1499) == plain.row(1499)
    for columns in (slice(None), slice(5, 6)):
        assert (stored.taken([3, 1, 3], columns) == plain.values[[3, 1, 3], columns]).all()
        assert (stored.taken(slice(2, 90), columns) == plain.taken(slice(2, 90), columns)).all()
    left = Stored(Kept(array), 3)
    assert left.taken(slice(2, 90), slice(5, 6)).dtype == np.float64
    assert "values" not in vars(left.kept)
    assert (np.concatenate([part for _, part in stored.parts]) == plain.values).all()
    assert (stored.values == plain.values).all()


@pytest.mark.parametrize("product", [MatMul, Linear, Affine, AffineTransposed])
def test_products_some_rows_at_a_time(product: EquationText) -> None:
    rng = np.random.default_rng(3)
    W = rng.normal(size=(1500, 900)).astype(np.float32)
    transposed, has_bias = product in (Linear, AffineTransposed), len(product.operands) > 2
    x = Matrix(rng.normal(size=(3, W.shape[transposed])), None, 3)
    b = Matrix(rng.normal(size=(1, W.shape[not transposed])), None, 3)
    stored = Stored(Kept(W), 3)
    made = product().values(x, stored, *[b][:has_bias])
    wanted = x.values @ (W.T if transposed else W).astype(np.float64)
    np.testing.assert_allclose(made, wanted + b.values if has_bias else wanted, atol=1e-11)
    assert "values" not in vars(stored.kept)


@pytest.mark.parametrize("few", [True, False])
def test_the_largest_number_of_a_row(few: bool) -> None:
    """Beside the largest of all that is shown."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(1, 3000)) / (4000 if few else 1)
    columns = Axis(tuple(map(str, range(3000))))
    quantity = Quantity(Name("scores"), Matrix(values, None, 3), Axis(("a",)), columns)
    shown = [quantity.matrix.shown(0, j) for j in range(3000)]
    largest = Largest.of_row(quantity, 0)
    assert largest.number.shown == max(shown)
    assert [*largest.places] == [j for j in range(3000) if shown[j] == max(shown)]
