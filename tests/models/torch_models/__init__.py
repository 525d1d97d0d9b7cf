"""Whole scenarios in PyTorch, of plain tensors: what autograd says that every gradient is.

Written from the literature and from what scenarios/README.md says; nothing of the package is used.
A module has the parts of the model that it is called after, and whatever one makes is called as
the package calls it.
"""

from __future__ import annotations

from tests.models.torch_models.page import Page, Quantity
from tests.models.torch_models.stack import End, end_of, work

__all__ = ["End", "Page", "Quantity", "end_of", "work"]
