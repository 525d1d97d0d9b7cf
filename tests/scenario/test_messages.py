"""Messages: each is one line `where: what is wrong; what would be right`, short, of characters
that can be seen; at most twenty are written out; and each points at what caused it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from attncli import ScenarioError, load, work
from attncli.cli import app
from attncli.errors import LONGEST_MESSAGE, MOST_WRITTEN, UserError, Where, counted, every
from attncli.maths.notation.escaping import is_hidden
from attncli.scenario.file.nodes import Items, Map, Node, Scalar
from attncli.scenario.file.problems import Diagnostics
from attncli.scenario.file.reading import read_value
from tests.conftest import FEWER
from tests.helpers.pages import LIGHT, SHIPPED, page_of, trace_of

FORM = re.compile(r"\S.*: \S.*; \S.*\S")
DRAWS = FEWER


def check(message: str) -> None:
    assert FORM.fullmatch(message), message
    assert len(message) <= LONGEST_MESSAGE
    assert not any(map(is_hidden, message)), message


def check_error(error: UserError) -> None:
    for problem in error.problems:
        check(str(problem))
    lines = str(error).split("\n")
    assert len(lines) <= MOST_WRITTEN + 1
    for line in lines:
        check(line)


LONG = "many words " * 4000
HOSTILE: Sequence[Any] = (
    "", " ", "x\ny; z: w", "\x1b[31m\u202e", LONG, "x" * 5000, "9" * 401, "1e9999999", f"0.{'3' * 5000}", ".nan", "-.inf",
    3, -1, 0, 1.5, 10**400, True, None, [], {}, [[]], [{}], [1, 2], [["a"]], {"a": 1}, {"kind": "x"}, {LONG: [1]},
    {"x\ny": {"z": 1}}, {"<<": {"scale": "none"}}, {"random": "normal"}, {"random": "uniform", "seed": 1, "low": 2, "high": 1},
    {"file": "no.npy"}, {"file": "x\ny.npz", "key": LONG}, [[1, 2], [3]], [[1e300, 1e300]] * 2, list(range(300)),
)  # fmt: skip


def nodes_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of a tree: the keys and counts that lead to each."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inside in entries:
        yield (*path, key)
        if isinstance(inside, dict | list):
            yield from nodes_of(inside, (*path, key))


def spoil(tree: Any, draw: random.Random) -> None:
    """Puts something hostile in one place of a tree, as a value or as a key."""
    *above, last = draw.choice(list(nodes_of(tree)))
    for key in above:
        tree = tree[key]
    if isinstance(tree, dict) and draw.random() < 0.3:
        tree[draw.choice(["x\ny", "\x1b]0;", "k" * 3000, "<<", "a.b[1]", "variants"])] = deepcopy(
            tree[last]
        )
    else:
        tree[last] = deepcopy(draw.choice(HOSTILE))


@pytest.mark.parametrize("seed", range(DRAWS))
def test_what_is_said_of_any_scenario(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    path = tmp_path / "s.yaml"
    names = [name for name in SHIPPED if len(SHIPPED[name]) < 5000 and name in LIGHT]
    for _ in range(4):
        tree = yaml.safe_load(SHIPPED[draw.choice(names)])
        for _ in range(draw.randint(1, 3)):
            spoil(tree, draw)
        path.write_text(json.dumps(tree), encoding="utf-8")
        for source in (path, tree):
            try:
                work(load(source))
            except ScenarioError as error:
                check_error(error)


OPTIONS: Mapping[str, Sequence[str]] = {
    "run": ("--step", "--layer", "--head", "--token", "--cell", "--decimals", "--rounding", "--set", "--detail", "--format", "--nothing"),
    "explain": ("--step", "--layer", "--head", "--token", "--decimals", "--set", "--detail", "--format"),
    "lint": ("--step", "--decimals", "--rounding", "--set", "--format"),
    "exercise": (
        "--step", "--layer", "--head", "--token", "--cell", "--blank", "--points", "--key", "--forms", "--seed", "--allow", "--mistakes",
        "--decimals", "--set", "--detail", "--format",
    ),
    "design": (
        "--forms", "--step", "--tokens", "--d-model", "--heads", "--seed", "--decimals", "--allow", "--format",
    ),
}  # fmt: skip
BAD_VALUES = (
    "x", "a\nb", "\x1b[0m", LONG, "0", "-1", "1.5", "9" * 500, "weights[love", "weights[a, b]", "softmax=x", "softmax=0", "random:0",
    "random:9", "scale=", "=1", "W_Q[9,9]=1", "W_Q=[[1", f"scale={'9' * 401}", "scale=.nan", "title[1][2]=x", "x\ny=1", "a[b]=\x1b",
    "[", "]", "'", "mask.padding=[9]", "nope.nope", "tokens=[]", "merges=x", "encoder.X=[[1]]", "variants.a.variants=1",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(DRAWS))
def test_what_is_said_of_any_option(seed: int) -> None:
    draw = random.Random(seed)
    command = draw.choice([*OPTIONS])
    arguments = [] if command == "design" else [draw.choice(["i_love_ai", "word_order", "x\ny"])]
    for option in draw.sample(OPTIONS[command], draw.randint(1, 3)):
        arguments += [option, draw.choice(BAD_VALUES)]
    result = CliRunner().invoke(app, [command, *arguments])
    assert result.exit_code in (0, 2), (arguments, result.exception)
    lines = result.stderr.splitlines()
    assert bool(lines) == (result.exit_code == 2)
    assert len(lines) <= MOST_WRITTEN + 1
    for line in lines:
        check(line)


@pytest.mark.parametrize(
    "arguments",
    [["nope"], ["run"], ["run", "--no\nsuch"], ["run", "a", "b\nc"], ["run", "a", "--step"], ["list", "x\ny"], ["--nope"]],
)  # fmt: skip
def test_what_is_said_of_a_wrong_call(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    check(line)


@pytest.mark.parametrize("count", [1, 20, 21, 22, 1020])
def test_twenty_problems_are_written_out(count: int, tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("".join(f"keyy{k}: 1\n" for k in range(count)))
    with pytest.raises(ScenarioError) as raised:
        load(path)
    assert len(raised.value.problems) == count
    lines = str(raised.value).split("\n")
    assert CliRunner().invoke(app, ["validate", str(path)]).stderr.splitlines() == lines
    assert len(lines) == min(count, MOST_WRITTEN + 1)
    if count > MOST_WRITTEN:
        more = f"{count - 20:,} more problem{'s' if count > 21 else ''} from here on"
        assert lines[-1] == f"{path}:21:1: {more}; mend those above first"


TOLD = {
    f"scale: {'1' * 401}": "1:8: the text \"111111111111111111111111111111111111111…11111111111111111111\" is 401 characters long; "
    "give a number of at most 100 characters",
    "scale: 1e9999999": '1:8: the text "1e9999999" is outside the numbers that can be worked with (1e-300 to 1e300); '
    "give 0, or a number whose size is from 1e-300 to 1e300",
    "scale: .nan": '1:8: the text ".nan" is not a finite number; give a number such as 0.5 or -2',
    "scale: 1e-301": '1:8: the text "1e-301" is outside',
    "embeddings: 3": '1:13: the text "3" can\'t stand here; give one_hot, or a map from token to vector, or rows by ID',
    "unembedding: tide": '1:14: the text "tide" can\'t stand here; did you mean tied? Or give rows of numbers',
    'sentence: hug\ntokenizer: wordpiece\nvocabulary: {h: 0, "##u": 1}': '3:13: the vocabulary has no "[UNK]"',
    "Q: [[1]]\nK: [[1]]\nvariants: {a: {variants: {b: {scale: none}}}}": "3:16: a variant can't have variants of its own",
    "Q: [[1]]\nK: [[1]]\nV: [[1]]\ndropout: {p: 0.1}": "4:10: dropout without mask; give mask, like dropout: {p: 0.1, mask: ",
    "Q: [[1]]\nK: [[1]]\nV: [[1]]\ncache: {}": "4:8: cache without K and V; give K and V",
    "Q: [[1]]\nK: [[1]]\nV: [[1]]\ncache: {K: [[1]]}": "4:8: cache without V; give K and V",
    "Q: [[1]]\nK: [[1]]\nV: [[1]]\ncache: {tokens: [a], V: [[1]]}": "4:8: cache without K; give K and V",
    "Q: [[1]]\nK: [[1]]\n<<: [1, 2]": '3:1: unknown key "<<"',
}  # fmt: skip


@pytest.mark.parametrize("text", TOLD)
def test_what_is_told(text: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        trace_of(text)
    check_error(raised.value)
    assert any(str(p).partition(".yaml:")[2].startswith(TOLD[text]) for p in raised.value.problems), str(raised.value)  # fmt: skip


@given(st.integers(1, 4), st.integers(1, 12))
def test_only_keys_that_are_there_are_padded(count: int, padded: int) -> None:
    keys = ", ".join("[1]" for _ in range(count + 1))
    text = f"Q: [[1]]\nK: [{keys}]\nmask: {{padding: [{padded}]}}\n"
    if padded <= count + 1:
        assert trace_of(text)["mask"].values.sum() == count
        return
    with pytest.raises(ScenarioError, match=rf":3:17: .*{padded}.*; .* {count + 1}$"):
        trace_of(text)


@given(st.permutations([20, 90, 200]), st.booleans())
def test_an_overflow_points_at_the_largest_of_what_was_given(powers: list[int], carry: bool) -> None:  # fmt: skip
    scaled = [power // 20 if carry else power for power in powers]
    names = ("X", "W_Q", "W_K")
    lines = [f"{name}: [[1e{power}, 1], [1, 1]]" for name, power in zip(names, scaled, strict=True)]
    lines += ["scale: none"] if carry else ["rounding: {policy: exact, decimals: 2}"]
    with pytest.raises(ScenarioError) as raised:
        trace_of("\n".join([*lines, "V: [[1], [1]]"]))
    (problem,) = raised.value.problems
    cause = powers.index(200)
    assert problem.where.line == cause + 1, str(problem)
    assert problem.wrong.endswith(f"computed from {names[cause]}")


def test_what_divides_too_much_is_pointed_at() -> None:
    for key in ("scale", "temperature"):
        with pytest.raises(ScenarioError, match=":4:"):
            trace_of(f"Q: [[1e200]]\nK: [[1]]\nrounding: {{policy: exact}}\n{key}: 1e-200\n")


CELLS = st.tuples(st.integers(0, 1), st.integers(0, 1))
UNFIT = st.sampled_from([float("nan"), float("inf"), -float("inf"), 1e301, 10**5000, -(10**400)])


@given(st.sampled_from(["X", "W_Q", "K"]), CELLS, UNFIT, st.booleans())
def test_a_number_that_cannot_be_worked_with_is_told_with_its_place(
    name: str, cell: tuple[int, int], unfit: float, as_array: bool
) -> None:
    rows: list[list[float]] = [[1, 2], [3, 4]]
    rows[cell[0]][cell[1]] = unfit
    given_rows: Any = rows
    place = f"{name}[{cell[0] + 1}, {cell[1] + 1}]"
    if as_array and isinstance(unfit, float):
        given_rows = np.array(rows)
        place = f"{name}: an array of 2 × 2, whose number [{cell[0] + 1}, {cell[1] + 1}] is "
    with pytest.raises(ScenarioError) as raised:
        load({name: given_rows})
    check_error(raised.value)
    assert str(raised.value).startswith(place)


def test_mappings_that_hold_themselves_or_too_much() -> None:
    ring: dict[str, Any] = {"title": "x"}
    ring["encoder"] = ring
    items: list[Any] = []
    items.append(items)
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    for bad in (ring, {"layers": items}, {"X": deep}, {"variants": {"a": ring}}):
        with pytest.raises(
            ScenarioError, match="nested too deeply; use at most 32 levels"
        ) as raised:
            load(bad)
        check_error(raised.value)
    while isinstance(deep, list):  # the interpreter would take it apart by recursion
        deep = deep.pop()


def weights_row() -> st.SearchStrategy[list[str]]:
    number = st.integers(0, 12).map(lambda tenths: f"{tenths / 10}")
    return st.lists(number, min_size=2, max_size=4)


@given(weights_row())
def test_given_weights_that_do_not_add_up_are_spoken_of(row: list[str]) -> None:
    values = ", ".join("[1]" for _ in row)
    page = page_of(trace_of(f"weights: [[{', '.join(row)}]]\nV: [{values}]\n"))
    off = abs(sum(round(10 * float(number)) for number in row) - 10) > len(row) / 2
    assert ("weights of row 1 don't add up to 1" in " ".join(page.split())) == off


PLAIN = st.dictionaries(st.sampled_from("abcd"), st.sampled_from("123"), max_size=3)


@given(PLAIN, st.lists(PLAIN, min_size=1, max_size=3), st.booleans())
def test_merge_keys_mean_what_they_mean_in_yaml(
    own: dict[str, str], others: list[dict[str, str]], several: bool
) -> None:
    lines = [f"- &m{k} {json.dumps(other)}" for k, other in enumerate(others)]
    names = [f"*m{k}" for k in range(len(others))]
    merged = f"[{', '.join(names)}]" if several else names[0]
    text = "\n".join([*lines, f"- {{<<: {merged}, {json.dumps(own)[1:-1]}}}"])
    node = read_value(text, Where("s", 1, 1), Diagnostics())
    assert node is not None
    assert plain(node) == yaml.safe_load(text)


def plain(node: Node) -> Any:
    match node:
        case Map(entries):
            return {key.text: plain(value) for key, value in entries}
        case Items(items):
            return [plain(item) for item in items]
        case Scalar(text):
            return text
        case _:
            raise TypeError(node)


def test_a_merged_layer_and_a_token_that_is_called_so() -> None:
    layer = "{W_Q: [[1]], W_K: [[2]], W_V: [[3]], scale: none}"
    trace = trace_of(f"X: [[1]]\nblock: attention\nlayers:\n- &a {layer}\n- {{<<: *a, scale: 2}}\n")
    assert "layers[2].scaled" in trace
    assert "layers[1].scaled" not in trace
    assert trace_of("sentence: <<\nembeddings: {<<: [1]}\n")["X"].values.tolist() == [[1]]
    assert trace_of('X: {"<<": [1]}\n').scenario.given.row_names["X"] == ("<<",)


@pytest.mark.parametrize(
    ("key", "own", "of", "shared"),
    [
        ("heads[1].W_Q[1,2]", "W_Q", "heads[1]", "W_Q"),
        ("heads[2].W_O", "W_O", "heads[2]", "W_O"),
        ("layers[2].heads[1].W_V[1,1]", "W_V", "heads[1]", "layers[2].W_V"),
        ("layers[1].heads[3].bias[2]", "bias", "heads[3]", "layers[1].bias"),
    ],
)
def test_what_is_given_for_all_heads_is_not_set_in_one(
    key: str, own: str, of: str, shared: str
) -> None:
    eye = np.eye(4).tolist()
    matrices = dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), eye)
    layered = {"layers": [matrices, matrices]} if key.startswith("layers") else matrices
    source = {"X": eye, "heads": 2, **layered}
    with pytest.raises(ScenarioError) as error:
        load(source, f"{key}=0")
    assert str(error.value) == (
        f"--set {key}=0: `heads: 2` only says how many there are, so that {of} has no {own} of its"
        f" own; set {shared}, which is that of all 2"
    )


@pytest.mark.parametrize("key", ["heads[1]", "heads[1][2]", "heads.W_Q"])
def test_an_index_of_a_number_belongs_to_nothing(key: str) -> None:
    with pytest.raises(ScenarioError, match="looks into a single value"):
        load({"X": np.eye(4).tolist(), "heads": 2}, f"{key}=0")


@pytest.mark.parametrize(
    ("count", "noun", "counts", "all_of_them"),
    [
        (1, "row", "1 row", "the only row"),
        (2, "class", "2 classes", "both classes"),
        (3, "more quantity", "3 more quantities", "all 3 more quantities"),
        (0, "key", "0 keys", "all 0 keys"),
    ],
)
def test_nouns_agree_with_their_counts(
    count: int, noun: str, counts: str, all_of_them: str
) -> None:
    assert counted(count, noun) == counts
    assert every(count, noun) == all_of_them
