"""The support matrix: which definition holds for which stored release."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from wmap.check.ignores import apply_ignores
from wmap.check.judged import ALL, framework_of, judged
from wmap.check.registry import codes_of
from wmap.check.releases import at_release
from wmap.findings import Level, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wmap.contract import Store
    from wmap.definition.model import Definition


class Cell(StrEnum):
    """What a release is to a definition."""

    OK = "ok"
    BROKEN = "broken"
    NOT_SERVED = "not served"


@dataclass(frozen=True, slots=True)
class Support:
    """A definition at one release. ``reasons`` say what is broken; ``supported``: framework.yaml calls the release so."""

    definition: str
    framework: str
    release: str
    cell: Cell
    supported: bool
    reasons: tuple[str, ...] = ()


def matrix(definitions: Iterable[Definition], store: Store) -> Iterator[Support]:
    """Each definition at every stored release of its framework, oldest first.

    Raises:
        InputError: a ``framework.yaml`` is broken.
    """
    for definition in definitions:
        framework = framework_of(definition, store)
        if framework is None:
            continue
        for context in judged(definition, store, framework, ALL):
            supported = context.framework is not None and context.release in context.framework.supported
            name = definition.name.value
            if context.contract is None or not context.contract.served:
                yield Support(name, framework, context.release, Cell.NOT_SERVED, supported)
                continue
            found = [f for f in at_release(context) if f.severity is Severity.ERROR]
            # what the definition silences with a reason is no break
            known = codes_of(Level.LINT, Level.CONTRACT)
            kept = apply_ignores(found, definition.name.mark.source, name, known, ran=(), bad=False)
            wrong = [f.message for f in kept]
            cell = Cell.BROKEN if wrong else Cell.OK
            yield Support(name, framework, context.release, cell, supported, tuple(dict.fromkeys(wrong)))
