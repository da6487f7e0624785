"""A page for each definition in Markdown: what it reads, and how, for people who decide whether to trust it."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wmap.definition import comments
from wmap.definition.model import Fragment
from wmap.expr import Step
from wmap.reading.plan import PRECEDENCE
from wmap.report.neutral import code, lines, markdown, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wmap.check.matrix import Support
    from wmap.contract.framework import Framework
    from wmap.definition.model import Component, Definition, Kind, Matcher, SpecDefinition, Text

_LONG = 90
"""Characters of an expression that stand in a cell; a longer one stands below the table."""

_CHANGES = {
    "scheduler name": Fragment.SCHEDULER_NAME,
    "labels": Fragment.LABELS,
    "annotations": Fragment.ANNOTATIONS,
    "priority class": Fragment.PRIORITY_CLASS_NAME,
    "node affinity": Fragment.NODE_AFFINITY,
    "pod affinity": Fragment.POD_AFFINITY,
    "resources": Fragment.RESOURCES,
    "image": Fragment.IMAGE,
}
_OF_CONTAINERS = ("resources", "image")
_OF_METADATA = ("labels", "annotations")
_ROW = re.compile(r"^\| (?P<id>[a-z0-9-]+) \| (?P<of>[^|]+?) \| (?P<text>.*) \|$")


@dataclass(frozen=True, slots=True)
class Limit:
    """A row of ``docs/limits.md``. ``of``: the kinds that it is of, ``all`` or ``checks``; ``text`` is Markdown."""

    id: str
    of: tuple[str, ...]
    text: str


def limits_in(text: str) -> list[Limit]:
    """The rows of the table of limits.

    Raises:
        ValueError: a row has not three cells, or an id stands twice.
    """
    found: dict[str, Limit] = {}
    for line in text.split("\n"):
        if not line.startswith("| ") or line.startswith(("| id |", "| --- |")):
            continue
        row = _ROW.match(line)
        if row is None or row["id"] in found:
            raise ValueError(f"this is no row of id, kinds and limit, or its id stands twice: {line[:60]}")
        found[row["id"]] = Limit(row["id"], tuple(k.strip() for k in row["of"].split(",")), row["text"])
    return list(found.values())


def render_index(definitions: Sequence[tuple[Definition, Framework | None]]) -> str:
    """The list of the pages."""
    rows = [
        f"| {markdown(f.display_name) if f else '-'} | {markdown(d.kind.kind)} | {code(d.kind.api_version)}"
        f" | [{d.name.value}]({d.name.value}.md) |"
        for d, f in definitions
    ]
    return (
        "# The catalog\n\nA page for each definition: its tree, phases, gangs, and what it leaves out. Made by `make pages`.\n\n"
        "| framework | kind | version | definition |\n| --- | --- | --- | --- |\n" + "\n".join(rows) + "\n"
    )


def render_page(
    definition: Definition, framework: Framework | None, limits: Iterable[Limit], support: Iterable[Support]
) -> str:
    """The page of one definition. ``support`` are its cells of the matrix, ``limits`` all rows of the table."""
    shown = _Expressions()
    mine = [m for m in limits if definition.kind.kind in m.of]
    parts = [
        f"# {markdown(definition.kind.kind)} ({markdown(definition.kind.api_version)})\n",
        *_about(definition, framework),
        "## Tree\n",
        _tree(definition),
        "## Pods\n",
        _pods(definition, shown),
        *_parts(definition, shown),
        *_others(definition),
        "## Phase\n",
        *_phases(definition, shown),
        "## Suspend\n",
        _suspend(definition, shown),
        "## Gangs\n",
        _gangs(definition, shown),
        "## What can be changed\n",
        _changes(definition),
        *shown.sections(),
        "## Limits\n",
        *(f"* {m.text} ({code(m.id)})" for m in mine),
        f"{chr(10) if mine else ''}What holds for every reading stands in [the table of limits](../limits.md).\n",
        "## Releases\n",
        _releases(framework, list(support)),
        "\nMade by `make pages` from the definition, `framework.yaml` and the table of limits; do not edit it.",
    ]
    return "\n".join(parts) + "\n"


class _Expressions:
    """The expressions of a page that are too long for a cell: each stands once, below, under a letter."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}
        self._texts: dict[str, Text] = {}

    def cell(self, text: Text) -> str:
        """What stands in a cell."""
        value = " ".join(text.value.split())
        if len(value) <= _LONG:
            return code(value)
        if value not in self._letters:
            self._letters[value] = _letter(len(self._letters))
            self._texts[value] = text
        letter = self._letters[value]
        return f"[expression {letter}](#expression-{letter.lower()})"

    def sections(self) -> Iterable[str]:
        """The expressions, with what each reads."""
        if self._letters:
            yield "## Expressions\n"
        for value, letter in self._letters.items():
            reads = ", ".join(code(_path(p)) for p in self._texts[value].expression.reads)
            fence = "`" * max(3, 1 + max((len(m) for m in re.findall("`+", value)), default=0))
            written = lines(_written(self._texts[value]), 20_000)
            yield f"### Expression {letter}\n\nReads {reads or 'nothing'}.\n\n{fence}jq\n{written}\n{fence}\n"


def _letter(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else f"{chr(ord('A') + number // 26 - 1)}{chr(ord('A') + number % 26)}"


def _path(steps: Sequence[str | int | Step]) -> str:
    text = ""
    for step in steps:
        if isinstance(step, str):
            text += f".{step}" if re.fullmatch(r"[A-Za-z_]\w*", step) else f"[{step!r}]".replace("'", '"')
        else:
            text += f"[{step}]" if isinstance(step, int) else "[]"
    return text


def _written(text: Text) -> str:
    """An expression on the lines on which it stands in the file."""
    mark = text.mark
    if mark.style not in ("|", ">"):
        return text.value
    rows = mark.source.text[mark.start : mark.end].split("\n")[1:]
    return textwrap.dedent("\n".join(row.rstrip() for row in rows)).strip("\n")


def _about(definition: Definition, framework: Framework | None) -> Iterable[str]:
    header: list[str] = []
    for line, column, text in comments(definition.name.mark.source):
        if column != 1 or line != len(header) + 1 or text.startswith("# yaml-language-server:"):
            break
        header.append(text.removeprefix("#").strip())
    if header:
        yield markdown(" ".join(header)) + "\n"
    if framework is not None:
        name = markdown(framework.display_name)
        shipped = f"[{name}]({_link(framework.home_page)})" if framework.home_page else name
        yield (
            f"Shipped by {shipped}, source [{markdown(framework.repository)}]({_link(framework.repository)}), licence"
            f" {markdown(framework.licence)}. The definition is {code(f'catalog/{framework.name}/{definition.name.value}.yaml')}.\n"
        )


def _link(address: str) -> str:
    """An address that a page links to: nothing in it ends the link."""
    return re.sub(r"[^\w:/.~?=&%#-]", "", address) if address.startswith("https://") else ""


def _kind(kind: Kind | None) -> str:
    return "" if kind is None else f"{kind.kind} ({kind.api_version})"


def _tree(definition: Definition) -> str:
    ids = {c.name.value: f"c{i}" for i, c in enumerate(definition.components)}
    rows = ["```mermaid", "flowchart TD"]
    for c in definition.components:
        what = [c.name.value, _kind(c.kind)]
        if c.is_leaf:
            what.append("pods" if c.instance_id is None else f"pods of each {_last(c.instance_id)}")
        label = "<br/>".join(_mermaid(w) for w in what if w)
        rows.append(f'  {ids[c.name.value]}(["{label}"])' if c.is_leaf else f'  {ids[c.name.value]}["{label}"]')
    rows += [
        f"  {ids[c.owner.value]} --> {ids[c.name.value]}"
        for c in definition.children
        if c.owner is not None and c.owner.value in ids
    ]
    return "\n".join([*rows, "```\n"])


def _last(text: Text) -> str:
    """The collection that instances are of: the last name before the iteration that is read."""
    for path in text.expression.reads:
        names = [s for s in path[: path.index(Step.EACH)] if isinstance(s, str)] if Step.EACH in path else []
        if names:
            return f"entry of {names[-1]}"
    return "instance"


def _mermaid(text: str) -> str:
    return re.sub(r"[^\w .,:/()-]", lambda m: f"#{ord(m[0])};", plain(text, 100))


def _pods(definition: Definition, shown: _Expressions) -> str:
    rows = [
        "| component | described at | pods | at least | at most | one for each | its pods have |",
        "| --- |" + " --- |" * 6,
    ]
    for c in definition.components:
        if c.spec is None and c.scale is None:
            continue
        scale = [_cell(shown, getattr(c.scale, name, None)) for name in ("replicas", "min_replicas", "max_replicas")]
        cells = [
            markdown(c.name.value),
            _described(c.spec, shown),
            *scale,
            _cell(shown, c.instance_id),
            _selected(c, shown),
        ]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n\nCounts are for each replica of the owner.\n"


def _cell(shown: _Expressions, text: Text | None) -> str:
    return "" if text is None else shown.cell(text)


def _described(spec: SpecDefinition | None, shown: _Expressions) -> str:
    if spec is None:
        return "no pods of its own"
    if spec.pod_template is not None:
        return shown.cell(spec.pod_template)
    if spec.pod_spec is not None:
        return shown.cell(spec.pod_spec) + (
            f", metadata {shown.cell(spec.metadata)}" if spec.metadata is not None else ""
        )
    return "in parts, below"


def _parts(definition: Definition, shown: _Expressions) -> Iterable[str]:
    apart = [c for c in definition.components if c.spec is not None and c.spec.fragments]
    if not apart:
        return
    yield "Pods that are described in parts:\n\n| component | part | at |\n| --- | --- | --- |"
    for c in apart:
        for name, text in (c.spec.fragments or {}).items() if c.spec is not None else ():
            yield f"| {markdown(c.name.value)} | {name.value.removesuffix('Path')} | {shown.cell(text)} |"
    yield ""


def _selected(c: Component, shown: _Expressions) -> str:
    if c.selector is None:
        return ""
    found = []
    kind = c.selector.component_type
    if kind is not None:
        if kind.key is not None:
            found.append(shown.cell(kind.key) + (f" = {code(kind.value.value)}" if kind.value is not None else ""))
        found += [f"label {code(key)} = {code(value.value)}" for key, value in kind.match_labels.items()]
    if c.selector.instance_id is not None:
        found.append(f"instance {shown.cell(c.selector.instance_id)}")
    if c.selector.replica_key is not None:
        found.append(f"replica group {shown.cell(c.selector.replica_key)}")
    return "; ".join(found)


def _others(definition: Definition) -> Iterable[str]:
    if definition.additional_child_kinds:
        kinds = ", ".join(markdown(_kind(k)) for k in definition.additional_child_kinds)
        yield f"The operator also makes: {kinds}.\n"


def _phases(definition: Definition, shown: _Expressions) -> Iterable[str]:
    status = definition.root.status
    if status is None:
        yield "It has no status: the phase is Undefined.\n"
        return
    places = []
    if status.phase is not None:
        places.append(f"the phase {shown.cell(status.phase)}")
    if status.conditions is not None:
        places.append(f"the conditions {shown.cell(status.conditions.path)}")
    yield f"Read from {' and '.join(places) or 'expressions alone'}. The first row that holds is the phase; if none does it is Undefined.\n"
    yield "| phase | holds when |\n| --- | --- |"
    for name in PRECEDENCE:
        matchers = status.mappings.get(name, ())
        if matchers:
            yield f"| {name.phase} | {'; or '.join(_matcher(m, shown) for m in matchers)} |"
    yield ""


def _matcher(matcher: Matcher, shown: _Expressions) -> str:
    said = []
    if matcher.phase is not None:
        said.append(f"the phase is {code(matcher.phase.value)}")
    for condition in matcher.conditions:
        what = f"condition {code(condition.type.value)}"
        what += f" is {markdown(condition.status.value)}" if condition.status is not None else " is there"
        said.append(what + (f", for {code(condition.reason.value)}" if condition.reason is not None else ""))
    if matcher.expression is not None:
        result = code(matcher.expression.expected_result.value)
        said.append(f"{shown.cell(matcher.expression.expression)} gives {result}")
    return " and ".join(said)


def _suspend(definition: Definition, shown: _Expressions) -> str:
    found = next((c.suspend for c in definition.components if c.suspend is not None), None)
    if found is None:
        return "The definition has no suspend actions.\n"
    rows = [
        f"* to {what}: {' and '.join(f'{shown.cell(a.path)} becomes {code(a.value.value)}' for a in actions)}"
        for what, actions in (("suspend", found.suspend), ("resume", found.resume))
    ]
    return "\n".join(rows) + "\n"


def _gangs(definition: Definition, shown: _Expressions) -> str:
    rows = []
    for group in definition.pod_groups:
        for member in group.members:
            keys = " and ".join(shown.cell(k) for k in member.group_by)
            what = f"one for each value of {keys} of a pod" if keys else "one"
            only = f", of pods where {' and '.join(shown.cell(f) for f in member.filters)}" if member.filters else ""
            rows.append(f"* {code(group.name.value)}: {what}, all pods below {code(member.component.value)}{only}")
    if definition.pod_group is not None:
        below = ", ".join(code(s.component.value) for s in definition.pod_group.sub_groups)
        rows.append(
            f"* new form, {code(definition.pod_group.name.value)}: one for the workload"
            + (f", subgroups {below}" if below else "")
        )
    return "\n".join(rows) + "\n" if rows else "It is no gang: its pods are scheduled one by one.\n"


def _changes(definition: Definition) -> str:
    rows = ["| component | can be changed | is only read |", "| --- | --- | --- |"]
    for c in definition.components:
        if c.spec is None:
            continue
        can, cannot = _changeable(c.spec)
        rows.append(f"| {markdown(c.name.value)} | {', '.join(can) or 'nothing'} | {', '.join(cannot)} |")
    return "\n".join(rows) + "\n"


def _changeable(spec: SpecDefinition) -> tuple[list[str], list[str]]:
    def writable(text: Text | None) -> bool:
        return text is not None and text.expression.not_assignable is None

    if spec.fragments is None:
        whole = writable(spec.pod_template or spec.pod_spec)
        marked = whole if spec.pod_template is not None else writable(spec.metadata)
        can = [what for what in _CHANGES if (marked if what in _OF_METADATA else whole)]
        return can, [what for what in _CHANGES if what not in can]
    parts = spec.fragments
    containers = next((f for f in (Fragment.CONTAINERS, Fragment.CONTAINER) if f in parts), None)
    can, cannot = [], list[str]()
    for what, fragment in _CHANGES.items():
        text = parts.get(fragment) or (parts.get(containers) if containers and what in _OF_CONTAINERS else None)
        if text is not None:
            (can if writable(text) else cannot).append(what)
    return can, cannot


def _releases(framework: Framework | None, support: list[Support]) -> str:
    if not support:
        return "No contract of this kind is stored.\n"
    rows = ["| release | the definition | supported |", "| --- | --- | --- |"]
    rows += [f"| {plain(s.release)} | {s.cell} | {'yes' if s.supported else ''} |" for s in support]
    sums = Counter(str(s.cell) for s in support)
    why = (
        f" Supported: {markdown(framework.supported_why)}" if framework is not None and framework.supported_why else ""
    )
    text = "; ".join(f"{count} {cell}" for cell, count in sums.items())
    where = "What is missing where it is broken stands in [the support matrix](../support.md)."
    return (
        f"{len(support)} stored releases: {text}.{why}\n\n"
        + "\n".join(rows)
        + f"\n\n{where if sums['broken'] else ''}".rstrip()
        + "\n"
    )
