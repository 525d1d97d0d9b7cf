"""Stores what PyTorch made of some cases, for where there is no PyTorch.

    python -m tests.models.torch_numbers

writes tests/fixtures/*.json anew: a scenario with its numbers in full, and PyTorch's arrays.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[1] / "fixtures"

# a file's name: the family, and a seed that gives a case worth storing
STORED = {
    "self_attention": ("self_attention", 12),
    "cross_attention": ("cross_attention", 10),
    "cached_attention": ("cached_attention", 2),
    "separate_inputs": ("separate_inputs", 1),
    "grouped_queries": ("grouped_queries", 2),
    "layer_norm": ("layer_norm", 1),
    "rms_norm": ("rms_norm", 3),
    "encoder_pre_norm": ("encoder", 22),
    "encoder_post_norm": ("encoder", 36),
    "decoder_pre_norm": ("decoder", 11),
    "decoder_post_norm": ("decoder", 14),
    "encoder_decoder": ("encoder_decoder", 11),
    "language_model": ("language_model", 8),
    "sampling": ("sampling", 22),
    "rotary_interleaved": ("rotary", 1),
    "rotary_half": ("rotary", 6),
    "biased_scores": ("biased_scores", 1),
}


def plain(value: Any) -> Any:
    """The same with lists, numbers and truths of Python's own."""
    if isinstance(value, dict):
        return {key: plain(data) for key, data in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(data) for data in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def written(value: Any, indent: int = 0) -> str:
    """JSON with a row of a matrix on a line: what people can read and YAML can too."""
    inner = " " * (indent + 1)
    if isinstance(value, dict) and value:
        lines = (f"{inner}{json.dumps(k)}: {written(v, indent + 1)}" for k, v in value.items())
        return "{\n" + ",\n".join(lines) + "\n" + " " * indent + "}"
    if isinstance(value, list) and value and isinstance(value[0], (list, dict)):
        lines = (inner + written(data, indent + 1) for data in value)
        return "[\n" + ",\n".join(lines) + "\n" + " " * indent + "]"
    return json.dumps(value)


def main() -> None:
    import torch

    from tests.models.torch_cases import FAMILIES

    FOLDER.mkdir(exist_ok=True)
    for name, (family, seed) in STORED.items():
        case = FAMILIES[family](np.random.default_rng([seed, *family.encode()]))
        stored = {
            "torch": torch.__version__,
            "scenario": plain(case.scenario),
            "expected": plain(case.expected),
        }
        (FOLDER / f"{name}.json").write_text(written(stored) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
