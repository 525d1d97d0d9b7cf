"""What all tests share: how many random examples, which of two tiers a test is of, and the option
to rewrite golden pages."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from itertools import product
from math import gcd
from pathlib import Path
from shutil import which
from typing import Any, TypeVar
from zlib import crc32

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

T = TypeVar("T")
ROOT = Path(__file__).parent.parent

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
"""Each of the processes that tests start would compile the package anew."""

settings.register_profile(
    "default",
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", parent=settings.get_profile("default"), max_examples=2000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
FEWER = settings().max_examples // 4
"""Examples of a property that is slow to try."""
THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
CHARACTERS = st.characters(exclude_categories=["Cs"])
"""All that UTF-8 encodes, which Hypothesis by itself finds out by encoding each once, in seconds."""


def sampled(every: int, **values: Iterable[Any]) -> pytest.MarkDecorator:
    """One in `every` combination of many configurations of one thing; all in the thorough profile.

    Of several values one in a few more, if need be, so that each has its turn: in a number that has
    no divisor in common with how many there are of each.
    """
    several = [[*some] for some in values.values()]
    while len(several) > 1 < every and any(gcd(every, len(some)) > 1 for some in several):
        every += 1
    cases = [*product(*several)][:: 1 if THOROUGH else every]
    return pytest.mark.parametrize([*values], cases)  # noqa: PT006 a list: one name has 1-tuples too


def share(every: int, cases: Iterable[T], of: str) -> list[T]:
    """One in `every` of the cases that a test goes through, others for another text that it is of;
    all in the thorough profile."""
    several = [*cases]
    return several if THOROUGH else several[crc32(of.encode()) % every :: every]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-golden", action="store_true", help="write the golden pages anew")
    parser.addoption("--one-in", type=int, default=1, help="only one test in so many")


def _by_default(config: pytest.Config) -> bool:
    """Tell whether the tests that need other programs are left out."""
    return bool(config.option.markexpr == "not real")


class _NoPyTorch(MetaPathFinder):
    """A finder that fails a test which imports PyTorch without being marked: where PyTorch isn't
    installed, it would be skipped in either tier."""

    def find_spec(self, fullname: str, *_: object) -> None:
        assert fullname not in ("torch", "transformers"), (
            f"{fullname} is for tests marked real: pytest -m real"
        )


def pytest_configure(config: pytest.Config) -> None:
    if _by_default(config):
        sys.meta_path.insert(0, _NoPyTorch())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave a module that is real as a whole unread where its tests would be left out: it imports
    PyTorch, which takes seconds."""
    if collection_path.suffix != ".py" or not _by_default(config):
        return None
    return "\npytestmark = pytest.mark.real(" in collection_path.read_text("utf-8") or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test that opens a browser, and leave out what `--one-in` says."""
    items[:] = items[:: items[0].config.getoption("--one-in")] if items else []
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.real("chromium"))


def pytest_collection_finish() -> None:
    """Leave modules and tests out of garbage collection, and collect more rarely: traces and pages
    are kept, too, and to look through them all at every turn takes 7 % of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs what isn't installed, or a wing that isn't there, and say what."""
    wings = [name for mark in item.iter_markers("wing") for name in mark.args]
    gone = [name for name in wings if not (ROOT / "attncli" / name).is_dir()]
    if gone:
        pytest.skip(f"without the wing: {', '.join(gone)}")
    needed = [name for mark in item.iter_markers("real") for name in mark.args]
    missing = [name for name in needed if not _installed(name)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


@cache
def _installed(name: str) -> bool:
    """Tell whether there is a program, a package or, by its suffix, a file of TeX of a name."""
    if Path(name).suffix:
        return (
            bool(which("kpsewhich"))
            and not subprocess.run(["kpsewhich", name], capture_output=True, check=False).returncode
        )
    return which(name) is not None or find_spec(name) is not None


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser takes a second or two to start: one for all tests of a process."""
    from tests.helpers.browser import browser

    with browser() as value:
        yield value


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--rewrite-golden"))
