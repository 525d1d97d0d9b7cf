"""The families of models that are read, in words: a list of them, and how each is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from attncli.models.checkpoints.model_folder import NOT_WORKED, family_files, table_of
from attncli.scenario.file.emitting import on_one_line

MODELS = "models"


def told_of_models(word: str) -> str:
    """Writes a text about all families, for `models`, or about those whose names begin with a word,
    in Markdown. It is empty where there is none."""
    if word == MODELS:
        return "\n".join(_all())
    own = re.sub(r"[^a-z0-9]", "", word.lower())
    return "\n".join(line for path in family_files() for line in _one(path, own)) if own else ""


def _remark(path: Path) -> str:
    """Returns what the lines at the top of a table say of its family."""
    lines = path.read_text("utf-8").splitlines()
    first = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return " ".join(line.removeprefix("#").strip() for line in lines[:first])


def _all() -> Iterator[str]:
    yield "## models: what `attn run --from FOLDER` and `attncli.torch.compare` read\n"
    yield "| family | models, by `model_type` | what is said of it |"
    yield "| --- | --- | --- |"
    for path in family_files():
        names = ", ".join(f"`{name}`" for name in table_of(path)["names"])
        yield f"| `{path.stem}` | {names} | {_remark(path)} |"
    yield "\n`attn help gemma2` prints how one is read. These are known, and not worked:\n"
    yield "| models, by `model_type` | they need |"
    yield "| --- | --- |"
    for entry in table_of(NOT_WORKED).values():
        names = ", ".join(f"`{name}`" for name in entry["names"])
        yield f"| {names} | {entry['needs']} |"


def _one(path: Path, own: str) -> Iterator[str]:
    table = table_of(path)
    names = [name for name in table["names"] if re.sub(r"[^a-z0-9]", "", name).startswith(own)]
    if not names:
        return
    listed = ", ".join(f"`{name}`" for name in table["names"])
    verb = "is" if len(table["names"]) == 1 else "are"
    yield f"## {path.stem}: how {listed} {verb} read\n\n{_remark(path)}\n"
    yield "A value with `$` is that of `config.json`.\n"
    yield "| key of the scenario | its value |\n| --- | --- |"
    for key, value in table["says"].items():
        yield f"| `{key}` | {_as_code(value)} |"
    for name in names:
        for key, value in table.get("says_of", {}).get(name, {}).items():
            yield f"| `{key}`, of {name} | {_as_code(value)} |"
    yield "\n| key of the scenario | tensors, of layer `{i}` |\n| --- | --- |"
    for key, tensors in table["keys"].items():
        yield f"| `{key}` | {_as_code(tensors)} |"
    yield ""


def _as_code(value: object) -> str:
    return f"`{on_one_line(value)}`".replace("|", "\\|").replace('"', "")
