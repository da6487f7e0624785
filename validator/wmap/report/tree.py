"""A reading as a tree for people: rich on a terminal, plain elsewhere."""

from __future__ import annotations

import os
import sys
from io import StringIO
from typing import TYPE_CHECKING, Any

from wmap.reading.output import quantities
from wmap.report.neutral import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wmap.reading.explain import Explained
    from wmap.reading.model import ComponentReading, GangReading, InstanceReading, Reading

_COLOURS = {
    "Running": "green",
    "Completed": "green",
    "Failed": "red",
    "Degraded": "yellow",
    "Suspended": "blue",
    "Suspending": "blue",
    "Resuming": "cyan",
    "Initializing": "cyan",
}


def render(reading: Reading) -> str:
    """The tree as text, with colours where standard output is a terminal that takes them."""
    from rich.console import Console  # noqa: PLC0415  # rich takes a while to load
    from rich.text import Text  # noqa: PLC0415  # rich takes a while to load
    from rich.tree import Tree  # noqa: PLC0415  # rich takes a while to load

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    console = Console(
        file=StringIO(),
        force_terminal=colour,
        no_color=not colour,
        width=None if colour else 200,
        highlight=False,
        soft_wrap=True,
    )

    def said(*parts: str | tuple[str, str]) -> Text:
        """A line: what an object or a definition says does nothing to a terminal."""
        return Text.assemble(*(plain(p) if isinstance(p, str) else (plain(p[0]), p[1]) for p in parts))

    workload, status, totals = reading.workload, reading.status, reading.totals
    name = f"{workload.namespace}/{workload.name}" if workload.namespace else workload.name or "(no name)"
    head = said(
        (f"{workload.kind} {name}", "bold"), "  ", (status.phase, f"bold {_COLOURS.get(status.phase, 'magenta')}")
    )
    if status.reason:
        head.append(plain(f"  ({status.reason}{': ' + status.message if status.message else ''})"))
    tree = Tree(head, guide_style="dim")
    nodes: dict[str, Any] = {}
    for component in reading.components:
        parent = nodes.get(component.owner or "", tree)
        nodes[component.name] = tree if component.owner is None else parent.add(said(_component(component)))
        for instance in component.instances:
            nodes[component.name].add(said(_instance(instance)))
    console.print(tree)
    spread = ""
    if totals.min_pods != totals.pods or (totals.max_pods is not None and totals.max_pods != totals.pods):
        spread = f" ({totals.min_pods} to {totals.max_pods if totals.max_pods is not None else totals.pods})"
    console.print(
        said(
            ("total   ", "dim"),
            f"{_count(totals.pods, 'pod')}{spread}, {_count(totals.gpus, 'GPU')}{_amounts(totals.requests)}",
        )
    )
    for gang in reading.gangs:
        console.print(said(("gang    ", "dim"), _gang(gang)))
    if reading.suspend.suspended:
        console.print(said(("suspend ", "dim"), "the object asks to be suspended"))
    if reading.attribution is not None:
        for pod in reading.attribution.pods:
            place = " ".join(p for p in (pod.component, pod.instance, pod.replica_group) if p)
            console.print(said(("pod     ", "dim"), f"{pod.name}: {place}"))
        for lost in reading.attribution.unmatched:
            console.print(said(("pod     ", "dim"), (f"{lost.name}: unmatched, {lost.reason}", "yellow")))
        for group in reading.attribution.groups:
            keys = f" {'/'.join(group.keys)}" if group.keys else ""
            console.print(
                said(("group   ", "dim"), f"{group.pod_group}{keys}: {_count(group.pods, 'pod')}, lacks {group.lacks}")
            )
    for warning in reading.warnings:
        about = f"{warning.component}: " if warning.component else ""
        console.print(said(("warning ", "yellow"), f"{about}{warning.message} [{warning.code}]"))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]  # the StringIO from above
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def render_explained(explained: Sequence[Explained]) -> str:
    """Which expression read what from where."""
    lines = ["explain"]
    for e in explained:
        lines.append(f"  {e.component}, {e.subject} (line {e.line}): {' '.join(e.expression.split())[:160]}")
        if not e.results:
            lines.append("    no result")
        for value, places in e.results:
            shown = _short(value)
            lines.append(f"    {shown}  from {', '.join(places[:6]) or 'nothing'}{' ...' if len(places) > 6 else ''}")
    return "\n".join(map(plain, lines)) + "\n"


def _short(value: Any) -> str:
    import orjson  # noqa: PLC0415  # only to explain

    text = orjson.dumps(value).decode()
    return text if len(text) <= 60 else text[:57] + "..."


def _component(component: ComponentReading) -> str:
    kind = f" ({component.kind.kind})" if component.kind else ""
    return f"{component.name}{kind}"


def _instance(instance: InstanceReading) -> str:
    shape = instance.shape
    text = f"{instance.id or 'all'}: {_count(instance.pods, 'pod')}"
    if instance.ready is not None:
        text += f", {instance.ready} ready"
    if instance.gpus:
        text += f", {_count(instance.gpus, 'GPU')}"
    each = quantities(shape.requests)
    if each:
        text += "; each " + ", ".join(f"{n} {q}" for n, q in each.items())
    if shape.images:
        text += f"; {', '.join(shape.images)}"
    most = instance.pods if instance.max_pods is None else instance.max_pods
    if (instance.min_pods, most) != (instance.pods, instance.pods):
        text += f"; {instance.min_pods} to {most} pods"
    return text


def _gang(gang: GangReading) -> str:
    number = "gangs" if gang.count is None else "one gang" if gang.count == 1 else f"{gang.count} gangs"
    which = f"{gang.component} {gang.instance}" if gang.instance else gang.component
    text = f"{number} of {_count(gang.min_pods, 'pod')}, {_count(gang.min_gpus, 'GPU')} ({which})"
    return text if gang.pods == gang.min_pods else f"{text}, now {gang.pods}"


def _amounts(requests: Any) -> str:
    amounts = ", ".join(f"{n} {q}" for n, q in quantities(requests).items() if n in ("cpu", "memory"))
    return f", {amounts}" if amounts else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
