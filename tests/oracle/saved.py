"""A tokenizer.json as Hugging Face's `tokenizers` saves it, in the keys of a scenario, as far
as these have words for it."""

from __future__ import annotations

import json

from tests.oracle.book import Record
from tests.oracle.numerals import UnknownError

_SPACES = {"marks": "▁"}
_BERT = {"clean_text": True, "handle_chinese_chars": True}
_KINDS = {"BPE": "bpe", "WordPiece": "wordpiece", "WordLevel": "whitespace", "Unigram": "unigram"}


def saved(text: str, sentence: str) -> Record:
    """The keys that say what a file says. Raises UnknownError for what they have no words for."""
    data = json.loads(text, parse_float=str)
    model = data["model"]
    if any(str(value["content"]) in sentence for value in data.get("added_tokens") or ()):
        raise UnknownError("tokens that are added to those of a tokenizer in a file")
    kind = {"kind": _KINDS.get(model["type"], "")}
    record = {**kind, **_cut(data), **_settings(model)}
    if record.get("marks") == "▁" and sentence[:1] in (" ", "▁"):
        raise UnknownError("a text that begins with a space, cut by a tokenizer in a file")
    if record["kind"] == "unigram":
        return {"tokenizer": record, "pieces": dict(model["vocab"])}
    merges = {"merges": model["merges"]} if record["kind"] == "bpe" else {}
    return {"tokenizer": record, "vocabulary": model["vocab"], **merges}


def _settings(model: Record) -> Record:
    if model["type"] == "Unigram":
        return {"unknown": model["vocab"][model["unk_id"]][0], **_bytes(model)}
    if model.get("fuse_unk") or model.get("ignore_merges"):
        raise UnknownError("fuse_unk or ignore_merges of a tokenizer in a file")
    ends = {"##": "##", "</w>": "</w>"}
    affix = model.get("continuing_subword_prefix") or model.get("end_of_word_suffix")
    marks = {"marks": ends[affix]} if affix in ends and model["type"] == "BPE" else {}
    unknown = {} if model.get("unk_token") is None else {"unknown": model["unk_token"]}
    return {**marks, **unknown, **_bytes(model)}


def _bytes(model: Record) -> Record:
    return {"byte_fallback": "true"} if model.get("byte_fallback") else {}


def _cut(data: Record) -> Record:
    """The settings by which texts are written and cut."""
    written, cuts = data.get("normalizer"), data.get("pre_tokenizer") or {}
    cut = cuts.get("type")
    if written is None and cut == "WhitespaceSplit":
        return {}
    if written is None and cut == "Metaspace" and cuts.get("prepend_scheme") == "always":
        return _SPACES
    lower = (written or {}).get("lowercase")
    bert = {"type": "BertNormalizer", **_BERT, "strip_accents": None, "lowercase": lower}
    if written == bert and cut == "BertPreTokenizer":
        return {"cut": "bert" if lower else "bert_cased"}
    raise UnknownError(f"the normalizer {(written or {}).get('type')} with {cut} of a file")
