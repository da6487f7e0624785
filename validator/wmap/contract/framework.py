"""``framework.yaml``: who ships the kinds of a folder of the catalog, where their facts lie, and what these do not say."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from wmap.contract.model import Term, TermKind, steps_of
from wmap.contract.releases import in_range
from wmap.definition.source import Source
from wmap.definition.yamlio import DEFINITION_LIMITS, Marked, YamlProblem, decode, read_marked
from wmap.errors import CallError, EnvironmentFailure, InputError
from wmap.findings import Finding, Span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

API_VERSION = "wmap/v1"
KIND = "Framework"
FILE = "framework.yaml"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where CRDs and Go source lie, as globs relative to the repository's root, in the releases of a range ("": all)."""

    crds: tuple[str, ...]
    source: tuple[str, ...]
    releases: str = ""


@dataclass(frozen=True, slots=True)
class Module:
    """A Go module whose string constants belong to the vocabulary too."""

    module: str
    repository: str
    source: tuple[str, ...]
    releases: str = ""


@dataclass(frozen=True, slots=True)
class CoreType:
    """A place in the tree of a kind that is really a core type, with where that is known from."""

    kind: str
    path: str
    type: str
    source: str
    releases: str = ""


@dataclass(frozen=True, slots=True)
class TermRule:
    """What the constants of a Go name, or of a value, are. None: any."""

    kind: TermKind
    name: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """A word that no constant holds: the operator puts it together at run time, or writes it as a literal."""

    value: str
    kind: TermKind
    source: str
    releases: str = ""


@dataclass(frozen=True, slots=True)
class About:
    """What a note is about: a value of a field (None: the field at all), or a condition type."""

    kind: str
    field: str | None = None
    value: str | None = None
    condition: str | None = None
    releases: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something known of a framework that neither CRD nor source text says. ``date`` is YYYY-MM-DD."""

    date: str
    source: str
    text: str
    about: About | None = None


@dataclass(frozen=True, slots=True)
class Life:
    """What became of a definition: why it should not (``deprecated``) or must not (``yanked``) be used, and which one replaces it."""

    name: str
    deprecated: str | None = None
    replaced_by: str | None = None
    yanked: str | None = None

    def said(self) -> str:
        """One line for people; empty where there is nothing to say."""
        parts = [f"yanked: {self.yanked}"] if self.yanked else []
        parts += [f"deprecated: {self.deprecated}"] if self.deprecated else []
        parts += [f"replaced by {self.replaced_by}"] if self.replaced_by else []
        return "; ".join(parts)


_Ranged = TypeVar("_Ranged", Layout, Module, CoreType, Word)


@dataclass(frozen=True)
class Framework:
    """One framework of the catalog. ``image`` and ``manifest`` hold ``{release}`` where the tag belongs."""

    name: str
    display_name: str
    repository: str
    licence: str
    tag_pattern: str
    home_page: str | None = None
    layout: tuple[Layout, ...] = ()
    supported: tuple[str, ...] = ()
    supported_why: str | None = None
    modules: tuple[Module, ...] = ()
    core_types: tuple[CoreType, ...] = ()
    vocabulary: tuple[TermRule, ...] = ()
    words: tuple[Word, ...] = ()
    image: str | None = None
    manifest: str | None = None
    notes: tuple[Note, ...] = ()
    lives: tuple[Life, ...] = ()
    file: str | None = field(default=None, compare=False)

    def is_release(self, tag: str) -> bool:
        """Whether a tag is a release."""
        return fnmatchcase(tag, self.tag_pattern)

    def life_of(self, definition: str) -> Life | None:
        """What became of a definition of this name; None where it is as alive as can be."""
        return next((life for life in self.lives if life.name == definition), None)

    def layout_at(self, release: str) -> Layout | None:
        """Where things lie in a release: the first entry that fits it."""
        return next(_at(self.layout, release), None)

    def modules_at(self, release: str) -> tuple[Module, ...]:
        """The modules whose constants belong to the vocabulary of a release."""
        return tuple(_at(self.modules, release))

    def core_types_at(self, release: str, kind: str | None = None) -> tuple[CoreType, ...]:
        """The places that are core types in a release, those of one kind where it is given."""
        return tuple(c for c in _at(self.core_types, release) if kind in (None, c.kind))

    def words_at(self, release: str) -> tuple[Term, ...]:
        """The words of a release that no constant holds; each is named like its text."""
        return tuple(Term(w.value, w.kind, w.value, "", w.source) for w in _at(self.words, release))

    def notes_about(self, kind: str, release: str) -> tuple[Note, ...]:
        """The notes about fields and conditions of a kind that hold for a release."""
        return tuple(
            n for n in self.notes if n.about and n.about.kind == kind and in_range(release, n.about.releases)
        )  # fmt: skip


def _at(entries: tuple[_Ranged, ...], release: str) -> Iterator[_Ranged]:
    return (e for e in entries if in_range(release, e.releases))


class FrameworkResult(NamedTuple):
    """The framework, None where there are findings; the findings."""

    framework: Framework | None
    findings: tuple[Finding, ...]


def check_framework(data: str | bytes, *, file: str | None = None) -> FrameworkResult:
    """Read and judge a ``framework.yaml``. Never raises on what the text holds."""
    from wmap.definition.validate import check_shape, finding, from_problem  # noqa: PLC0415  # loads the schema

    try:
        text = decode(data, file=file, limits=DEFINITION_LIMITS) if isinstance(data, bytes) else data
        document = read_marked(text, file=file)
    except YamlProblem as problem:
        return FrameworkResult(None, (from_problem(problem, file),))
    if document is None or not isinstance(document.value, dict) or document.value.get("kind") != KIND:
        span = document.mark.whole if document is not None else Source(text, file).span(0, 0)
        hint = f"a framework begins with apiVersion: {API_VERSION} and kind: {KIND}"
        message = "the file is empty" if document is None else "the file holds no framework"
        return FrameworkResult(None, (finding("not-a-definition", message, file=file, span=span, hint=hint),))
    findings = check_shape(document, "framework", file=file)
    if not findings:
        findings = [
            finding("bad-value", message, file=file, span=span, hint=hint, field=place)
            for place, span, message, hint in _wrong(document)
        ]
    if findings:
        return FrameworkResult(None, tuple(sorted(findings, key=Finding.sort_key)))
    return FrameworkResult(_build(document.value, file), ())


def load_framework(path: Path) -> Framework:
    """The framework of a file.

    Raises:
        CallError: there is no such file.
        EnvironmentFailure: it cannot be read.
        InputError: it is no good framework; names the place of what is wrong first.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise CallError(
            f"there is no {path}", hint="a folder of the catalog says in framework.yaml who ships it"
        ) from error
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}") from error
    framework, findings = check_framework(data, file=str(path))
    if framework is None:
        first = findings[0]
        place = f":{first.span.line}:{first.span.column}" if first.span else ""
        raise InputError(f"{path}{place}: {first.message}", hint=first.hint)
    if framework.name != path.parent.name:
        raise InputError(
            f"{path}: the framework {framework.name} lies in the folder {path.parent.name}", hint="name both alike"
        )
    return framework


def load_frameworks(folder: Path) -> dict[str, Framework]:
    """The frameworks of a catalog, by name.

    Raises:
        WmapError: as ``load_framework``; the folder holds none.
    """
    files = sorted(folder.glob(f"*/{FILE}"))
    if not files:
        raise CallError(f"the catalog {folder} holds no framework", hint=f"files are <framework>/{FILE}")
    return {f.name: f for f in map(load_framework, files)}


def _wrong(document: Marked) -> Iterator[tuple[str, Span, str, str]]:
    """What the schema cannot say: field, place, message and hint of each thing that is wrong."""
    value = document.value
    for place, entry in _ranges(document):
        try:
            in_range("v0", entry.value)
        except InputError as error:
            yield place, entry.mark.whole, f"{place}: {error.message}", error.hint or ""
    for section, key in (("coreTypes", "path"), ("notes", "field")):
        for i, entry in enumerate(_entries(document, section)):
            at = f"{section}[{i}].{key}" if section == "coreTypes" else f"{section}[{i}].about.{key}"
            found = _get(entry, key) if section == "coreTypes" else _get(_get(entry, "about"), key)
            if found is None:
                continue
            try:
                list(steps_of(found.value))
            except ValueError as error:
                yield at, found.mark.whole, f"{at}: {error}", 'a path is like .spec.groups[].template, ."a.b" or {}'
    for i, entry in enumerate(_entries(document, "notes")):
        date, about = _get(entry, "date"), _get(entry, "about")
        try:
            dt.date.fromisoformat(entry.value["date"])
        except ValueError:
            if date is not None:
                yield f"notes[{i}].date", date.mark.whole, f"{date.value} is no date", "write YYYY-MM-DD"
        if about is not None and ("condition" in about.value) == ("field" in about.value):
            yield (
                f"notes[{i}].about", about.mark.whole, "a note is about a field or about a condition, not both",
                "write two notes",
            )  # fmt: skip
        elif about is not None and "value" in about.value and "field" not in about.value:
            yield f"notes[{i}].about", about.mark.whole, "the value of which field?", "add `field`"
    for name, (_, entry) in ((_get(document, "definitions") or document).entries or {}).items():
        by = _get(entry, "replacedBy")
        if by is not None and by.value == name:
            yield f"definitions.{name}.replacedBy", by.mark.whole, f"{name} cannot replace itself", "name another one"
    for i, item in enumerate((_get(_get(document, "supported"), "releases") or document).items):
        if not fnmatchcase(item.value, value["tagPattern"]):
            message = f"{item.value} is no release: it does not match tagPattern {value['tagPattern']!r}"
            yield f"supported.releases[{i}]", item.mark.whole, message, "write the tag as the repository has it"


def _ranges(document: Marked) -> Iterator[tuple[str, Marked]]:
    for section in ("layout", "modules", "coreTypes", "words"):
        for i, entry in enumerate(_entries(document, section)):
            found = _get(entry, "releases")
            if found is not None:
                yield f"{section}[{i}].releases", found
    for i, entry in enumerate(_entries(document, "notes")):
        found = _get(_get(entry, "about"), "releases")
        if found is not None:
            yield f"notes[{i}].about.releases", found


def _entries(document: Marked, section: str) -> tuple[Marked, ...]:
    found = _get(document, section)
    return found.items if found is not None else ()


def _get(node: Marked | None, key: str) -> Marked | None:
    found = (node.entries or {}).get(key) if node is not None else None
    return found[1] if found else None


def _build(value: dict[str, Any], file: str | None) -> Framework:
    supported, install = value.get("supported", {}), value.get("install", {})
    return Framework(
        name=value["name"],
        display_name=value["displayName"],
        repository=value["repository"],
        licence=value["licence"],
        tag_pattern=value["tagPattern"],
        home_page=value.get("homePage"),
        layout=tuple(Layout(**_tuples(e)) for e in value.get("layout", ())),
        supported=tuple(supported.get("releases", ())),
        supported_why=supported.get("why"),
        modules=tuple(Module(**_tuples(e)) for e in value.get("modules", ())),
        core_types=tuple(CoreType(**e) for e in value.get("coreTypes", ())),
        vocabulary=tuple(TermRule(**{**e, "kind": TermKind(e["kind"])}) for e in value.get("vocabulary", ())),
        words=tuple(Word(**{**e, "kind": TermKind(e["kind"])}) for e in value.get("words", ())),
        image=install.get("image"),
        manifest=install.get("manifest"),
        notes=tuple(
            Note(**{**e, "about": About(**e["about"]) if "about" in e else None}) for e in value.get("notes", ())
        ),
        lives=tuple(
            Life(name, e.get("deprecated"), e.get("replacedBy"), e.get("yanked"))
            for name, e in sorted(value.get("definitions", {}).items())
        ),
        file=file,
    )


def _tuples(entry: dict[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
