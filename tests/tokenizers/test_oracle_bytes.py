"""The oracle's words of bytes, against Hugging Face's `tokenizers` and against the package."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from attncli import load, work
from tests import oracle
from tests.conftest import sampled
from tests.oracle import byte_level
from tests.oracle.text import tokens, vocabulary

_PARTS = (
    *" \n\t\u00a0\u2003\x1c'!_-é文😀²Ⅷ٣", "  ", "'s", "'re", "'LL", "don't", "hug", "42", "e\u0301",
)  # fmt: skip


def text_of(rng: Random, parts: tuple[str, ...] = _PARTS) -> str:
    return "".join(rng.choices(parts, k=rng.randint(1, 25)))


def test_words_are_those_of_the_package_of_tokenizers() -> None:
    theirs = pytest.importorskip("tokenizers").pre_tokenizers.ByteLevel(add_prefix_space=False)
    rng = Random(5)
    for text in (text_of(rng) for _ in range(500)):
        assert byte_level.words(text) == [word for word, _ in theirs.pre_tokenize_str(text)], text


def drawn(seed: int) -> dict[str, Any]:
    rng = Random(seed)
    kind = rng.choice(("bpe", "unigram"))
    by_name = {"kind": kind, "marks": "Ġ", "unknown": "?"}
    if kind == "bpe" and rng.random() < 0.5:
        by_name["alphabet"] = "bytes"
    parts = ("hug", "pug", " ", " ", "'s", "é", "!", "\n", " bun")
    corpus = [f"{text_of(rng, parts)}x" for _ in range(rng.randint(1, 4))]
    size = str(rng.randint(20, 45) + (256 if "alphabet" in by_name else 0))
    data = {"tokenizer": by_name, "corpus": corpus, "vocabulary_size": size}
    return {**data, "sentence": f"a{text_of(rng, parts)}"}


@sampled(7, seed=range(60))
def test_the_package_works_the_same(seed: int) -> None:
    data = drawn(seed)
    trace, expected = work(load(data)), oracle.work(data)
    made = {str(q.name): q.values for q in trace.quantities.values() if not q.given}
    assert [*made] == [*expected]
    for name, values in expected.items():
        np.testing.assert_allclose(made[name], values.astype(float), rtol=1e-12, err_msg=name)
    assert [*trace.scenario.text.tokens] == tokens(data)
    assert trace.scenario.text.known_ids == vocabulary(data)
