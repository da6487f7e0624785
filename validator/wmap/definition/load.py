"""Load a definition: text to model, with the findings of level ``schema``; or trusted, for reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wmap.definition.build import build
from wmap.definition.source import Source
from wmap.definition.yamlio import DEFINITION_LIMITS, Marked, YamlProblem, decode, read_marked
from wmap.errors import InputError
from wmap.findings import Finding, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Definition

API_VERSION = "run.ai/v1alpha1"
KIND = "Karta"


class LoadResult(NamedTuple):
    """The definition, None where the schema finds errors; the findings; the text for comments and positions."""

    definition: Definition | None
    findings: tuple[Finding, ...]
    source: Source


def load(data: str | bytes, *, file: str | None = None) -> LoadResult:
    """Load and judge one definition. Never raises on what the text holds."""
    from wmap.definition.validate import check_shape, finding, from_problem  # noqa: PLC0415  # readings do not need it

    source = Source("", file)
    try:
        text = decode(data, file=file, limits=DEFINITION_LIMITS) if isinstance(data, bytes) else data
        source = Source(text, file)
        document = read_marked(text, file=file)
    except YamlProblem as problem:
        return LoadResult(None, (from_problem(problem, file),), source)
    found = _not_a_definition(document)
    if found is not None:
        message, hint = found
        span = document.mark.whole if document is not None else Span(1, 1, 1, 1)
        return LoadResult(None, (finding("not-a-definition", message, file=file, span=span, hint=hint),), source)
    assert document is not None  # noqa: S101  # said by _not_a_definition
    metadata = document.value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    findings = check_shape(document, "definition", file=file, definition=name if isinstance(name, str) else None)
    if findings:
        return LoadResult(None, tuple(findings), source)
    return LoadResult(build(document, file=file), (), source)


def load_trusted(data: bytes, *, file: str | None = None) -> Definition:
    """Load a definition for reading, without the schema.

    Raises:
        InputError: it is none; the message names the file and the place.
    """
    document = read_marked(decode(data, file=file, limits=DEFINITION_LIMITS), file=file)
    found = _not_a_definition(document)
    if found is not None or document is None:
        message, hint = found or ("it is empty", None)
        raise InputError(f"{file or 'the definition'}: {message}", hint=hint)
    definition = build(document, file=file)
    if definition.root.kind is None:
        raise InputError(
            f"{file or 'the definition'}:{definition.root.name.span().line}: the root component has no kind",
            hint="add kind: {group, version, kind}",
        )
    return definition


def _not_a_definition(document: Marked | None) -> tuple[str, str | None] | None:
    """Why a document is no definition at all, and a hint; None where it says that it is one."""
    wanted = f"a definition begins with apiVersion: {API_VERSION} and kind: {KIND}"
    if document is None:
        return "the file is empty", wanted
    value = document.value
    if isinstance(value, list):
        return "the file holds a list, not a definition", wanted
    if not isinstance(value, dict):
        return "the file holds no map", wanted
    if value.get("apiVersion") != API_VERSION or value.get("kind") != KIND:
        return f"the file holds something else: {_said(value, 'apiVersion')}, {_said(value, 'kind')}", wanted
    return None


def _said(value: dict[str, Any], key: str) -> str:
    if key not in value:
        return f"no {key}"
    return f"{key} {str(value[key])[:80]!r}"


def comments(source: Source) -> Iterator[tuple[int, int, str]]:
    """The comments of a file: line, column (from 1) and text with its ``#``. Not what looks like one inside a scalar."""
    import yaml  # noqa: PLC0415  # only for the places of scalars

    text = source.text
    taken: list[tuple[int, int]] = []
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CLoader", yaml.Loader)):
            if isinstance(event, yaml.ScalarEvent) and event.start_mark is not None and event.end_mark is not None:
                # the header of a block scalar may have a comment, its lines may not
                start = event.start_mark.index
                if event.style in ("|", ">"):
                    start = text.find("\n", start) + 1 or len(text)
                taken.append((start, event.end_mark.index))
    except yaml.YAMLError:
        return
    position = 0
    starts = iter([*taken, (len(text), len(text))])
    begin, end = next(starts)
    while position < len(text):
        if position >= begin and end > position:
            position = end
        while end <= position and begin < len(text):
            begin, end = next(starts)
        hash_at = text.find("#", position, max(begin, position))
        if hash_at < 0:
            if begin >= len(text):
                return
            position = max(end, position + 1)
            continue
        line_end = text.find("\n", hash_at)
        line_end = len(text) if line_end < 0 else line_end
        if hash_at == 0 or text[hash_at - 1] in " \t\n":
            line, column = source.place(hash_at)
            yield line, column, text[hash_at:line_end].rstrip()
        position = line_end
