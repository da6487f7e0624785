"""Which commit gave a field of a definition its present text: along the graph of its history, through renames and merges."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wmap.definition.yamlio import DEFINITION_LIMITS, YamlProblem, decode, read_marked
from wmap.errors import CallError, EnvironmentFailure, InputError
from wmap.gitio import LocalRepository, to_fetch
from wmap.gitio.history import Commit, commits
from wmap.registry.log import History, Version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from wmap.definition.yamlio import Marked


_STEP = re.compile(r"\[[^\]]*\]|[^.\[\]]+")


@dataclass(frozen=True, slots=True)
class Blame:
    """The commit that gave a field its text. ``path`` is the whole path of the field, ``line`` where it stands now, in ``file``."""

    commit: Commit
    definition: str
    path: str
    text: str
    file: str
    line: int


def blame(folder: str | PathLike[str], name: str, field: str, ref: str = "HEAD") -> Blame:
    """Which commit gave a field of a definition the text that it has at a ref.

    ``field`` is a dotted path, items of lists by index or by name (``spec.structureDefinition.childComponents[worker].instanceIdPath``);
    its end, also with steps left out, is enough where only one field has it (``[worker].replicasPath``). A version that is no YAML is
    passed over.

    Raises:
        CallError: no such repository, ref, definition or field (the nearest is named); the definition was deleted.
        InputError: the definition is no YAML at the ref.
        EnvironmentFailure: git fails, or the history is cut off before the commit (says what to fetch).
    """
    with LocalRepository.around(Path(folder)) as repository:
        history = History.of(repository, ref, name)
        by_commit = {v.commit: v for v in history.versions}
        here = history.versions[0]
        if here.blob is None:
            raise CallError(f"{name} is deleted at {ref}", hint=f"{here.commit[:12]} deleted it: name an older ref")
        fields = _fields(history, here)
        if fields is None:
            raise InputError(f"{here.path} is no YAML at {ref}", hint="name a ref where it is")
        path = _named(fields, field, here.path)
        found = fields[path]
        while True:
            before = _before(history, by_commit, here, path, found.value)
            if before is None:
                break
            here = before
        if here.commit in history.cut:
            raise EnvironmentFailure(f"{name}: {path} is older than what is here", hint=to_fetch(ref))
        about = commits(repository, [here.commit])[here.commit]
    text = found.value if isinstance(found.value, str) else json.dumps(found.value, ensure_ascii=False)
    return Blame(about, name, path, text, history.versions[0].path, found.mark.line)


def _before(history: History, by_commit: dict[str, Version], here: Version, path: str, value: Any) -> Version | None:
    """A version before that has the same at the path, through those that nobody can read; None: it came with this one."""
    waiting, seen = list(reversed(here.parents)), set()
    while waiting:
        version = by_commit.get(waiting.pop())
        if version is None or version.commit in seen:
            continue
        seen.add(version.commit)
        fields = _fields(history, version)
        if fields is None or not version.previous:
            waiting += reversed(version.parents)
        elif path in fields and fields[path].value == value:
            return version
    return None


def _fields(history: History, version: Version) -> dict[str, Marked] | None:
    """The fields of a version by path; None where it is no YAML."""
    if version.blob is None:
        return {}
    try:
        text = decode(history.text(version.blob), file=version.path, limits=DEFINITION_LIMITS)
        document = read_marked(text, file=version.path)
    except YamlProblem:
        return None
    return dict(_walk(document, "")) if document is not None else None


def _walk(marked: Marked, path: str) -> Iterator[tuple[str, Marked]]:
    if path:
        yield path, marked
    if marked.entries is not None:
        for key, (_, value) in marked.entries.items():
            yield from _walk(value, f"{path}.{key}" if path else str(key))
    elif isinstance(marked.value, list):
        labels = [_label(item.value) for item in marked.items]
        for i, item in enumerate(marked.items):
            label = labels[i]
            known = label is not None and labels.count(label) == 1
            yield from _walk(item, f"{path}[{label if known else i}]")


def _label(value: Any) -> str | None:
    """What an item of a list is called in paths: its name, the component that it is of, or the kind that it is."""
    if not isinstance(value, dict):
        return None
    for key in ("name", "componentName"):
        if isinstance(value.get(key), str):
            return str(value[key])
    if isinstance(value.get("kind"), str) and isinstance(value.get("version"), str):
        group = value.get("group")
        return f"{f'{group}/' if group else ''}{value['version']} {value['kind']}"
    return None


def _named(fields: dict[str, Marked], field: str, file: str) -> str:
    """The whole path of a field.

    Raises:
        CallError: there is none, or several that end so.
    """
    if field in fields:
        return field
    wanted = _by_index(fields, field)
    ends = [wanted] if wanted is not None else [p for p in fields if p.endswith(field) and _whole(p, field)]
    steps = _STEP.findall(field)
    last = steps[-1] if steps else ""
    if not ends and steps:
        # steps in the middle may be left out
        ends = [p for p in fields if (found := _STEP.findall(p))[-1] == last and _within(steps, found)]
    if len(ends) == 1:
        return ends[0]
    if ends:
        shown = ", ".join(ends[:4]) + (" ..." if len(ends) > 4 else "")
        raise CallError(f"{len(ends)} fields of {file} end in {field}", hint=f"write more of it: {shown}")
    known = {step: p for p in reversed(fields) for step in _STEP.findall(p)[-1:]}
    near = difflib.get_close_matches(last, known, 1, 0.5)
    hint = f"did you mean {known[near[0]]}?" if near else "paths are as wmap catalog show has them: spec.a.b[name].c"
    raise CallError(f"{file} has no field {field}", hint=hint)


def _within(steps: list[str], path: list[str]) -> bool:
    """Whether the steps are all in a path, in their order."""
    left = iter(path)
    return all(step in left for step in steps)


def _whole(path: str, end: str) -> bool:
    """Whether an end begins with a whole step of the path."""
    at = len(path) - len(end)
    return end[:1] in (".", "[") or path[at - 1] == "."


def _by_index(fields: dict[str, Marked], field: str) -> str | None:
    """The path by names of one that counts the items of lists."""
    counts: dict[str, int] = {}
    indexed: dict[str, str] = {}
    for path in fields:
        parent, bracket, label = path.rpartition("[")
        if bracket and label.endswith("]") and "]" not in label[:-1]:
            counts[parent] = counts.get(parent, -1) + 1
            indexed[path] = f"{indexed.get(parent, parent)}[{counts[parent]}]"
        else:
            lead = max((p for p in indexed if path.startswith((f"{p}.", f"{p}["))), key=len, default="")
            indexed[path] = indexed.get(lead, lead) + path[len(lead) :]
        if indexed[path] == field:
            return path
    return None
