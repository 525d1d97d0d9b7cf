"""The numbers of lessons on the sizes of a Transformer; what is drawn has a seed that never
changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

import numpy as np

from attncli.document.blocks import (
    Block,
    Callout,
    Derivation,
    Line,
    Paragraph,
    Table,
)
from attncli.maths.equations.tree import Expression, Number, Product, Quotient, Root, Symbol
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array

SEED = 7
_DRAWS = 1000
_TOGETHER = 8
"""The scores of one softmax."""
_SIZES = (1, 4, 16, 64, 256, 512)


def _shown(x: float) -> str:
    return str(decimals.round_to(Decimal(float(x)), 3))


def _line(name: str, form: Expression, result: int) -> Line:
    """Returns a line of working: `spread = √64 = 8`"""
    return Line(Symbol(name), (("=", form), ("=", Number.written(result))))


def _product(*numbers: int) -> Product:
    return Product(tuple(map(Number.written, numbers)))


def _normals(rows: int, size: int) -> Array:
    return np.random.RandomState(SEED).normal(size=(rows, size))


def _largest_weight(scores: Array) -> float:
    """Computes the mean over all rows of the largest weight that a softmax gives."""
    exp = np.exp(scores - scores.max(axis=1, keepdims=True))
    return float((exp.max(axis=1) / exp.sum(axis=1)).mean())


def _scaling() -> tuple[Block, ...]:
    rows = []
    for size in _SIZES:
        queries, keys = np.split(_normals(2 * _DRAWS, size), 2)
        dots = (queries * keys).sum(axis=1)
        groups = dots.reshape(-1, _TOGETHER)
        weights = (_largest_weight(groups), _largest_weight(groups / np.sqrt(size)))
        numbers = (np.sqrt(size), dots.var(), dots.var() / size, *weights)
        rows.append((str(size), *map(_shown, numbers)))
    lines = (
        _line("variance_of_a_score", _product(64, 1), 64),
        _line("spread", Root(Number.written(64)), 8),
        _line("variance_scaled", Quotient(Number.written(64), _product(8, 8)), 1),
    )
    headings = ("d_k", "√d_k", "Variance", "Scaled", "Weight", "Weight, scaled")
    note = (
        f"The table draws {_DRAWS:,} pairs of vectors for each d_k. Variance is that of their dot"
        f" products, Scaled the same after the division by √d_k. Weight is the largest weight of"
        f" a softmax over {_TOGETHER} of the dot products, on average."
    )
    found = (
        "Without the division the softmax gives nearly all weight to one key as d_k grows, and its"
        " gradient nearly vanishes. With it the weights stay alike for every d_k."
    )
    return Derivation(lines), Paragraph((note,)), Table(headings, tuple(rows)), Callout((found,))


_MODELS = ((256, 4), (512, 8), (768, 12), (1024, 16))
_VOCABULARY = 30_000
_WORDS = 100


def _largest_cosine(size: int) -> float:
    """Computes the largest cosine of any two of some words' vectors, which are drawn."""
    vectors = _normals(_WORDS, size)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = vectors @ vectors.T
    return float((cosines - 2 * np.eye(_WORDS)).max())


def _width() -> tuple[Block, ...]:
    lines = (
        _line("d_model", _product(12, 64), 768),
        _line("embedding_table", _product(_VOCABULARY, 768), _VOCABULARY * 768),
        _line("bytes", _product(_VOCABULARY, 768, 4), _VOCABULARY * 768 * 4),
        _line("attention", _product(4, 768, 768), 4 * 768**2),
        _line("feed_forward", _product(2, 768, 4, 768), 8 * 768**2),
    )
    sizes = []
    for size, heads in _MODELS:
        table, layer = _VOCABULARY * size, 12 * size**2  # 4 d² of attention, 8 d² of the network
        sizes.append((str(size), str(heads), str(size // heads), str(table), str(layer)))
    room = tuple((str(size), _shown(_largest_cosine(size))) for size in (3, 16, 64, 768))
    cost = (
        "Twice the width makes the table twice as large and each layer four times. The four"
        " matrices of attention and the two of the feed-forward network are all squares of"
        " d_model, without biases. A number takes 4 bytes as float32."
    )
    near = (
        f"The next table draws vectors for {_WORDS} words and tells the largest cosine of any two."
        " In 3 dimensions some two words all but coincide; in 768 every word has a direction of"
        " its own."
    )
    return (
        Derivation(lines),
        Table(("d_model", "Heads", "d_k", "Embedding table", "A layer"), tuple(sizes)),
        Callout((cost,)),
        Paragraph((near,)),
        Table(("Dimensions", "Largest cosine"), room),
        Callout(("768 itself is a choice: other multiples of 64 serve as well.",)),
    )


def _embedding_scale() -> tuple[Block, ...]:
    root = Root(Number.written(512))
    lines = (
        _line("norm_of_embedding", Root(Quotient(Number.written(512), Number.written(512))), 1),
        _line("norm_of_position", Root(Number.written(256)), 16),
        Line(Symbol("norm_scaled"), (("=", root), ("≈", Number.written(Decimal("22.627"))))),
    )
    rows = []
    for size in (64, 256, 512, 768):
        norm = np.linalg.norm(_normals(_DRAWS, size) / np.sqrt(size), axis=1).mean()
        numbers = (norm, np.sqrt(size / 2), np.sqrt(size), norm * np.sqrt(size))
        rows.append((str(size), *map(_shown, numbers)))
    headings = ("d_model", "Embedding", "Position", "√d_model", "Embedding, scaled")
    note = (
        f"The table draws {_DRAWS:,} embeddings for each d_model, each of whose numbers has the"
        " variance 1 / d_model, and tells their norm on average. A position has the same norm"
        " everywhere: sin² and cos² of each pair add up to 1."
    )
    found = (
        "Unscaled, a word is drowned by its position, whose norm is many times as large. After the"
        " multiplication by √d_model the word is the larger of the two."
    )
    return Derivation(lines), Paragraph((note,)), Table(headings, tuple(rows)), Callout((found,))


_CACHES = (
    ("GPT-2", 12, 1024, 12, 64),
    ("Llama 2 7B", 32, 4096, 32, 128),
    ("Llama 3 8B", 32, 8192, 8, 128),
)
"""Layers, the longest text, heads of keys and values, and d_k of each, as their configurations
have them (Radford et al. 2019; Touvron et al. 2023, arXiv:2307.09288; Llama Team 2024,
arXiv:2407.21783)."""
_HALF = 2
"""The bytes of a number of 16 bits."""


def _cache_sizes() -> tuple[Block, ...]:
    rows, lines = [], []
    for name, layers, m, heads, d_k in _CACHES:
        token = layers * heads * 2 * d_k * _HALF
        rows.append((name, *map(str, (layers, m, heads, d_k, token, token * m))))
        line = _line(name, _product(layers, m, heads, 2 * d_k, _HALF), token * m)
        lines.append(line)
    headings = ("Model", "Layers", "m", "kv_heads", "d_k", "Bytes a token", "Bytes")
    note = "The same for models that are in use, at the longest text each of them reads:"
    found = (
        "Of two models as wide and deep, one with a quarter of the heads of keys and values keeps a"
        " quarter of the bytes. This is what grouped queries are for."
    )
    return (
        Paragraph((note,)),
        Table(headings, tuple(rows)),
        Derivation(tuple(lines)),
        Callout((found,)),
    )


LESSONS: Mapping[str, Callable[[], tuple[Block, ...]]] = {
    "kv_cache": _cache_sizes,
    "why_768": _width,
    "why_sqrt_d_k": _scaling,
    "why_sqrt_d_model": _embedding_scale,
}
"""What makes the numbers of each lesson, by its name."""
DRAWN = frozenset(LESSONS) - {"kv_cache"}
"""Those whose numbers are drawn."""


def lesson_blocks(name: str) -> tuple[Block, ...]:
    """Returns the numbers of a lesson."""
    return LESSONS[name]()
