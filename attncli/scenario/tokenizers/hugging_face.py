"""What Hugging Face's `tokenizers` saves as tokenizer.json, in the words of a scenario.

The model becomes settings and pieces, the way from a text to its words a record of its own. What is
put around a text, cuts it off or fills it up is not of the words' pieces, and left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from attncli.file.files import RefusedFileError
from attncli.refusals import quote
from attncli.scenario.tokenizers.kind import MARKS
from attncli.scenario.tokenizers.saved_parts import OTHERWISE, names_of, normalizer, splitter
from attncli.scenario.tokenizers.settings import SAVED
from attncli.tokenizing.pieces import SubwordMarks
from attncli.tokenizing.pre_tokenizers import SPACE, ByteLevel, Metaspace, PreTokenizer, WhiteSpace
from attncli.tokenizing.saved import AddedToken, AddedTokens, Pipeline

Data = Mapping[str, Any]
Values = dict[str, Any]

_MOST_CHARACTERS = 100


class SavedCut(NamedTuple):
    """How a tokenizer.json comes from a text to words, `told` in a sentence; whether unknown
    neighbours are `fused`, and whether words that the vocabulary has are left `whole`."""

    pipeline: Pipeline
    added: AddedTokens | None
    told: str
    fused: bool = False
    whole: bool = False


def read(text: str) -> Values:
    """What a tokenizer.json comes to: `tokenizer` with its settings, its `vocabulary`, `merges` or
    `pieces`, and its SavedCut. Raises RefusedFileError."""
    try:
        data = json.loads(text, parse_float=Decimal, parse_constant=Decimal)
        model, kind = data["model"], data["model"]["type"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise RefusedFileError("this is no tokenizer.json", "give one that was saved") from error
    if kind not in _MODELS:
        wrong = f"the model {quote(str(kind))} of a tokenizer.json is not known here"
        raise RefusedFileError(wrong, f"known: {', '.join(_MODELS)}")
    try:
        marks = _marks(data)
        values = _MODELS[kind](model, marks)
        settings = {key: said for key, said in values["tokenizer"].items() if said is not None}
        cut = _cut(data, marks)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise RefusedFileError("this tokenizer.json is broken", "save it anew") from error
    return {**values, "tokenizer": settings, SAVED: cut}


def _marks(data: Data) -> str:
    """How pieces show where their words begin: by spaces or bytes as characters, or by marks."""
    written, cut = data.get("normalizer"), data.get("pre_tokenizer")
    names = {*names_of(written), *names_of(cut)}
    if "ByteLevel" in names:
        return "Ġ"
    spaces = SPACE in json.dumps(written, ensure_ascii=False, default=str)
    if spaces or "Metaspace" in names:
        return "▁"
    return _affix(data["model"])


def _cut(data: Data, marks: str) -> SavedCut:
    written, cut, model = data.get("normalizer"), data.get("pre_tokenizer"), data["model"]
    others: dict[str, PreTokenizer] = {"▁": Metaspace(), "Ġ": ByteLevel()}
    joins = others.get(marks, WhiteSpace(SubwordMarks(*MARKS[marks])))
    pipeline = Pipeline(normalizer(written), splitter(cut), joins)
    added = tuple(map(_added, data.get("added_tokens") or ()))
    return SavedCut(
        pipeline, AddedTokens(added, pipeline) if added else None, _told(written, cut),
        fused=bool(model.get("fuse_unk")), whole=bool(model.get("ignore_merges")),
    )  # fmt: skip


def _told(written: Data | None, cut: Data | None) -> str:
    normalized = [f"normalized by {', '.join(names_of(written))}"] if written else []
    cuts = f"cut into words by {', '.join(names_of(cut))}" if cut else "not cut into words"
    return f"as its file says, a text is {' and '.join((*normalized, cuts))}"


_FLAGS = ("single_word", "lstrip", "rstrip", "normalized")


def _added(one: Data) -> AddedToken:
    flags = {key: bool(one.get(key)) for key in _FLAGS}
    return AddedToken(str(one["content"]), int(one["id"]), **flags)


def _refuse(model: Data, usual: Mapping[str, Sequence[Any]]) -> None:
    """Refuses settings of a model that there are no words for."""
    for key, values in usual.items():
        if key in model and model[key] not in values:
            told = json.dumps(model[key], default=float)
            raise RefusedFileError(
                f"{key}: {told} of a tokenizer.json has no setting here", OTHERWISE
            )


def _vocabulary(model: Data) -> dict[str, int]:
    return {str(token): int(one) for token, one in model["vocab"].items()}


def _word_piece(model: Data, _: str) -> Values:
    _refuse(model, {"continuing_subword_prefix": ("##",),
                    "max_input_chars_per_word": (_MOST_CHARACTERS,)})  # fmt: skip
    settings = {"kind": "wordpiece", "unknown": str(model["unk_token"])}
    return {"tokenizer": settings, "vocabulary": _vocabulary(model)}


def _bpe(model: Data, marks: str) -> Values:
    _refuse(model, {"dropout": (None, 0)})
    pairs = (one.split(" ") if isinstance(one, str) else one for one in model["merges"])
    settings = {
        "kind": "bpe",
        "marks": _affix(model) if _affix(model) != "none" else marks,
        "unknown": model.get("unk_token"),
        "byte_fallback": bool(model.get("byte_fallback")),
    }
    merges = tuple(tuple(map(str, pair)) for pair in pairs)
    return {"tokenizer": settings, "merges": merges, "vocabulary": _vocabulary(model)}


def _affix(model: Data) -> str:
    """The mark of the pieces' places in their words."""
    prefix, suffix = model.get("continuing_subword_prefix"), model.get("end_of_word_suffix")
    marks = {affixes: name for name, affixes in MARKS.items() if name not in ("▁", "Ġ")}
    if (prefix or "", suffix or "") not in marks:
        raise RefusedFileError(f"pieces that are marked {prefix} and {suffix}", OTHERWISE)
    return marks[prefix or "", suffix or ""]


def _unigram(model: Data, marks: str) -> Values:
    tokens = [str(token) for token, _ in model["vocab"]]
    unknown = model.get("unk_id")
    if unknown is None:
        raise RefusedFileError("a Unigram model without an unknown token", OTHERWISE)
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
