"""The fixture of pytest that comes with the package: `def test_block(assert_follows): …`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from attncli.models.live.comparing import LiveComparison


@pytest.fixture
def assert_follows() -> Callable[..., LiveComparison]:
    """Gives `attncli.torch.assert_follows`: a test fails with the report where a module departs."""
    from attncli.models.live.comparing import assert_follows as function

    return function
