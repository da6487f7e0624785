"""Whole definitions that are right, and others whose first lines say what is wrong with them.

A bad file begins with one comment for each of its findings: the code, the line, and words of message and hint, parted by semicolons.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wmap.definition import load, load_trusted

EXAMPLES = Path(__file__).parent / "examples"
GOOD, BAD = (sorted((EXAMPLES / folder).glob("*.yaml")) for folder in ("good", "bad"))


@pytest.mark.parametrize("file", GOOD, ids=lambda f: f.stem)
def test_a_good_definition_has_no_findings(file):
    """A definition of the right shape is loaded, by the schema and without it, to the same model."""
    result = load(file.read_bytes(), file=str(file))
    assert result.findings == ()
    assert result.definition == load_trusted(file.read_bytes())


@pytest.mark.parametrize("file", BAD, ids=lambda f: f.stem)
def test_a_bad_definition_has_the_findings_that_it_names(file):
    """Each defect is one finding with its code and line, and says what is wrong and what to do."""
    expected = re.findall(r"^# (S\d{3}) (\d+) (.*)$", file.read_text(), re.MULTILINE)
    result = load(file.read_bytes(), file=str(file))
    assert result.definition is None
    assert sorted((f.code, f.span.line) for f in result.findings) == sorted((c, int(n)) for c, n, _ in expected)
    for code, line, words in expected:
        texts = [f"{f.message} {f.hint}" for f in result.findings if (f.code, f.span.line) == (code, int(line))]
        assert any(all(part in text for part in words.split("; ")) for text in texts), texts


def test_every_schema_rule_that_fits_a_small_file_has_an_example():
    """The bad examples show each code; what is too large is tested by itself."""
    codes = {code for file in BAD for code in re.findall(r"^# (S\d{3})", file.read_text(), re.MULTILINE)}
    assert codes == {f"S{n:03}" for n in range(1, 12)} - {"S008"}
