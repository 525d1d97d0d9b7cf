"""The scenario of a checkpoint, by the table in `families` of what its family calls tensors."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from attncli.errors import UserError, Where, listed
from attncli.models.checkpoints.model_folder import Checkpoint, family_of, form_of
from attncli.models.checkpoints.model_settings import (
    SPARSE,
    UNTURNED,
    dense_layers,
    refusal,
    sparse_layers,
    unturned_layers,
    written,
)
from attncli.scenario.file.named_files import JsonObject, RefusedFileError, parsed_json, text_in
from attncli.scenario.templates import layers_with

if TYPE_CHECKING:
    from attncli.maths.numbers.rounding import Array

_TOKENIZER = "tokenizer.json"


class Reading(NamedTuple):
    """A text, IDs or vectors that a stack reads."""

    says: JsonObject
    """What a scenario says of it."""
    ids: Sequence[int | None]
    """The IDs of the tokens that it is cut into, as far as they are known."""
    option: str = ""
    """The option that gave it."""


class Inputs(NamedTuple):
    """The inputs of a model."""

    tokens: Reading
    """What the model reads, or its decoder."""
    encoder_tokens: Reading | None = None
    """What its encoder reads, by default the same."""
    encoder_states: str | None = None
    """The file of what its encoder has made."""
    picture: str | None = None
    """The file of a picture that it sees."""
    spectrogram: Array | str | None = None
    """A spectrogram [channels, frames] of a sound that it hears, in a file or as numbers."""
    memory: Array | None = None
    """What its encoder has made, as numbers."""
    masks: Sequence[JsonObject] = ()
    """Masks beside the model's own."""
    of_layers: Sequence[JsonObject] = ()
    """What is said of each layer."""


def reading_of(option: str, text: str, folder: Path, place: Path) -> Reading:
    """Reads what an option says: IDs, `5,17,2`, or a text for the tokenizer in a folder, as a
    scenario in the folder `place` has it. Raises UserError."""
    ids = re.findall(r"[^\s,]+", text)
    if ids and all(value.isascii() and value.isdigit() for value in ids):
        return Reading({"ids": ids}, [*map(int, ids)], option)
    file = folder / _TOKENIZER
    if not text.strip() or not file.is_file():
        wrong = "these are no IDs" + (f", and no {_TOKENIZER} is there" if text.strip() else "")
        raise UserError.of(f"{option} {text}", wrong, "give some, like 5,17,2")
    tokenizer = {"tokenizer": {"file": os.path.relpath(file, place)}}
    try:
        before, tokens, after = _cut(file, text)
    except RefusedFileError as refused:
        raise UserError.of(_TOKENIZER, refused.wrong, refused.right) from None
    whole = [*before, *tokens, *after]
    known = [*map(_ids(file).get, whole)]
    if len(whole) == len(tokens):
        return Reading({"sentence": text, **tokenizer}, known, option)
    return Reading({"tokens": whole, **tokenizer}, known, option)


def _ids(file: Path) -> Mapping[str, int]:
    """Returns the IDs of a tokenizer's tokens."""
    saved = parsed_json(text_in(file))
    pieces = saved["model"]["vocab"]
    known = (
        pieces if isinstance(pieces, Mapping) else {value[0]: k for k, value in enumerate(pieces)}
    )
    return {**known, **{value["content"]: value["id"] for value in saved.get("added_tokens") or ()}}


def _cut(file: Path, text: str) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """Returns the tokens that stand before a text, those of the text, and those that stand after
    it. Raises RefusedFileError."""
    from attncli.maths.numbers.rounding import Rounding
    from attncli.names import TOP
    from attncli.pipeline.implied_values import with_tokenizers
    from attncli.pipeline.texts import tokens_of
    from attncli.scenario.file.named_files import TOKENIZERS, TextFile, text_of
    from attncli.scenario.file.problems import Diagnostics, NamedProblems
    from attncli.scenario.tokenizers import hugging_face
    from attncli.scenario.tokenizers.settings import TokenizerSettings

    where, problems = Where(file.name), Diagnostics()
    saved = text_of(TextFile(file.name, where), file.parent, False, TOKENIZERS)
    values = {"sentence": text, **hugging_face.read(saved)}
    complaints = NamedProblems({"": where}, problems)
    data = with_tokenizers(TokenizerSettings(TOP, values, complaints, Rounding()))
    problems.stop_if_any()
    before, after = _around(parsed_json(saved).get("post_processor") or {})
    return before, tokens_of(data), after


def _around(data: JsonObject) -> tuple[list[str], list[str]]:
    """Returns the tokens that a post-processor puts before and after a text. Raises
    RefusedFileError."""
    match data:
        case {"type": "Sequence", "processors": [*several]}:
            each = [_around(value) for value in several]
            return [t for b, _ in reversed(each) for t in b], [t for _, a in each for t in a]
        case {"type": "BertProcessing" | "RobertaProcessing", "cls": [cls, *_], "sep": [sep, *_]}:
            return [cls], [sep]
        case {"type": "TemplateProcessing", "single": [*pieces]}:
            return _of_template(pieces)
        case {"type": "ByteLevel"} | {}:
            return [], []
    wrong = f"the post-processor {data.get('type')} isn't known here"
    raise RefusedFileError(wrong, "give the IDs of the tokens")


def _of_template(pieces: Sequence[JsonObject]) -> tuple[list[str], list[str]]:
    """Returns the tokens before and after the text in a template: `[CLS] $A [SEP]`. Raises
    RefusedFileError for one without a place for a text."""
    places = [k for k, piece in enumerate(pieces) if "Sequence" in piece]
    if len(places) != 1:
        raise RefusedFileError("its template has no place for a text", "give the IDs of the tokens")
    names = [piece.get("SpecialToken", {}).get("id", "") for piece in pieces]
    return names[: places[0]], names[places[0] + 1 :]


_NO_WEIGHTS = re.compile(
    r"rotary_emb\.inv_freq|position_ids|attn\.(masked_)?bias|attention\.(masked_)?bias"
)
"""Tensors of old checkpoints that hold no weights: masks, angles."""

_MAY_BE_LACKING = re.compile(r"(^|\.)(b_\w+|b\d?|beta(_\w)?|head\..+)$")
"""Keys of tensors that a model may do without: biases, and what a head behind the layers has."""
_SOME: Mapping[str, Callable[[JsonObject], Sequence[int]]] = {
    "dense_layers": dense_layers,
    "sparse_layers": sparse_layers,
}


def _check_known(checkpoint: Checkpoint, family: JsonObject) -> None:
    """Raises UserError for settings that make another model than a scenario can say."""
    decodes = {"is_causal": "true"} if family["says"].get("block") == "decoder" else {}
    for name, known in {**decodes, **family.get("known_only", {})}.items():
        value = checkpoint.setting(name)
        only = written(checkpoint.setting(known[1:])) if known.startswith("$") else known
        if value is not None and written(value) != only:
            right = f"known: {name}: {only}"
            wrong = f"{name}: {written(value)} isn't known"
            raise refusal(checkpoint.config, name, wrong, right)


def _of_settings(checkpoint: Checkpoint, cases: Mapping[str, JsonObject]) -> list[str]:
    """Returns what is said of the values that some settings have."""
    names = (cases[name].get(written(checkpoint.config.get(name)), ()) for name in cases)
    return [name for some in names for name in some]


def _check_looked_for(
    checkpoint: Checkpoint, prefix: str, entries: tuple[JsonObject, JsonObject, JsonObject]
) -> None:
    """Raises UserError where a checkpoint lacks a tensor that its family has, given what is said of
    it and the keys that are there."""
    family, data, keys = entries
    parts = [entry for entry in ("qk_norm", "encoder") if entry not in data]
    gates = [] if data.get("gated") else ["W3", "encoder.W3"]
    is_untied = checkpoint.config.get("tie_word_embeddings") is False
    untied = [] if "unembedding" in data and is_untied else ["unembedding"]
    left_out = [
        *family.get("optional", ()),
        *_of_settings(checkpoint, family.get("optional_when", {})),
        *_of_settings(checkpoint, family.get("unused_when", {})),
        *parts, *gates, *untied,
    ]  # fmt: skip
    lacking = [
        prefix + next(forms_of(named if isinstance(named, list) else [named]))
        for key, named in family["keys"].items()
        if key not in keys
        and not _MAY_BE_LACKING.search(key)
        and not any(f"{key}.".startswith(f"{value}.") for value in left_out)
        and _has_layers(checkpoint, named)
    ]
    if lacking:
        there = {*map(form_of, _left(checkpoint, family, keys) or checkpoint.tensors)}
        like = get_close_matches(form_of(lacking[0]), sorted(there), len(there), 0)
        wrong = f"no tensor is called {listed(dict.fromkeys(lacking))}"
        right = f"it has {listed(like)}"
        raise UserError.of(checkpoint.file.name, wrong, right)


def _has_layers(checkpoint: Checkpoint, named: object) -> bool:
    """Tells whether a tensor that only some layers have is in any layer of this model."""
    of = str(named.get("layers", "")) if isinstance(named, Mapping) else ""
    return not of or bool(_SOME[of.removeprefix("$=")](checkpoint.config))


def _check_all_placed(checkpoint: Checkpoint, family: JsonObject, keys: JsonObject) -> None:
    """Raises UserError where tensors are left over: a scenario without them would be another
    model."""
    left = _left(checkpoint, family, keys)
    if left:
        wrong = f"{listed(left)}: these tensors have no place in a scenario"
        raise UserError.of(checkpoint.file.name, wrong, "save a model without them")


def _left(checkpoint: Checkpoint, family: JsonObject, keys: JsonObject) -> list[str]:
    """Returns the names of the tensors that no key says, but for those that are unused beside
    another."""
    used = [f".{form}" for form in forms_of(keys.values())]
    beside: Mapping[str, str] = family.get("unused_beside", {})
    unused = tuple(
        f".{name}"
        for name, other in beside.items()
        if any(text.endswith(f".{other}") for text in used)
    )
    forms = (re.sub(r"\\\{[ie]\\\}", r"\\d+", re.escape(form)) for form in forms_of(keys.values()))
    placed = re.compile("|".join(forms))
    return [
        name
        for name in sorted(checkpoint.tensors)
        if not placed.fullmatch(name)
        and not _NO_WEIGHTS.search(name)
        and not f".{name}".endswith(unused)
    ]


def _check_all_there(checkpoint: Checkpoint, keys: JsonObject, layers: Mapping[bool, int]) -> None:
    """Raises UserError where a layer or an expert lacks a tensor that the first one has. `layers`
    counts those of the encoder, by True, and the others."""
    experts = checkpoint.config.get("num_experts", checkpoint.config.get("num_local_experts"))
    lacking: dict[str, int] = {}
    for key, value in keys.items():
        count = layers[key.startswith("encoder.")]
        some = layers_with(value.get("layers") if isinstance(value, Mapping) else None, count)
        forms = (form.replace("{i}", str(k)) for form in forms_of([value]) for k in some)
        each = (form.replace("{e}", str(e)) for form in forms for e in range(int(experts or 1)))
        lacking |= dict.fromkeys((name for name in each if name not in checkpoint.tensors), count)
    if lacking:
        count = max(lacking.values())
        wrong = f"{listed(lacking)}: no such tensor, and {count} layers have one"
        raise UserError.of(checkpoint.file.name, wrong, "save the model anew, with all its tensors")


def forms_of(named: Iterable[object]) -> Iterator[str]:
    """Yields the names of tensors, with `{i}` for a layer, in what is said of keys."""
    for value in named:
        yield str(value["key"] if isinstance(value, Mapping) else value)


_OF_ENCODER = re.compile(r"(model\.)?encoder\.")
"""What the tensors of an encoder begin with, which are for nothing where its states are given."""


_OF_LOGITS = ("unembedding", "predict_from", "logit_scale", "logit_softcap")


def scenario_of(checkpoint: Checkpoint, place: Path, inputs: Inputs) -> dict[str, object]:
    """Makes a scenario of a checkpoint for what goes in, with paths from the folder `place`. Raises
    UserError."""
    checkpoint = checkpoint.tower(sees=inputs.picture is not None)
    kind = str(checkpoint.config.get("model_type"))
    family = family_of(checkpoint)
    _check_known(checkpoint, family)
    says = _says(checkpoint, kind, family)
    if kind in family.get("positions_past_padding", ()):
        says["positions"] = _past_padding(checkpoint, inputs.tokens.ids)
    _check_attended(kind, family, inputs)
    if inputs.encoder_states is not None:
        says.pop("encoder", None)
        checkpoint = checkpoint.without(_OF_ENCODER)
    first = next(iter(family["keys"].values()))
    prefix = _prefix(checkpoint, first) if checkpoint.family is None else ""
    keys, data = dict(_known(checkpoint, prefix, family["keys"])), _said(checkpoint, says)
    if data.get("unembedding") == "tied" and not _unembeds(checkpoint, keys):
        data = {key: value for key, value in data.items() if key not in _OF_LOGITS}
    _check_looked_for(checkpoint, prefix, (family, data, keys))
    _check_all_placed(checkpoint, family, keys)
    of_encoder = int(str(data.get("encoder", {}).get("layers", 0)))
    _check_all_there(checkpoint, keys, {True: of_encoder, False: _count(checkpoint, family)})
    unused = _of_settings(checkpoint, family.get("unused_when", {}))
    keys = {key: named for key, named in keys.items() if key not in unused}
    data = {key: value for key, value in data.items() if key not in keys}
    return {
        "title": str(checkpoint.config.get("_name_or_path") or kind),
        **_what_goes_in(checkpoint, family, place, inputs),
        **_with_layers(keys, _layers(checkpoint, family), inputs.of_layers),
        **data,
        **_attended(data, place, inputs),
        **_masked(data, inputs.masks),
        "rounding": {"policy": "exact", "decimals": "4"},
        "weights": {"file": os.path.relpath(checkpoint.file, place), "keys": keys},
    }


def _says(checkpoint: Checkpoint, kind: str, family: JsonObject) -> dict[str, object]:
    """Returns what a family says, with what it says of a type of models, of the values of settings,
    and of tensors that are there."""
    says = {**family["says"], **family.get("says_of", {}).get(kind, {})}
    says |= _of_all_layers(checkpoint, family)
    for setting, cases in family.get("says_when", {}).items():
        says |= cases.get(written(checkpoint.config.get(setting)), {})
    for tensor, more in family.get("says_with", {}).items():
        says |= more if _has(checkpoint, tensor) else {}
    return says


def _unembeds(checkpoint: Checkpoint, keys: JsonObject) -> bool:
    """Tells whether a model that ends with logits by its family has what makes them: its
    embeddings, or a tensor of its own, which is missed only where the model is said to have one."""
    if "unembedding" in keys or checkpoint.config.get("tie_word_embeddings") is not False:
        return True
    made = checkpoint.config.get("architectures") or ()
    return any(re.search("ForCausalLM|LMHead|ConditionalGeneration", value) for value in made)


def _past_padding(checkpoint: Checkpoint, ids: Sequence[int | None]) -> JsonObject:
    """Returns positions that begin after the number of the padding token, which stands at that
    number itself. Raises UserError where there is no padding token."""
    padding = checkpoint.config["pad_token_id"]
    if padding is None:
        wrong = "pad_token_id: null, and positions begin after it"
        right = "say which it is, like pad_token_id: 1"
        raise refusal(checkpoint.config, "pad_token_id", wrong, right)
    if padding not in ids:
        return {"kind": "table", "start": str(padding + 1)}
    counted = accumulate(index != padding for index in ids)
    places = zip(ids, counted, strict=True)
    return {"kind": "table", "ids": [str(padding + k * (index != padding)) for index, k in places]}


def _check_attended(kind: str, family: JsonObject, inputs: Inputs) -> None:
    """Raises UserError where it isn't said what a decoder attends to, or for a model without
    one."""
    read = inputs.encoder_tokens
    of_tokens = (read.option if read else "") or "--encoder-tokens"
    given = {
        of_tokens: read, "--spectrogram": inputs.spectrogram,
        "--encoder-states": inputs.encoder_states,
    }  # fmt: skip
    texts = [option for option, value in given.items() if value is not None]
    attends = any(key.startswith("cross.") for key in family["keys"])
    hears = "convolution1" in family["says"].get("encoder", {})
    if texts and not attends:
        wrong = f"a model of the type {kind} has no encoder beside what it writes"
        right = f"give only {inputs.tokens.option or '--tokens'}"
        raise UserError.of(texts[0], wrong, right)
    if len(texts) > 1:
        raise UserError.of(texts[1], f"this is what an encoder makes of {texts[0]}", "keep one")
    if hears and texts in ([], [of_tokens]):
        wrong = f"the encoder of a model of the type {kind} reads no tokens"
        right = "give what it hears or makes, like --spectrogram mel.npy or --encoder-states s.npy"
        raise UserError.of(kind, wrong, right)
    if texts == ["--spectrogram"] and not hears:
        wrong = f"a model of the type {kind} hears no sound"
        raise UserError.of(texts[0], wrong, "leave --spectrogram out")


def _attended(data: JsonObject, place: Path, inputs: Inputs) -> JsonObject:
    """Returns what a decoder attends to: its encoder, which reads by default what the decoder does,
    or what that made."""
    if inputs.encoder_states is not None:
        return {"memory": {"file": os.path.relpath(inputs.encoder_states, place)}}
    if inputs.memory is not None:
        return {"memory": inputs.memory}
    if inputs.spectrogram is not None:
        heard = inputs.spectrogram
        frames = (
            {"file": os.path.relpath(heard, place), "transposed": "true"}
            if isinstance(heard, str)
            else heard.T
        )
        return {"encoder": {"frames": frames, **data["encoder"]}}
    if "encoder" in data:
        read = inputs.encoder_tokens or inputs.tokens
        encoder = {**read.says, **data["encoder"]}
        return {"about": _what_is_read(inputs), "encoder": encoder}
    return {}


def _what_is_read(inputs: Inputs) -> str:
    """Writes a sentence on what encoder and decoder read."""
    read = inputs.encoder_tokens
    if read is None:
        same = _as_read(inputs.tokens)
        return f"Encoder and decoder both read {same}, since nothing else is given for the encoder."
    return f"The encoder reads {_as_read(read)}. The decoder reads {_as_read(inputs.tokens)}."


def _as_read(read: Reading) -> str:
    says = read.says
    if "sentence" in says:
        return f"“{says['sentence']}”"
    words = [f"“{token}”" for token in says.get("tokens", ())] or [*map(str, says.get("ids", ()))]
    return listed(words) if words else "vectors"


def _masked(data: JsonObject, masks: Sequence[JsonObject]) -> JsonObject:
    """Returns the mask, where more is hidden than a model hides by itself, and nothing
    otherwise."""
    own = data.get("mask", "causal" if data.get("block") == "decoder" else "none")
    several = [*([own] if own != "none" else []), *masks]
    return {"mask": several if len(several) > 1 else several[0]} if masks else {}


def _is_of_layers(keys: JsonObject) -> bool:
    return any("{i}" in form for form in forms_of(keys.values()))


def _with_layers(keys: JsonObject, layers: object, more: Sequence[JsonObject]) -> JsonObject:
    """Returns what a scenario says of the layers, with `more` that is said of each, and just the
    latter for a model of one layer without a number."""
    if not _is_of_layers(keys):
        return {key: value for data in more for key, value in data.items()}
    if not any(more):
        return {"layers": layers}
    known: JsonObject = layers if isinstance(layers, Mapping) else {"count": layers}
    each = {str(k): data for k, data in enumerate(more, start=1)}
    return {"layers": {**known, **{k: {**known.get(k, {}), **data} for k, data in each.items()}}}


def _layers(checkpoint: Checkpoint, family: JsonObject) -> object:
    """Returns how many layers there are, and what those of a type say that others don't."""
    count, everywhere = _count(checkpoint, family), _of_all_layers(checkpoint, family)
    entries = [
        _said(checkpoint, {key: value for key, value in says.items() if key not in everywhere})
        for says in _says_of_layers(checkpoint, family)
    ]
    if not any(entries):
        return str(count)
    odd, even = entries[::2], entries[1::2]
    if all(data == odd[0] for data in odd) and all(data == even[0] for data in even):
        alike = not even or even[0] == odd[0]
        parts = {"each": odd[0]} if alike else {"odd": odd[0], "even": even[0]}
    else:
        parts = {str(k): data for k, data in enumerate(entries, start=1)}
    return {"count": str(count), **{part: data for part, data in parts.items() if data}}


def _says_of_layers(checkpoint: Checkpoint, family: JsonObject) -> list[dict[str, object]]:
    """Returns what a family says of each layer, by its types."""
    by_type = family.get("says_of_layers", {})
    says = [dict(by_type.get(value, {})) for value in checkpoint.config["layer_types"]]
    for kind, numbers in ((SPARSE, sparse_layers), (UNTURNED, unturned_layers)):
        for number in numbers(checkpoint.config) if kind in by_type else ():
            says[number - 1] |= by_type[kind]
    return says


def said_of_layer(checkpoint: Checkpoint, family: JsonObject, number: int) -> dict[str, object]:
    """Returns what a family says of a layer, from 0, and of what is around it, with the settings of
    a checkpoint."""
    kind = str(checkpoint.config.get("model_type"))
    says = {**_says(checkpoint, kind, family), **_says_of_layers(checkpoint, family)[number]}
    return _said(checkpoint, says)


def _of_all_layers(checkpoint: Checkpoint, family: JsonObject) -> dict[str, object]:
    """Returns what is said of layers with experts, where all of them have some, and nothing
    otherwise."""
    says = family.get("says_of_layers", {}).get(SPARSE, {})
    each = _says_of_layers(checkpoint, family) if says else []
    return dict(says) if all(data.items() >= says.items() for data in each) else {}


def _count(checkpoint: Checkpoint, family: JsonObject) -> int:
    """Returns how many layers there are, a decoder's where there is an encoder too."""
    counted = family.get("layers", "$num_hidden_layers")
    return int(str(checkpoint.setting(counted.removeprefix("$"))))


def _what_goes_in(
    checkpoint: Checkpoint, family: JsonObject, place: Path, inputs: Inputs
) -> dict[str, object]:
    """Returns the tokens, and what is said of each, or the patches of a picture. Raises
    UserError."""
    sees, picture = "class_token" in family["keys"], inputs.picture
    if sees != (picture is not None):
        wrong = "this model sees pictures" if sees else "this model reads texts, and no pictures"
        right = "name one, like --picture pixels.npy" if sees else "leave --picture out"
        raise UserError.of(checkpoint.file.name, wrong, right)
    if picture is not None:
        file, side = os.path.relpath(picture, place), checkpoint.config["patch_size"]
        return {"patches": {"file": file, "patches": str(side)}}
    tokens, each = inputs.tokens, family.get("each_token", {}).items()
    data = {key: more[key] for tensor, more in each if _has(checkpoint, tensor) for key in more}
    return {**tokens.says, **{key: [value] * len(tokens.ids) for key, value in data.items()}}


def _prefix(checkpoint: Checkpoint, embeddings: str | list[str]) -> str:
    """Returns what stands before the names of a checkpoint's tensors: `transformer.`, or nothing.
    Raises UserError where there are no embeddings."""
    either = [embeddings] if isinstance(embeddings, str) else embeddings
    found = [
        name.removesuffix(text)
        for text in either
        for name in checkpoint.tensors
        if f".{name}".endswith(f".{text}")
    ]
    if not found:
        wrong = f"no tensor is called {either[-1]}"
        raise UserError.of(
            checkpoint.file.name, wrong, f"it has {listed(sorted(checkpoint.tensors))}"
        )
    return min(found, key=len)


def _known(checkpoint: Checkpoint, prefix: str, keys: JsonObject) -> Iterator[tuple[str, object]]:
    """Yields the keys of those tensors that a checkpoint has."""
    for key, named in keys.items():
        either = named if isinstance(named, list) else [named]
        found = (_tensor(checkpoint, where, value) for value in either for where in (prefix, ""))
        tensor = next(filter(None, found), None)  # of the stack, or of the model itself
        if tensor is not None:
            yield key, tensor


def _has(checkpoint: Checkpoint, tensor: str) -> bool:
    """Tells whether a checkpoint has a tensor, by itself or in a part of it."""
    return any(f".{name}".endswith(f".{tensor}") for name in checkpoint.tensors)


def _tensor(checkpoint: Checkpoint, prefix: str, named: object) -> object:
    """Returns a tensor's name, or the part of it that is meant, and None if there isn't one."""
    data = named if isinstance(named, Mapping) else {"key": named}
    key = f"{prefix}{data['key']}"
    rest = _said(checkpoint, {name: value for name, value in data.items() if name != "key"})
    first = str(layers_with(rest.get("layers"), 2)[0])
    if key.replace("{i}", first).replace("{e}", "0") not in checkpoint.tensors:
        return None
    return {"key": key, **rest} if rest else key


def _said(checkpoint: Checkpoint, data: JsonObject) -> dict[str, Any]:
    """Returns what a family says, with the settings of a checkpoint, without those that it hasn't
    got."""
    entries = {key: _value(checkpoint, value) for key, value in data.items()}
    return {key: value for key, value in entries.items() if value not in (None, {})}


def _value(checkpoint: Checkpoint, value: object) -> object:
    if isinstance(value, Mapping):
        return _said(checkpoint, value)
    if isinstance(value, list):
        return [
            data for data in (_value(checkpoint, data) for data in value) if data not in (None, {})
        ]
    if isinstance(value, str) and value.startswith("$"):
        setting = checkpoint.setting(value[1:])
        return (
            setting if setting is None or isinstance(setting, Mapping | list) else written(setting)
        )
    return value
