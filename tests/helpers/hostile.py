"""Words that a format might obey, hide, or lose; and scenarios that have them wherever they can."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import yaml

WORDS = (
    "\x1b[31mred", "\x1b]0;title\x07", "\\x1b[31m", "\\\\x1b", "\x9b31m", "a\rb", "a\x08b", "\x00",
    "\x7f", "x\n\n<script>alert(1)</script>\n\n", "</td></table>", "<!-- ", "]]>", "&lt;b&gt;",
    "\u202eabc", "\u2066x", "\u200f", "\u200b", "\u200d", "a\u200db", "\ufeff", "\u2028", "\u00ad",
    "\u3164", "\u2800", "\u034f", "\ufe0f", "a\ufe00", "\U000e0100", "\U000e0041", "\u115f", "\u180e",
    "\u00a0", "\u2003", "\u3000", " lead", "trail ", "two  blanks", "␣", "\uffff", "\ufdd0",
    "שלום", "مرحبا", "שלום עולם", "a שלום", "١٢", "猫", "❤️", "👩\u200d👩\u200d👧", "می\u200cخواهم",
    "*a* _b_ `c` ~~d~~", "[a](http://b)", "http://example.org", "www.example.org", "a@example.org",
    "# a", "- a", "1. a", "12) a", "> a", "| a |", "---", "===", "    a", "$x$", "$$", "\\(x\\)",
    "```", "``", "![x](y)", "<http://a.b>", "&copy;", "\\", "\\\\", "a\\", "{1:NUMERICAL:=1}", "}",
    "\\input{x}", "\\end{document}", "%", "^^41", "#1", "~", "--", "=1+1", "@SUM(A1)", "+1", "-x",
    "'", '"', "''", "a, b", "[0]", "a]b", "a: b", "...", "12e45", "null", "[red]x[/red]", "[/]",
    "javascript:alert(1)", "=cmd|' /C calc'!A0", '"><img src=x onerror=alert(1)>', '#eval("1")', "\\write18{ls}",
    "<![CDATA[x]]>", "<!DOCTYPE a [<!ENTITY b SYSTEM 'c'>]>", "&b;", "{{x}}", "\\immediate", "\u061c", "\u202b\u202ex",
)  # fmt: skip


def drawn(random: Random, several: int) -> list[str]:
    """Words, each another one."""
    return random.sample([word for word in WORDS if word.strip()], several)


def attention(random: Random, _: Path) -> dict[str, Any]:
    """Tokens, a title, a source and a place in it, targets, a graph, variants by their names."""
    title, source, place, variant, *tokens = drawn(random, 7)
    (about,) = drawn(random, 1)
    return {
        "title": title, "about": about, "source": source, "tokens": tokens, "scale": "none",
        "rounding": {"decimals": 4}, "show": {"graph": True}, "X": [[1, 0], [0, 1], [1, 2]],
        "W_Q": [[1, 0], [1, 1]], "W_K": [[1, 1], [0, 1]], "W_V": [[2, 1], [1, 0]],
        "unembedding": [[1, 0, 2], [0, 1, 1]], "vocabulary": dict(zip(tokens, range(3), strict=True)),
        "targets": tokens, "variants": {variant: {"scale": 2}},
        "published": {"scores": {"numbers": [[9, 8, 7]] * 3, "at": place}},
    }  # fmt: skip


def lookup(random: Random, _: Path) -> dict[str, Any]:
    """Tokens that are looked up in a table with other keys, for a recurrent cell."""
    title, *tokens = drawn(random, 5)
    table = dict(zip(tokens, [[1, 0], [0, 1], [1, 1], [2, 1]], strict=True))
    return {
        "title": title, "tokens": tokens[:3], "embeddings": table, "rounding": {"decimals": 2},
        "cell": "rnn", "W_ax": [[1, 0], [0, 1]], "W_aa": [[0.5, 0], [0, 0.5]], "b_a": [0, 0],
    }  # fmt: skip


def cross(random: Random, _: Path) -> dict[str, Any]:
    """Queries of one text and keys of another, whose names are their own."""
    title, *tokens = drawn(random, 6)
    return {
        "title": title, "Q": dict(zip(tokens[:2], [[1, 0], [0, 1]], strict=True)),
        "K": dict(zip(tokens[2:], [[1, 1], [0, 1], [2, 0]], strict=True)),
        "V": dict(zip(tokens[2:], [[1, 1], [0, 1], [2, 0]], strict=True)), "rounding": {"decimals": 2},
    }  # fmt: skip


def learned(random: Random, _: Path) -> dict[str, Any]:
    """A sentence that is cut into pieces learned from a corpus."""
    title, *words = drawn(random, 4)
    kinds: list[dict[str, Any]] = [
        {"tokenizer": "bpe", "vocabulary_size": 80},
        {"tokenizer": {"kind": "unigram"}, "vocabulary_size": 60},
        {"tokenizer": {"kind": "character", "unknown": "\x1b?"}},
    ]
    return {
        "title": title, "sentence": " ".join(words), "corpus": dict(zip(words, (8, 6, 5), strict=True)),
        **random.choice(kinds),
    }  # fmt: skip


def sourced(random: Random, folder: Path) -> dict[str, Any]:
    """A matrix from a file whose name and key are somebody's, too."""
    title, key = drawn(random, 2)
    name = "".join(c for c in random.choice(WORDS) if c not in "/\0")[:40] + ".npz"
    with (folder / name).open("wb") as file:
        arrays: dict[str, Any] = {
            key.replace("\0", "0").replace("/", ""): np.eye(2),
            "b": np.eye(2),
        }
        np.savez(file, **arrays)
    key = key.replace("\0", "0").replace("/", "")
    return {
        "title": title, "Q": [[1, 0]], "K": {"file": name, "key": key}, "scale": "none",
        "rounding": {"decimals": 1},
    }  # fmt: skip


KINDS = (attention, lookup, cross, learned, sourced)


def written(data: dict[str, Any], path: Path) -> Path:
    path.write_text(yaml.safe_dump(data, allow_unicode=False, sort_keys=False), "utf-8")
    return path


def strings(data: object) -> Sequence[str]:
    """All of somebody's words that a scenario has as values of tokens, title and source."""
    assert isinstance(data, dict)
    return [data["title"], *data.get("tokens", ())]
