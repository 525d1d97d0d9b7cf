"""A tokenizer.json, as Hugging Face's `tokenizers` saves it, read as a scenario's settings.

Its model becomes settings and pieces, which are worked here. Its normalizer and pre-tokenizer
become a SavedCut, which that package works. What is put around a text, cuts it off or fills it up
is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal

from attncli.errors import UserError, quote
from attncli.names import Word
from attncli.scenario.file.keys import KeyValues
from attncli.scenario.file.named_files import JsonObject, RefusedFileError, parsed_json
from attncli.scenario.model import Phrase, phrase
from attncli.scenario.tokenizers.settings import MARKS, SAVED, SavedCut
from attncli.tokenizers.pieces import MOST_CHARACTERS, SubwordMarks
from attncli.tokenizers.saved_steps import SavedSteps, SavedStepsError
from attncli.tokenizers.splitting import (
    SPACE,
    AddedToken,
    AddedTokens,
    ByteLevel,
    Metaspace,
    Pipeline,
    PreTokenizer,
    WhiteSpace,
)

_OTHERWISE = "give a tokenizer without it, or its pieces by hand"


def _names_of(part: JsonObject | None) -> list[str]:
    """Lists the type of a part, or the types of those that it is a sequence of."""
    if part is None:
        return []
    if part["type"] != "Sequence":
        return [str(part["type"])]
    return [name for value in _sequence(part) for name in _names_of(value)]


def _sequence(part: JsonObject) -> Sequence[JsonObject]:
    """Returns the parts that a part is a sequence of."""
    return part.get("normalizers") or part.get("pretokenizers") or ()


_LONGEST_ADDED = 1000


def read(text: str) -> KeyValues:
    """Reads a tokenizer.json: the settings of `tokenizer`, its `vocabulary`, `merges` or `pieces`,
    and its SavedCut. Raises RefusedFileError."""
    try:
        data = parsed_json(text, parse_float=Decimal, parse_constant=Decimal)
        model, kind = data["model"], data["model"]["type"]
    except json.JSONDecodeError as error:
        wrong = f"this is no tokenizer.json: line {error.lineno}, column {error.colno} is no JSON"
        raise RefusedFileError(wrong, "give one that was saved") from error
    except (ValueError, TypeError, KeyError) as error:
        raise RefusedFileError("this is no tokenizer.json", "give one that was saved") from error
    if kind not in _MODELS:
        wrong = f"the model {quote(str(kind))} of a tokenizer.json is not known here"
        raise RefusedFileError(wrong, f"known: {', '.join(_MODELS)}")
    try:
        marks = _marks(data)
        values = _MODELS[kind](model, marks)
        settings = {key: value for key, value in values["tokenizer"].items() if value is not None}
        cut = _cut(data, marks)
    except SavedStepsError as error:
        raise RefusedFileError(error.wrong, error.right) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise RefusedFileError("this tokenizer.json is broken", "save it anew") from error
    return {**values, "tokenizer": settings, SAVED: cut}


def _marks(data: JsonObject) -> str:
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


def _cut(data: JsonObject, marks: str) -> SavedCut:
    written, cut, model = data.get("normalizer"), data.get("pre_tokenizer"), data["model"]
    others: dict[str, PreTokenizer] = {"▁": Metaspace(), "Ġ": ByteLevel()}
    joins = others.get(marks, WhiteSpace(SubwordMarks(*MARKS[marks])))
    pipeline = Pipeline(_ToldSteps(written, cut), joins)
    added = tuple(map(_added, data.get("added_tokens") or ()))
    return SavedCut(
        pipeline, AddedTokens(added, pipeline) if added else None, _preprocessing(written, cut),
        fused=bool(model.get("fuse_unk")), whole=bool(model.get("ignore_merges")),
    )  # fmt: skip


class _ToldSteps(SavedSteps):
    """The steps of a file that was read; what they can't do with a text is a user's error."""

    def normalized(self, texts: Sequence[str]) -> list[str]:
        with _told_as_error():
            return super().normalized(texts)

    def words(self, text: str, *, first: bool) -> list[str]:
        with _told_as_error():
            return super().words(text, first=first)


@contextmanager
def _told_as_error() -> Iterator[None]:
    """Raises a SavedStepsError of the block as a UserError."""
    try:
        yield
    except SavedStepsError as error:
        raise UserError.of("tokenizer.json", error.wrong, error.right) from None


def _preprocessing(written: JsonObject | None, cut: JsonObject | None) -> Phrase:
    steps, cuts = (Word(", ".join(_names_of(data))) for data in (written, cut))
    normalized = "normalized by {steps} and " if written else ""
    words = "cut into words by {cuts}" if cut else "not cut into words"
    return phrase(f"as its file says, a text is {normalized}{words}", steps=steps, cuts=cuts)


_FLAGS = ("single_word", "lstrip", "rstrip", "normalized")


def _added(data: JsonObject) -> AddedToken:
    if len(str(data["content"])) > _LONGEST_ADDED:
        wrong = f"an added token of a tokenizer.json has {len(str(data['content'])):,} characters"
        raise RefusedFileError(wrong, f"give it at most {_LONGEST_ADDED:,}")
    flags = {key: bool(data.get(key)) for key in _FLAGS}
    return AddedToken(str(data["content"]), int(data["id"]), **flags)


def _refuse(model: JsonObject, usual: Mapping[str, Sequence[object]]) -> None:
    """Refuses settings of a model that there are no words for."""
    for key, values in usual.items():
        if key in model and model[key] not in values:
            text = json.dumps(model[key], default=float)
            raise RefusedFileError(
                f"{key}: {text} of a tokenizer.json has no setting here", _OTHERWISE
            )


def _vocabulary(model: JsonObject) -> dict[str, int]:
    return {str(token): int(value) for token, value in model["vocab"].items()}


def _word_piece(model: JsonObject, _: str) -> KeyValues:
    _refuse(model, {"continuing_subword_prefix": ("##",),
                    "max_input_chars_per_word": (MOST_CHARACTERS,)})  # fmt: skip
    settings = {"kind": "wordpiece", "unknown": str(model["unk_token"])}
    return {"tokenizer": settings, "vocabulary": _vocabulary(model)}


def _bpe(model: JsonObject, marks: str) -> KeyValues:
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


def _affix(model: JsonObject) -> str:
    """Returns the mark of the pieces' places in their words. Raises RefusedFileError for an unknown
    one."""
    prefix, suffix = model.get("continuing_subword_prefix"), model.get("end_of_word_suffix")
    marks = {affixes: name for name, affixes in MARKS.items() if name not in ("▁", "Ġ")}
    if (prefix or "", suffix or "") not in marks:
        raise RefusedFileError(f"pieces that are marked {prefix} and {suffix}", _OTHERWISE)
    return marks[prefix or "", suffix or ""]


def _unigram(model: JsonObject, marks: str) -> KeyValues:
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


def _word_level(model: JsonObject, _: str) -> KeyValues:
    settings = {"kind": "whitespace", "unknown": str(model["unk_token"])}
    return {"tokenizer": settings, "vocabulary": _vocabulary(model)}


_MODELS: dict[str, Callable[[JsonObject, str], KeyValues]] = {
    "BPE": _bpe,
    "WordPiece": _word_piece,
    "Unigram": _unigram,
    "WordLevel": _word_level,
}
