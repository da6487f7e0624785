"""The pages of the rules."""

from __future__ import annotations

import subprocess
import sys

from wmap.check import rules
from wmap.cluster.rules import RULES
from wmap.fuzz import fuzz_rules
from wmap.report.rules import pages, render_page


def test_the_pages_are_fresh(repository):
    """docs/rules is what `wmap rule --write docs/rules` writes, and holds nothing else."""
    folder = repository / "docs" / "rules"
    assert {f.name: f.read_text() for f in folder.iterdir()} == pages((*rules(), *fuzz_rules(), *RULES))


def test_a_page_says_how_to_silence_what_can_be_silenced():
    """A finding of lint or contract can be silenced at its place; a broken shape cannot."""
    by_code = {r.code: r for r in rules()}
    assert "wmap: ignore[C108] because" in render_page(by_code["C108"])
    assert "cannot be silenced" in render_page(by_code["S001"])


def test_pages_are_written_into_a_folder(tmp_path):
    """The command makes the folder; a code beside it is an error of the call, and an unknown code names the nearest."""
    call = [sys.executable, "-m", "wmap", "rule"]
    assert subprocess.run([*call, "--write", str(tmp_path / "new")], check=False).returncode == 0
    assert (tmp_path / "new" / "C101.md").is_file()
    assert subprocess.run([*call, "C101", "--write", str(tmp_path)], check=False, capture_output=True).returncode == 2
    done = subprocess.run([*call, "unknown-feild"], check=False, capture_output=True, text=True)
    assert (done.returncode, "did you mean unknown-field" in done.stderr) == (2, True)
