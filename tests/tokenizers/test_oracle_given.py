"""The oracle's tokenizers that are given, in files, or of spaces, against our own."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

from attncli import load, work
from tests import oracle
from tests.helpers.plain import read
from tests.oracle.text import tokens, vocabulary, with_lines
from tests.tokenizers.test_tokenizer_files import BUILT, built, saved

SPACES = "corpus: {hug pug: 4, hugs: 3, pun bun: 5, bun: 2}\nvocabulary_size: SIZE\n"
TOLD = {
    "sentencepiece": "tokenizer: {kind: sentencepiece, model: bpe}\n" + SPACES.replace("SIZE", "18"),
    "first": "tokenizer: {kind: sentencepiece, model: bpe, ties: first, special: [<s>]}\n" + SPACES.replace("SIZE", "18"),
    "bytes": "tokenizer: {kind: sentencepiece, model: bpe, byte_fallback: true, extra_spaces: kept}\n" + SPACES.replace("SIZE", "272"),
    "spaces": "tokenizer: {kind: bpe, marks: ▁, unknown: '?'}\n" + SPACES.replace("SIZE", "18"),
    "bpe bytes": "tokenizer: {kind: bpe, byte_fallback: true}\n" + SPACES.replace("SIZE", "270"),
    "merges": "tokenizer: {kind: bpe, unknown: '?', marks: </w>}\nmerges: [h u, [hu, g</w>], 'u n</w>']\n",
    "with IDs": "tokenizer: {kind: bpe, unknown: '?'}\nmerges: [u g, h ug]\nvocabulary: {'?': 7, h: 1, u: 2, g: 3, ug: 5, hug: 4}\n",
    "fused": "tokenizer: {kind: sentencepiece, model: bpe}\nmerges: [▁ h, u g, ▁h ug]\nvocabulary: {<unk>: 0, ▁: 1, h: 2, u: 3, g: 4, ▁h: 5, ug: 6, ▁hug: 7}\n",
    "pieces": "tokenizer: wordpiece\nvocabulary: {'[UNK]': 0, h: 1, hu: 2, '##g': 3, '##ug': 4, '##s': 5, pu: 6}\n",
}  # fmt: skip
PARTS = ["hug", "pug", "bun", "h", "u", "g", "s", " ", "  ", "x", "é", "yz"]


@pytest.mark.parametrize("name", TOLD)
def test_as_our_own(name: str) -> None:
    draw = Random(name)
    for _ in range(4):
        sentence = "".join(draw.choices(PARTS, k=7)) + "hug"
        text = f"{TOLD[name]}sentence: {json.dumps(sentence, ensure_ascii=False)}\n"
        trace, data = work(load(read(text))), read(text)
        assert list(trace.scenario.text.tokens) == tokens(data)
        assert dict(trace.scenario.text.known_ids) == vocabulary(data)
        for name_of, expected in oracle.work(data).items():
            np.testing.assert_array_equal(trace[name_of].values, expected.astype(float))


KNOWN = ["bert", "bert cased", "wordpiece", "bpe", "sennrich", "bert bpe", "metaspace bpe", "unigram", "words"]  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_a_tokenizer_in_a_file(name: str, tmp_path: Path) -> None:
    theirs = built(**BUILT[name])
    saved(tmp_path, theirs)
    sentence = "a Hug, the Café bugs xyz hugging 文"
    data = {"tokenizer": {"file": "tokenizer.json"}, "sentence": sentence}
    expected = theirs.encode(sentence, add_special_tokens=False)
    read_in = with_lines(data, tmp_path)
    assert [vocabulary(read_in)[token] for token in tokens(read_in)] == expected.ids


def test_what_it_does_not_know_it_says(tmp_path: Path) -> None:
    saved(tmp_path, built(**BUILT["sentencepiece"]))
    data = {"tokenizer": {"file": "tokenizer.json"}, "sentence": "hug"}
    with pytest.raises(oracle.UnknownError, match="the normalizer NFKC with Metaspace of a file"):
        oracle.work(data, tmp_path)
    expected = "tokenizer: {kind: unigram, training: expected}\ncorpus: ab ab\nvocabulary_size: 9\n"
    with pytest.raises(oracle.UnknownError, match="training: expected"):
        oracle.work(read(expected))
