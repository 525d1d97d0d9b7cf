"""Models of `transformers` beside their own config, and beside one with a setting changed."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.models.torch_bugs.families import judged, model_of, with_another

pytestmark = pytest.mark.real("torch", "transformers")


@pytest.mark.parametrize("family", ["gemma", "gpt_neox"])
def test_a_model_follows_by_its_own_config(family: str) -> None:
    """Whose embedding scales what it looks up, or whose files call the head otherwise."""
    model = model_of(family, 1)
    assert judged(model, model.config, 0.0).follows


def test_a_head_that_is_not_tied_departs_from_a_config_that_says_so() -> None:
    model = model_of("llama", 1)
    tied = with_another(model.config, "tie_word_embeddings", True)
    assert judged(model, model.config, 0.0).follows
    assert judged(model, tied, 0.0).first == "logits"
