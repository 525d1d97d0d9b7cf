"""What isn't worked of a model is told by its name, and by the line of config.json that asks for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from attncli.errors import UserError
from attncli.models.checkpoints.model_folder import Checkpoint, families, table_of
from attncli.models.checkpoints.model_settings import DEFAULTS, places
from attncli.models.checkpoints.scenario_of_model import Inputs, Reading, scenario_of
from tests.conftest import sampled

NOT_WORKED = table_of(DEFAULTS.parent.parent / "not_worked.yaml")


def _told(folder: Path, config: dict[str, Any]) -> str:
    (folder / "config.json").write_text(json.dumps(config, indent=2))
    (folder / "model.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    try:
        scenario_of(Checkpoint.of(str(folder)), folder, Inputs(Reading({}, ())))
    except UserError as refused:
        return str(refused)
    return ""


@sampled(5, kind=[kind for row in NOT_WORKED.values() for kind in row["names"]])
def test_a_kind_of_layers_that_is_not_worked_is_told_with_its_line(
    kind: str, tmp_path: Path
) -> None:
    told = _told(tmp_path, {"torch_dtype": "float32", "model_type": kind})
    assert told.startswith("config.json:3:3: ")
    assert kind in told.partition(";")[0]
    assert "aren't worked here; known: bart" in told
    assert "\n" not in told
    assert kind not in families()


@pytest.mark.real("transformers")
def test_they_are_types_of_transformers() -> None:
    package = pytest.importorskip("transformers", reason="there is nothing to compare with")
    known = package.models.auto.configuration_auto.CONFIG_MAPPING
    assert [kind for row in NOT_WORKED.values() for kind in row["names"] if kind not in known] == []


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (
            {"model_type": "minicpm3", "kv_lora_rank": 512},
            "config.json:3:3: kv_lora_rank of minicpm3: queries and keys that are made of latent",
        ),
        (
            {"model_type": "deepseek_v32", "index_topk": 9},
            "config.json:3:3: index_topk of deepseek_v32: queries that see only the keys that an",
        ),
        (
            {"model_type": "deberta-v2", "relative_attention": True, "position_biased_input": False}
            | {"conv_kernel_size": 3},
            "config.json:5:3: conv_kernel_size: 3 isn't known; known: conv_kernel_size: 0",
        ),
        (
            {"model_type": "mamba"},
            "config.json:2:3: model_type mamba: layers of a state space (a selective scan) aren't",
        ),
        (
            {"model_type": "cohere", "use_qk_norm": True},
            "config.json:3:3: use_qk_norm: true isn't known; known: use_qk_norm: false",
        ),
        (
            {"model_type": "stablelm", "qk_layernorm": True},
            "config.json:3:3: qk_layernorm: true isn't known; known: qk_layernorm: false",
        ),
        (
            {"model_type": "llama", "rope_scaling": {"rope_type": "longrope", "factor": 2.0}},
            "no tensor is called embed_tokens.weight",
        ),
        ({"model_type": "gpt2", "n_layer": 0}, "config.json:3:3: n_layer: 0 is no value for it"),
        ({"n_layer": 0}, "config.json: models of the type None aren't known"),
    ],
)
def test_a_setting_is_told_with_its_line(config: dict[str, Any], told: str, tmp_path: Path) -> None:
    assert told in _told(tmp_path, config)


def test_the_first_place_of_a_name_is_its_place() -> None:
    text = '{"factor": 1,\n "rope_scaling": {"factor": 2}}'
    assert places(text) == {"factor": (1, 2), "rope_scaling": (2, 2)}
