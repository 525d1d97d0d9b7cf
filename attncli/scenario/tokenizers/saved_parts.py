"""The normalizers and pre-tokenizers of a tokenizer.json, by their names there."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attncli.file.files import RefusedFileError
from attncli.tokenizing import bert, splitting
from attncli.tokenizing.charsmap import CharacterMap
from attncli.tokenizing.expressions import compiled, is_space
from attncli.tokenizing.pre_tokenizers import NMT, to_printable
from attncli.tokenizing.saved import Normalizer
from attncli.tokenizing.splitting import Splitter

Data = Mapping[str, Any]
OTHERWISE = "give a tokenizer without it, or its pieces by hand"
_NMT = {**NMT, 0x061C: "\u061c", 0x200D: " "}
"""The package has another list of white space than SentencePiece."""


def names_of(part: Data | None) -> list[str]:
    """The name of a part, or the names of those that it is a sequence of."""
    if part is None:
        return []
    if part["type"] != "Sequence":
        return [str(part["type"])]
    inner = part.get("normalizers") or part.get("pretokenizers") or ()
    return [name for one in inner for name in names_of(one)]


def normalizer(part: Data | None) -> Normalizer:
    """How a text is written before it is cut. Raises RefusedFileError for what is not known."""
    if part is None:
        return str
    _check(part, NORMALIZERS, "normalizer")
    return NORMALIZERS[part["type"]](part)


def splitter(part: Data | None) -> Splitter:
    """How it is cut. Raises RefusedFileError for what is not known."""
    if part is None:
        return splitting.in_turn(())
    _check(part, SPLITTERS, "pre_tokenizer")
    return SPLITTERS[part["type"]](part)


def _check(part: Data, known: Mapping[str, object], what: str) -> None:
    if part["type"] not in known:
        wrong = f"the {what} {part['type']} of a tokenizer.json is not known here"
        raise RefusedFileError(wrong, f"known: {', '.join(known)}")


def _expression(pattern: Data) -> re.Pattern[str]:
    """What is looked for: a text, or a regular expression."""
    if "String" in pattern:
        return re.compile(re.escape(pattern["String"]))
    try:
        return compiled(pattern["Regex"])
    except ValueError as error:
        raise RefusedFileError(
            f"{error} of a tokenizer.json is not known here", OTHERWISE
        ) from error


def _chain(steps: Sequence[Normalizer]) -> Normalizer:
    def normalize(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return normalize


def _bert(part: Data) -> Normalizer:
    lower, strip = part.get("lowercase", True), part.get("strip_accents")
    wanted = (
        (bert.clean, part.get("clean_text", True)),
        (bert.set_apart, part.get("handle_chinese_chars", True)),
        (bert.without_accents, lower if strip is None else strip),
        (bert.lowered, lower),
    )
    return _chain([step for step, wish in wanted if wish])


def _strip(part: Data) -> Normalizer:
    left, right = part.get("strip_left", True), part.get("strip_right", True)

    def strip(text: str) -> str:
        start, end = 0, len(text)
        while left and start < end and is_space(text[start]):
            start += 1
        while right and start < end and is_space(text[end - 1]):
            end -= 1
        return text[start:end]

    return strip


def _replace(part: Data) -> Normalizer:
    pattern, content = _expression(part["pattern"]), str(part["content"])
    return lambda text: pattern.sub(lambda _: content, text)


def _prepend(part: Data) -> Normalizer:
    before = str(part["prepend"])
    return lambda text: before + text if text else text


def _unicode(part: Data) -> Normalizer:
    return lambda text: unicodedata.normalize(part["type"], text)


def _precompiled(part: Data) -> Normalizer:
    return CharacterMap.of(base64.b64decode(part["precompiled_charsmap"])).apply


def _without_marks(text: str) -> str:
    return "".join(one for one in text if not unicodedata.category(one).startswith("M"))


def _always(step: Normalizer) -> Callable[[Data], Normalizer]:
    return lambda _: step


NORMALIZERS: dict[str, Callable[[Data], Normalizer]] = {
    "BertNormalizer": _bert,
    "ByteLevel": _always(to_printable),
    "Lowercase": _always(bert.lowered),
    **dict.fromkeys(("NFC", "NFD", "NFKC", "NFKD"), _unicode),
    "Nmt": _always(lambda text: text.translate(_NMT)),
    "Precompiled": _precompiled,
    "Prepend": _prepend,
    "Replace": _replace,
    "Sequence": lambda part: _chain([normalizer(one) for one in part["normalizers"]]),
    "Strip": _strip,
    "StripAccents": _always(_without_marks),
}


def _metaspace(part: Data) -> Splitter:
    before = "always" if part.get("add_prefix_space", True) else "never"
    scheme = part.get("prepend_scheme", before)
    return splitting.metaspace(part["replacement"], scheme, split=part.get("split", True))


def _byte_level(part: Data) -> Splitter:
    return splitting.byte_level(
        prefix=part.get("add_prefix_space", True), cut=part.get("use_regex", True)
    )


def _split(part: Data) -> Splitter:
    look = splitting.expression(_expression(part["pattern"]), invert=part.get("invert", False))
    return splitting.splitter(look, part["behavior"])


def _characters(test: Callable[[str], bool], behavior: str) -> Splitter:
    return splitting.splitter(splitting.characters(test), behavior)


def _digits(part: Data) -> Splitter:
    behavior = "Isolated" if part.get("individual_digits") else "Contiguous"
    return _characters(splitting.is_number, behavior)


SPLITTERS: dict[str, Callable[[Data], Splitter]] = {
    "BertPreTokenizer": lambda _: splitting.bert,
    "ByteLevel": _byte_level,
    "CharDelimiterSplit": lambda part: _characters(part["delimiter"].__eq__, "Removed"),
    "Digits": _digits,
    "Metaspace": _metaspace,
    "Punctuation": lambda part: _characters(splitting.is_mark, part.get("behavior", "Isolated")),
    "Sequence": lambda part: splitting.in_turn([splitter(one) for one in part["pretokenizers"]]),
    "Split": _split,
    "Whitespace": lambda _: splitting.whitespace,
    "WhitespaceSplit": lambda _: splitting.whitespace_split,
}
