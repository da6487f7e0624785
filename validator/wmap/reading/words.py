"""Words of a status that no mapping knows: a warning where no stored release of the framework has them either."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from wmap.expr import MISSING, get_at
from wmap.reading.admitted import stored
from wmap.reading.model import Warned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Definition
    from wmap.expr import Expression
    from wmap.reading.plan import StatusPlan

CODE = "unknown-status"
_SHOWN = 3
_LONGEST = 60


def warn_of_words(
    definition: Definition, plan: StatusPlan, obj: Any, phase: str | None, *, undefined: bool, warnings: list[Warned]
) -> None:
    """Warn of a phase that no mapping has, and, where the status is Undefined, of the words that its expressions read and do not name.

    A word that some stored release declares is no surprise, and left out: that no mapping looks at it is told of the definition (C203).
    """
    found: dict[str, str] = {}
    if phase and plan.phase is not None:
        found[phase] = plan.phase.text
    if undefined:
        for word, place in _read(plan, obj):
            found.setdefault(word, place)
    if not found:
        return
    known = _vocabulary(definition.kind.group, definition.kind.kind, definition.file)
    unknown = [(word, place) for word, place in found.items() if word not in known]
    if unknown:
        told = ", ".join(f"{place} is {word[:_LONGEST]!r}" for word, place in unknown[:_SHOWN])
        warnings.append(Warned(CODE, f"no mapping knows what the status says: {told}"))


def _read(plan: StatusPlan, obj: Any) -> Iterator[tuple[str, str]]:
    """The words of the status that the expressions of the mappings read, where none of them names them; and the place of each."""
    expressions: dict[str, Expression] = {}
    for _, matchers in plan.mappings:
        for matcher in matchers:
            if matcher.expression is not None:
                expressions.setdefault(matcher.expression.text, matcher.expression)
    for path in dict.fromkeys(path for e in expressions.values() for path in e.reads):
        if path[:1] != ("status",) or not all(isinstance(step, str) for step in path):
            continue
        word = get_at(obj, path)  # type: ignore[arg-type]  # fixed keys, as was just looked at
        if word is MISSING or not isinstance(word, str) or not word or " " in word:
            continue  # a sentence is no word
        if not any(f'"{word}"' in text for text in expressions):
            yield word, "." + ".".join(map(str, path))


@cache
def _vocabulary(group: str, kind: str, file: str | None) -> frozenset[str]:
    """The words that any stored release of the framework declares."""
    store = stored()
    framework = store.framework_of(group, kind, file)
    if framework is None:
        return frozenset()
    return frozenset(word for r in store.releases(framework) for word in store.vocabulary(framework, r).by_value)
