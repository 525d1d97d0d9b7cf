"""What Hugging Face's `tokenizers` saves as tokenizer.json, in the words of a scenario.

The model becomes settings and pieces, the way from a text to its words a record of its own. What is
put around a text, cuts it off or fills it up is not of the words' pieces, and left out.
"""

from __future__ import annotations

import base64
import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar

from attncli.errors import UserError, quote
from attncli.names import Word
from attncli.scenario.file.named_files import RefusedFileError, parsed_json
from attncli.scenario.model import Phrase, phrase
from attncli.scenario.tokenizers.settings import MARKS, SAVED, SavedCut
from attncli.tokenizers import splitting
from attncli.tokenizers.expressions import TooMuchError, check_length, sharing_time
from attncli.tokenizers.pieces import SubwordMarks
from attncli.tokenizers.splitting import (
    NMT,
    SPACE,
    AddedToken,
    AddedTokens,
    ByteLevel,
    CharacterMap,
    Look,
    Metaspace,
    Normalizer,
    Pipeline,
    PreTokenizer,
    Splitter,
    WhiteSpace,
    compiled,
    is_space,
    literal,
    replaced,
    to_printable,
)

_Taken = TypeVar("_Taken")
_Made = TypeVar("_Made")
_OTHERWISE = "give a tokenizer without it, or its pieces by hand"
_NMT = {**NMT, 0x061C: "\u061c", 0x200D: " "}
"""The package has another list of white space than SentencePiece."""


def _names_of(part: Data | None) -> list[str]:
    """Lists the type of a part, or the types of those that it is a sequence of."""
    if part is None:
        return []
    if part["type"] != "Sequence":
        return [str(part["type"])]
    return [name for value in _sequence(part) for name in _names_of(value)]


def _sequence(part: Data) -> Sequence[Data]:
    """Returns the parts that a part is a sequence of."""
    return part.get("normalizers") or part.get("pretokenizers") or ()


def _count_of(part: Data | None) -> int:
    """Counts the steps that a part has, itself among them."""
    return 0 if part is None else 1 + sum(map(_count_of, _sequence(part)))


def normalizer(part: Data | None) -> Normalizer:
    """Returns the function that normalizes a text before it is cut. Raises RefusedFileError for an
    unknown normalizer."""
    if part is None:
        return str
    _check(part, _NORMALIZERS, "normalizer")
    step = _NORMALIZERS[part["type"]](part)

    def normalize(text: str) -> str:
        made = step(text)
        check_length(len(made))
        return made

    return normalize


def _bounded(step: Callable[[_Taken], _Made]) -> Callable[[_Taken], _Made]:
    """Wraps a step so that too much work is told as a UserError."""

    def taken(value: _Taken) -> _Made:
        try:
            return step(value)
        except TooMuchError as error:
            raise UserError.of("tokenizer.json", error.wrong, error.right) from None

    return taken


def _splitter(part: Data | None) -> Splitter:
    """Returns the function that cuts a text. Raises RefusedFileError for an unknown
    pre-tokenizer."""
    if part is None:
        return splitting.in_turn(())
    _check(part, _SPLITTERS, "pre_tokenizer")
    return _SPLITTERS[part["type"]](part)


def _check(part: Data, known: Mapping[str, object], what: str) -> None:
    if part["type"] not in known:
        wrong = f"the {what} {part['type']} of a tokenizer.json is not known here"
        raise RefusedFileError(wrong, f"known: {', '.join(known)}")


def _expression(pattern: Data) -> Look:
    """Returns the search for a text, or for a regular expression. Raises RefusedFileError for an
    unknown one."""
    if "String" in pattern:
        return literal(pattern["String"])
    try:
        return compiled(pattern["Regex"])
    except ValueError as error:
        raise RefusedFileError(
            f"{error} of a tokenizer.json is not known here", _OTHERWISE
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
        (splitting.clean, part.get("clean_text", True)),
        (splitting.set_apart, part.get("handle_chinese_chars", True)),
        (splitting.without_accents, lower if strip is None else strip),
        (splitting.lowered, lower),
    )
    return _chain([step for step, used in wanted if used])


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
    return partial(replaced, _expression(part["pattern"]), str(part["content"]))


def _prepend(part: Data) -> Normalizer:
    before = str(part["prepend"])
    return lambda text: before + text if text else text


def _without_marks(text: str) -> str:
    return "".join(entry for entry in text if not unicodedata.category(entry).startswith("M"))


def _always(step: Normalizer) -> Callable[[Data], Normalizer]:
    return lambda _: step


_NORMALIZERS: dict[str, Callable[[Data], Normalizer]] = {
    "BertNormalizer": _bert,
    "ByteLevel": _always(to_printable),
    "Lowercase": _always(splitting.lowered),
    **dict.fromkeys(
        ("NFC", "NFD", "NFKC", "NFKD"), lambda part: partial(unicodedata.normalize, part["type"])
    ),
    "Nmt": _always(lambda text: text.translate(_NMT)),
    "Precompiled": lambda part: (
        CharacterMap.of(base64.b64decode(part["precompiled_charsmap"])).apply
    ),
    "Prepend": _prepend,
    "Replace": _replace,
    "Sequence": lambda part: _chain([normalizer(value) for value in part["normalizers"]]),
    "Strip": _strip,
    "StripAccents": _always(_without_marks),
}


def _metaspace(part: Data) -> Splitter:
    before = "always" if part.get("add_prefix_space", True) else "never"
    scheme = part.get("prepend_scheme", before)
    if len(part["replacement"]) != 1:
        raise ValueError("a space is marked by one character")
    return splitting.metaspace(part["replacement"], scheme, split=part.get("split", True))


def _split(part: Data) -> Splitter:
    look = splitting.expression(_expression(part["pattern"]), invert=part.get("invert", False))
    return splitting.splitter(look, part["behavior"])


def _characters(test: Callable[[str], bool], behavior: str) -> Splitter:
    return splitting.splitter(splitting.characters(test), behavior)


def _digits(part: Data) -> Splitter:
    behavior = "Isolated" if part.get("individual_digits") else "Contiguous"
    return _characters(splitting.is_number, behavior)


_SPLITTERS: dict[str, Callable[[Data], Splitter]] = {
    "BertPreTokenizer": lambda _: splitting.bert,
    "ByteLevel": lambda part: splitting.byte_level(
        prefix=part.get("add_prefix_space", True), cut=part.get("use_regex", True)
    ),
    "CharDelimiterSplit": lambda part: _characters(part["delimiter"].__eq__, "Removed"),
    "Digits": _digits,
    "Metaspace": _metaspace,
    "Punctuation": lambda part: _characters(splitting.is_mark, part.get("behavior", "Isolated")),
    "Sequence": lambda part: splitting.in_turn(
        [_splitter(value) for value in part["pretokenizers"]]
    ),
    "Split": _split,
    "Whitespace": lambda _: splitting.whitespace,
    "WhitespaceSplit": lambda _: splitting.whitespace_split,
}


Data = Mapping[str, Any]
Values = dict[str, Any]

_MOST_CHARACTERS = 100
_MOST_STEPS = 100
_LONGEST_ADDED = 1000


def read(text: str) -> Values:
    """Reads a tokenizer.json: the settings of `tokenizer`, its `vocabulary`, `merges` or `pieces`,
    and its SavedCut. Raises RefusedFileError."""
    try:
        data = parsed_json(text, parse_float=Decimal, parse_constant=Decimal)
        model, kind = data["model"], data["model"]["type"]
    except (ValueError, TypeError, KeyError) as error:
        raise RefusedFileError("this is no tokenizer.json", "give one that was saved") from error
    if kind not in _MODELS:
        wrong = f"the model {quote(str(kind))} of a tokenizer.json is not known here"
        raise RefusedFileError(wrong, f"known: {', '.join(_MODELS)}")
    try:
        marks = _marks(data)
        values = _MODELS[kind](model, marks)
        settings = {key: value for key, value in values["tokenizer"].items() if value is not None}
        with sharing_time():
            cut = _cut(data, marks)
    except TooMuchError as error:
        raise RefusedFileError(error.wrong, error.right) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise RefusedFileError("this tokenizer.json is broken", "save it anew") from error
    return {**values, "tokenizer": settings, SAVED: cut}


def _marks(data: Data) -> str:
    """Tells how pieces show where their words begin: by spaces or bytes as characters, or by
    marks."""
    written, cut = data.get("normalizer"), data.get("pre_tokenizer")
    names = {*_names_of(written), *_names_of(cut)}
    if "ByteLevel" in names:
        return "Ġ"
    spaces = SPACE in json.dumps(written, ensure_ascii=False, default=str)
    if spaces or "Metaspace" in names:
        return "▁"
    return _affix(data["model"])


def _cut(data: Data, marks: str) -> SavedCut:
    written, cut, model = data.get("normalizer"), data.get("pre_tokenizer"), data["model"]
    steps = _count_of(written) + _count_of(cut)
    if steps > _MOST_STEPS:
        wrong = f"a text goes through {steps:,} steps in a tokenizer.json"
        raise RefusedFileError(wrong, f"give one with at most {_MOST_STEPS}")
    others: dict[str, PreTokenizer] = {"▁": Metaspace(), "Ġ": ByteLevel()}
    joins = others.get(marks, WhiteSpace(SubwordMarks(*MARKS[marks])))
    pipeline = Pipeline(_bounded(normalizer(written)), _bounded(_splitter(cut)), joins)
    added = tuple(map(_added, data.get("added_tokens") or ()))
    return SavedCut(
        pipeline, AddedTokens(added, pipeline) if added else None, _told(written, cut),
        fused=bool(model.get("fuse_unk")), whole=bool(model.get("ignore_merges")),
    )  # fmt: skip


def _told(written: Data | None, cut: Data | None) -> Phrase:
    steps, cuts = (Word(", ".join(_names_of(data))) for data in (written, cut))
    normalized = "normalized by {steps} and " if written else ""
    words = "cut into words by {cuts}" if cut else "not cut into words"
    return phrase(f"as its file says, a text is {normalized}{words}", steps=steps, cuts=cuts)


_FLAGS = ("single_word", "lstrip", "rstrip", "normalized")


def _added(data: Data) -> AddedToken:
    if len(str(data["content"])) > _LONGEST_ADDED:
        wrong = f"an added token of a tokenizer.json has {len(str(data['content'])):,} characters"
        raise RefusedFileError(wrong, f"give it at most {_LONGEST_ADDED:,}")
    flags = {key: bool(data.get(key)) for key in _FLAGS}
    return AddedToken(str(data["content"]), int(data["id"]), **flags)


def _refuse(model: Data, usual: Mapping[str, Sequence[Any]]) -> None:
    """Refuses settings of a model that there are no words for."""
    for key, values in usual.items():
        if key in model and model[key] not in values:
            text = json.dumps(model[key], default=float)
            raise RefusedFileError(
                f"{key}: {text} of a tokenizer.json has no setting here", _OTHERWISE
            )


def _vocabulary(model: Data) -> dict[str, int]:
    return {str(token): int(value) for token, value in model["vocab"].items()}


def _word_piece(model: Data, _: str) -> Values:
    _refuse(model, {"continuing_subword_prefix": ("##",),
                    "max_input_chars_per_word": (_MOST_CHARACTERS,)})  # fmt: skip
    settings = {"kind": "wordpiece", "unknown": str(model["unk_token"])}
    return {"tokenizer": settings, "vocabulary": _vocabulary(model)}


def _bpe(model: Data, marks: str) -> Values:
    _refuse(model, {"dropout": (None, 0)})
    pairs = (value.split(" ") if isinstance(value, str) else value for value in model["merges"])
    settings = {
        "kind": "bpe",
        "marks": _affix(model) if _affix(model) != "none" else marks,
        "unknown": model.get("unk_token"),
        "byte_fallback": bool(model.get("byte_fallback")),
    }
    merges = tuple(tuple(map(str, pair)) for pair in pairs)
    return {"tokenizer": settings, "merges": merges, "vocabulary": _vocabulary(model)}


def _affix(model: Data) -> str:
    """Returns the mark of the pieces' places in their words. Raises RefusedFileError for an unknown
    one."""
    prefix, suffix = model.get("continuing_subword_prefix"), model.get("end_of_word_suffix")
    marks = {affixes: name for name, affixes in MARKS.items() if name not in ("▁", "Ġ")}
    if (prefix or "", suffix or "") not in marks:
        raise RefusedFileError(f"pieces that are marked {prefix} and {suffix}", _OTHERWISE)
    return marks[prefix or "", suffix or ""]


def _unigram(model: Data, marks: str) -> Values:
    tokens = [str(token) for token, _ in model["vocab"]]
    unknown = model.get("unk_id")
    if unknown is None:
        raise RefusedFileError("a Unigram model without an unknown token", _OTHERWISE)
    settings = {
        "kind": "unigram",
        "marks": marks,
        "unknown": tokens[unknown],
        "byte_fallback": bool(model.get("byte_fallback")),
    }
    scores = [Decimal(score) for _, score in model["vocab"]]
    if not all(map(Decimal.is_finite, scores)):
        raise ValueError("a score that isn't finite")
    return {"tokenizer": settings, "pieces": dict(zip(tokens, scores, strict=True))}


def _word_level(model: Data, _: str) -> Values:
    settings = {"kind": "whitespace", "unknown": str(model["unk_token"])}
    return {"tokenizer": settings, "vocabulary": _vocabulary(model)}


_MODELS: dict[str, Callable[[Data, str], Values]] = {
    "BPE": _bpe,
    "WordPiece": _word_piece,
    "Unigram": _unigram,
    "WordLevel": _word_level,
}
