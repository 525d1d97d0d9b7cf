"""What editors are told of a scenario: where its schema is, what each key means, what to propose."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

from attncli import load, work
from attncli.cli import app
from tests.helpers.file_schema import data_of, faults, validator

MODELINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\n")


def new(*words: str) -> str:
    """What `attn new` prints."""
    result = CliRunner().invoke(app, ["new", *words])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_new_scenario_names_the_schema_beside_it(tmp_path: Path) -> None:
    file, schema = tmp_path / "mine.yaml", tmp_path / "attncli.schema.json"
    says = new(str(file))
    text = file.read_text("utf-8")
    named = MODELINE.match(text)
    assert named
    assert tmp_path / named[1] == schema
    assert schema.name in says
    known = jsonschema.Draft202012Validator(json.loads(schema.read_text("utf-8")))
    assert not [*known.iter_errors(data_of(text))]
    assert [*known.iter_errors(data_of(text.replace("\nscale:", "\nscal:")))]


def test_the_schema_is_written_where_it_is_another(tmp_path: Path) -> None:
    schema = tmp_path / "attncli.schema.json"
    new(str(tmp_path / "first.yaml"))
    current, written = schema.read_text("utf-8"), schema.stat().st_mtime_ns
    assert schema.name not in new(str(tmp_path / "second.yaml"))
    assert schema.stat().st_mtime_ns == written
    schema.write_text("{}", "utf-8")
    assert schema.name in new(str(tmp_path / "third.yaml"))
    assert schema.read_text("utf-8") == current


def test_a_stream_names_no_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert new("-").startswith("# A scenario")
    assert not [*tmp_path.iterdir()]


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """A part with what it refers to; what it says itself goes before."""
    while "$ref" in part:
        found: Any = validator().schema
        for name in part["$ref"].split("/")[1:]:
            found = found[name]
        part = {**found, **{name: said for name, said in part.items() if name != "$ref"}}
    return part


def properties(part: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The keys in all of a schema, each where it is written."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name in ("properties", "patternProperties"):
                yield from ((f"{path}.{key}", resolved(said)) for key, said in value.items())
            yield from properties(value, f"{path}.{name}")
    elif isinstance(part, list):
        for value in part:
            yield from properties(value, path)


def test_every_key_says_what_it_means_and_proposes_what_is_right() -> None:
    keys = dict(properties(validator().schema))
    assert len(keys) > 300
    assert not [path for path, key in keys.items() if len(key.get("description", "")) < 5]
    proposed = [
        (path, key, value) for path, key in keys.items() for value in key.get("examples", ())
    ]
    assert len(proposed) > 30
    for path, key, value in proposed:
        assert validator().evolve(schema=key).is_valid(value), path


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("scale", {"sqrt_d_k", "none"}),
        ("rounding.policy", {"carry", "exact"}),
        ("rounding.decimals", {3}),
        ("layers.each.norm", {"post", "pre", "after", "both", "none"}),
        ("layers.norm", {"post", "pre", "after", "both", "none"}),
        ("train.beta2", {0.999}),
    ],
)
def test_what_is_proposed(path: str, values: set[object]) -> None:
    parts = [validator().schema]
    for name in path.split("."):
        known = [part.get("properties", {}) for part in inside(*parts)]
        parts = [keys[name] for keys in known if name in keys]
    said = [(*part.get("enum", ()), *part.get("examples", ())) for part in inside(*parts)]
    assert {value for some in said for value in some} == values


def inside(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    """Parts with their alternatives and what lists of them have."""
    found = [resolved(part) for part in parts]
    for part in found:  # it grows on the way
        more = part.get("anyOf", []) + (
            [part["items"]] if isinstance(part.get("items"), dict) else []
        )
        found += map(resolved, more)
    return found


def test_a_matrix_for_each_time_may_be_given() -> None:
    text = "given:\n  X: [[[1, 2]], [[3, 4]]]\nequations: ['y = X[1, 1, 2]']\n"
    assert faults(text) == []
    assert work(load(yaml.safe_load(text)))["y"].values.tolist() == [[2]]
