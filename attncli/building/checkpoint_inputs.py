"""What goes into a checkpoint's model: tokens by their IDs, or a text, which a tokenizer.json
beside it cuts into tokens."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from attncli.file.files import RefusedFileError
from attncli.refusals import Refusal, Where

_TOKENIZER = "tokenizer.json"


class Reading(NamedTuple):
    """What a stack is said to read, in the words of a scenario, and the IDs of the tokens that it
    is cut into, as far as they are known."""

    says: Mapping[str, Any]
    ids: Sequence[int | None]


class Inputs(NamedTuple):
    """What goes into a model: what it reads, and what its encoder reads (by default the same) or
    has made, in a file; or the file of a `picture` that it sees."""

    tokens: Reading
    encoder_tokens: Reading | None = None
    encoder_states: str | None = None
    picture: str | None = None


def reading_of(option: str, said: str, folder: Path, place: Path) -> Reading:
    """What an option says: IDs, `5,17,2`, or a text for the tokenizer in a folder, as a scenario in
    the folder `place` has it. Raises Refusal."""
    ids = re.findall(r"[^\s,]+", said)
    if ids and all(one.isascii() and one.isdigit() for one in ids):
        return Reading({"ids": ids}, [*map(int, ids)])
    file = folder / _TOKENIZER
    if not said.strip() or not file.is_file():
        wrong = "these are no IDs" + (f", and no {_TOKENIZER} is there" if said.strip() else "")
        raise Refusal.of(f"{option} {said}", wrong, "give some, like 5,17,2")
    tokenizer = {"tokenizer": {"file": os.path.relpath(file, place)}}
    try:
        before, tokens, after = _cut(file, said)
    except RefusedFileError as refused:
        raise Refusal.of(_TOKENIZER, refused.wrong, refused.right) from None
    whole = [*before, *tokens, *after]
    known = [*map(_ids(file).get, whole)]
    if len(whole) == len(tokens):
        return Reading({"sentence": said, **tokenizer}, known)
    return Reading({"tokens": whole, **tokenizer}, known)


def _ids(file: Path) -> Mapping[str, int]:
    """The IDs of a tokenizer's tokens."""
    saved = json.loads(file.read_text("utf-8"))
    pieces = saved["model"]["vocab"]
    known = pieces if isinstance(pieces, Mapping) else {one[0]: k for k, one in enumerate(pieces)}
    return {**known, **{one["content"]: one["id"] for one in saved.get("added_tokens") or ()}}


def _cut(file: Path, text: str) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """The tokens of a text, and those that stand before and after one. Raises RefusedFileError."""
    from attncli.arithmetic.rounding import Rounding
    from attncli.building.spelled_out import spelled_out
    from attncli.building.texts import tokens_of
    from attncli.file.problems import NamedProblems, Problems
    from attncli.file.text_files import TOKENIZERS, TextFile, text_of
    from attncli.name import TOP
    from attncli.scenario.tokenizers import hugging_face
    from attncli.scenario.tokenizers.settings import TokenizerSettings

    where, problems = Where(file.name), Problems()
    saved = text_of(TextFile(file.name, where), file.parent, False, TOKENIZERS)
    values = {"sentence": text, **hugging_face.read(saved)}
    complaints = NamedProblems({"": where}, problems)
    told = spelled_out(TokenizerSettings(TOP, values, complaints, Rounding(), large=True))
    problems.stop_if_any()
    before, after = _around(json.loads(saved).get("post_processor") or {})
    return before, tokens_of(told), after


def _around(said: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The tokens that a post-processor puts before and after a text. Raises RefusedFileError."""
    match said:
        case {"type": "Sequence", "processors": [*several]}:
            each = [_around(one) for one in several]
            return [t for b, _ in reversed(each) for t in b], [t for _, a in each for t in a]
        case {"type": "BertProcessing" | "RobertaProcessing", "cls": [cls, *_], "sep": [sep, *_]}:
            return [cls], [sep]
        case {"type": "TemplateProcessing", "single": [*pieces]}:
            return _of_template(pieces)
        case {"type": "ByteLevel"} | {}:
            return [], []
    wrong = f"the post-processor {said.get('type')} isn't known here"
    raise RefusedFileError(wrong, "give the IDs of the tokens")


def _of_template(pieces: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """`[CLS] $A [SEP]`."""
    places = [k for k, piece in enumerate(pieces) if "Sequence" in piece]
    if len(places) != 1:
        raise RefusedFileError("its template has no place for a text", "give the IDs of the tokens")
    names = [piece.get("SpecialToken", {}).get("id", "") for piece in pieces]
    return names[: places[0]], names[places[0] + 1 :]
