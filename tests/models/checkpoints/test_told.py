"""What `attn help` tells of the models that are read, held against the tables that they are read by."""

from __future__ import annotations

from attncli.models.checkpoints.model_folder import NOT_WORKED, families, family_files, table_of
from attncli.models.checkpoints.told import told_of_models
from attncli.pages.catalogue import entries
from tests.conftest import share
from tests.helpers.marking_cases import run


def test_all_models_are_told() -> None:
    text = run("help", "models").output
    told = told_of_models("models")
    for path in family_files():
        assert f"`{path.stem}`" in text
    others = [name for entry in table_of(NOT_WORKED).values() for name in entry["names"]]
    for name in (*families(), *others):
        assert f"`{name}`" in told


def test_how_each_model_is_read_is_told() -> None:
    for name, table in share(5, families().items(), "told"):
        told = told_of_models(name)
        assert all(f"| `{key}`" in told for key in (*table["says"], *table["keys"]))
        assert name in told
    assert told_of_models("GPT-2") == told_of_models("gpt2") != ""
    assert told_of_models("nosuch") == ""
    assert "attn_logit_softcapping" in run("help", "gemma").output


def test_a_key_is_told_before_what_takes_it_as_a_value() -> None:
    rows = entries("softcap").splitlines()
    assert rows[0].startswith("* `softcap` (a number): ")
    assert rows[-1].startswith("* `until: softcap`: ")
    assert len(entries("softcap")) < 600
