"""Where objects come from: YAML, JSON, JSON Lines, List objects, folders, standard input. Read as a stream."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from wmap.errors import CallError, EnvironmentFailure, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SUFFIXES = (".yaml", ".yml", ".json", ".jsonl", ".ndjson")
MAX_LINE = 8 * 2**20
"""Bytes of one line of JSON Lines."""
MAX_FILE = 64 * 2**20
"""Bytes of a file that is read whole: YAML and JSON."""


class SourceObject(NamedTuple):
    """An object and where it was found: the file as given (``-`` for standard input) and the line."""

    value: dict[str, Any]
    file: str
    line: int

    @property
    def where(self) -> str:
        """``file:line``."""
        return f"{'standard input' if self.file == '-' else self.file}:{self.line}"


def read_objects(paths: Iterable[str | Path]) -> Iterator[SourceObject]:
    """Read the objects of files and folders (all of them below, sorted), ``-`` being standard input.

    Raises:
        CallError: a path does not exist, or a folder holds no file of objects.
        EnvironmentFailure: a file cannot be read.
        InputError: a file holds something else: not YAML or JSON, no map, no kind.
    """
    for path in paths:
        if not str(path):
            raise CallError("the name of a file is empty", hint="give a file, a folder, or - for standard input")
        if str(path) == "-":
            yield from _read(sys.stdin.buffer, "-")
            continue
        for file in _files(Path(path)):
            try:
                handle = file.open("rb")
            except OSError as error:
                raise _unreadable(file, error) from error
            with handle:
                try:
                    yield from _read(handle, str(file))
                except OSError as error:
                    raise _unreadable(file, error) from error


def _unreadable(file: Path, error: OSError) -> EnvironmentFailure:
    return EnvironmentFailure(f"{file} cannot be read: {error.strerror}", hint="check its permissions")


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file())
        if not found:
            raise CallError(f"the folder {path} holds no file of objects", hint=f"files end in {', '.join(SUFFIXES)}")
        return found
    if not path.exists():
        raise CallError(f"{path} does not exist", hint="give a file, a folder, or - for standard input")
    return [path]


def _read(handle: IO[bytes], file: str) -> Iterator[SourceObject]:
    """The objects of one stream. JSON Lines are told from the rest by their first line."""
    first = b""
    line = 0
    while not first.strip() or first.lstrip()[:1] == b"#":
        first = handle.readline(MAX_LINE + 1)
        line += 1
        if not first:
            raise InputError(f"{_name(file)} is empty", hint="it should hold objects in YAML or JSON")
    if first.lstrip()[:1] == b"{" and first.rstrip()[-1:] == b"}":
        value = _json(first, file, line, lenient=True)
        if value is not None:
            yield from _expand(value, file, line)
            yield from _lines(handle, file, line)
            return
    data = b"\n" * (line - 1) + first + handle.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise InputError(
            f"{_name(file)} has more than {MAX_FILE:,} bytes", hint="make it JSON Lines, which are streamed"
        )
    yield from _whole(data, file)


def _lines(handle: IO[bytes], file: str, line: int) -> Iterator[SourceObject]:
    while True:
        text = handle.readline(MAX_LINE + 1)
        line += 1
        if not text:
            return
        if len(text) > MAX_LINE:
            raise InputError(f"{_name(file)}:{line}: the line has more than {MAX_LINE:,} bytes")
        if text.strip():
            # without its end: an error at the end is of this line, not of the next
            yield from _expand(_json(text.rstrip(), file, line), file, line)


def _json(data: bytes, file: str, line: int, *, lenient: bool = False) -> Any:
    import orjson  # noqa: PLC0415  # loaded when objects are read

    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        if lenient:
            return None
        place = line + error.lineno - 1
        raise InputError(f"{_name(file)}:{place}:{error.colno}: it is not JSON: {error.msg}") from None


def _whole(data: bytes, file: str) -> Iterator[SourceObject]:
    if data.lstrip()[:1] in (b"{", b"["):
        value = _json(data, file, 1, lenient=True)
        if isinstance(value, list):
            for item in value:
                yield from _expand(item, file, 1)
            return
        if value is not None:
            yield from _expand(value, file, 1)
            return
        if file.endswith((".json", ".jsonl", ".ndjson")):
            _json(data, file, 1)
    from wmap.definition.yamlio import OBJECT_LIMITS, decode, read_documents  # noqa: PLC0415  # loaded for YAML only

    name = None if file == "-" else file
    for document, line in read_documents(decode(data, file=name, limits=OBJECT_LIMITS), file=name):
        yield from _expand(document, file, line)


def _expand(value: Any, file: str, line: int) -> Iterator[SourceObject]:
    """An object, or the items of a List (which take the kind of a typed list where they have none)."""
    where = f"{_name(file)}:{line}"
    if not isinstance(value, dict):
        found = "a list" if isinstance(value, list) else f"{value!r:.40}"
        raise InputError(f"{where}: {found} is no object", hint="an object is a map with apiVersion and kind")
    kind, version = value.get("kind"), value.get("apiVersion")
    items = value.get("items")
    if isinstance(kind, str) and kind.endswith("List") and isinstance(items, list):
        for i, item in enumerate(items):
            if not isinstance(item, dict):
                raise InputError(f"{where}: items[{i}] of the {kind} is no object")
            if kind != "List" and "kind" not in item:
                item = {"apiVersion": version, "kind": kind.removesuffix("List"), **item}  # noqa: PLW2901  # the item as it is meant
            yield from _expand(item, file, line)
        return
    for field in ("kind", "apiVersion"):
        if not isinstance(value.get(field), str) or not value[field]:
            raise InputError(f"{where}: the object has no {field}", hint="an object is a map with apiVersion and kind")
    yield SourceObject(value, file, line)


def _name(file: str) -> str:
    return "standard input" if file == "-" else file


def read_pods(paths: Iterable[str | Path]) -> Iterator[SourceObject]:
    """Read the pods of files and folders.

    Raises:
        InputError: something else than a pod is among them.
    """
    for found in read_objects(paths):
        if (found.value["apiVersion"], found.value["kind"]) != ("v1", "Pod"):
            raise InputError(
                f"{found.where}: a {found.value['kind']} is among the pods",
                hint="give pods only: kubectl get pods -o json",
            )
        yield found
