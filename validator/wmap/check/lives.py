"""What framework.yaml says of the life of definitions is about definitions that there are. L804."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

from wmap.catalog import FRAMEWORK
from wmap.check.rule import Rule
from wmap.check.shapes import RIGHT
from wmap.contract.framework import check_framework
from wmap.definition.yamlio import Marked, read_marked
from wmap.errors import EnvironmentFailure
from wmap.findings import Finding, Level, Severity, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_FILE = "# file: example-com-job-v1.yaml\n"
_EXAMPLE = (
    RIGHT.replace(_FILE, "# file: one/example-com-job-v1.yaml\n")
    + RIGHT.replace(_FILE, "# file: one/example-com-job-v2.yaml\n")
    .replace("job-v1", "job-v2")
    .replace("version: v1", "version: v2")
    + """\
# file: one/framework.yaml
apiVersion: wmap/v1
kind: Framework
name: one
displayName: One
repository: https://example.com/one
licence: Apache-2.0
tagPattern: "v*"
definitions:
  example-com-job-v1: {replacedBy: example-com-job-v2}
"""
)
UNKNOWN_LIFE = Rule(
    "L804",
    "unknown-life",
    Level.LINT,
    Severity.ERROR,
    "framework.yaml deprecates, replaces and yanks definitions that there are, by definitions that there are.",
    "Whoever follows replacedBy finds nothing where it names no entry of the catalog, and a misspelt name yanks nothing.",
    "this catalog: an entry has a life, which list, describe and the index of a bundle tell",
    _EXAMPLE.replace("replacedBy: example-com-job-v2", "replacedBy: example-com-job-v3"),
    _EXAMPLE,
)


def check_lives(files: Iterable[Path], names: Collection[str]) -> Iterator[Finding]:
    """What is wrong with the lives in each ``framework.yaml``; ``names`` are those of all definitions of the catalog.

    Raises:
        EnvironmentFailure: a file cannot be read.
    """
    for file in files:
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error
        framework = check_framework(data, file=str(file)).framework
        if framework is None or not framework.lives:
            continue
        document = read_marked(data.decode("utf-8-sig"), file=str(file))
        yield from _wrong(document, names, str(file))


def frameworks_beside(files: Iterable[str]) -> list[Path]:
    """The ``framework.yaml`` beside each of some definitions, each once, by the names of the definitions' files."""
    return sorted({Path(file).parent / FRAMEWORK for file in files})


def _wrong(document: Marked | None, names: Collection[str], file: str) -> Iterator[Finding]:
    lives = (document.entries or {}).get("definitions") if document is not None else None
    for name, (mark, entry) in ((lives[1].entries or {}) if lives is not None else {}).items():
        if name not in names:
            yield _found(
                name, f"{name} is no definition of the catalog", name, names, file, mark.whole, f"definitions.{name}"
            )
        by = (entry.entries or {}).get("replacedBy")
        if by is not None and by[1].value not in names:
            message = f"{name} is replaced by {by[1].value}, which is no definition of the catalog"
            field = f"definitions.{name}.replacedBy"
            yield _found(name, message, by[1].value, names, file, by[1].mark.whole, field)


def _found(
    definition: str, message: str, wrong: str, names: Collection[str], file: str, span: Span, field: str
) -> Finding:
    near = difflib.get_close_matches(wrong, sorted(names), 1, 0.6)
    hint = f"did you mean {near[0]}?" if near else "name a definition by its metadata.name"
    rule = UNKNOWN_LIFE
    return Finding(rule.code, rule.name, rule.level, rule.severity, message, hint, definition, file, span, field)
