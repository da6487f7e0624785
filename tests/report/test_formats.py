"""The formats of a validation: what each says, and that hostile text does nothing in any of them."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as ET

import pytest

from wmap.check.run import Result, validate
from wmap.findings import Finding, Level, NotRun, Severity, Span
from wmap.report.findings import FORMATS, as_text
from wmap.report.neutral import code, command, markdown, plain, xml

HOSTILE = "\x1b[31mred\x1b[0m ::error::owned\n::set-output name=x::y\r\n<script>alert(1)</script> [a](http://x) @org/team `x` | \u202egnp.exe \ud800"


def _finding(severity=Severity.ERROR, message="it is wrong", **more):
    fields = {
        "hint": "write it right", "definition": "x-io-thing-v1", "file": "catalog/x/x-io-thing-v1.yaml", "span": Span(3, 5, 3, 9),
        "field": "spec.structureDefinition", "expression": ".spec.a | .b", "fingerprint": "f" * 64,
    }  # fmt: skip
    return Finding("C101", "unknown-field", Level.CONTRACT, severity, message, **{**fields, **more})


def _result(*findings, not_run=()):
    return Result(1, 0, (Level.SCHEMA, Level.CONTRACT), tuple(findings), tuple(not_run), ("x-io-thing-v1",))


NOT_RUN = NotRun(Level.FUZZ, "x-io-thing-v1", "hypothesis is not installed")


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_format_says_what_is_wrong_and_what_did_not_run(form):
    """Message, rule and hint stand in each format, and so does what did not run, with its reason."""
    text = FORMATS[form](_result(_finding(), not_run=[NOT_RUN]))
    for wanted in ("C101", "it is wrong", "write it right", "hypothesis is not installed"):
        assert wanted in text


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_hostile_text_does_nothing(form):
    """No escape reaches a terminal, no line begins a command, nothing becomes markup, and all of it can be written as UTF-8."""
    text = FORMATS[form](_result(_finding(message=HOSTILE, hint=HOSTILE)))
    text.encode("utf-8")
    assert "\x1b" not in text
    assert "\u202e" not in text
    if form != "json":
        assert not re.search(r"^::set-output", text, re.MULTILINE)
    if form == "markdown":
        assert "<script>" not in text
        assert "@org" not in text
        assert "[a](" not in text
    if form == "github":
        assert [line.partition(" ")[0] for line in text.splitlines()] == ["::error"]


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_a_message_of_a_megabyte_is_cut(form):
    """What is endless is cut."""
    assert len(FORMATS[form](_result(_finding(message="x" * 1_000_000)))) < 200_000


def test_sarif_has_rules_places_and_fingerprints():
    """Columns are code points, paths relative, fingerprints kept, and what was there before is suppressed."""
    run = json.loads(FORMATS["sarif"](_result(_finding(), _finding(Severity.INFO, old=True))))["runs"][0]
    first, second = run["results"]
    assert (run["columnKind"], first["level"], second["level"]) == ("unicodeCodePoints", "error", "note")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "catalog/x/x-io-thing-v1.yaml", "uriBaseId": "ROOT"}
    assert place["region"] == {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 9}
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == "C101"
    assert first["partialFingerprints"] == {"wmap/v1": "f" * 64}
    assert "suppressions" not in first
    assert second["suppressions"][0]["kind"] == "external"


def test_sarif_holds_what_code_scanning_takes():
    """Beyond 25,000 results the worst are kept, and the run says how many are missing."""
    many = [_finding(Severity.INFO, message=str(i)) for i in range(25_000)]
    run = json.loads(FORMATS["sarif"](_result(*many, _finding())))["runs"][0]
    assert (len(run["results"]), run["results"][0]["level"]) == (25_000, "error")
    assert "1 further findings" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_junit_has_a_case_for_each_definition_and_level():
    """An error fails the case of its level; a level that did not run is skipped, with the reason."""
    root = ET.fromstring(FORMATS["junit"](_result(_finding(), _finding(Severity.WARNING), not_run=[NOT_RUN])))  # noqa: S314  # ours
    assert (root.get("tests"), root.get("failures")) == ("3", "1")
    cases = {s.get("name"): s.find("testcase") for s in root}
    assert list(cases["wmap.schema"]) == []
    assert cases["wmap.contract"].find("failure").get("type") == "C101"
    assert "warning" in cases["wmap.contract"].find("system-out").text
    assert cases["wmap.fuzz"].find("skipped").get("message") == NOT_RUN.reason


def test_github_shows_ten_of_a_kind():
    """Of more than ten errors nine are shown and the rest counted; what was there before is left out."""
    lines = FORMATS["github"](_result(*[_finding(message=str(i)) for i in range(12)], _finding(old=True))).splitlines()
    assert len(lines) == 10
    assert "3 more" in lines[-1]
    assert lines[0].startswith(
        "::error title=C101 unknown-field,file=catalog/x/x-io-thing-v1.yaml,line=3,endLine=3,col=5,endColumn=9::"
    )


def test_markdown_fits_into_a_comment():
    """What is too long is cut at a finding, and says so."""
    text = FORMATS["markdown"](_result(*[_finding(definition=f"d{i}", message="m" * 1_000) for i in range(200)]))
    assert len(text.encode()) < 60_000
    assert "more than fits here" in text


@pytest.mark.parametrize(
    ("function", "text", "wanted"),
    [
        (plain, "a\nb\x07", "a b\\x07"), (plain, "x" * 3_000, "x" * 1_997 + "..."), (command, "50%\n::x", "50%25 ::x"),
        (markdown, "a*b<i>@x&", "a\\*b\\<i\\>@\u200bx&amp;"), (code, "a`b|c", "``a`b\\|c``"), (code, "`", "`` ` ``"), (xml, "a\x00\ufffe<", "a\\x00?<"),
    ],
)  # fmt: skip
def test_text_is_made_harmless(function, text, wanted):
    """Each way of writing text keeps what a reader needs and nothing that acts."""
    assert function(text) == wanted


@pytest.mark.parametrize(
    ("encoding", "end"), [("utf-8", "\n"), ("utf-8-sig", "\r"), ("utf-16", "\r\n")], ids=["plain", "bom-cr", "utf-16"]
)
def test_the_piece_of_a_file_is_shown_whatever_its_encoding_and_line_breaks(tmp_path, encoding, end):
    """The line that is wrong is shown, and the wrong piece underlined, where a person sees it."""
    file = tmp_path / "x.yaml"
    file.write_bytes(
        end.join(["apiVersion: run.ai/v1alpha1", "kind: Karta", "metadata: {name: x}", "spec: nothing", ""]).encode(
            encoding
        )
    )
    found = as_text(validate([(str(file), file.read_bytes())], level=Level.SCHEMA))
    assert "x.yaml:4:7: error" in found
    assert "  spec: nothing\n        ^^^^^^^\n" in found
