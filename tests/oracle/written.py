"""What is said once for many layers or matrices, or by IDs, as if all of it were written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.oracle.book import Record
from tests.oracle.numerals import Numbers

Parts = dict[str, Any]

_NOT_OF_AN_ENCODER = ("block", "mask", "cell", "direction")


def written_out(data: Record) -> Record:
    """A scenario with a list of layers, a source for each matrix, and tokens."""
    whole = _with_tokens(_with_layers(data))
    if "encoder" in whole:
        whole["encoder"] = _with_tokens(_with_layers(whole["encoder"]))
    said = data.get("weights")
    if not isinstance(said, Mapping) or "keys" not in said:
        return whole
    del whole["weights"]
    for name, tensor in said["keys"].items():
        first, _, rest = name.partition(".")
        stack, path = (whole["encoder"], rest) if first == "encoder" and rest else (whole, name)
        source = {"file": said.get("file"), **_source(tensor)}
        if "{i}" not in source["key"]:
            _put(stack, path.split("."), source)
            continue
        for i, layer in enumerate(stack["layers"]):
            entries = {**source, "key": source["key"].replace("{i}", str(i))}
            first, *inner = path.split(".")
            if inner and isinstance(stack.get(first), Mapping):
                layer.setdefault(first, stack[first])
            _put(layer, path.split("."), entries)
    return whole


def inherited(settings: Record, data: Record, inner: Record) -> Record:
    """What an encoder takes over of the settings of the stack that reads it."""
    cells = [inner, *inner.get("layers", ())]
    if any("cell" in cell for cell in cells):
        return {}
    taken = {key: value for key, value in settings.items() if key not in _NOT_OF_AN_ENCODER}
    found = {key: value for key, value in taken.items() if not _numbers_in(value)}
    if "heads" in inner:
        found.pop("kv_heads", None)
    if "X" in inner:
        return found
    if "embedding_scale" in data:
        found["embedding_scale"] = data["embedding_scale"]
    if "positions" in data and not _has_table(data["positions"]):
        found["positions"] = data["positions"]
    return found


def part(array: Numbers, source: Record) -> Numbers:
    """The part of an array that a source means."""
    if "entry" in source:
        array = array[int(source["entry"])]
    if "patches" in source:
        array = _patches(array, int(source["patches"]))
    if str(source.get("flat")).lower() == "true":
        array = np.array([value.ravel() for value in array])
    while array.ndim > 2 and len(array) == 1:
        array = array[0]
    if str(source.get("transposed")).lower() == "true":
        array = array.T
    array = array[_range(source.get("rows"))]
    columns = _range(source.get("columns"))
    array = array[columns] if array.ndim == 1 else array[:, columns]
    if "split" not in source:
        return array
    count, number = (int(value) for value in source["split"])
    heads = int(source.get("heads", 1))
    axis = int(array.ndim == 2 and array.shape[1] > array.shape[0])
    pieces = np.split(array, heads * count, axis)
    return np.concatenate(pieces[number - 1 :: count], axis)


def _patches(picture: Numbers, side: int) -> Numbers:
    """Patch by patch from the upper left on, of each its channels, of these the rows."""
    if picture.ndim == 4:
        picture = picture[0]
    channels = picture if picture.ndim > 2 else picture[None]
    height, width = channels.shape[1:]
    return np.array([
        channels[:, i : i + side, j : j + side].ravel()
        for i in range(0, height, side) for j in range(0, width, side)
    ])  # fmt: skip


def _range(text: object) -> slice:
    ends = (int(end) if end else None for end in str(text).split(":"))
    return slice(None) if text is None else slice(*ends)


def _numbers_in(value: object) -> bool:
    if isinstance(value, Mapping):
        return "random" in value or "file" in value or any(map(_numbers_in, value.values()))
    return isinstance(value, np.ndarray | list)


def _has_table(positions: object) -> bool:
    """Whether positions are rows of numbers, or some of them are; slopes are none."""
    if isinstance(positions, Mapping):
        return any(key in positions for key in ("random", "file", "table"))
    if isinstance(positions, list):
        return any(isinstance(p, list) or _has_table(p) for p in positions)
    return isinstance(positions, np.ndarray)


def _with_layers(data: Record) -> Parts:
    layers = data.get("layers", [])
    if isinstance(layers, list | tuple):
        return {**data, **({"layers": [{**layer} for layer in layers]} if layers else {})}
    entries = layers if isinstance(layers, Mapping) else {"count": layers}
    numbers = range(1, int(entries["count"]) + 1)
    parts = [("each", "odd" if k % 2 else "even", str(k)) for k in numbers]
    each = [[entries.get(name, entries.get(int(name)) if name.isdigit() else None) for name in names]
            for names in parts]  # fmt: skip
    made = [{k: v for entry in few for k, v in (entry or {}).items()} for few in each]
    return {**data, "layers": made}


def _with_tokens(data: Parts) -> Parts:
    if "ids" not in data:
        return data
    known = data.get("vocabulary", {})
    names = {int(number): token for token, number in known.items()}
    tokens = [names.get(int(number), str(number)) for number in data["ids"]]
    return {
        **data,
        "tokens": tokens,
        "vocabulary": {**known, **dict(zip(tokens, data["ids"], strict=True))},
    }


def _source(tensor: object) -> Parts:
    return {**tensor} if isinstance(tensor, Mapping) else {"key": str(tensor)}


def _put(stack: Parts, path: list[str], source: Record) -> None:
    for name in path[:-1]:
        stack[name] = {**(stack.get(name) or {})}
        stack = stack[name]
    stack.setdefault(path[-1], source)
