"""What is wrong with equations is told at its very character, all at once, with what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from attncli.errors import UserError
from attncli.formats import RenderOptions, render
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from attncli.pipeline import load, work

Cases = tuple[tuple[list[str], list[str]], ...]
"""Equations, and the line, the column and the words of each of their errors."""

GIVEN = """title: T
rounding: {decimals: 3}
given:
  X: [[1, 2, 3], [4, 5, 6]]
  V: [[1, 2], [3, 4]]
  v: [1, 2]
  c: 3
"""

PLACE = (
    "write an index as i, i + 1, i - 1, i + d with the length of a side d, or as a number from 1,"
    " or last"
)
READING: Cases = (
    (
        ["y[i] = X[i, k]"],
        ["9:17: k goes along nothing here; write k on the left too, or add up: sum(… for k)"],
    ),
    (
        ["y[i] = sum(X[i, k] * V[k, i] for k)"],
        [
            "9:28: k goes along 3 of X, here along 2 of V; take another index, or a V that has 3 there"
        ],
    ),
    (
        ["y[i] = sum(X[i, i] for i)"],
        ["9:21: i goes along 2 of X, here along 3 of X; take another index"],
    ),
    (["y[i] = X[i]"], ["9:12: X has 2 sides, here 1; write X[i, j]"]),
    (["y = c[1]"], ["9:9: c has no sides, here 1; write c"]),
    (["y = v"], ["9:9: v has 1 side, here none; write v[i]"]),
    (["y[i] = Xx[i, 1]"], ["9:12: nothing is called Xx; did you mean X?"]),
    (
        ["y[i] = z[i]", "z[i] = v[i]"],
        ["9:12: z is made further down; move this equation below that"],
    ),
    (
        ["y[i] = 2"],
        ["9:7: nothing says how far i goes; write i in n, and beside given sizes: {n: 2}"],
    ),
    (["y[i in m] = 2"], ["9:7: no side is called m; name it in sizes or in names"]),
    (
        ["y = sum(X[i, j] for i for i)"],
        ["9:18: j goes along nothing here; write j on the left too, or add up: sum(… for j)"],
    ),
    (
        ["y[i] = sum(v[i] for i)"],
        ["9:25: i is an index of this equation already; take another letter"],
    ),
    (["y = sum(v[i] for i if i = 1)"], ["9:29: = says what something is; write == to compare"]),
    (["y[i] == v[i]"], ["9:10: == compares; write = to say what something is"]),
    (
        ["y = exp(v[i] for i)"],
        [
            "9:9: exp is of one number, not of many; take sum, mean, prod, max, min, softmax, layer_norm"
        ],
    ),
    (["y = sum(c)"], ["9:9: sum of one number; say over what: sum(… for k)"]),
    (["y = sum"], ["9:9: sum is a function; write what it is of, sum(…)"]),
    (["y = exp(c, 2)"], ["9:9: exp is of one number, here of 2; write exp(x)"]),
    (["y = expp(c)"], ["9:9: no function is called expp; did you mean exp?"]),
    (
        ["y[i] = v[i] * middle(v[k] for k)"],
        [
            "9:19: no function of many numbers is called middle; take sum, mean, prod, max, min, softmax, layer_norm"
        ],
    ),
    (
        ["y[i] = v[i] + softmax(v[k] for k)"],
        [
            "9:36: softmax goes along an index of the left side, which k isn't; write k on the left, or take one that is there"
        ],
    ),
    (
        ["y[i] = softmax(X[i, j] for i for j)"],
        ["9:38: softmax goes along one index; leave the others out"],
    ),
    (["y = sum(v[i] for i, 2)"], ["9:9: sum takes nothing behind a comma; leave it out"]),
    (["y = X[3, 1]"], ["9:11: X has nothing at 3; count from 1 to 2"]),
    (
        ["y[i] = v[i - 1]"],
        ["9:14: v has nothing at 0, read where i is 1; say where it counts: if i > 1"],
    ),
    (
        ["y = sum(X[1, j + 1] for j)"],
        ["9:18: X has nothing at 4, read where j is 3; say where it counts: if j < 3"],
    ),
    (
        ["y[i, j, k] = X[i, j] * v[k]"],
        ["9:13: y would have 3 sides; two are the most; make a step over one of them, `over: t`"],
    ),
    (
        ["y[i, i] = V[i, i]"],
        ["9:10: i is there twice; take another index; X[i, i] may be read, not made"],
    ),
    (["c = 2"], ["9:5: c is there above already; call what this makes otherwise, like c2"]),
    (
        ["y = 1", "y = 2"],
        ["10:5: y is there above already; call what this makes otherwise, like y2"],
    ),
    (
        ["y[c] = v[c]"],
        ["9:7: c is an index here, and something else above; take another letter for the index"],
    ),
    (
        ["y[i+1] = v[i]"],
        ["9:8: an index is shifted in what is made; write i here, and shift what is read"],
    ),
    (["y[1] = v[1]"], ["9:7: 1 where an index belongs; an equation makes all cells: write i"]),
    (
        ["for[i] = v[i]"],
        ["9:5: for is a word of equations; call what the equation makes otherwise"],
    ),
    (
        ["y[i] = v[i] if i > 1"],
        ["9:25: the equation ends too early; write else and what it is otherwise"],
    ),
    (
        ["y[i] = 1 if not v[i] == 1 else 2"],
        ["9:17: not can't stand here; write the other relation, such as != for =="],
    ),
    (
        ["y[i] = 1 if v[i] else 2"],
        ["9:22: else can't stand here; compare two numbers: < <= > >= == !="],
    ),
    (
        ["y[i] = v[i] +"],
        [
            "9:18: the equation ends too early; write a number, a name, a cell such as X[i, j], or ( )"
        ],
    ),
    (["y[i] = (v[i]"], ["9:17: the equation ends too early; write ) to close what ( opens"]),
    (
        ["y[i] = v[i])"],
        ["9:16: ) closes nothing; leave it out, or write ( before"],
    ),
    (
        ["y[i] = v[i] < 2"],
        [
            "9:17: numbers are compared where nothing is chosen; compare behind if, without ( ): 1 if x"
            " < 2 else 0"
        ],
    ),
    (
        ["y[i] = sqrt(mean(X[i, k] for k + 2)"],
        ["9:36: ( is still open at +; write ) behind k, before +"],
    ),
    (["y[i, k = sum(X[i, k] for k)"], ["9:12: [ is still open at =; write ] behind k, before ="]),
    (["y[i] = X[i 1]"], ["9:16: [ is still open at 1; write a comma behind i, or ]"]),
    (["y[i] = X[i / 2, 1]"], [f"9:16: / can't stand here; {PLACE}"]),
    (["y[i] = X[2 * i, 1]"], [f"9:16: * can't stand here; {PLACE}"]),
    (["y[i] = X[-1 + i, 1]"], [f"9:14: - can't stand here; {PLACE}"]),
    (
        ["y[i] = X[i + c, 1]"],
        [
            "9:14: c is no side whose length could be added to i; name a side, of given or in sizes,"
            " or write a whole number such as 1"
        ],
    ),
    (
        ["y = v 1]"],
        [
            "9:11: 1 can't stand behind v; write a sign between them, v[ for a cell, or v( for a function"
        ],
    ),
    (["y[i] = v[i]]"], ["9:16: ] closes nothing; leave it out, or write [ before"]),
    (
        ["y[j, i] = sum(X[i, k] * X[k, j] for k)"],
        ["9:31: k and j go along the other sides of X; write X[j, k]"],
    ),
    (
        ["y[i, k] = sum(X[i, j] * v[q] for j)"],
        ["9:31: q goes along nothing here; write k here, or q in the place of k"],
    ),
    (["y[i, j] = softmax(X[i, j] for k)"], ["9:35: nothing says how far k goes; write for j"]),
    (
        ["y = 'a'"],
        ["9:9: a text can't stand in an equation; write numbers, names, + - * / ** ( ) [ ] and ,"],
    ),
    (
        ["y[i] = v[i] $ 2"],
        ["9:17: $ has no meaning; write numbers, names, + - * / ** ( ) [ ] and ,"],
    ),
    (
        ["y = X.shape"],
        ["9:10: . has no meaning; name the side in given, v[n]: then n is how long it is"],
    ),
    (["y = c[1.5]"], ["9:11: 1.5 can't stand here; write a whole number such as 1"]),
    (["f(x) = x", "y = f(1, 2)"], ["10:9: f is of 1 number, here of 2; write f(x)"]),
    (
        ["f(x) = f(x)", "y = f(1)"],
        ["9:12: f is a function of itself; write what it is of numbers, without itself"],
    ),
    (["f(x) = g(x)", "g(x) = x"], ["9:12: g is made further down; move this equation below that"]),
    (["f(x, x) = x"], ["9:10: x is there twice; call one of the two otherwise"]),
    (["f(x) = x + q", "y = f(1)"], ["9:16: nothing is called q; known: x, X, V, v, c, pi"]),
    (["exp(x) = x"], ["9:5: exp is a function of this language; call yours otherwise, like exp2"]),
    (
        ["f(x) = ln(x)", "f(x) = x"],
        ["10:5: f is there above already; call what this makes otherwise, like f2"],
    ),
    (
        ["v(x) = x", "y = v(1)"],
        ["9:5: v is there above already; call what this makes otherwise, like v2"],
    ),
    (
        ["y = qq + 1", "z = y", "w[i] = z * X[i]"],
        [
            "9:9: nothing is called qq; known: X, V, v, c, pi",
            "11:16: X has 2 sides, here 1; write X[i, j]",
        ],
    ),
    (
        ["y = c +", "z = y"],
        [
            "9:12: the equation ends too early; write a number, a name, a cell such as X[i, j], or ( )"
        ],
    ),
)
WORKING: Cases = (
    (["y[i] = ln(v[i] - 1)"], ["9:5: y[1]: ln of 0; a number above 0 would do"]),
    (["y = ln(c - 4)"], ["9:5: y: ln of −1; a number above 0 would do"]),
    (["y[i] = sqrt(v[i] - 2)"], ["9:5: y[1]: √ of −1; a number of 0 or more would do"]),
    (["y[i, j] = 1 / (V[i, j] - 3)"], ["9:5: y[2, 1]: 0 to divide by; another divisor would do"]),
    (["y[i] = (v[i] - 1) / (v[i] - 1)"], ["9:5: y[1]: 0 to divide by; another divisor would do"]),
    (
        ["y[i] = max(v[j] for j if v[j] < v[i])"],
        ["9:5: y[1]: max over nothing; a condition that some numbers meet would do"],
    ),
    (
        ["y[i] = min(v[j] for j if v[j] > v[i])"],
        ["9:5: y[2]: min over nothing; a condition that some numbers meet would do"],
    ),
    (
        ["y[i] = mean(v[j] for j if v[j] < v[i])"],
        ["9:5: y[1]: mean over nothing; a condition that some numbers meet would do"],
    ),
    (
        ["y[i, j] = softmax(X[i, j] for j if X[i, j] > 3)"],
        ["9:5: y[1, j]: softmax over nothing; a condition that some numbers meet would do"],
    ),
    (
        ["y[i] = (-v[i]) ** 0.5"],
        ["9:5: y[1]: −1 to the power of 0.5; a base of 0 or more, or a whole exponent would do"],
    ),
    (
        ["y[i] = (v[i] - 1) ** (-v[i])"],
        ["9:5: y[1]: 0 to the power of −1; a base that isn't 0 would do"],
    ),
    (
        ["y = exp(c * 1000)"],
        ["9:5: y: a result is too large to work with, computed from c; smaller numbers would do"],
    ),
    (["y = 10 ** 400"], ["9:5: y: a result is too large to work with; smaller numbers would do"]),
    (["y = 1 / (0.1 + 0.2 - 0.3)"], ["9:5: y: 0 to divide by; another divisor would do"]),
)
OVER: Cases = (
    (
        ["S[t] = S[t - 1] + v[t]"],
        ["12:16: S has nothing at 0, read where t is 1; say start: {S: 0}"],
    ),
    (["S[t] = v[t] + S[t + 1]"], ["12:25: S is read at 2, where t is 1; read it at t or at t - 1"]),
    (["S[i] = v[t] * v[i]"], ["12:9: a step over t makes something at t; write S[t, i]"]),
    (
        ["S[t] = S[t] + v[t]"],
        [
            "12:16: S isn't made yet at t; move this equation below that, or read what was made before"
        ],
    ),
    (
        ["S[t] = R[t]", "R[t] = S[t]"],
        ["10:11: nothing says how far t goes; write t in n, and beside given sizes: {n: 2}"],
    ),
    (
        ["S[q] = v[q]"],
        [
            "10:11: no equation makes something at t; write t as the first index on the left, such"
            " as S[t]"
        ],
    ),
    (["S[t] v[t]"], ["12:14: v can't stand here; write = behind S, and what it is"]),
    (
        ["S[t, i, j, k] = v[t] * X[i, j] * v[k]"],
        ["12:20: S would have 3 sides; two are the most; make a step over one of them, `over: t`"],
    ),
)


def errors_of(text: str, folder: Path) -> list[str]:
    path = folder / "s.yaml"
    path.write_text(text, "utf-8")
    try:
        work(load(path))
    except UserError as error:
        return [line.removeprefix(f"{path}:") for line in str(error).split("\n")]
    return []


@pytest.mark.parametrize(("equations", "errors"), [*READING, *WORKING])
def test_errors(equations: list[str], errors: list[str], tmp_path: Path) -> None:
    lines = "".join(f"  - {line}\n" for line in equations)
    assert errors_of(f"{GIVEN}equations:\n{lines}", tmp_path) == errors


@pytest.mark.parametrize(("equations", "errors"), OVER)
def test_errors_over_times(equations: list[str], errors: list[str], tmp_path: Path) -> None:
    lines = "".join(f"      - {line}\n" for line in equations)
    text = f"{GIVEN}steps:\n  a:\n    over: t\n    equations:\n{lines}"
    assert errors_of(text, tmp_path) == errors


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('  - "y[i] = v[i] + q"\n', "9:20"),
        ("  - 'y[i] = v[i] + q'\n", "9:20"),
        ("  - y[i] = v[i]\n    + 1 +\n      q\n", "11:7"),
        ("  - >\n    y[i] = v[i]\n    + q\n", "11:7"),
        ("  - |-  # two lines\n    y[i] = v[i]\n    + q\n", "11:7"),
        ('  - "y[i] = v[i] \\u002b q"\n', "9:25"),
        ('  - "y[i] = v[i] +\\\n    q + 1"\n', "10:5"),
        ('  - "\\u03b1[i] = v[i] + q"\n', "9:25"),
        ('  - &a "y[i] = v[i] + q"\n', "9:23"),
        ("  - &a y[i] = v[i] + q\n", "9:22"),
        ("  - 'y[i] = v[i]\n     + q'\n", "10:8"),
        ("  - 'y = ''q'\n", "9:10"),
    ],
)
def test_place_in_yaml(text: str, place: str, tmp_path: Path) -> None:
    (error,) = errors_of(f"{GIVEN}equations:\n{text}", tmp_path)
    assert error.startswith(f"{place}: ")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('  - ""', "9:5: nothing where an equation belongs; {} z[i] = sum(X[i, k] for k)"),
        ("  -", "9:4: nothing where an equation belongs; {} z[i] = sum(X[i, k] for k)"),
        ("  - ~", "9:5: nothing where an equation belongs; {} z[i] = sum(X[i, k] for k)"),
        ("  - null", "9:5: nothing where an equation belongs; {} z[i] = sum(X[i, k] for k)"),
        ("  - 5", "9:5: 5 begins no equation; {} z[i] = sum(X[i, k] for k)"),
        ("  - -y = 2", "9:5: - begins no equation; {} z[i] = sum(X[i, k] for k)"),
        ("  - = 2", "9:5: nothing stands before =; name what this makes"),
        ("  - [y]", "9:5: a list where an equation belongs; {} z[i] = sum(X[i, k] for k)"),
        ("  - y: 2", "9:5: a map of keys and values where an equation belongs; {} y = 2"),
        ("  - y", "9:6: the equation ends too early; write = behind y, and what it is"),
        (
            "  y: 2",
            "9:3: a map of keys and values where a list of equations belongs; write each behind a"
            " dash: - y = 2",
        ),
        (
            "  y = 2",
            '9:3: the text "y = 2" where a list of equations belongs; write each behind a dash: - y = 2',
        ),
    ],
)
@pytest.mark.parametrize("more", ["", "  - w = c"])
def test_what_is_no_equation(text: str, error: str, more: str, tmp_path: Path) -> None:
    """Only that is told, beside others and alone."""
    if "  - " not in text and "dash" in error:
        more = ""
    given = GIVEN.replace("V: [[1, 2], [3, 4]]", "V: [[1, 2], [3, 4], [5, 6]]")  # no model's V
    told = errors_of(f"{given}equations:\n{text}\n{more}\n", tmp_path)
    assert told == [error.format("write what it makes and how,")]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "steps:\n  - y = 2\n",
            "9:3: a list where steps belong; name each, with what it does below: my_step:"
            " {equations: [y = 2]}",
        ),
        (
            "steps:\n  a:\n    - y = 2\n",
            "10:5: a list where a step belongs; write equations: below its name, and below that"
            " - y = 2",
        ),
        (
            "steps:\n  a: y = 2\n",
            '9:6: the text "y = 2" where a step belongs; write equations: below its name, and below'
            " that - y = 2",
        ),
    ],
)
def test_what_is_no_step(text: str, error: str, tmp_path: Path) -> None:
    assert errors_of(f"{GIVEN}{text}", tmp_path) == [error]


def test_all_errors_at_once(tmp_path: Path) -> None:
    """What follows from an error isn't told: neither of a, which is misread, nor of n, y or f."""
    text = """title: T
given:
  a[n]: [1, x]
  b: [1, 2]
sizes: {m: 0}
equations:
  - f(x) = x + q
  - y[i] = a[i] + f(2)
  - z[i in m] = y[i] + b[i in n]
  - w[i] = b[i] + f(y[i]) + c
  - u[j in n] = w[j]
"""
    assert errors_of(text, tmp_path) == [
        '3:13: the text "x" is not a number; give a number such as 0.5 or -2',
        '5:12: the text "0" is not a whole number from 1 to 1000; give one in that range',
        "7:16: nothing is called q; known: x, b, pi",
        "9:28: [ is still open at in; write ] behind i, before in",
    ]


def test_sides_of_one_name_are_equally_long(tmp_path: Path) -> None:
    text = "title: T\ngiven:\n  A[n]: [1, 2]\n  B[n]: [1, 2, 3]\nequations:\n  - y = B[1]\n"
    right = "make them equally long, or name another side"
    assert errors_of(text, tmp_path) == [f"4:9: n is 3 long in B, and 2 in A; {right}"]


CLUMSY: Cases = (
    (
        ["my y[i] = v[i]"],
        ["9:8: y can't stand behind my; write a name as one word, my_y, or = behind it"],
    ),
    (["y = sum(v[i])"], ["9:9: sum of one number; say over what: sum(… for i)"]),
    (
        ["y = sum(v[j] for j in 3)"],
        [
            "9:27: an index goes along a side; name one, such as i in n, beside sizes: {n: 3}; or"
            " leave it out"
        ],
    ),
    (
        ["y = sum(v[j] for j in range(3))"],
        [
            "9:27: an index goes along a side; name one, such as i in n, beside sizes: {n: 3}; or"
            " leave it out"
        ],
    ),
    (
        ["y = sum(v[j] for j in v)"],
        ["9:22: no side is called v; leave in v out: v[j] tells how far it goes"],
    ),
    (
        ["y = sum(v[j] for j = 1)"],
        [
            "9:24: an index goes along all of a side; write for j, with if j == … where only some"
            " take part"
        ],
    ),
    (["y = e ** c"], ["9:9: nothing is called e; write exp(x) for e to the power of x"]),
    (["y = 1,5 * c"], ["9:10: , can't stand behind 1; write a decimal point: 1.5"]),
    (["y = 2c"], ["9:10: c can't stand behind 2; write 2 * c"]),
    (["y = 2(c)"], ["9:10: ( can't stand behind 2; write 2 * ("]),
    (
        ["y = 1 000"],
        ["9:11: 000 can't stand behind 1; write one number without a space, or a sign between two"],
    ),
    (
        ["y[i] = 1 if v[i] > 1 else if v[i] > 0 else 0"],
        ["9:31: if can't stand here; write what it is first: else 1 if x < 2 else 0"],
    ),
    (
        ["y[i] = y[i] + 1"],
        ["9:12: y is read where it is made; read something above; in a step over t, read y[t - 1]"],
    ),
    (["f(x) = x[i]"], ["9:12: x is a number here, and no array; give it the cell: f(x[i])"]),
    (
        ["y(i) = v[i]"],
        ["9:14: i is a number that y is of, and no index; write y[i] = … for a list"],
    ),
    (["y[i] = v(i)"], ["9:12: v is no function; read a cell: v[i]"]),
    (["f(x) = x", "y = f"], ["10:9: f is a function; write what it is of, f(…)"]),
)
IN_STEPS: Cases = (
    (
        ["  a:", "  title: hi", "  equations:", "    - y = 2"],
        [
            "10:3: title is said of a step, and stands beside a; indent it further, to be inside of a"
        ],
    ),
    (
        ["  a:", "    over: t", "    start: S = 0", "    equations: ['S[t] = S[t - 1] + v[t]']"],
        [
            '11:12: the text "S = 0" where a map belongs; give a map from quantity to value, like'
            " {quantity: …}"
        ],
    ),
    (
        ["  a:", "    over: t", "    start: {S: 0}", "    equations:", "      - S = S + v[t]"],
        ["13:9: a step over t makes something at t; write S[t]"],
    ),
    (
        [
            "  a:",
            "    over: t",
            "    start: {S: 0}",
            "    equations:",
            "      - S[t, i] = S[t - 1, i] + v[t]",
        ],
        ["13:14: nothing says how far i goes; write i in n, and beside given sizes: {n: 2}"],
    ),
    (
        ["  a:", "    output: z", "    equations: [y = 2]"],
        ["10:13: no equation of this step makes z; known: y"],
    ),
    (
        ["  a:", "    equations: [y = 2]", "    mistakes:", "      m: {says: Oh.}"],
        [
            "12:10: a mistake without instead; write the other right side, such as instead: {y: 2 *"
            " x[i]}"
        ],
    ),
    (
        ["  a:", "    equations: [y = 2]", "    mistakes:", "      m: {instead: {y: 3}}"],
        ["12:10: a mistake without says; say what is done wrongly, in a sentence"],
    ),
    (
        [
            "  a:",
            "    equations: [y = c]",
            "    mistakes:",
            "      m: {says: Oh., instead: {y: c}}",
        ],
        ["12:35: m leaves y as it is; write what it is by mistake"],
    ),
    (
        [
            "  a:",
            "    equations: [y = c]",
            "    mistakes:",
            "      m: {says: Oh., instead: {y: y = 2}}",
        ],
        [
            "12:35: an equation where its right side belongs; write what stands right of the =,"
            " without y ="
        ],
    ),
    (
        [
            "  a:",
            "    title: no equations",
            "  b:",
            "    equations:",
            "      - z = w",
            "      - u = v",
        ],
        [
            "10:5: a step without equations; list some, like equations: ['z[i] = sum(X[i, k] for k)']",
            "14:13: v has 1 side, here none; write v[i]",
        ],
    ),
)


@pytest.mark.parametrize(("equations", "errors"), CLUMSY)
def test_clumsy_equations(equations: list[str], errors: list[str], tmp_path: Path) -> None:
    lines = "".join(f"  - {line}\n" for line in equations)
    assert errors_of(f"{GIVEN}equations:\n{lines}", tmp_path) == errors


@pytest.mark.parametrize(("lines", "errors"), IN_STEPS)
def test_clumsy_steps(lines: list[str], errors: list[str], tmp_path: Path) -> None:
    assert errors_of("\n".join([f"{GIVEN}steps:", *lines, ""]), tmp_path) == errors


@pytest.mark.parametrize(
    "more", ["backward: true\n", "until: a\n", "train: {learning_rate: 0.1}\n"]
)
def test_nothing_follows_from_a_step_that_cant_be_read(more: str, tmp_path: Path) -> None:
    text = f"title: T\n{more}given: {{c: 3}}\nsteps:\n  a:\n    equations:\n      - 5\n"
    (error,) = errors_of(text, tmp_path)
    assert error.startswith("7:9: 5 begins no equation")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("given:\n  - v: [1]", "3:3: a list where a map belongs"),
        ("givens: {v: [1]}", '2:1: unknown key "givens"; did you mean given?'),
        ("given: {n: 2, v: [1]}\nsizes: {n: 3}", "2:12: n is an array, and a side"),
    ],
)
def test_nothing_follows_from_arrays_that_cant_be_read(
    given: str, error: str, tmp_path: Path
) -> None:
    (told,) = errors_of(f"title: T\n{given}\nequations:\n  - y = v[1]\n", tmp_path)
    assert told.startswith(error)


def test_sides_that_nothing_has_are_told(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    names = "names: {nodes: [a, b]}\nsizes: {m: 3, n: 2}\n"
    path.write_text(f"given: {{'v[node]': [1, 2]}}\n{names}equations: ['y[i] = n * v[i]']\n")
    assert work(load(path)).unused == ("names.nodes", "sizes.m")


@pytest.mark.parametrize("side", ["d_model", "token"])
def test_a_side_is_as_long_as_in_the_model(side: str, tmp_path: Path) -> None:
    weights = "".join(f"{name}: [[1, 0], [0, 1]]\n" for name in ("W_Q", "W_K", "W_V"))
    text = f"X: [[1, 0], [0, 1], [1, 1]]\n{weights}given:\n  B[{side}]: [1, 2, 3, 4]\n"
    own = "{before: softmax, equations: ['z[i] = x[i, 1] + B[i]']}"
    (told,) = errors_of(f"sentence: I love AI\n{text}steps:\n  own: {own}\n", tmp_path)
    length = {"d_model": 2, "token": 3}[side]
    assert f": {side} is 4 long in B, and {length} in the model; make them" in told


def test_labels_of_the_cell(tmp_path: Path) -> None:
    text = """title: T
rounding: {policy: exact, decimals: 2}
given:
  A[node, d]: [[0.3, 2], [4, 5]]
names: {node: [sun, moon]}
equations:
  - y[i, j] = ln(A[i, j] - 0.1 - 0.2)
"""
    assert errors_of(text, tmp_path) == ["7:5: y[sun, 1]: ln of 0; a number above 0 would do"]


NOTHING = "softmax over nothing; a condition that some numbers meet would do"


@pytest.mark.parametrize(
    ("equation", "error"),
    [
        ("y[i, j] = softmax(A[i, j] for j if A[i, j] > 2)", f"y[sun, j]: {NOTHING}"),
        ("y[a, i] = softmax(A[i, a] for a if A[i, a] > 2)", f"y[a, sun]: {NOTHING}"),
        ("y[i] = softmax(A[i, 1] for i if A[i, 1] > 9)", f"y[i]: {NOTHING}"),
        ("y[i, j] = 1 - softmax(A[i, j] for j if A[i, j] > 2)", f"y[sun, j]: {NOTHING}"),
        (
            "y[i] = sum(softmax(A[i, j] for j if A[i, j] > 2) for j)",
            f"y[sun]: {NOTHING}",
        ),
        (
            "y[i, j] = softmax(ln(A[i, j] - 1) for j)",
            "y[sun, 1]: ln of −0.7; a number above 0 would do",
        ),
        (
            "y[i, j] = layer_norm(ln(A[i, j] - 1) for j)",
            "y[sun, 1]: ln of −0.7; a number above 0 would do",
        ),
        (
            "y[i, j] = layer_norm(A[i, j] * 0 for j)",
            "0 to divide by; another divisor would do",
        ),
    ],
)
def test_what_is_made_on_the_way_is_told_as_its_authors(
    equation: str, error: str, tmp_path: Path
) -> None:
    text = f"""title: T
rounding: {{policy: exact, decimals: 2}}
given:
  A[node, d]: [[0.3, 2], [4, 5]]
names: {{node: [sun, moon]}}
equations:
  - {equation}
"""
    (told,) = errors_of(text, tmp_path)
    assert error in told


def test_what_is_made_on_the_way_at_a_time(tmp_path: Path) -> None:
    text = f"{GIVEN}steps:\n  a:\n    over: t\n    equations:\n      - "
    (told,) = errors_of(f"{text}S[t, j] = softmax(V[t, j] for j if V[t, j] > 2)\n", tmp_path)
    assert told == f"12:9: S[1][j]: {NOTHING}"


def test_what_a_condition_on_the_time_keeps_away_isnt_read() -> None:
    """Nothing need be there before the first time, or after the last."""
    steps = {
        "s": {
            "over": "t",
            "equations": [
                "D[t, j] = X[t, j] - X[t - 1, j] if t > 1 else X[t, j]",
                "S[t, j] = X[t, j] if t == 1 else S[t - 1, j] + D[t, j]",
            ],
        },
        "r": {
            "over": "t",
            "direction": "backward",
            "equations": ["R[t, j] = X[t, j] + (R[t + 1, j] if t < n else 0)"],
        },
    }
    trace = work(load({"given": {"X[n, d]": [[1, 0], [0, 1], [1, 1]]}, "steps": steps}))
    assert [trace[f"D[{t}]"].values.tolist() for t in (1, 2, 3)] == [[[1, 0]], [[-1, 1]], [[1, 0]]]
    assert trace["S[3]"].values.tolist() == [[1, 1]]
    assert trace["R[1]"].values.tolist() == [[2, 2]]


def test_a_choice_inside_an_equation_stands_in_parentheses() -> None:
    """In its formula too: else what stands behind it were a part of what is chosen otherwise."""
    given = {"x[p]": [1, 2, 4]}
    equations = ["z[i] = 2 * (x[i] if i < 2 else 5) + 1", "y[i] = z[i] - (3 if i > 1 else x[i])"]
    page = walkthrough(work(load({"given": given, "equations": equations})), Selection())
    text = render(page, "terminal", RenderOptions())
    assert "z[i] = 2 × (x[i] where i < 2, otherwise 5) + 1" in text
    assert "y[i] = z[i] − (3 where i > 1, otherwise x[i])" in text
