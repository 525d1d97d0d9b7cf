"""What all tests share: how many random examples, and the option to rewrite golden pages."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import wraps
from hashlib import sha256
from importlib import import_module
from itertools import product
from math import gcd, prod
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from attncli import pipeline
from attncli.pipeline import given_matrices
from attncli.scenario.file.shipped import find

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
if not THOROUGH:
    # it would parse each of our modules for numbers to try, in each process, which takes seconds
    providers._get_local_constants = lambda: providers._local_constants


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


def pytest_configure() -> None:
    """Every file that a test reads and the program accepts is valid by the JSON Schema as well;
    a third of them are looked at, by what is in them, in the thorough profile all.
    A table of millions of random numbers is drawn and rounded once, for all tests of it."""
    pipeline.load = _checked_by_the_schema(pipeline.load)
    given_matrices._drawn = _once(given_matrices._drawn)


def _once(drawn: Callable[..., T]) -> Callable[..., T]:
    tables = dict[Any, T]()

    def known(scenario: Any, name: Any, problems: Any) -> T:
        source, rounding = scenario.random[name], scenario.rounding
        shape = source.shape or scenario.shapes[name]
        if not all(shape) or prod(shape) < 10**6:
            return drawn(scenario, name, problems)
        key = (source._replace(where=None), *shape, rounding.decimals, rounding.carries)
        if key not in tables:
            tables.clear()  # one takes a quarter of a gigabyte
            tables[key] = drawn(scenario, name, problems)
        return tables[key]

    return known


def _checked_by_the_schema(load: Callable[..., T]) -> Callable[..., T]:
    known = set[bytes]()

    @wraps(load)
    def checked(source: Any, changes: Any = (), **more: Any) -> T:
        scenario = load(source, changes, **more)
        if isinstance(source, str | os.PathLike) and not changes:
            data = find(os.fspath(source)).read_bytes()
            mark = sha256(data).digest()
            if mark not in known and (THOROUGH or mark[0] % 3 == 0):
                from tests.helpers.file_schema import faults

                known.add(mark)
                assert not faults(data.decode("utf-8-sig")), f"{source} isn't valid by the schema"
        return scenario

    return checked


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-golden", action="store_true", help="write the golden pages anew")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Of the whole suite the second of two processes begins at the other end: where nothing is
    compiled yet, each finds compiled what the other has been through."""
    whole = [Path(path).name for path in session.config.args] == ["tests"]
    if whole and os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
        for path in sorted(ROOT.glob("tests/*/test_*.py"), reverse=True):
            with suppress(Exception, pytest.skip.Exception):  # told when it is collected
                import_module(f"tests.{path.parent.name}.{path.stem}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as quick the first case of each test, but of those that take a second or more.

    These begin, lest one of two processes wait for the other's last. What is there by now stays,
    and traces and pages are kept, too: to look through them for garbage at every turn is in vain.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    seen = set[str]()
    for item in items:
        test = item.nodeid.partition("[")[0]
        if test not in seen and item.get_closest_marker("slow") is None:
            item.add_marker("quick")
        seen.add(test)
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_sessionfinish() -> None:
    """Nobody waits while all traces and pages are looked through for garbage at the end, too."""
    gc.freeze()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser takes a second or two to start: one for all tests of a process."""
    from tests.helpers.browser import browser

    with browser() as value:
        yield value


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--rewrite-golden"))
