"""What some values stand for: the vectors of `one_hot`, a tokenizer with its vocabulary, the counts
of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from attncli.arithmetic.matrix import Matrix
from attncli.scenario.keys.stack import ONE_HOT
from attncli.scenario.learning import TokenizerBuilder
from attncli.scenario.model import Stack, below
from attncli.scenario.texts import TOKENIZED, one_hot

Values = Mapping[str, Any]


def spelled_out(values: Values, path: str, builder: TokenizerBuilder) -> Values:
    """The values with what they stand for: a tokenizer and its vocabulary, the vectors of
    `one_hot`; of an encoder too."""
    told = dict(values)
    tokenizing = builder._replace(path=path, values=values).build()
    if tokenizing is not None:
        told[TOKENIZED] = tokenizing
        told.setdefault("vocabulary", dict(tokenizing.tokenizer.vocabulary))
    if told.get("embeddings") == ONE_HOT:
        told["embeddings"] = one_hot(told)
        if not told["embeddings"]:
            builder.problems.add(
                builder.where(below(path, "embeddings")), "one_hot, and no tokens to tell apart",
                "give a sentence or a vocabulary",
            )  # fmt: skip
            del told["embeddings"]
    if "encoder" in told:
        told["encoder"] = spelled_out(told["encoder"], "encoder", builder)
    return told


def word_counts(*stacks: Stack | None) -> dict[str, Matrix]:
    """How often each word of a corpus occurs, where a tokenizer was learned from one."""
    found = {}
    for stack in stacks:
        words = stack.text.tokenizing.words if stack and stack.text.tokenizing else ()
        if stack is not None and words:
            counts = [[Decimal(word.count)] for word in words]
            found[below(stack.path, "word_counts")] = Matrix.of_written(counts)
    return found
