"""The JSON Schema of what `--format json` writes of a scenario: pages, lessons and exercises."""

from __future__ import annotations

from typing import Any

from attncli.formats.pages.json import OF_QUANTITIES, SENTENCES

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_ORIGIN: Schema = {**_TEXT, "description": "whose it is, if the source doesn't have it"}
_WHOLE: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": ["number", "null"]}
_TEXT_OR_NOTHING: Schema = {"type": ["string", "null"]}


def output_schema() -> Schema:
    """Returns the schema (2020-12), with a definition of each part."""
    parts = _parts()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "attncli output",
        "description": "What `attn run`, `explain` and `exercise` write with `--format json`.",
        "anyOf": [_defined("page"), _defined(f"page{_ALONE}")],
        "$defs": {**parts, **_parts_alone(parts)},
    }


def _parts() -> dict[str, Schema]:
    return {
        "page": _page(),
        "rounding": _rounding(),
        "quantity": _quantity(),
        "given": _given(),
        "step": _step(),
        "line": _record({"cell": _TEXT, "text": _TEXT}, value=_NUMBER),
        "question": _question(),
        "picture": _picture(),
        "table": _record(
            {"headings": _list(_TEXT), "rows": _list(_list(_TEXT))},
            under={
                **_list(_TEXT_OR_NOTHING),
                "description": "in a tree: what each is under",
            },
        ),
    }


_ALONE = "_alone"
"""What a part is called of which `--values-only` leaves some."""


def _parts_alone(parts: dict[str, Schema]) -> dict[str, Schema]:
    """Returns the parts without sentences, by names of their own; of quantities always the
    shape."""
    alone = {f"{name}{_ALONE}": _without_sentences(part) for name, part in parts.items()}
    page, step = alone[f"page{_ALONE}"], alone[f"step{_ALONE}"]
    page["properties"]["title"] = _TEXT
    page["description"] = "what `--values-only` leaves of a page"
    step["required"].remove("working")
    sometimes = {key: parts["quantity"]["properties"][key] for key in OF_QUANTITIES}
    quantity = _record({"name": _TEXT, "shape": _shape(1)}, **sometimes)
    return {**alone, **dict.fromkeys((f"quantity{_ALONE}", f"given{_ALONE}"), quantity)}


def _without_sentences(schema: object) -> Any:  # noqa: ANN401
    if isinstance(schema, list):
        return [*map(_without_sentences, schema)]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": f"{schema['$ref']}{_ALONE}"}
    kept = {key: _without_sentences(value) for key, value in schema.items()}
    if "properties" in kept:
        data = kept["properties"].items()
        kept["properties"] = {name: part for name, part in data if name not in SENTENCES}
    if "required" in kept:
        kept["required"] = [name for name in kept["required"] if name not in SENTENCES]
    return kept


def _page() -> Schema:
    return _record(
        {
            "attncli": {"const": 1, "description": "the version of this form"},
            "title": _TEXT,
            "rounding": _defined("rounding"),
            "given": _list({"anyOf": [_defined("quantity"), _defined("given")]}),
            "steps": _list(_defined("step")),
            "notes": _list(_TEXT),
        },
        answer=_record(
            {"says": {**_TEXT, "description": "the answer of the page, in words with its number"}},
            cell={**_TEXT, "description": "the cell whose number it is, as `--cell` has it"},
            step={**_WHOLE, "description": "the step that works it out; none if it is given"},
        ),
        about={**_TEXT, "description": "what the page answers, and what to look at"},
        unused=_list(_TEXT),
        unfinished=_record({"step": _TEXT, "needs": _list(_TEXT)}),
        pictures=_list(_defined("picture")),
        working=_list(_defined("line")),
        tables=_list(_defined("table")),
        variants=_list(_defined("quantity")),
        key=_defined("page"),
        **_of_papers(),
    )


def _of_papers() -> dict[str, Schema]:
    """Returns the properties that only exercises have."""
    return {
        "kind": {"enum": ["exercise", "sheet", "key", "hints", "grid"]},
        "form": _TEXT,
        "hash": _TEXT,
        "command": _TEXT,
        "language": _TEXT,
        "student": _record({"name": _TEXT, "id": _TEXT}),
        "points": {"type": "number"},
    }


def _rounding() -> Schema:
    decimals: Schema = {"type": "object", "additionalProperties": _WHOLE}
    policy: Schema = {"enum": ["carry", "exact"]}
    return _record({"policy": policy, "decimals": _WHOLE, "steps": decimals}, quantities=decimals)


def _quantity() -> Schema:
    values = "rows of numbers in full; a list for what is one; null for −∞ and for a blank"
    return _record(
        {
            "name": {**_TEXT, "description": "the full name, as `--cell` has it"},
            "rows": _list(_TEXT),
            "columns": _list(_TEXT),
            "values": {"description": values, **_rows({"type": ["number", "string", "null"]})},
            "text": {"description": "the same as they are printed", **_rows(_TEXT_OR_NOTHING)},
        },
        tokens=_list(_TEXT),
        variant={**_TEXT, "description": "of which variant of the scenario it is"},
        source={**_TEXT, "description": "where what nobody wrote out comes from"},
        origin=_ORIGIN,
    )


def _rows(entry: Schema) -> Schema:
    return _list({"anyOf": [entry, _list(entry)]})


def _shape(least: int) -> Schema:
    return {**_list(_WHOLE), "minItems": least, "maxItems": 2}


def _given() -> Schema:
    large = {"name": _TEXT, "shape": _shape(2), "source": _TEXT, "first": _list(_TEXT)}
    return {"description": "a large one, by how it begins", **_record(large, origin=_ORIGIN)}


def _step() -> Schema:
    return _record(
        {
            "step": _TEXT,
            "title": _TEXT,
            "formula": _TEXT,
            "quantities": _list(_defined("quantity")),
            "working": _list(_defined("line")),
        },
        path={**_TEXT, "description": "the layer and the head"},
        starts_from=_list(_defined("quantity")),
        questions=_list(_defined("question")),
        mistakes=_list(_record({"name": _TEXT, "cell": _TEXT, "text": _TEXT}, value=_NUMBER)),
        text=_list(_TEXT),
        pictures=_list(_defined("picture")),
    )


def _question() -> Schema:
    slip = _record({"name": _TEXT, "says": _TEXT, "figure": _TEXT})
    return _record(
        {"id": _TEXT, "points": {"type": "number"}},
        text=_TEXT,
        options=_list(_TEXT),
        answer=_TEXT,
        right=_list(_TEXT),
        low=_TEXT,
        high=_TEXT,
        carry=_TEXT_OR_NOTHING,
        exact=_TEXT_OR_NOTHING,
        mistakes=_list(slip),
    )


def _picture() -> Schema:
    numbers = {"values": _list(_NUMBER), "text": _list(_TEXT)}
    arrow = _record({"label": _TEXT, **numbers}, start=_record(numbers))
    series = {"labels": _list(_TEXT), "series": _list(_record({"name": _TEXT, **numbers}))}
    flag: Schema = {"type": "boolean"}
    box = {"id": _TEXT, "label": _TEXT, "below": _TEXT, "column": {}, "row": {}, "chosen": flag}
    link = {"from": _TEXT, "to": _TEXT, "label": _TEXT, "chosen": flag}
    groups = _list(_record({"name": _TEXT, "arrows": _list(arrow)}))
    kinds = {
        "heat maps": {"quantities": _list(_TEXT)},
        "bars": series,
        "curves": {**series, "axis": {}, "logarithmic": flag},
        "plane": {"groups": groups},
        "pixels": {"patches": _list(_record({"name": _TEXT, **numbers}))},
        "diagram": {"boxes": _list(_record(box, frame=_TEXT)), "links": _list(_record(link))},
    }
    return {"anyOf": [_pictured(kind, parts) for kind, parts in kinds.items()]}


def _pictured(kind: str, parts: dict[str, Schema]) -> Schema:
    return _record({"kind": {"const": kind}, "title": _TEXT, **parts})


def _record(always: dict[str, Schema], **sometimes: Schema) -> Schema:
    """Describes an object with these keys and no others."""
    return {
        "type": "object",
        "properties": {**always, **sometimes},
        "required": [*always],
        "additionalProperties": False,
    }


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _defined(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}
