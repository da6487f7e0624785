"""Quantities: exact, in Kubernetes' grammar and canonical form."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap.reading.quantity import NANO, QuantityError, format_quantity, parse_quantity, to_count


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("500m", Fraction(1, 2)), ("1", 1), ("1Gi", 2**30), ("1e3", 1000), ("1E3", 1000), ("0.1", Fraction(1, 10)), (".5", Fraction(1, 2)),
        ("5.", 5), ("+1", 1), ("-1", -1), ("1E", 10**18), ("1Ei", 2**60), ("100n", Fraction(1, 10**7)), ("2u", Fraction(2, 10**6)),
        ("3k", 3000), ("1.5Mi", 3 * 2**19), ("1e-3", Fraction(1, 1000)), (2, 2), (0.5, Fraction(1, 2)), (1e3, 1000), ("0.1n", Fraction(1, 10**9)),
        ("-0.1n", Fraction(-1, 10**9)),
    ],
)  # fmt: skip
def test_a_quantity_is_read_exactly(text, value):
    """A quantity is exact to 10^-9, and finer ones are rounded away from zero."""
    assert parse_quantity(text) == value * NANO


@pytest.mark.parametrize(
    "text", ["", "abc", "1.2.3", "1 Gi", "1GI", "0x1", "1e999999999", "--1", ".", "1ki", None, True, [], {}, "Gi", "١"]
)
def test_what_is_no_quantity_is_refused(text):
    """Anything else is refused, also exponents without end."""
    with pytest.raises(QuantityError):
        parse_quantity(text)


@pytest.mark.parametrize(
    ("name", "text", "canonical"),
    [
        ("cpu", "0.5", "500m"), ("cpu", "1500m", "1500m"), ("cpu", "4000m", "4"), ("cpu", "4000", "4k"), ("memory", "17179869184", "16Gi"),
        ("memory", "1536Mi", "1536Mi"), ("memory", "1G", "1G"), ("memory", "1024k", "1000Ki"), ("nvidia.com/gpu", "8", "8"),
        ("memory", "0", "0"), ("ephemeral-storage", "2048", "2Ki"), ("hugepages-2Mi", "4Mi", "4Mi"), ("memory", "500", "500"),
        ("memory", "-1Gi", "-1Gi"), ("cpu", "1n", "1n"), ("memory", "0.5", "500m"), ("memory", "1024Ei", "1024Ei"),
    ],
)  # fmt: skip
def test_a_quantity_is_printed_in_canonical_form(name, text, canonical):
    """Decimal; memory and storage binary where that is exact."""
    assert format_quantity(name, parse_quantity(text)) == canonical


@given(st.integers(min_value=-(10**24), max_value=10**24), st.sampled_from(["cpu", "memory"]))
def test_printing_loses_nothing(value, name):
    """What is printed is read back as the same quantity."""
    assert parse_quantity(format_quantity(name, value)) == value


def test_counts_are_rounded_up():
    """A part of a device is a device."""
    assert [to_count(parse_quantity(q)) for q in ("1", "1500m", "0", "1m")] == [1, 2, 0, 1]
