"""Scenario files: YAML's traps, every problem at once with its place, hostile input."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from attncli import ScenarioError, load
from attncli.errors import Where
from attncli.scenario import starter
from attncli.scenario.file.address import Address, AddressError, Index, parse_address, write_index
from attncli.scenario.file.keys import Choice, Kind, MapOf, Record
from attncli.scenario.file.problems import Diagnostics
from attncli.scenario.file.reading import read_value
from attncli.scenario.show import AnswerKind
from attncli.scenario.tokenizers.settings import MARKS, TOKENIZERS, tokenizer_kind
from attncli.scenario.tokenizers.whole_words import KINDS
from attncli.steps.order import STORY
from attncli.steps.prediction.logits import TEMPERATURE
from attncli.steps.schema import SCENARIO
from tests.conftest import CHARACTERS, sampled, share
from tests.helpers.file_schema import data_of, faults, validator
from tests.helpers.pages import SHIPPED, trace_of
from tests.helpers.strategies import recurrents, scenarios, trainings, transformers


def problems(tmp_path: Path, text: str | bytes) -> list[str]:
    """The problems of a scenario's text, its path taken off."""
    path = tmp_path / "s.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    with pytest.raises(ScenarioError) as caught:
        load(path)
    return [str(problem).removeprefix(f"{path}:") for problem in caught.value.problems]


def test_tokens_are_texts() -> None:
    tokens = [
        "no",
        "on",
        "yes",
        "null",
        "1",
        "1.0",
        "~",
        "true",
        "0x1F",
        "1e3",
        "2026-01-01",
        "<<",
        "=",
    ]
    lines = [
        f"sentence: {' '.join(tokens)}",
        "vocabulary:",
        *(f"  {t}: {k}" for k, t in enumerate(tokens)),
    ]
    lines += ["embeddings:", *(f"  {t}: [{k}]" for k, t in enumerate(tokens))]
    trace = trace_of("\n".join(lines) + "\n")
    assert trace.scenario.text.tokens == tuple(tokens)
    assert trace.scenario.text.ids == tuple(range(len(tokens)))
    assert trace["X"].values[:, 0].tolist() == list(range(len(tokens)))
    assert trace.scenario.rounding.policy == "carry"


@pytest.mark.parametrize("sentence", ["no", "1", "1.0", "~", "null", "on"])
def test_a_sentence_of_one_trap(sentence: str) -> None:
    assert trace_of(f"sentence: {sentence}\n").scenario.text.tokens == (sentence,)


def test_embeddings_by_id() -> None:
    text = "sentence: b a b\nvocabulary: {a: 0, b: 2}\nembeddings: [[1], [2], [3.50]]\n"
    trace = trace_of(text)
    assert trace["X"].values.tolist() == [[3.5], [1], [3.5]]
    assert trace["X"].rows.names == ("b (1)", "a", "b (3)")
    assert str(trace["X"].matrix.number(0, 0).shown) == "3.50"


EVERYTHING = """\
titel: x
sentence: a ghost
vocabulary: {a: 1, b: 1, c: -2}
embeddings: {a: [1, .nan], b: [1e400, x], c: []}
W_Q: [[1, 0], [0]]
W_K: []
W_V: 7
scale: 0
W1: [[1, [2]]]
rounding: {policy: cary, decimals: -1, steps: {sofmax: 2}}
activation: {}
title: a
title: b
"""


PARTS = [
    "did you mean title?",
    "whole number",
    ".nan",
    "1e400",
    '"x"',
    "empty",
    "this row has 1 number",
    "this matrix is empty",
    "where a matrix belongs",
    "not above zero",
    "a list",
    "did you mean carry?",
    "from 0 to 12",
    "did you mean softmax?",
    "is not a choice",
    "repeated (first on line 12)",
]


def test_every_problem_at_once_and_where(tmp_path: Path) -> None:
    found = problems(tmp_path, EVERYTHING)
    places = [problem.split(": ")[0] for problem in found]
    assert places == [
        "1:1", "3:29", "4:21", "4:32", "4:39", "4:46", "5:15", "6:6", "7:6", "8:8", "9:10",
        "10:20", "10:36", "10:48", "11:13", "13:1",
    ]  # fmt: skip
    for message, part in zip(
        found,
        PARTS,
        strict=True,
    ):
        assert part in message
        assert "; " in message  # what would be right


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "1:1: the file is empty"),
        ("# only a comment\n", "1:1: the file is empty"),
        ("- 1\n", "not a map"),
        ("just words\n", "not a map"),
        ("a: [1, 2\nb: 3", "broken YAML"),
        ("title: a: b", "1:9: broken YAML"),
        ("\ttitle: x", "1:1: the line begins with a tab"),
        ("title: x\n---\ntitle: y\n", "2:1: a second document"),
        ("title: !!python/object:os.system x", "the YAML tag"),
        ("title: *nowhere", "names no &nowhere"),
        ("title: &a [*a]", "names no &a"),
        ("? [1]\n: 2\n", "a key that is not a text"),
        ("[" * 100_000, "nested too deeply"),
        ("title: \x01", "1:8: a character that YAML doesn't allow (U+0001)"),
        ("title:\n", "is empty"),
        ("sentence: ''", "is empty"),
        ("sentence: x\nvocabulary: {y: 1}", '"x" of the sentence is not in vocabulary'),
        ("sentence: x\nembeddings: {y: [1]}", '2:13: the token "x" of the sentence is not in embeddings'),
        ("sentence: x y\nembeddings: [[1]]", "no vocabulary"),
        ("sentence: x\nvocabulary: {x: 3}\nembeddings: [[1], [2]]", "the ID 3 of \"x\" has no row"),
        ("vocabulary: {a: 1, b: 1}\nsentence: a", '1:23: "b" has the ID 1, and so has "a"'),
        ("embeddings: {a: [1], b: [1, 2]}", "1:25: the embedding of \"b\" has 2 numbers"),
        ("Q: [[1, 2]]\nK: [[1]]", "2:4: K (1 × 1) and Q (1 × 2) don't fit together (scores = Q Kᵀ)"),
        ("X: [[1, 2]]\nW_Q: [[1]]", "2:6: W_Q (1 × 1) and X (1 × 2) don't fit together (Q = X W_Q)"),
        ("weights: [[1, 0]]\nV: [[1]]", "don't fit together (output = weights V)"),
        ("sentence: a b\nweights: [[1]]", "the sentence of 2 tokens don't fit together"),
        ("W1: [[1, 2]]\nb1: [1]\nW2: [[1]]\nb2: [1, 2]", "b1 (1 × 1) and W1 (1 × 2)"),
        ("scale: -1", "not above zero"),
        ("scale: 1e9999", "outside the numbers"),
        ("b1: [[1]]", "where a number belongs"),
        ("rounding: carry", "where a map belongs"),
        ("rounding: {decimals: 13}", "from 0 to 12"),
        ("tokenizer: words", "did you mean word?"),
        ("tokens: [a, [b]]", "a token is wanted here"),
    ],
)  # fmt: skip
def test_bad_files(tmp_path: Path, text: str, part: str) -> None:
    found = problems(tmp_path, text)
    assert any(part in problem for problem in found), found


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"title: \xff", "1:8: the file is not UTF-8 text (byte 0xFF)"),
        ("title: x".encode("utf-16"), "not UTF-8"),
        (b"title: x\nsource: \xc3\xa9\xe9", "2:10: the file is not UTF-8"),
        (b"x" * (17 * 2**20), "too large"),
    ],
)
def test_bad_bytes(tmp_path: Path, data: bytes, part: str) -> None:
    assert any(part in problem for problem in problems(tmp_path, data))


def test_a_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(b"\xef\xbb\xbftitle: x\n")
    assert load(path).title == "x"


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    for path, part in ((tmp_path, "this is a folder"), (tmp_path / "no.yaml", "no such file")):
        with pytest.raises(ScenarioError, match=part):
            load(path)


def test_an_alias_bomb_is_no_work(tmp_path: Path) -> None:
    lines = ["a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for old, new in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]")
    assert any("aliases make the file too large" in p for p in problems(tmp_path, "\n".join(lines)))


def test_aliases_are_fine_otherwise() -> None:
    trace = trace_of("W_Q: &w [[1, 2], [3, 4]]\nW_K: *w\nX: [[1, 1]]\n")
    assert trace["K"].values.tolist() == trace["Q"].values.tolist() == [[4, 6]]


def test_a_character_may_be_a_pair_of_surrogates_as_in_json(tmp_path: Path) -> None:
    by_name = {"sentence": "a 😀 \\ud83d", "vocabulary": {"a": 0, "😀": 1, "\\ud83d": 2}}
    path = tmp_path / "s.json"
    path.write_text(json.dumps(by_name))
    assert "\\ud83d\\ude00" in path.read_text("ascii")
    assert load(path).text.tokens == ("a", "😀", "\\ud83d")


def test_where_something_is_after_a_pair_of_surrogates(tmp_path: Path) -> None:
    text = json.dumps({"title": "😀 and 😀", "sentence": "a", "scal": 1})
    column = text.index('"scal"') + 1
    assert [p.partition(" unknown key")[0] for p in problems(tmp_path, text)] == [f"1:{column}:"]
    broken = f"{text[:-1]}]"
    (wrong,) = problems(tmp_path, broken)
    assert wrong.startswith(f"1:{len(broken)}: broken YAML")


def test_half_of_a_surrogate_pair_is_shown_as_its_escape() -> None:
    with pytest.raises(ScenarioError, match="broken YAML"):
        trace_of('title: "\\ud800"\n')
    assert load("i_love_ai", ["title=\udcff"]).title == "\\udcff"


@given(st.text(CHARACTERS, max_size=80))
def test_any_text_is_a_scenario_or_a_clear_error(text: str) -> None:
    with suppress(ScenarioError):
        trace_of(text)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_scenario_or_a_clear_error(data: bytes) -> None:
    with TemporaryDirectory() as folder, suppress(ScenarioError):
        path = Path(folder) / "s.yaml"
        path.write_bytes(data)
        load(path)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_kinds_of_tokenizers_have_known_settings_and_marks(name: str) -> None:
    kind = tokenizer_kind(name)
    assert kind.name == name
    assert {*kind.marks} <= {*MARKS}
    assert kind.model in ("", *TOKENIZERS)
    assert kind.model or kind.vocabulary.learned


def split(tokenizer: str, sentence: str) -> list[str]:
    words = KINDS[tokenizer].words
    assert words is not None
    return words.split(sentence)


@pytest.mark.parametrize(
    ("tokenizer", "sentence", "tokens"),
    [
        ("whitespace", "This is a sentence.", ["This", "is", "a", "sentence."]),
        ("whitespace", " tabs\tand\nlines ", ["tabs", "and", "lines"]),
        ("word", "I love pizza!", ["I", "love", "pizza", "!"]),
        (
            "word",
            "don't, 3.5 e\u0301te\u0301 a_b",
            ["don't", ",", "3", ".", "5", "e\u0301te\u0301", "a_b"],
        ),
        ("word", "'quoted' 👩‍👩‍👧!", ["'", "quoted", "'", "👩‍👩‍👧", "!"]),
        ("character", "Hello", ["H", "e", "l", "l", "o"]),
        ("character", "a e\u0301 🇫🇷👍🏽", ["a", " ", "e\u0301", " ", "🇫🇷", "👍🏽"]),
    ],
)
def test_tokenizers(tokenizer: str, sentence: str, tokens: list[str]) -> None:
    assert split(tokenizer, sentence) == tokens


@given(st.text(CHARACTERS, max_size=40))
def test_tokenizers_lose_nothing(sentence: str) -> None:
    assert "".join(split("character", sentence)) == sentence
    assert "".join(split("word", sentence)) == "".join(sentence.split())


def test_addresses() -> None:
    assert parse_address("weights[love, AI]") == Address("weights", (Index("love"), Index("AI")))
    assert parse_address(' Q[ 2 , "1" ] ') == Address("Q", (Index("2"), Index("1", quoted=True)))
    assert parse_address("W_Q") == Address("W_Q")
    for wrong in ("", "[1]", "Q[", "Q[1", "Q[]", "Q[,]", 'Q["1]'):
        with pytest.raises(AddressError):
            parse_address(wrong)


@given(st.text(CHARACTERS, min_size=1, max_size=12), st.text(CHARACTERS, min_size=1, max_size=12))
def test_any_name_can_be_addressed(row: str, column: str) -> None:
    address = parse_address(f"q[{write_index(row)}, {write_index(column)}]")
    assert [index.text for index in address.indices] == [row, column]
    assert not any(index.position for index in address.indices)


def test_a_cell_is_found_by_name_and_position() -> None:
    weights = trace_of(SHIPPED["i_love_ai"])["weights"]
    for text in ("weights[love, AI]", "weights[2, 3]", "weights[2, AI]", 'weights["love", 3]'):
        assert weights.find(parse_address(text)) == (1, 2)
    repeated = trace_of("sentence: a 1 a\nX: [[1], [2], [3]]\n")["X"]
    assert repeated.find(parse_address("X[a (3), 1]")) == (2, 0)
    assert repeated.find(parse_address('X["1", 1]')) == (1, 0)
    assert repeated.find(parse_address("X[1, 1]")) == (0, 0)
    assert [repeated.address(i, 0) for i in range(3)] == ["X[a (1), 1]", 'X["1", 1]', "X[a (3), 1]"]
    with pytest.raises(AddressError, match=r"a \(1\) or a \(3\)"):
        repeated.find(parse_address("X[a, 1]"))


def schema_of_all() -> dict[str, Any]:
    schema: dict[str, Any] = validator().schema
    return schema


OFFERED = {
    "heads": "heads[2].scores",
    "W_O": "W_O",
    "mask": "masked",
    "residuals": "residual2",
    "norm": "norm1.normed",
}
"""What the starter offers in comments, each with something that it makes."""


@pytest.mark.parametrize("keys", [*((key,) for key in OFFERED), tuple(OFFERED)], ids=" ".join)
def test_what_the_starter_offers_works_without_its_sign(keys: Sequence[str]) -> None:
    text = starter.text()
    trace = trace_of(text)
    offered = re.findall(r"^# (\w+): .* # ", text, re.MULTILINE)
    assert offered == [*OFFERED]
    more = trace_of(re.sub(rf"^# (?=({'|'.join(keys)}): )", "", text, flags=re.MULTILINE))
    for key in keys:
        assert not any(name.endswith(OFFERED[key]) for name in trace)
        assert any(name.endswith(OFFERED[key]) for name in more), key


def test_the_schema_is_one_and_says_what_the_reader_says() -> None:
    schema = schema_of_all()
    for text in (*SHIPPED.values(), starter.text()):
        assert not faults(text)
    for wrong in ("titel: x", "scale: sqrt", "W_Q: [[x]]", "W_Q: []", "rounding: {decimals: -1}",
                  "activation: swish", "rounding: {steps: {sofmax: 1}}", "vocabulary: {a: x}"):  # fmt: skip
        assert faults(wrong), wrong
        with pytest.raises(ScenarioError):
            trace_of(wrong + "\n")
    described = {name: key["description"] for name, key in schema["properties"].items()}
    assert all(described.values())
    assert set(described) == {key.name for key in SCENARIO.keys}
    assert set(schema["properties"]["rounding"]["properties"]["steps"]["properties"]) == set(STORY)


def kinds(record: Record) -> Iterator[tuple[str, Kind[Any]]]:
    """All keys of a record and of those in it, but for layers again, with what they take."""
    for key in record.keys:
        yield key.name, key.kind
        inner = [key.kind, *getattr(key.kind, "kinds", ())]
        for value in inner if key.name not in ("layers", "encoder", "cross", "variants") else ():
            yield from kinds(value) if isinstance(value, Record) else ()


def has_names(kind: Kind[Any]) -> bool:
    """Whether a map has names for keys that its author chose: of tokens, of quantities; words."""
    named = isinstance(kind, MapOf | AnswerKind) or getattr(kind, "named", False)
    return named or any(map(has_names, getattr(kind, "kinds", ())))


@cache
def names_of_an_author() -> set[str]:
    """Keys below which there are such names, and no keys; a variant has keys of its own."""
    named = {name for name, kind in kinds(SCENARIO) if has_names(kind)}
    return {*named, "given"} - {"variants"}


@given(st.one_of(scenarios(), transformers(), recurrents(), trainings()))
def test_random_scenarios_are_valid_by_the_schema(text: str) -> None:
    """Those that other tests work: what the reader takes, an editor doesn't underline."""
    assert not faults(text)


def key_places(node: yaml.Node | None, path: tuple[str, ...] = ()) -> Iterator[yaml.ScalarNode]:
    """The keys of a file and of what is in it, but for names that its author chose."""
    if isinstance(node, yaml.SequenceNode):
        for data in node.value:
            yield from key_places(data, path)
    if not isinstance(node, yaml.MappingNode) or names_of_an_author() & {*path[-1:]}:
        return
    for key, value in node.value:
        if path[-1:] != ("variants",):
            yield key
        yield from key_places(value, (*path, key.value))


@sampled(3, name=SHIPPED)
def test_a_key_misspelt_is_not_valid(name: str) -> None:
    text = SHIPPED[name]
    places = [*key_places(yaml.compose(text))]
    assert places
    for key in share(5, places, name):
        at = key.start_mark.index + len(key.value)
        wrong = f"{text[:at]}e{text[at:]}"
        assert data_of(wrong) != data_of(text)
        assert faults(wrong), key


@pytest.mark.parametrize("text", [
    "layers: {count: 3, odd: {mask: causal}, 2: {scale: none}}",
    "layers: {count: 2, each: {mask: {window: 4}}}",
    "layers: '2'",
    "rounding: {decimals: '3'}",
    "X: [['1', '-0.5'], [1e3, .5]]",
    "published: {scores: [[1, '-.inf']]}",
    "backward: 'true'",
    "variants: {other: {scale: none, layers: 2}}",
])  # fmt: skip
def test_other_ways_to_say_it_are_valid(text: str) -> None:
    assert not faults(text)


@pytest.mark.parametrize("text", [
    "layers: {count: 3, od: {mask: causal}}",
    "layers: {count: 3, odd: {maskk: causal}}",
    "layers: {odd: {mask: causal}}",
    "layers: {count: 3, 0: {mask: causal}}",
    "layers: {count: three}",
    "rounding: {decimals: '3.5'}",
    "X: [['1', 'x']]",
    "backward: maybe",
    "variants: {other: {scal: none}}",
    "variants: {other: {variants: {}}}",
])  # fmt: skip
def test_what_the_reader_refuses_is_not_valid(text: str) -> None:
    assert faults(text)
    with pytest.raises(ScenarioError):
        trace_of(text + "\n")


TRIED = (
    *("", "x", "a b", "0", "1", "2", "-1", "0.5", "1e3", "+1", "none", "true", "False", "-inf", "-.inf"),
    *("0:64", "{i}", "s.npz", "[]", "[a]", "[1]", "['1']", "[true]", "[[1]]", "[[1, 0], ['0', 1]]"),
    *("[[-inf, 0]]", "[['True', 0]]", "[[a, b]]", "{}", "{a: 1}", "{a: x}", "{a: [1]}", "[{a: 1}]"),
    *("{file: s.npz}", "{file: s.npz, key: a, entry: '1', transposed: 'true'}", "{file: 5}"),
    *("{random: normal, seed: '7'}", "{random: uniform, seed: 7, low: 0, high: '1'}", "{random: [1]}"),
)  # fmt: skip
"""Values that one key or another takes."""


def test_what_a_key_takes_is_valid() -> None:
    tried = [*TRIED, *(f"'{text}'" for text in TRIED if "'" not in text)]
    for name, kind in kinds(SCENARIO):
        known = jsonschema.Draft202012Validator(kind.schema())
        words = kind.words if isinstance(kind, Choice) else ()
        for text in (*words, *share(6, tried, name)):
            wrong = Diagnostics()
            node = read_value(text, Where("s.yaml", 1, 1), wrong)
            taken = node is not None and kind.read(node, wrong) is not None and not wrong.found
            assert known.is_valid(data_of(text)) or not taken, (name, text)


def test_the_schema_says_nothing_else_for_saying_it_once() -> None:
    schema = schema_of_all()
    definitions = schema["$defs"]

    def written_out(part: Any) -> Any:
        if isinstance(part, list):
            return [*map(written_out, part)]
        if not isinstance(part, dict):
            return part
        own = {key: written_out(value) for key, value in part.items() if key != "$ref"}
        named = reduce(getitem, part["$ref"].split("/")[1:], schema) if "$ref" in part else {}
        return written_out(named) | own if named else own

    data = {key: value for key, value in schema.items() if key != "$defs"}
    assert written_out(data).items() >= SCENARIO.schema().items()
    text = json.dumps(schema)
    assert all(text.count(f'"#/$defs/{name}"') > 1 for name in definitions)


@given(
    st.lists(
        st.sampled_from([".", "[1]", "[", "]", "a", "W_K", "layers", "=", '"', ","]), max_size=9
    ),
    st.sampled_from([1, 10, 40, 3000]),
)
def test_any_change_is_made_or_refused(parts: list[str], times: int) -> None:
    """However long and odd its key is."""
    with suppress(ScenarioError):
        load("i_love_ai", ["".join(parts) * times + "=1"])


@pytest.mark.parametrize("key", [".".join("a" * 3000), "." * 3000, "."])
def test_a_key_of_too_many_parts(key: str) -> None:
    with pytest.raises(ScenarioError, match="use 1 to 32 parts"):
        load("i_love_ai", [f"{key}=1"])


def test_the_temperature_of_attention_is_not_that_of_the_next_token(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(
        "X: [[1, 2]]\nprojection: none\nblock: attention\ntemperature: 2\nunembedding: [[1], [1]]\n"
    )
    assert load(path).prediction.config.get(TEMPERATURE) is None
    assert load(path, ["next={temperature: 3}"]).prediction.config.get(TEMPERATURE) == 3
