"""Pieces that read well and are wrong: each kind, beside what is right; a decided condition is one for libjq, too."""

from __future__ import annotations

import itertools

import jq
import pytest

from wmap.expr import PitfallKind, parse

VALUES = [None, False, True, 0, "", "a", "b"]
DOCUMENTS = [
    *({"a": a, "b": b} for a, b in itertools.product(VALUES, VALUES)),
    *({"a": {"c": c}, "b": None} for c in VALUES),
    {},
]
DECIDED = [
    '.a != "a" or .a != "b"',
    '.a == "a" and .a == "b"',
    ".a == null and .a != null",
    ".b != 1 or .b == 1",
    '.a == "a" and .b == "b" and .a == "b"',
    '.a == null and .a == ""',
    '"a" == .a and .a == "b"',
    "(.a | objects | .c) as $x | $x != 1 or $x != 2",
]
BELOW = ["(.a != null) or (.a.c == null)", ".a == null and .a.c != null", '.a == null and .a.c == "b"']
OPEN = [
    '.a == "a" or .a == "b"',
    '.a != "a" and .a != "b"',
    '.a == "a" and .b == "b"',
    ".a == null or .a.c == null",
    ".a == true and .a != false",
    '.a[]? == "a" and .a[]? == "b"',
    '(.a | . == "a") and (.b | . == "b")',
    '.a == "a" or .b == "b" or .a == "b"',
]


def kinds(text: str) -> list[PitfallKind]:
    return [p.kind for p in parse(text).pitfalls]


def of_libjq(text: str) -> set[bool]:
    return {jq.compile(text).input_value(d).first() for d in DOCUMENTS}


@pytest.mark.parametrize("text", DECIDED)
def test_a_condition_that_is_decided_is_found_and_is_constant_for_libjq(text: str) -> None:
    """Comparisons that exclude one another are found, and libjq gives one answer on all documents."""
    assert kinds(text) == [PitfallKind.DECIDED]
    applied = text.replace("objects", "objects // {}")
    assert len(of_libjq(applied)) == 1


@pytest.mark.parametrize("text", BELOW)
def test_below_a_value_that_is_null_everything_is_null(text: str) -> None:
    """What is asked of a value and of a field below it is decided where the value is null."""
    assert kinds(text) == [PitfallKind.DECIDED]
    below = [d for d in DOCUMENTS if not isinstance(d.get("a"), (bool, int, str))]
    assert len({jq.compile(text).input_value(d).first() for d in below}) == 1


@pytest.mark.parametrize("text", OPEN)
def test_a_condition_that_may_turn_out_both_ways_is_left_alone(text: str) -> None:
    """No slip is seen where both answers are possible."""
    assert kinds(text) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (".spec.suspend == false", PitfallKind.ABSENT_IS_NOT_FALSE),
        ("false == .spec.suspend", PitfallKind.ABSENT_IS_NOT_FALSE),
        (".status.conditions[0].type", PitfallKind.ONE_ENTRY),
        (".status.conditions[-1]?", PitfallKind.ONE_ENTRY),
        ("any(.jobs[0]; .active)", PitfallKind.ONE_ENTRY),
        ("all(.jobs[0]?; .active)", PitfallKind.ONE_ENTRY),
    ],
)
def test_a_slip_is_of_its_kind(text: str, kind: PitfallKind) -> None:
    """False for absent, and one entry of a list, are told apart."""
    assert kinds(text) == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "(.a // false) == false",
        ".spec.suspend != true",
        ".containers[0].image",
        "any(.jobs[]?; .active)",
        "any(.jobs; .[0])",
    ],
)
def test_what_is_meant_so_is_no_slip(text: str) -> None:
    """What only looks alike is left alone."""
    assert kinds(text) == []


def test_the_piece_of_a_slip_is_the_comparison_itself() -> None:
    """The finding points at the comparison, not at the whole expression."""
    (found,) = parse('if .a == 1 and .a == 2 then "x" else "y" end').pitfalls
    assert (found.part.start, found.part.end) == (3, 22)
