"""Numbers as people write them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli.judging.verdicts import read_number
from tests.conftest import CHARACTERS

WRITTEN = {
    "0,422": ("0.422", 3), ".422": ("0.422", 3), "42.2%": ("0.422", 3), "42,2 %": ("0.422", 3),
    "1e-3": ("0.001", 3), "5·10^-3": ("0.005", 3), "2 × 10^3": ("2000", 0), "1E3": ("1000", 0),
    " 0. 5 ": ("0.5", 1), "−0,5": ("-0.5", 1), "– 0.5": ("-0.5", 1), "+.5": ("0.5", 1),
    "-inf": ("-Infinity", 0), "−∞": ("-Infinity", 0), "∞": ("Infinity", 0),
    "1,234.5": ("1234.5", 1), "1.234,5": ("1234.5", 1), "1 234.5": ("1234.5", 1),
    "1'000": ("1000", 0), "0.123 456": ("0.123456", 6), "= 0.50": ("0.50", 2), "０．５": ("0.5", 1),
    "3.": ("3", 0), "1/4": ("0.25", None), "-1 / 4": ("-0.25", None), "½": ("0.5", None),
    "50/2%": ("0.25", None),
}  # fmt: skip


@pytest.mark.parametrize("text", WRITTEN)
def test_numbers_are_read_as_people_write_them(text: str) -> None:
    number, places = WRITTEN[text]
    read = read_number(text, "a.csv:3")
    assert (read.number, read.places) == (Decimal(number), places)
    assert (read.text, read.where) == (text, "a.csv:3")


def test_a_fraction_is_kept_in_full() -> None:
    number = read_number("2/3").number
    assert number is not None
    assert abs(3 * number - 2) < Decimal("1e-45")


UNREAD = ("", " ", "abc", "nan", "0.5 0.6", "1 2", "3/0", "1/2/3", "--3", ".", "%", "0x10", "1.2.3")


@pytest.mark.parametrize("text", [*UNREAD, "1e999999", "9" * 500, "1 1/2"])
def test_what_is_no_number_stays_unreadable(text: str) -> None:
    assert read_number(text).number is None


@given(st.text(CHARACTERS, max_size=30))
def test_no_text_is_too_strange(text: str) -> None:
    read = read_number(text)
    assert read.text == text
    float(read.number or 0)


@given(st.decimals(-1000, 1000, places=3), st.sampled_from((".", ",")))
def test_every_number_is_read_back(number: Decimal, point: str) -> None:
    assert read_number(str(number).replace(".", point)).number == number
