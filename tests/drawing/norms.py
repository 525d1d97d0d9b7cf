"""Draws norms: how they are done, γ and β."""

from __future__ import annotations

from tests.drawing.pen import Pen, Tree


def norm_settings(pen: Pen) -> Tree:
    """Settings of norms; where ε stands and what is divided by are the layer norm's alone."""
    record: Tree = {}
    if pen.coin():
        record["kind"] = pen.choice("rms", "layer")
    if pen.coin():
        record["epsilon"] = pen.choice("0.1", "0.01", "0.000001")
    if record.get("kind") != "rms" and pen.coin(3):
        record["epsilon_in"] = pen.choice("deviation", "root")
    if pen.coin(5):
        record["gamma_plus_one"] = "true"
    if record.get("kind") != "rms" and pen.coin(3):
        record["over"] = pen.choice("n-1", "n")
    return record


def gains(pen: Pen, d: int) -> Tree:
    return {name: pen.cells(d) for name in ("gamma", "beta") if pen.coin(3)}


def norm(pen: Pen, d: int) -> Tree:
    """A norm that says all of its settings."""
    plain = {"kind": "layer", "epsilon": "0.00001", "epsilon_in": "root", "over": "n"}
    record = plain | norm_settings(pen) | gains(pen, d)
    if pen.coin(4):
        found = {"mean": pen.cells(d), "variance": pen.cells(d, "0.5", "2")}
        return record | {"kind": "batch", "gamma_plus_one": "false"} | found
    return record
