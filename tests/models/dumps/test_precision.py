"""`compare` in half precision, where rounding is measured, and the names of bugs by what rounding
leaves of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("torch")
import torch

from attncli.cli import app
from attncli.models.live.comparing import LiveComparison, compare

pytestmark = pytest.mark.real("torch")

nn, functional = torch.nn, torch.nn.functional
D_MODEL, HEADS = 32, 4
BY_D_MODEL = D_MODEL**-0.5


class Fused(nn.Module):
    """Causal attention in one kernel, of which hooks see Q, K, V and what comes out."""

    def __init__(self, scale: float | None = None) -> None:
        super().__init__()
        self.scale = scale
        self.qkv, self.o = nn.Linear(D_MODEL, 3 * D_MODEL), nn.Linear(D_MODEL, D_MODEL)

    def attended(self, q: Any, k: Any, v: Any) -> Any:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=self.scale)

    def forward(self, x: Any) -> Any:
        each = (p.unflatten(-1, (HEADS, -1)).transpose(1, 2) for p in self.qkv(x).chunk(3, -1))
        return self.o(self.attended(*each).transpose(1, 2).flatten(2))


class InFloat32(Fused):
    """Its softmax is worked in float32 whatever its own floats are."""

    def attended(self, q: Any, k: Any, v: Any) -> Any:
        scores = q @ k.transpose(-1, -2) * (self.scale or q.shape[-1] ** -0.5)
        hidden = torch.ones(scores.shape[-2:]).triu(1).bool()
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1, dtype=torch.float32)
        return weights.to(q.dtype) @ v


class Tf32(Fused):
    """Factors of its products are rounded to 11 bits, as processors do that PyTorch runs on."""

    def attended(self, q: Any, k: Any, v: Any) -> Any:
        return super().attended(short(q), short(k), short(v))

    def forward(self, x: Any) -> Any:
        products = [hook(part) for part in (self.qkv, self.o)]
        made = super().forward(x)
        for product in products:
            product.remove()
        return made


def hook(part: Any) -> Any:
    part.weight.data = short(part.weight.data)
    return part.register_forward_pre_hook(lambda _, inputs: (short(inputs[0]),))


def short(x: Any) -> Any:
    """Numbers with the 11 bits that float16 has."""
    mantissa, exponent = torch.frexp(x)
    return torch.ldexp((mantissa * 2**11).round() / 2**11, exponent)


def module(kind: type[Fused], scale: float | None, gain: float = 1) -> tuple[Any, Any]:
    torch.manual_seed(3)
    made, x = kind(scale), torch.randn(1, 12, D_MODEL)
    with torch.no_grad():
        made.qkv.weight.mul_(gain)
    return made, x


def told(made: Any, x: Any, **more: Any) -> LiveComparison:
    w, b = made.qkv.weight.detach().chunk(3), made.qkv.bias.detach().chunk(3)
    says = {
        "X": x[0], "block": "attention", "mask": "causal", "heads": HEADS,
        "weights_layout": "linear", "W_Q": w[0], "W_K": w[1], "W_V": w[2], "b_Q": b[0],
        "b_K": b[1], "b_V": b[2], "W_O": made.o.weight, "b_O": made.o.bias,
    }  # fmt: skip
    return compare(made, x, like=says, **more)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("gain", [1, 2])
def test_half_precision_tells_right_from_wrong(gain: float, dtype: Any) -> None:
    for scale, name in ((None, None), (BY_D_MODEL, "divided_by_root_of_d_model")):
        made, x = module(Fused, scale, gain)
        found = told(made.to(dtype), x.to(dtype))
        assert (found.status, found.bug) == (int(name is not None), name)
        assert found.first == (name and "attention")


def test_tf32_is_float16_in_products_and_float32_elsewhere() -> None:
    made, x = module(Tf32, None)
    assert told(made, x).status == 1
    assert told(made, x, precision="tf32").status == 0
    found = told(*module(Tf32, BY_D_MODEL), precision="tf32")
    assert (found.first, found.bug) == ("attention", "divided_by_root_of_d_model")


def test_what_is_computed_in_float32_loses_no_name_in_float64() -> None:
    made, x = module(InFloat32, None)
    right = told(made.double(), x.double())
    assert right.status == 0
    assert right.comparison.compared[-1].lower == "float32"
    made, x = module(InFloat32, BY_D_MODEL)
    assert told(made.double(), x.double()).bug == "divided_by_root_of_d_model"
    assert told(made.float(), x.float()).bug == "divided_by_root_of_d_model"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_is_only_near_to_a_bug_has_not_its_name(dtype: Any) -> None:
    """Whatever bounds allow: 10^(x/√d) is 0.1 % from e^(x/d^0.25) at d = 28."""
    made, x = module(Fused, np.log(10) * 8**-0.5 * 1.0001)
    assert told(made.to(dtype), x.to(dtype)).bug is None
    made, x = module(Fused, np.log(10) * 8**-0.5)
    assert told(made.to(dtype), x.to(dtype)).bug is not None


def diff(folder: Path, given: dict[str, Any], dump: dict[str, Any]) -> dict[str, Any]:
    (folder / "s.json").write_text(json.dumps(given), encoding="utf-8")
    np.savez(folder / "d.npz", **dump)
    typed = ["diff", str(folder / "s.json"), str(folder / "d.npz"), "--format", "json"]
    return dict(json.loads(CliRunner().invoke(app, typed, catch_exceptions=False).stdout))


SCORES = np.array([[1.0, 2.5, -0.5], [0.25, -3.0, 1.5]])


def test_what_is_below_the_least_float_is_nothing(tmp_path: Path) -> None:
    """e^−200 is 0 in float32, and in bfloat16."""
    low = SCORES - np.array([0, 0, 200.0])
    weights = np.exp((low - low.max(axis=1, keepdims=True)).astype("float32"))
    weights /= weights.sum(axis=1, keepdims=True)
    weights[:, 2] = 0
    data = diff(tmp_path, {"scores": low.tolist(), "scale": "none"}, {"weights": weights})
    assert (data["type"], data["first"]) == ("float32", None)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_scores_far_below_0_are_no_less_sure(dtype: str, tmp_path: Path) -> None:
    """e^−90 is less than floats have, but nobody works it: the row's maximum is subtracted."""
    low = SCORES - 90
    weights = np.exp(SCORES) / np.exp(SCORES).sum(axis=1, keepdims=True)
    given = {"scores": low.tolist(), "scale": "none"}
    data = diff(tmp_path, given, {"weights": weights.astype(dtype)})
    assert (data["type"], data["counts"]["agrees"]) == (dtype, 1)
    swapped = weights.copy()
    swapped[1] = swapped[1, [1, 0, 2]]
    assert diff(tmp_path, given, {"weights": swapped.astype(dtype)})["first"] is not None


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_what_cancels_inside_an_activation_is_rounding(dtype: Any) -> None:
    """GELU of −7.5 is −2.4e-13, and 0 where it is worked as x (1 + erf x)."""
    x = torch.full((3, 4), -7.5, dtype=dtype) + torch.arange(4).to(dtype) / 4
    act = nn.GELU()
    says = {
        "X": torch.eye(3), "block": "encoder", "norm": "pre", "activation": "gelu",
        **{name: torch.eye(3) for name in ("W_Q", "W_K", "W_V", "W_O")},
        "W1": torch.ones(3, 4), "W2": torch.ones(4, 3),
    }  # fmt: skip
    assert (act(x) == 0).any()
    assert (
        compare({"hidden": x, "activated": act(x)}, like=says, names={})
        .comparison.compared[-1]
        .standing
        != "departs"
    )


@pytest.mark.parametrize(("times", "says"), [(1.00001234, "1.000012 times"), (1.5, "1.5 times")])
def test_a_factor_has_the_digits_that_tell_it_from_1(
    times: float, says: str, tmp_path: Path
) -> None:
    weights = np.exp(SCORES) / np.exp(SCORES).sum(axis=1, keepdims=True)
    given = {"scores": SCORES.tolist(), "scale": "none"}
    first = diff(tmp_path, given, {"weights": weights * times})["first"]
    assert says in first["cause"]["says"]


def test_bugs_that_give_the_same_numbers_are_told_as_such(tmp_path: Path) -> None:
    """A window that is left out is one as wide as the text; both may be what was done."""
    scores = np.array([*SCORES, [0.5, 1.0, -1.0]])
    given = {"scores": scores.tolist(), "scale": "none", "mask": ["causal", {"window": 2}]}
    hidden = np.triu(np.ones(scores.shape, dtype=bool), 1)
    first = diff(tmp_path, given, {"masked": np.where(hidden, -np.inf, scores)})["first"]
    assert {first["cause"]["name"], *(x["name"] for x in first["others"])} == {
        "mask_window_left_out", "other_mask_window",
    }  # fmt: skip
    typed = ["diff", str(tmp_path / "s.json"), str(tmp_path / "d.npz")]
    page = " ".join(CliRunner().invoke(app, typed).stdout.split())
    assert "which these numbers can't tell apart:" in page


def test_a_bug_has_one_name_however_it_may_be_written(tmp_path: Path) -> None:
    """To add up columns and to divide by their sums is the same."""
    weights = np.exp(SCORES) / np.exp(SCORES).sum(axis=0)
    given = {"scores": SCORES.tolist(), "scale": "none"}
    first = diff(tmp_path, given, {"weights": weights})["first"]
    assert (first["cause"]["name"], first["others"]) == ("down_the_columns", [])


def test_steps_that_are_left_out_are_told(tmp_path: Path) -> None:
    given = {
        "X": [[1, 2], [0.5, -1], [3, 0.25]], "W_Q": [[0.3, -1.2], [0.5, 0.9]],
        "W_K": [[1, 0.5], [-0.25, 2]], "W_V": [[1, 0], [0, 1]], "mask": "causal",
    }  # fmt: skip
    x, q, k = (np.array(given[name]) for name in ("X", "W_Q", "W_K"))
    scores = (x @ q) @ (x @ k).T
    dump = {"scores": scores, "masked": scores}
    cause = diff(tmp_path, given, dump)["first"]["cause"]
    assert cause["name"] == "scale_and_mask_left_out"
    assert cause["says"] == "The steps scale and mask are left out: masked is scores instead."


def test_the_report_says_what_coarse_floats_hide(tmp_path: Path) -> None:
    x = np.random.default_rng(2).normal(size=(4, 6))
    halves = {name: np.float16(array) for name, array in (("X", x), ("gamma", np.ones(6)))}
    given = {
        "X": halves["X"].tolist(), "block": "encoder", "norm": "pre", "heads": 1,
        "norms": {"kind": "layer", "epsilon": 1e-5}, "activation": "gelu",
        **{name: np.eye(6).tolist() for name in ("W_Q", "W_K", "W_V", "W_O", "W1", "W2")},
    }  # fmt: skip
    wide = halves["X"].astype("float64")
    off = wide - wide.mean(axis=1, keepdims=True)
    normed = off / np.sqrt((off**2).mean(axis=1, keepdims=True) + 1e-5)
    data = diff(tmp_path, given, {"norm1.normed": np.float16(normed)})
    assert data["first"] is None
    effects = [entry["effect"] for entry in data["hidden"] if entry["name"] == "other_epsilon"]
    assert min(effects) < 0.1
    assert "other_divisor" not in {entry["name"] for entry in data["hidden"]}
    page = CliRunner().invoke(app, ["diff", str(tmp_path / "s.json"), str(tmp_path / "d.npz")])
    assert "What can't be seen at this precision" in page.stdout
