"""Products of matrices of whole numbers, beside Python's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli.arithmetic.whole import products_at, whole_product

SIZES = st.sampled_from([1, 2**20, 2**22, 2**23, 2**24, 2**45, 10**13, 10**15 - 1])


def drawn(seed: int, shape: tuple[int, int], most: int) -> np.ndarray:
    """Whole numbers up to a size, which some of them have."""
    random = np.random.default_rng(seed)
    numbers = random.integers(-most, most, shape, endpoint=True)
    extreme = random.choice([-most, most], shape)
    return np.where(random.random(shape) < 0.3, extreme, numbers)


def exact(x: np.ndarray, W: np.ndarray) -> np.ndarray:
    """x W of Python's whole numbers."""
    return np.asarray(x.astype(object) @ W.astype(object))


def of_the_machine(numbers: np.ndarray) -> list[list[int]]:
    """Whole numbers modulo 2^64, with a sign."""
    return [[(int(one) + 2**63) % 2**64 - 2**63 for one in row] for row in numbers]


@given(st.integers(0, 2**32), SIZES, SIZES, st.sampled_from([1, 3, 64, 300, 5000]))
def test_products_of_whole_numbers(seed: int, x_most: int, w_most: int, count: int) -> None:
    x, W = drawn(seed, (2, count), x_most), drawn(seed + 1, (count, 3), w_most)
    sizes, true = (float(x_most), float(w_most)), exact(x, W)
    assert whole_product(x, W, object, sizes).tolist() == true.tolist()
    assert whole_product(x, W, np.int64, sizes).tolist() == of_the_machine(true)


def test_sums_of_the_largest_products() -> None:
    """All of one sign, so that the sums of the runs are as large as they get."""
    for count in (63, 64, 1000, 2**14):
        for most in (2**22, 2**44, 2**45 - 1, 10**15 - 1):
            x = np.full((1, count), most)
            true = count * most**2
            made = whole_product(x, x.T, object, (float(most), float(most)))
            assert made.tolist() == [[true]]


@given(st.integers(0, 2**32), SIZES, st.sampled_from([1, 64, 5000]), st.booleans())
def test_some_cells_of_a_product(seed: int, most: int, count: int, turned: bool) -> None:
    """Also of matrices that lie in memory the other way round."""
    x, W = drawn(seed, (5, count), most), drawn(seed + 1, (4, count), most)
    x = np.asfortranarray(x) if turned else x
    rows, columns = np.nonzero(np.random.default_rng(seed).random((5, 4)) < 0.5)
    true = np.array(of_the_machine(exact(x, W.T)), dtype=np.int64)
    assert products_at(x, W, rows, columns).tolist() == true[rows, columns].tolist()


@pytest.mark.parametrize("most", [2**40, 10**15 - 1])
def test_more_cells_than_are_multiplied_at_a_time(most: int) -> None:
    x, W = drawn(1, (70, 60), most), drawn(2, (80, 60), most)
    rows, columns = np.nonzero(np.ones((70, 80)))
    true = np.array(of_the_machine(exact(x, W.T)), dtype=np.int64)
    assert products_at(x, W, rows, columns).tolist() == true.ravel().tolist()
