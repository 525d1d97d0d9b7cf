"""`attncli.torch.compare` on PyTorch's recurrent modules, of several layers, both ways, with first
states that are given."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")
import torch

from attncli.errors import UserError
from attncli.models.live.comparing import compare
from tests.conftest import sampled

pytestmark = pytest.mark.real("torch")

nn = torch.nn
ROWS = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(1))


def states(kind: Any, count: int, *entries: int) -> Any:
    """First states of all layers and ways, and cell states of an LSTM."""
    drawn = torch.Generator().manual_seed(2)
    several = [torch.randn(count, *entries, 4, generator=drawn) for _ in range(2)]
    return tuple(several) if issubclass(kind, nn.LSTM) else several[0]


@sampled(
    3,
    form=[(1, True), (2, False), (3, True)],
    kind=[nn.RNN, nn.GRU, nn.LSTM],
    first=[True, False],
)
def test_layers_and_ways_follow(form: tuple[int, bool], kind: Any, first: bool) -> None:
    layers, both = form
    torch.manual_seed(3)
    module = kind(3, 4, layers, bidirectional=both, batch_first=first)
    rows = ROWS if first else ROWS.transpose(0, 1)
    count = layers * (1 + both)
    for more in ((), (states(kind, count, 2),)):
        found = compare(module, rows, *more, batch=1)
        assert found.follows, str(found)
        assert len(found.tensors) == 1 + count * (1 + issubclass(kind, nn.LSTM))
        assert "Left out" not in str(found)
        again = compare(module, rows, *more, batch=1, names=found.names)
        assert again.tensors == found.tensors
    assert compare(module, ROWS[0], states(kind, count)).follows


class Wrong(nn.LSTM):
    """An LSTM with a bug: one layer's matrix changed, or what it starts from."""

    bug = ""

    def forward(self, rows: Any, hx: Any = None) -> Any:
        if self.bug == "starts":
            hx = (hx[0].flip(0), hx[1])
        memory: Any = self.weight_hh_l1_reverse
        kept = memory.clone()
        if self.bug == "second":
            memory.data *= 1.5
        returned = super().forward(rows, hx)
        memory.data = kept
        if self.bug == "ways":
            return torch.cat(returned[0].chunk(2, -1)[::-1], -1), returned[1]
        return returned


@pytest.mark.parametrize(
    ("bug", "first"),
    [
        ("", None),
        ("starts", "layers[1].forward.c[5]"),
        ("second", "layers[2].backward.c[1]"),
        ("ways", "layers[2].states"),
    ],
)
def test_a_bug_departs_in_its_layer_and_way(bug: str, first: str | None) -> None:
    torch.manual_seed(3)
    module = Wrong(3, 4, 2, bidirectional=True)
    module.bug = bug
    assert compare(module, ROWS[0], states(nn.LSTM, 4), seek=0).first == first


def test_what_has_no_place_is_refused() -> None:
    with pytest.raises(UserError, match="proj_size: 2 isn't known"):
        compare(nn.LSTM(3, 4, proj_size=2), ROWS)
