"""What people write out of habit: it is read as they mean it, or told in one line that says what to
write."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from attncli import ScenarioError, load, work
from attncli.errors import Where
from attncli.judging.verdicts import read_number
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers import decimals
from attncli.scenario.file.matrices import MATRIX
from attncli.scenario.file.problems import Diagnostics
from attncli.scenario.file.reading import read_value
from tests.helpers.pages import page_of, trace_of
from tests.scenario.test_messages import check

TWO = "tokens: [a, b]\nX: [[1, 0], [0, 1]]\nprojection: none\n"
QKV = "Q: [[1, 0]]\nK: [[1, 0], [0, 1], [1, 1]]\nV: [[1, 0], [0, 1], [1, 1]]\n"
WEIGHTS = "".join(f"W_{name}: [[1, 0], [0, 1]]\n" for name in "QKV")
TOLD = {
    "sentence: cat\nvocabulary: {cat: [1, 2]}": "2:19: a list is not a whole number from 0 to 1000000000; "
    "give the token's ID here, and its vector under embeddings",
    f"tokens: [a]\n{QKV}": "3:4: K (3 × 2) and the sentence of 1 token don't fit together (K has a row for each token); "
    "give K 1 row, or name its rows, like K: {love: …}",
    f"{TWO}layernorm: true": '4:1: unknown key "layernorm"; it is called norm (post, pre, after, both or none) here',
    f"{TWO}norms: pre": '4:8: the text "pre" where a map belongs; did you mean norm: pre?',
    f"{TWO}head: 2": '4:7: the text "2" where a map belongs; did you mean heads: 2?',
    f"tokens: [a, b]\nembeddings: {{a: [1, 0], b: [0, 1]}}\n{WEIGHTS}heads: 3": "6:8: W_K (2 × 2), W_Q (2 × 2), W_V (2 × 2): 2 columns each can't be cut into 3 equal parts (3 heads); "
    "give a number of columns that 3 divides, like 3; W_O has as many rows",
    "sentence: the cat\ntokenizer: {kind: bpe, merges: [t h]}\nvocabulary: {t: 0, h: 1, th: 2}": '2:24: the key "merges" doesn\'t belong in here; '
    "write it one level up, as a key of its own",
    "sentence: The cat\nembeddings: {the: [1, 0], cat: [0, 1]}": '2:13: the token "The" of the sentence is not in embeddings; '
    'did you mean "the"? Or add its vector, like "The": [1, 0]',
    "sentence: the cat\nvocabulary: {The: 0, cat: 1}\nembeddings: [[1], [2]]": '2:13: the token "the" of the sentence is not in vocabulary; '
    'did you mean "The"? Or add it, like "the": 2',
    "tokens: [a, b, a]\nembeddings: [[1], [2], [3]]": "2:13: a matrix of embeddings that hasn't a row for each token, and no vocabulary; "
    "add a vocabulary (token → ID), or give the embeddings by token",
    "X:\n\t- [1, 0]": "2:1: the line begins with a tab; indent it by spaces, as YAML wants",
    "title: x\n \tX: [[1]]": "2:1: the line begins with a tab; indent it by spaces, as YAML wants",
    f"{TWO}source: @me": '4:9: no text begins with "@"; put the text in quotes',
    f"{TWO}“scale”: none": '4:1: unknown key "“scale”"; write scale without these quotes, which are no quotes in YAML',
    f"{TWO}scale: ‘none’": '4:8: the text "‘none’" can\'t stand here; write none without these quotes, which are no quotes in YAML. Or give a number',
    f"{TWO}scale:sqrt_d_k\n": '4:1: no space after the colon of "scale"; write scale: sqrt_d_k',
    f"scale:none\n{TWO}": '1:1: no space after the colon of "scale"; write scale: none',
    "embeddings:\n  a: [1]\n  b:[2]\ntitle: x": '3:3: no space after the colon of "b"; write b: [2]',
    f"{TWO}rounding: {{decimals:2}}": '4:12: unknown key "decimals:2"; write decimals: 2, with a space after the colon',
    f"{TWO}layers:\n- block:encoder": '5:3: the text "block:encoder" where a map belongs; write block: encoder, with a space after the colon',
    "X: [[0,5, 1], [2, 1]]": "1:6: 0,5 in a list is read as two numbers, 0 and 5; write 0.5, or 0, 5 with a space if they are two",
    "X: [[1, −0,5], [2, 1]]": "1:9: −0,5 in a list is read as two numbers, −0 and 5; write −0.5, or −0, 5 with a space if they are two",
    "X: [[1], [0,05]]": "1:11: 0,05 in a list is read as two numbers, 0 and 05; write 0.05, or 0, 05 with a space if they are two",
    f"{TWO}mask: causal\npositions: {{kind: alibi, slopes: [0,5, 0,25]}}": "5:35: 0,5 in a list is read as two numbers, 0 and 5; "
    "write 0.5, or 0, 5 with a space if they are two",
}  # fmt: skip


@pytest.mark.parametrize("text", TOLD)
def test_it_is_told_in_one_line(text: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        trace_of(text)
    (line,) = str(raised.value).split("\n")
    check(line)
    assert line.partition(".yaml:")[2] == TOLD[text]


def test_the_reader_of_pure_python_tells_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attncli.scenario.file.reading.LOADER", yaml.SafeLoader)
    for text, told in TOLD.items():
        with pytest.raises(ScenarioError) as raised:
            trace_of(text)
        assert str(raised.value).partition(".yaml:")[2] == told


def read(text: str) -> list[list[Decimal]] | None:
    """The numbers of a matrix as they are written, None where something is wrong with it."""
    node = read_value(text, Where("s", 1, 1), Diagnostics())
    assert node is not None
    matrix = MATRIX.read(node, Diagnostics())
    assert matrix is None or isinstance(matrix, Matrix)
    return None if matrix is None else [list(row) for row in matrix.written or ()]


NUMBERS = st.integers(-999, 999).map(lambda n: Decimal(n).scaleb(-2))


@given(st.lists(NUMBERS, min_size=2, max_size=5), st.sampled_from(decimals.MINUS))
def test_minus_signs_are_read_as_in_answers_and_decimal_commas_refused(
    numbers: list[Decimal], minus: str
) -> None:
    texts = [str(number).replace("-", minus) for number in numbers]
    assert read(f"[[{', '.join(texts)}]]") == [numbers]
    assert [read_number(text).number for text in texts] == numbers
    assert read(f"[[{', '.join(texts)}]]".replace(".", ",")) is None
    assert work(load({"X": [texts]}))["X"].values[0].tolist() == [*map(float, numbers)]


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=5), st.sampled_from([",", ", ", " , "]))
def test_whole_numbers_are_kept_apart_by_any_comma(numbers: list[int], comma: str) -> None:
    assert read(f"[[{comma.join(map(str, numbers))}]]") == [[*map(Decimal, numbers)]]


def test_a_minus_stands_wherever_a_number_does() -> None:
    text = "Q: [[−1, 1e−1]]\nK: [[1, 2]]\nscale: none\nbias: [[−inf]]\nmask: {blocked: [[0]]}\n"
    assert trace_of(text.replace("bias: [[−inf]]\n", ""))["scores"].values.tolist() == [[-0.8]]
    assert trace_of("weights: [[1]]\nV: [[1]]\nvariants: {a: {V: [[−3]]}}\n")
    hidden = trace_of("Q: [[1], [1]]\nK: [[1], [1]]\nmask: {add: [[0, −∞], [–inf, 0]]}\n")
    np.testing.assert_array_equal(hidden["weights"].values, [[1, 0], [0, 1]])


@pytest.mark.parametrize("more", ["", "positions: sinusoidal\n"])
def test_a_matrix_with_a_row_for_each_token_needs_no_vocabulary(more: str) -> None:
    rows = "[[1, 0], [0, 1], [1, 1]]"
    named = "{a: [1, 0], b: [0, 1], c: [1, 1]}"
    traces = [
        trace_of(f"tokens: [a, b, c]\nembeddings: {table}\nprojection: none\n{more}")
        for table in (rows, named)
    ]
    assert len({page_of(trace) for trace in traces}) == 1
