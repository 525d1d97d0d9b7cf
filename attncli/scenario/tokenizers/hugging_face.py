"""What Hugging Face's `tokenizers` saves as tokenizer.json, in the words of a scenario.

Each kind of model is told with the normalizers and pre-tokenizers that there are words for; another
one is refused by its name. What is put around a text, cuts it off or fills it up is not of the
words' pieces, and left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from attncli.file.files import RefusedFileError
from attncli.records import NamedTuple
from attncli.refusals import quote

Data = Mapping[str, Any]
Values = dict[str, Any]

_ANY = "give a tokenizer without it, or its pieces by hand"
_MOST_CHARACTERS = 100
_SPLIT = {"type": "WhitespaceSplit"}
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
_METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}


def _bert(lower: bool, strip: bool | None) -> Data:
    return {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": strip,
        "lowercase": lower,
    }


_BERT = {"type": "BertPreTokenizer"}
_CUTS: tuple[tuple[Data | None, Data, Values], ...] = (
    (None, _SPLIT, {}),
    (None, _BYTE_LEVEL, {"marks": "Ġ"}),
    (None, _METASPACE, {"marks": "▁", "normalize": "none"}),
    ({"type": "NFKC"}, _METASPACE, {"marks": "▁", "normalize": "nfkc"}),
    (_bert(lower=True, strip=None), _BERT, {"cut": "bert"}),
    (_bert(lower=True, strip=True), _BERT, {"cut": "bert"}),
    (_bert(lower=False, strip=None), _BERT, {"cut": "bert_cased"}),
    (_bert(lower=False, strip=False), _BERT, {"cut": "bert_cased"}),
)
"""Normalizers and pre-tokenizers, and the settings that say the same; without what only says where
in the text a piece stood."""


class SavedTokenizer(NamedTuple):
    """The keys of a scenario that a tokenizer.json comes to: `tokenizer` with its settings, and
    `vocabulary`, `merges` or `pieces`; and the tokens that are taken out of a text before it is
    cut."""

    values: Values
    added: tuple[str, ...]


def read(text: str) -> SavedTokenizer:
    """What a tokenizer.json says. Raises RefusedFileError."""
    try:
        data = json.loads(text, parse_float=Decimal, parse_constant=Decimal)
        model, kind = data["model"], data["model"]["type"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise RefusedFileError("this is no tokenizer.json", "give one that was saved") from error
    if kind not in _MODELS:
        wrong = f"the model {quote(str(kind))} of a tokenizer.json is not known here"
        raise RefusedFileError(wrong, f"known: {', '.join(_MODELS)}")
    try:
        values = _MODELS[kind](model, _cut(data))
        settings = {key: said for key, said in values["tokenizer"].items() if said is not None}
        added = tuple(str(one["content"]) for one in data.get("added_tokens") or ())
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise RefusedFileError("this tokenizer.json is broken", "save it anew") from error
    return SavedTokenizer({**values, "tokenizer": settings}, added)


def _cut(data: Data) -> Values:
    """The settings by which texts are written and cut."""
    normalizer, cut = data.get("normalizer"), _plain(data.get("pre_tokenizer"))
    for ours in _CUTS:
        if (normalizer, cut) == ours[:2]:
            return dict(ours[2])
    names = {"normalizer": normalizer, "pre_tokenizer": cut}
    told = " and ".join(f"{name} {_named(part)}" for name, part in names.items())
    wrong = f"there are no settings for the {told} of a tokenizer.json"
    raise RefusedFileError(wrong, _ANY)


def _plain(cut: Data | None) -> Data | None:
    return None if cut is None else {key: cut[key] for key in cut if key != "trim_offsets"}


def _named(part: Any) -> str:  # noqa: ANN401
    """What a part of a tokenizer is called, and those that it is a sequence of."""
    if not isinstance(part, Mapping):
        return "null"
    inner = part.get("normalizers") or part.get("pretokenizers") or ()
    told = {
        key: json.dumps(value, ensure_ascii=False) for key, value in part.items() if key != "type"
    }
    settings = (f"{key}: {value}" for key, value in told.items() if len(value) < _SHORT)
    return f"{part.get('type')}({', '.join([*map(_named, inner), *settings])})"


_SHORT = 20


def _refuse(model: Data, usual: Mapping[str, Sequence[Any]]) -> None:
    """Refuses settings of a model that there are no words for."""
    for key, values in usual.items():
        if key in model and model[key] not in values:
            told = json.dumps(model[key], default=float)
            raise RefusedFileError(f"{key}: {told} of a tokenizer.json has no setting here", _ANY)


def _no_sentencepiece(settings: Values) -> Values:
    """Settings of a tokenizer that writes a text as it is."""
    if settings.pop("normalize", "none") != "none":
        raise RefusedFileError("the normalizer NFKC is for sentencepiece alone here", _ANY)
    return settings


def _vocabulary(model: Data) -> dict[str, int]:
    return {str(token): int(one) for token, one in model["vocab"].items()}


def _word_piece(model: Data, cut: Values) -> Values:
    _refuse(model, {"continuing_subword_prefix": ("##",),
                    "max_input_chars_per_word": (_MOST_CHARACTERS,)})  # fmt: skip
    if "marks" in cut:
        raise RefusedFileError("WordPiece with spaces as characters has no settings here", _ANY)
    settings = {"kind": "wordpiece", **cut, "unknown": str(model["unk_token"])}
    return {"tokenizer": settings, "vocabulary": _vocabulary(model)}


def _bpe(model: Data, cut: Values) -> Values:
    _refuse(model, {"dropout": (None, 0), "ignore_merges": (False,)})
    pairs = (one.split(" ") if isinstance(one, str) else one for one in model["merges"])
    given = {
        "merges": tuple(tuple(map(str, pair)) for pair in pairs),
        "vocabulary": _vocabulary(model),
    }
    fused = bool(model.get("fuse_unk")) and model.get("unk_token") is not None
    shared = {
        "unknown": model.get("unk_token"),
        "byte_fallback": bool(model.get("byte_fallback")),
    }
    if fused and cut.get("marks") == "▁":
        piece = {"kind": "sentencepiece", "model": "bpe", "extra_spaces": "kept"}
        return {"tokenizer": {**piece, **cut, **shared}, **given}
    if fused:
        raise RefusedFileError("fuse_unk: true is for spaces marked ▁ alone here", _ANY)
    marks = cut.get("marks", _affix(model))
    return {
        "tokenizer": {"kind": "bpe", **_no_sentencepiece(cut), "marks": marks, **shared},
        **given,
    }


def _affix(model: Data) -> str:
    """The mark of the pieces' places in their words."""
    prefix, suffix = model.get("continuing_subword_prefix"), model.get("end_of_word_suffix")
    known = {("", ""): "none", ("##", ""): "##", ("", "</w>"): "</w>"}
    if (prefix or "", suffix or "") not in known:
        raise RefusedFileError(f"pieces that are marked {prefix} and {suffix}", _ANY)
    return known[prefix or "", suffix or ""]


def _unigram(model: Data, cut: Values) -> Values:
    tokens = [str(token) for token, _ in model["vocab"]]
    unknown = model.get("unk_id")
    if unknown is None:
        raise RefusedFileError("a Unigram model without an unknown token", _ANY)
    settings = {"unknown": tokens[unknown], "byte_fallback": bool(model.get("byte_fallback"))}
    if cut.get("marks") == "▁":
        cut = {"kind": "sentencepiece", "extra_spaces": "kept", **cut}
    elif cut:
        raise RefusedFileError("Unigram without Metaspace or WhitespaceSplit", _ANY)
    scores = [Decimal(score) for _, score in model["vocab"]]
    if not all(map(Decimal.is_finite, scores)):
        raise ValueError("a score that isn't finite")
    pieces = dict(zip(tokens, scores, strict=True))
    return {"tokenizer": {"kind": "unigram", **cut, **settings}, "pieces": pieces}


def _word_level(model: Data, cut: Values) -> Values:
    if cut:
        raise RefusedFileError("WordLevel without WhitespaceSplit has no settings here", _ANY)
    settings = {"kind": "whitespace", "unknown": str(model["unk_token"])}
    return {"tokenizer": settings, "vocabulary": _vocabulary(model)}


_MODELS: dict[str, Callable[[Data, Values], Values]] = {
    "BPE": _bpe,
    "WordPiece": _word_piece,
    "Unigram": _unigram,
    "WordLevel": _word_level,
}
