"""The vocabulary of a release from the folder of reference material, as ``sync`` would make it from the source.

A table lists the constants of the whole repository; those outside the source that ``framework.yaml`` names (tests, other
products in the same repository) are no words of the framework.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.contract.globs import matching
from wmap.contract.modules import module_terms
from wmap.contract.vocabulary import apply_rules, read_constants
from wmap.errors import EnvironmentFailure

if TYPE_CHECKING:
    from pathlib import Path

    from wmap.contract.framework import Framework
    from wmap.contract.model import Term


def reference_terms(upstream: Path, name: str, release: str, framework: Framework | None = None) -> tuple[Term, ...]:
    """The terms of a release from ``upstream/<name>/<release>/constants.tsv``, with those of the modules that it imports.

    ``framework`` gives the rules, and which files count; without it all do.

    Raises:
        EnvironmentFailure: a table cannot be read.
        InputError: a table is none.
    """
    file = upstream / name / release / "constants.tsv"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error
    terms = read_constants(text, file=str(file))
    layout = framework.layout_at(release) if framework is not None else None
    if layout is not None:
        files = set(matching({t.file for t in terms}, layout.source))
        terms = tuple(t for t in terms if t.file in files)
    terms += module_terms(upstream, name, release)
    return terms if framework is None else (*apply_rules(terms, framework.vocabulary), *framework.words_at(release))
