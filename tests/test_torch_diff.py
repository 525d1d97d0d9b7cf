"""`attn diff` on small PyTorch models with one real bug each, dumped by hooks."""

from __future__ import annotations

import pytest

from tests.conftest import sampled

pytest.importorskip("torch")
from tests.torch_bugs.bugs import BUGS, UNNAMED
from tests.torch_bugs.dumping import compared


@sampled(11, name=BUGS)
def test_the_bug_of_a_small_model_is_found_where_it_is_and_named(name: str) -> None:
    bug = BUGS[name]
    right, wrong = compared(bug)
    assert right.first is None
    assert wrong.first is not None
    assert wrong.first.name == bug.shows
    assert (wrong.first.causes[0].name if wrong.first.causes else UNNAMED) == bug.called
