"""Objects that people and operators wrote: those of the fixtures, and those of a folder of manifests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wmap.definition.yamlio import OBJECT_LIMITS, YamlProblem, decode, read_documents
from wmap.errors import CallError
from wmap.reading.patch import apply_merge_patch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wmap.definition.model import Kind

MOST_FILES = 20_000


class Broken(NamedTuple):
    """A file that holds no manifests, and why."""

    file: str
    reason: str


class Samples(NamedTuple):
    """Objects by their apiVersion and kind, and the files that were skipped."""

    by_kind: dict[tuple[str, str], tuple[Any, ...]]
    broken: tuple[Broken, ...]

    def of(self, kind: Kind) -> tuple[Any, ...]:
        """The objects of a kind."""
        return self.by_kind.get((kind.api_version, kind.kind), ())


def of_fixtures(folder: Path) -> tuple[Any, ...]:
    """The objects of a definition's fixtures, after each of their steps. What does not read is a finding of level fixture."""
    found: list[Any] = []
    for file in sorted(folder.glob("*.y*ml")) if folder.is_dir() else ():
        if file.name.startswith("_"):
            continue
        for document in _documents(file, []):
            found += _steps(document) if isinstance(document, dict) and isinstance(document.get("object"), dict) else ()
    return tuple(found)


def _steps(document: dict[str, Any]) -> Iterator[Any]:
    obj = document["object"]
    yield obj
    for step in document.get("steps") or ():
        obj = apply_merge_patch(obj, step.get("patch", {}))
        if "status" in step:
            obj = {**obj, "status": step["status"]}
        yield obj


def of_folder(folder: Path) -> Samples:
    """The manifests in the YAML and JSON files below a folder, lists taken apart; broken files are named.

    Raises:
        CallError: there is no such folder, or it holds too many files.
    """
    if not folder.is_dir():
        raise CallError(f"there is no folder of samples at {folder}", hint="give a folder that holds manifests")
    files = sorted(f for f in folder.rglob("*") if f.suffix in (".yaml", ".yml", ".json") and f.is_file())
    if len(files) > MOST_FILES:
        raise CallError(f"{folder} holds {len(files)} files", hint=f"give a folder of at most {MOST_FILES}")
    broken: list[Broken] = []
    found: dict[tuple[str, str], list[Any]] = {}
    for file in files:
        for document in _documents(file, broken):
            for obj in _objects(document):
                found.setdefault((str(obj.get("apiVersion")), str(obj.get("kind"))), []).append(obj)
    return Samples({kind: tuple(objs) for kind, objs in found.items()}, tuple(broken))


def _objects(document: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(document, dict):
        return
    items = document.get("items")
    if str(document.get("kind", "")).endswith("List") and isinstance(items, list):
        yield from (i for i in items if isinstance(i, dict))
    elif isinstance(document.get("object"), dict):
        yield from (o for o in _steps(document) if isinstance(o, dict))
    else:
        yield document


def _documents(file: Path, broken: list[Broken]) -> list[Any]:
    try:
        data = file.read_bytes()
        return [value for value, _ in read_documents(decode(data, file=str(file), limits=OBJECT_LIMITS))]
    except YamlProblem as problem:
        broken.append(Broken(str(file), f"{problem.problem}{f' (line {problem.line})' if problem.line else ''}"))
    except (OSError, ValueError) as error:
        broken.append(Broken(str(file), str(error)))
    return []
