"""``fixtures/<definition>/_pods.yaml``: the labels that an operator writes on the pods of each component, with their source.

    source: where the operator writes them (repository, file, release)
    components:
      worker:
        labels: {example.com/name: "{name}", example.com/group: "{instance}", example.com/index: "{replica}"}
        annotations: {...}
        releases: ">=v1.2"        # optional: where these are written; a list of such entries says them by release
    notScale: {.spec.data.local: a divisor}      # optional: counts that divide, so that raising them takes pods away

In a text, ``{name}`` is the name of the workload, ``{namespace}`` its namespace, ``{instance}`` the id of the instance,
``{replica}`` the index of the replica group, ``{index}`` that of the pod in its instance, ``{next}`` the index and one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wmap.contract import in_range
from wmap.definition.yamlio import DEFINITION_LIMITS, YamlProblem, decode, read_marked
from wmap.errors import EnvironmentFailure, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE = "_pods.yaml"
_WORD = re.compile(r"\{([a-z]+)\}")
WORDS = ("name", "namespace", "instance", "replica", "index", "next")


@dataclass(frozen=True, slots=True)
class PodMarks:
    """What is written on the pods of one component, in some releases (``""``: in all). Texts hold words in braces."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    releases: str = ""

    def at(self, words: Mapping[str, str]) -> dict[str, Any]:
        """The metadata of a pod, the words filled in."""
        return {
            "labels": {k: _filled(v, words) for k, v in self.labels.items()},
            "annotations": {k: _filled(v, words) for k, v in self.annotations.items()},
        }


@dataclass(frozen=True, slots=True)
class PodFile:
    """A declaration of pods. ``components`` by name; ``not_scale`` are paths of the contract with the reason."""

    source: str = ""
    components: Mapping[str, tuple[PodMarks, ...]] = field(default_factory=dict)
    not_scale: Mapping[str, str] = field(default_factory=dict)

    def marks(self, component: str, release: str) -> PodMarks | None:
        """What is written on the pods of a component at a release; None where nothing is declared."""
        entries = self.components.get(component, ())
        return next((m for m in entries if not m.releases or in_range(release, m.releases)), None)


NO_PODS = PodFile()


def load_pods(folder: Path) -> PodFile:
    """The declaration in a definition's folder of fixtures; an empty one where there is none.

    Raises:
        InputError: it is broken: says where.
        EnvironmentFailure: it cannot be read.
    """
    path = folder / FILE
    if not path.is_file():
        return NO_PODS
    try:
        document = read_marked(decode(path.read_bytes(), file=str(path), limits=DEFINITION_LIMITS), file=str(path))
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}") from error
    except YamlProblem as problem:
        raise InputError(f"{path}:{problem.line or 1}: {problem.problem}", hint=problem.hint) from None
    value = document.value if document is not None else None
    if not isinstance(value, dict) or not isinstance(value.get("source"), str):
        raise InputError(f"{path}: says no source", hint="source: where the operator writes the labels")
    if not isinstance(value.get("components", {}), dict):
        raise InputError(f"{path}: components is no map", hint="components: {NAME: {labels: {...}}}")
    components = {
        name: tuple(_marks(entry, f"{path}: components.{name}") for entry in _entries(entries))
        for name, entries in value.get("components", {}).items()
    }
    not_scale = value.get("notScale") or {}
    if not _texts(not_scale):
        raise InputError(f"{path}: notScale is no map of texts", hint="notScale: {.spec.field: why}")
    return PodFile(value["source"], components, not_scale)


def _entries(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _marks(entry: Any, where: str) -> PodMarks:
    if not isinstance(entry, dict) or not set(entry) <= {"labels", "annotations", "releases"}:
        raise InputError(f"{where}: has labels, annotations and releases, and nothing else")
    for key in ("labels", "annotations"):
        if not _texts(entry.get(key) or {}):
            raise InputError(f"{where}.{key}: is no map of texts", hint="put numbers in quotes")
        for text in (entry.get(key) or {}).values():
            unknown = [w for w in _WORD.findall(text) if w not in WORDS]
            if unknown:
                raise InputError(
                    f"{where}: {text!r} has the unknown word {unknown[0]}", hint=f"words: {', '.join(WORDS)}"
                )
    releases = entry.get("releases") or ""
    if not isinstance(releases, str):
        raise InputError(f"{where}.releases: is no text")
    return PodMarks(entry.get("labels") or {}, entry.get("annotations") or {}, releases)


def _texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(v, str) for v in value.values())


def _filled(text: str, words: Mapping[str, str]) -> str:
    # no format strings: they may ask for a gigabyte of padding, or for what hangs on a value
    return _WORD.sub(lambda m: words.get(m[1], m[0]), text)
