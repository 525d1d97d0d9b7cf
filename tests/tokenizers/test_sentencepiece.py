"""Merges learned as the package sentencepiece learns them, where that is installed."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attncli.tokenizers.merge_training import MergeTraining
from tests.conftest import THOROUGH
from tests.helpers.pages import trace_of

package = pytest.importorskip("sentencepiece", reason="no sentencepiece here")


def theirs(lines: list[str], size: int) -> list[str]:
    """The pieces of more than a character in the order in which the package makes them."""
    model = BytesIO()
    package.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=size, model_type="bpe",
        hard_vocab_limit=False, character_coverage=1.0, bos_id=-1, eos_id=-1, unk_id=0, minloglevel=2,
    )  # fmt: skip
    made = package.SentencePieceProcessor(model_proto=model.getvalue())
    pieces = map(made.id_to_piece, range(made.get_piece_size()))
    return [piece for piece in pieces if len(piece) > 1 and piece != "<unk>"]


def ours(lines: list[str], size: int) -> list[str]:
    trace = trace_of(
        "tokenizer: {kind: sentencepiece, model: bpe}\n"
        f"corpus: {lines}\nvocabulary_size: {size}\nsentence: a\n"
    )
    learned = trace.scenario.text.learned_as(MergeTraining)
    assert learned is not None
    return [merge.piece for merge in learned.rounds if merge.new]


WORDS = st.sampled_from(["a", "ab", "abc", "aébß"]).flatmap(
    lambda letters: st.text(letters, min_size=1, max_size=8)
)
"""Words of few letters of one script, which has many pairs that are equally frequent."""
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=3)


@given(LINES, st.integers(1, 15))
@example(["aaaaa"], 3)
@example(["abab abc", "ba cab"], 12)
@settings(max_examples=2000 if THOROUGH else 60)
def test_the_same_pairs_are_merged(lines: list[str], more: int) -> None:
    """As long as there are pairs: the package goes on with pieces that don't occur any more."""
    size = 1 + len({*"".join(lines).replace(" ", "▁"), "▁"}) + more
    made, known = ours(lines, size), theirs(lines, size)
    assert known[: len(made)] == made
    assert len(made) == more or len(made) <= len(known)


def test_the_shortest_piece_wins() -> None:
    assert ours(["aaaaa"], 6) == ["aa", "aaa", "▁aa"]
    assert ours(["aaaaa"], 99) == ["aa", "aaa", "▁aa", "▁aaaaa"]
