"""Equations that mean harm, or too much: an error with a place within a second, and never a traceback."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.errors import UserError
from attncli.pipeline import load, work
from attncli.trace import Trace
from tests.helpers.pages import page_of

HEAD = "title: T\nrounding: {decimals: 3}\n"
GIVEN = f"{HEAD}given:\n  X: [[1, 2, 3], [4, 5, 6]]\n  V: [[1, 2], [3, 4]]\n  v: [1, 2]\n  c: 3\n"
LONGEST = 5.0
"""Seconds, of which the slowest takes a twentieth where nothing else is worked."""


def _equations(*lines: str, head: str = GIVEN) -> str:
    return head + "equations:\n" + "".join(f"  - {line}\n" for line in lines)


def _step(text: str, head: str = GIVEN) -> str:
    return f"{head}steps:\n  a:\n    {text}\n"


SIZES = f"{HEAD}sizes: {{n: 1000}}\n"
MANY = [f"f{k}(x) = f{k - 1}(x) + f{k - 1}(x)" for k in range(1, 60)]
REFUSED = {
    "import": _equations("y = __import__('os').system('true')"),
    "import of a number": _equations("y = __import__(c)"),
    "class": _equations("y = c.__class__"),
    "lambda": _equations("y = (lambda: c)()"),
    "walrus": _equations('"y = (z := 2)"'),
    "a billion terms": _equations("y[i in n, j in n] = sum(i * j * k for k in n)", head=SIZES),
    "more": _equations("y = sum(i * j * k for i in n for j in n for k in n)", head=SIZES),
    "a billion cells": _step(
        "over: t in n\n    start: {S: 0}\n    equations: ['S[t, i in n, j in n] = S[t - 1, i, j] + 1']",
        SIZES,
    ),
    "a side of a billion": _equations("y[i in n] = 1", head=f"{HEAD}sizes: {{n: 1000000000}}\n"),
    "2 ** 24": _equations(
        f"y = sum(1 {' '.join(f'for i{k} in n' for k in range(24))})",
        head=f"{HEAD}sizes: {{n: 2}}\n",
    ),
    "parentheses": _equations(f"y = {'(' * 1500}1{')' * 1500}"),
    "signs": _equations(f"y = {'-' * 3000}1"),
    "powers": _equations(f"y = {'2**' * 1300}1"),
    "a tower": _equations(f"y = {'2**' * 6}1"),
    "a long sum": _equations(f"y = {'+'.join('c' * 1900)}"),
    "a long product": _equations(f"y = {'*'.join('c' * 1900)}"),
    "quotients": _equations(f"y = {'/'.join('c' * 1900)}"),
    "conditions": _equations(f"y = 1 if {' or '.join(['c == 1'] * 350)} else 2"),
    "relations": _equations(f"y = 1 if {' < '.join('c' * 900)} else 2"),
    "100,000 characters": _equations(f"y = {'1+' * 50_000}1"),
    "indices": _equations(f"y[{', '.join(f'i{k}' for k in range(500))}] = 1"),
    "sums": _equations(f"y = {' + '.join(f'sum(v[i{k}] for i{k})' for k in range(40))}"),
    "functions that grow": _equations("f0(x) = x + x", *MANY, "y = f59(1)"),
    "a function of itself": _equations("f(x) = f(x)", "y = f(1)"),
    "functions in a ring": _equations("f(x) = g(x)", "g(x) = f(x)", "y = f(1)"),
    "a ring over times": _step("over: t\n    equations: ['S[t] = R[t] + v[t]', 'R[t] = S[t]']"),
    "of itself": _equations("y[i] = y[i] + v[i]"),
    "exponents": _equations("y = 10 ** 4000000000"),
    "a large exponent": _equations("y = exp(c * 100000000000)"),
    "a large number": _equations("y = 1e999"),
    "a name twice": _equations("y = 1", "y = 2"),
    "an index like an array": _equations("y[v] = X[v, 1]"),
    "no equations": f"{GIVEN}equations: []\n",
    "no steps": f"{GIVEN}steps: {{}}\n",
    "a step without a name": f"{GIVEN}steps:\n  '':\n    equations: [y = 2]\n",
    "a step without equations": _step("title: hi"),
    "over nothing": _step("over: q\n    equations: ['S[q] = 2']"),
    "equations and steps": f"{GIVEN}equations: [y = 2]\nsteps:\n  a:\n    equations: [z = c]\n",
    "given nothing": f"{HEAD}given: {{}}\nequations: [y = 2]\n",
    "an empty list": f"{HEAD}given: {{A: []}}\nequations: ['y = A[1]']\n",
    "three sides": f"{HEAD}given:\n  A: [[[1, 2]]]\nequations: ['y = A[1, 1]']\n",
    "a dotted name": f"{HEAD}given: {{a.b: 3}}\nequations: [y = 1]\n",
    "pi": f"{HEAD}given: {{pi: 3}}\nequations: [y = pi]\n",
    "a map": f"{GIVEN}equations: {{y: 2}}\n",
    "a text": f"{GIVEN}equations: y = 2\n",
    "nothing": f"{GIVEN}equations: [~]\n",
    "a mistake of nothing": _step(
        "equations: [z = c]\n    mistakes: {m: {says: Oh., instead: {q: 2}}}"
    ),
    "0 ** -1": _equations("y[i] = (v[i] - 1) ** (-v[i])"),
    "a root of −1": _equations("y[i] = (-v[i]) ** 0.5"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(REFUSED[name], "utf-8")
    start = time.process_time()
    with pytest.raises(UserError) as error:
        work(load(path))
    assert time.process_time() - start < LONGEST
    assert re.match(rf"{re.escape(str(path))}:\d+:\d+: \S.*; \S", str(error.value))


def test_no_traceback_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(REFUSED["a ring over times"], "utf-8")
    result = CliRunner().invoke(app, ["run", str(path)])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{path}:") or "S" in result.stderr


def _worked(text: str, folder: Path) -> Trace:
    path = folder / "s.yaml"
    path.write_text(text, "utf-8")
    return work(load(path))


def test_names_that_are_ours(tmp_path: Path) -> None:
    """They have none of our words, and mean what their author says."""
    text = """title: T
rounding: {decimals: 2}
given:
  softmax: [[1, 2], [3, 4]]
  exp: [1, 2]
  scores: [[1, 2], [3, 4]]
equations:
  - weights[i, j] = max(scores[i, j], 0) ** 2
  - output[i] = sum(weights[i, j] * exp[j] for j)
  - hidden[i] = softmax[i, 1] + exp(0)
  - ffn[i] = hidden[i]
  - count[i] = i * ffn[i]
  - train[i] = count[i]
  - grad[i] = train[i]
  - loss = sum(grad[i] for i)
"""
    trace = _worked(text, tmp_path)
    numbers = {
        name: trace.quantities[name].matrix.values.ravel().tolist() for name in ("output", "loss")
    }
    assert numbers == {"output": [9.0, 41.0], "loss": [10.0]}
    page = page_of(trace)
    for words in ("Softmax", "raised", "network", "attention", "gradient", "probab"):
        assert words.lower() not in page.lower().replace("softmax[", "").replace(
            "softmax (given)", ""
        )


@pytest.mark.parametrize(
    ("equation", "numbers"),
    [
        ("y[i, j] = 2 ** V[i, j]", [2, 4, 8, 16]),
        ("y[i] = (-1) ** i", [-1, 1]),
        ("y = 0 ** 0", [1]),
        ("y[i] = softmax(v[i] * 800 for i)", [0, 1]),
        ("y[i, j] = V[i, j] * V[j, i]", [1, 6, 6, 16]),
        ("y = sum(1 for i in token)", [2]),
        ("y = c ** (-2)", [0.111]),
        ("y = prod(2 for i in token) + max(2 for i in token)", [6]),
    ],
)
def test_odd_but_right(equation: str, numbers: list[float], tmp_path: Path) -> None:
    head = GIVEN.replace("given:", "sizes: {token: 2}\ngiven:")
    text = _equations(equation.replace("[i] = (-1)", "[i in token] = (-1)"), head=head)
    trace = _worked(text, tmp_path)
    assert trace.quantities["y"].matrix.values.ravel().tolist() == numbers
    assert "y" in page_of(trace)
