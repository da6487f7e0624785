"""Read YAML: libyaml's events to JSON values, with kubectl's scalars, limits, and marks where asked for.

Used for all YAML of the program. Nothing here runs code, follows a reference out of the file, or takes unbounded memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from wmap.definition.scalars import ScalarError, key_text, resolve, resolve_tagged, short_tag
from wmap.definition.source import Mark, Source
from wmap.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_Loader: Any = getattr(yaml, "CLoader", yaml.Loader)
_UNPRINTABLE = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class Limits(NamedTuple):
    """What a file may hold: characters, levels of nesting, and nodes that aliases may stand for."""

    size: int
    depth: int = 200
    alias_nodes: int = 20_000


OBJECT_LIMITS = Limits(size=64 * 2**20)
DEFINITION_LIMITS = Limits(size=2**20)


class YamlProblem(InputError):
    """A file cannot be read. ``kind`` is the name of the schema rule that it breaks; line and column from 1 or None."""

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        file: str | None,
        line: int | None,
        column: int | None,
        hint: str | None = None,
    ) -> None:
        where = file or "the input"
        if line is not None:
            where += f":{line}:{column}"
        super().__init__(f"{where}: {message}", hint=hint)
        self.kind = kind
        self.problem = message
        self.file = file
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Marked:
    """A value with its place; ``items`` of an array, ``entries`` of a map: key -> (mark of the key, value)."""

    value: Any
    mark: Mark
    items: tuple[Marked, ...] = ()
    entries: dict[str, tuple[Mark, Marked]] | None = None


def decode(data: bytes, *, file: str | None, limits: Limits) -> str:
    """Bytes to text.

    Raises:
        YamlProblem: too large, not UTF-8 (or UTF-16 with a mark), or a NUL in it.
    """
    if len(data) > limits.size:
        raise YamlProblem(
            "too-large",
            f"it has {len(data):,} bytes; at most {limits.size:,} are read",
            file=file, line=None, column=None, hint="split it into several files",
        )  # fmt: skip
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise YamlProblem(
            "not-yaml", f"it is not UTF-8 text: byte 0x{data[error.start]:02x}", file=file, line=line, column=1,
            hint="save it as UTF-8",
        ) from None  # fmt: skip


def read_documents(text: str, *, file: str | None = None, limits: Limits = OBJECT_LIMITS) -> Iterator[tuple[Any, int]]:
    """Each document of the text with the line on which it begins; empty documents are left out.

    Raises:
        YamlProblem: at the first thing that is wrong.
    """
    for marked, line in _documents(text, file, limits, marks=False):
        if marked is not None:
            yield marked, line


def read_marked(text: str, *, file: str | None = None, limits: Limits = DEFINITION_LIMITS) -> Marked | None:
    """The one document of the text with its places; None where the text is empty.

    Raises:
        YamlProblem: it is not YAML, or there are several documents.
    """
    found: Marked | None = None
    for marked, line in _documents(text, file, limits, marks=True):
        if found is not None and marked.value is not None:
            raise YamlProblem(
                "multiple-documents", "a second document begins here; one file holds one definition", file=file,
                line=line, column=1, hint="move it to a file of its own",
            )  # fmt: skip
        found = found or (marked if marked.value is not None else None)
    return found


def _documents(text: str, file: str | None, limits: Limits, *, marks: bool) -> Iterator[tuple[Any, int]]:
    if len(text) > limits.size:
        raise YamlProblem(
            "too-large", f"it has {len(text):,} characters; at most {limits.size:,} are read", file=file, line=None,
            column=None, hint="split it into several files",
        )  # fmt: skip
    if "\0" in text:
        line, column = Source(text).place(text.index("\0"))
        raise YamlProblem(
            "not-yaml",
            "there is a NUL character in it",
            file=file,
            line=line,
            column=column,
            hint="is it a binary file?",
        )
    try:
        yield from _Reader(text, file, limits, marks=marks).documents()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(str(part) for part in (error.context, error.problem) if part)
        # at the end of a text without a last line break libyaml counts one line too many
        place = Source(text).place(min(mark.index, len(text))) if mark else (1, 1)
        raise YamlProblem(
            "not-yaml", f"it is not YAML: {what}", file=file, line=place[0], column=place[1], hint=_hint(what)
        ) from None
    except (yaml.reader.ReaderError, UnicodeEncodeError):
        found = _UNPRINTABLE.search(text)
        index = found.start() if found else 0
        line, column = Source(text).place(index)
        raise YamlProblem(
            "not-yaml", f"there is a character in it that YAML forbids: U+{ord(text[index]):04X}", file=file,
            line=line, column=column, hint='write it as an escape in double quotes ("\\x07"), or leave it out',
        ) from None  # fmt: skip


def _hint(what: str) -> str | None:
    if "tab" in what or "\\t" in what:
        return "indent with spaces, not with tabs"
    if "mapping values are not allowed" in what:
        return "put a text with `: ` in it in quotes"
    return None


class _Reader:
    """Turns events into values. One for each text."""

    def __init__(self, text: str, file: str | None, limits: Limits, *, marks: bool) -> None:
        self.loader = _Loader(text)
        self.source = Source(text, file)
        self.file = file
        self.limits = limits
        self.marks = marks
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.expanded = 0

    def documents(self) -> Iterator[tuple[Any, int]]:
        try:
            while True:
                event = self.loader.get_event()
                if isinstance(event, yaml.DocumentStartEvent):
                    self.anchors = {}
                    first = self.loader.get_event()
                    value, _ = self._node(first, 1)
                    yield value, self.source.place(first.start_mark.index)[0]
                elif isinstance(event, yaml.StreamEndEvent):
                    return
        finally:
            self.loader.dispose()

    def _fail(self, kind: str, message: str, mark: Any, hint: str | None = None) -> YamlProblem:
        line, column = self.source.place(mark.index)
        return YamlProblem(kind, message, file=self.file, line=line, column=column, hint=hint)

    def _node(self, event: Any, depth: int) -> tuple[Any, int]:
        """The value of a node and how many nodes it is made of."""
        if depth > self.limits.depth:
            raise self._fail("too-large", f"it is nested more than {self.limits.depth} deep", event.start_mark)
        kind = type(event)
        if kind is yaml.AliasEvent:
            return self._alias(event)
        if kind is yaml.ScalarEvent:
            value = self._scalar(event)
            result = Marked(value, self._mark(event, event)) if self.marks else value
            count = 1
        elif kind is yaml.SequenceStartEvent:
            result, count = self._sequence(event, depth)
        else:
            result, count = self._mapping(event, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = (result, count)
        return result, count

    def _alias(self, event: Any) -> tuple[Any, int]:
        if event.anchor not in self.anchors:
            raise self._fail("not-yaml", f"the alias *{event.anchor} refers to nothing before it", event.start_mark)
        value, count = self.anchors[event.anchor]
        self.expanded += count
        if self.expanded > self.limits.alias_nodes:
            raise self._fail(
                "alias-or-tag",
                f"its aliases stand for more than {self.limits.alias_nodes:,} values",
                event.start_mark,
                "write the values out",
            )
        return value, count

    def _scalar(self, event: Any) -> Any:
        try:
            if event.tag is not None:
                return resolve_tagged(event.tag, event.value, strict=self.marks)
            return event.value if event.style else resolve(event.value)
        except ScalarError as error:
            raise self._fail("alias-or-tag" if event.tag else "not-yaml", str(error), event.start_mark) from None

    def _check_tag(self, event: Any, kind: str) -> None:
        """Refuse a tag of a collection in a definition; in objects it means nothing, as for kubectl."""
        if self.marks and event.tag is not None and event.tag not in ("!", f"tag:yaml.org,2002:{kind}"):
            raise self._fail(
                "alias-or-tag", f"the tag {short_tag(event.tag)} is refused", event.start_mark, "leave it out"
            )

    def _sequence(self, event: Any, depth: int) -> tuple[Any, int]:
        self._check_tag(event, "seq")
        items = []
        count = 1
        while True:
            following = self.loader.get_event()
            if type(following) is yaml.SequenceEndEvent:
                break
            item, size = self._node(following, depth + 1)
            items.append(item)
            count += size
        if self.marks:
            return Marked([i.value for i in items], self._mark(event, following), tuple(items)), count
        return items, count

    def _mapping(self, event: Any, depth: int) -> tuple[Any, int]:
        self._check_tag(event, "map")
        values: dict[str, Any] = {}
        entries: dict[str, tuple[Mark, Marked]] = {}
        own: dict[str, Any] = {}
        count = 1
        while True:
            key_event = self.loader.get_event()
            if type(key_event) is yaml.MappingEndEvent:
                break
            key = self._key(key_event)
            value, size = self._node(self.loader.get_event(), depth + 1)
            count += 1 + size
            if key == "<<" and not key_event.style:
                self._merge(value, values, entries, key_event)
                continue
            if key in own:
                first = own[key].start_mark
                raise self._fail(
                    "duplicate-key",
                    f"the key {key!r} stands twice, first in line {self.source.place(first.index)[0]}",
                    key_event.start_mark,
                    "keep one of them",
                )
            own[key] = key_event
            values[key] = value.value if self.marks else value
            if self.marks:
                entries[key] = (self._mark(key_event, key_event), value)
        if self.marks:
            return Marked(values, self._mark(event, key_event), entries=entries), count
        return values, count

    def _merge(self, value: Any, values: dict[str, Any], entries: dict[str, tuple[Mark, Marked]], event: Any) -> None:
        """Bring in the entries of ``<<``, over those that stand before it, as kubectl does; the first of a list wins."""
        plain = value.value if self.marks else value
        sources = plain if isinstance(plain, list) else [plain]
        if not all(isinstance(s, dict) for s in sources):
            raise self._fail("not-yaml", "<< takes a map, or a list of maps", event.start_mark)
        if self.marks:
            for source in reversed(value.items or (value,)):
                entries.update(source.entries)
        for source in reversed(sources):
            values.update(source)

    def _key(self, event: Any) -> str:
        if type(event) is not yaml.ScalarEvent:
            raise self._fail("not-yaml", "a key must be a text", event.start_mark, "put it in quotes")
        if event.style or event.tag is not None:
            value = self._scalar(event)
            if isinstance(value, str):
                return value
        try:
            return key_text(event.value)
        except ScalarError as error:
            raise self._fail("not-yaml", str(error), event.start_mark) from None

    def _mark(self, begin: Any, end: Any) -> Mark:
        scalar = type(begin) is yaml.ScalarEvent
        return Mark(
            self.source,
            begin.start_mark.index,
            end.end_mark.index,
            (begin.style or "") if scalar else "",
            begin.value if scalar else "",
            scalar,
        )
