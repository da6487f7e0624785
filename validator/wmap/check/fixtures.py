"""Level ``fixture``: read the object of a fixture, and compare with what was worked out by hand. F0xx."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wmap.check.rule import Rule
from wmap.check.shapes import RIGHT
from wmap.definition.validate import check_shape
from wmap.definition.yamlio import DEFINITION_LIMITS, Marked, YamlProblem, decode, read_marked
from wmap.errors import EnvironmentFailure, InputError
from wmap.findings import Finding, Level, Severity, Span
from wmap.reading.patch import apply_merge_patch, same
from wmap.reading.plan import compile_plan
from wmap.reading.read import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from wmap.definition.model import Definition
    from wmap.reading.model import Reading
    from wmap.reading.plan import Plan

_OBJECT = "object: {apiVersion: example.com/v1, kind: Job, spec: {template: {}}}\n"
_GOOD = (
    RIGHT
    + "# file: fixtures/example-com-job-v1/one.yaml\ndescription: a job is one pod\n"
    + _OBJECT
    + "expect: {totals: {pods: 1}}\n"
)
_UNKNOWN_MEMBER = """\
  optimizationInstructions:
    gangScheduling:
      # wmap: ignore[L601] because the component comes later
      podGroups: [{name: job, members: [{componentName: worker}]}]
"""
_HAND = "this catalog: fixtures are worked out by hand from what the framework promises"

MISMATCH = Rule(
    "F001",
    "fixture-mismatch",
    Level.FIXTURE,
    Severity.ERROR,
    "A fixture reads what it expects.",
    "Fixtures are worked out by hand: a difference is a defect of the definition, or of the fixture.",
    _HAND,
    _GOOD.replace("pods: 1", "pods: 2"),
    _GOOD,
)
INVALID = Rule(
    "F002",
    "fixture-invalid",
    Level.FIXTURE,
    Severity.ERROR,
    "A fixture has an object of the definition's kind and what it expects.",
    "What cannot be read tests nothing.",
    "schemas/fixture.schema.json",
    _GOOD.replace("kind: Job, spec", "kind: Jab, spec"),
    _GOOD,
)
NONE = Rule(
    "F003",
    "no-fixtures",
    Level.FIXTURE,
    Severity.WARNING,
    "A definition has fixtures.",
    "Without one nothing shows that the definition is right.",
    _HAND,
    RIGHT,
    _GOOD,
)
OF_NOTHING = Rule(
    "F004",
    "fixture-of-nothing",
    Level.FIXTURE,
    Severity.ERROR,
    "A folder of fixtures belongs to a definition.",
    "It is named like the definition; otherwise it is never run.",
    "this catalog: fixtures are found by the name of the definition",
    _GOOD + _GOOD[len(RIGHT) :].replace("example-com-job-v1", "example-com-jab-v1"),
    _GOOD,
)
UNREADABLE = Rule(
    "F005",
    "unreadable-definition",
    Level.FIXTURE,
    Severity.ERROR,
    "A definition can read its fixtures.",
    "One with an expression or a member that does not hold reads nothing, also where the finding about it is ignored.",
    "this catalog: what is ignored must still be readable",
    _GOOD.replace("# file: fixtures", _UNKNOWN_MEMBER + "# file: fixtures"),
    _GOOD,
)
RULES = (MISMATCH, INVALID, NONE, OF_NOTHING, UNREADABLE)


def run_fixtures(definition: Definition, folder: Path) -> tuple[int, list[Finding]]:
    """Run the fixtures of one definition: how many there are, and what they found."""
    own = folder / definition.name.value
    files = sorted(f for f in own.glob("*.y*ml") if f.is_file() and not f.name.startswith("_")) if own.is_dir() else []
    name = definition.name
    if not files:
        hint = f"write {own / 'CASE.yaml'}"
        return 0, [_found(NONE, f"{name} has no fixtures", definition.file, name.value, name.span(), name.field, hint)]
    try:
        plan = compile_plan(definition)
    except InputError as error:
        return 0, [_found(UNREADABLE, error.message, definition.file, name.value, name.span(), name.field, error.hint)]
    return len(files), [finding for file in files for finding in check_fixture(file, plan)]


def stray_folders(folder: Path, names: Iterable[str]) -> Iterator[Finding]:
    """A finding for each folder of fixtures that no definition has."""
    known = set(names)
    for own in sorted(folder.iterdir()) if folder.is_dir() else ():
        if own.is_dir() and own.name not in known:
            yield _found(
                OF_NOTHING,
                f"no definition is called {own.name}",
                str(own),
                None,
                hint="name the folder like the definition",
            )


def check_fixture(file: Path, plan: Plan) -> Iterator[Finding]:
    """Run one fixture; a finding for each difference, at the place of the expectation.

    Raises:
        EnvironmentFailure: the file cannot be read.
    """
    moments, found = read_fixture(file, plan)
    yield from found
    for moment in moments:
        if moment.expect is not None:
            yield from moment.mismatches(plan, read(plan, moment.obj, moment.pods))


@dataclass(frozen=True)
class Moment:
    """A workload of a fixture at one time: the object, its pods, and what must be read from them.

    ``where`` is the place in the file (empty: the object itself). ``pods``: None where the fixture says nothing of pods. ``expect``: None
    for an object that only steps follow. ``refused``: why an API server does not take the object as it is here.
    """

    file: str
    where: str
    obj: Any
    pods: Any
    expect: Marked | None
    refused: str | None
    span: Span

    def mismatches(self, plan: Plan, reading: Reading, rule: Rule = MISMATCH) -> Iterator[Finding]:
        """A finding for each difference of a reading from what is expected."""
        if self.expect is not None:
            for place, span, message in differences(self.expect, reading.to_dict(), f"{self.where}.expect".strip(".")):
                yield _found(rule, f"{place}: {message}", self.file, plan.name, span, place)


def read_fixture(file: Path, plan: Plan) -> tuple[list[Moment], list[Finding]]:
    """The moments of a fixture in order; none of them where it cannot be read, which is a finding.

    Raises:
        EnvironmentFailure: the file cannot be read.
    """
    name = str(file)

    def invalid(message: str, span: Span, field: str | None = None, hint: str | None = None) -> Finding:
        return _found(INVALID, message, name, plan.name, span, field, hint)

    try:
        data = file.read_bytes()
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}", hint="check its permissions") from error
    try:
        document = read_marked(decode(data, file=name, limits=DEFINITION_LIMITS), file=name)
    except YamlProblem as problem:
        line, column = problem.line or 1, problem.column or 1
        return [], [invalid(problem.problem, Span(line, column, line, column + 1), hint=problem.hint)]
    if document is None:
        return [], [invalid("the fixture is empty", Span(1, 1, 1, 1))]
    shape = check_shape(document, "fixture", file=name)
    if shape:
        return [], [invalid(f.message, f.span or Span(1, 1, 1, 1), f.field, f.hint) for f in shape]
    obj = document.value["object"]
    if (obj.get("apiVersion"), obj.get("kind")) != (plan.kind.api_version, plan.kind.kind):
        return [], [invalid(f"the object is no {plan.kind}", _entry(document, "object").mark.whole, "object")]
    return list(_moments(document, name)), []


def _moments(document: Marked, file: str) -> Iterator[Moment]:
    obj, pods, refused = (document.value.get(k) for k in ("object", "pods", "refused"))
    expect = _entry(document, "expect") if "expect" in document.value else None
    yield Moment(file, "", obj, pods, expect, refused, _entry(document, "object").mark.whole)
    for i, step in enumerate(_entry(document, "steps").items if "steps" in document.value else ()):
        obj = apply_merge_patch(obj, step.value.get("patch", {}))
        if "status" in step.value:
            obj = {**obj, "status": step.value["status"]}
        pods = step.value.get("pods", pods)
        why = step.value.get("refused", refused)
        yield Moment(file, f"steps[{i}]", obj, pods, _entry(step, "expect"), why, step.mark.whole)


def _entry(document: Marked, key: str) -> Marked:
    assert document.entries is not None  # noqa: S101  # the schema says that it is a map
    return document.entries[key][1]


def differences(expect: Marked, got: Any, where: str) -> Iterator[tuple[str, Span, str]]:
    """Where a document differs from what is expected of it: maps are subsets, lists equal in length, values the same."""
    if expect.entries is not None:
        if not isinstance(got, dict):
            yield where, expect.mark.whole, f"expected a map, got {got!r:.200}"
            return
        for key, (mark, value) in expect.entries.items():
            if key not in got:
                yield f"{where}.{key}", mark.whole, f"there is no such value; there are {', '.join(got)}"
            else:
                yield from differences(value, got[key], f"{where}.{key}")
    elif isinstance(expect.value, list):
        if not isinstance(got, list) or len(got) != len(expect.items):
            shown = f"{len(got)} entries: {got!r:.200}" if isinstance(got, list) else f"{got!r:.200}"
            yield where, expect.mark.whole, f"expected {len(expect.items)} entries, got {shown}"
            return
        for i, (item, found) in enumerate(zip(expect.items, got, strict=True)):
            yield from differences(item, found, f"{where}[{i}]")
    elif not same(expect.value, got):
        yield where, expect.mark.whole, f"expected {expect.value!r}, got {got!r:.200}"


def _found(
    rule: Rule, message: str, file: str | None, definition: str | None, span: Span | None = None, field: str | None = None,
    hint: str | None = None,
) -> Finding:  # fmt: skip
    return Finding(rule.code, rule.name, rule.level, rule.severity, message, hint, definition, file, span, field)


__all__ = ["RULES", "check_fixture", "differences", "run_fixtures", "stray_folders"]
