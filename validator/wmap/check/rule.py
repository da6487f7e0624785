"""A rule: what it holds, why, an example on each side, and the function that looks for what breaks it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from wmap.definition.model import Text
from wmap.definition.validate import at
from wmap.definition.yamlio import read_marked
from wmap.expr import Expression, ExpressionError
from wmap.findings import Finding, Level, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wmap.definition.model import Component, Definition
    from wmap.expr import Part

Found = tuple[Text, str, str | None, "Part | None"]
"""What a rule yields: the text of the definition it is about, a message, a hint, and the piece that is wrong."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    ``bad`` and ``good`` are YAML: what is laid over a right definition (a merge patch), or whole files, each below a line
    ``# file: NAME``. ``source`` says in words where the rule comes from. A rule without ``look`` is looked for elsewhere: by
    the schema, across files, in comments, or by running fixtures. A rule of level contract looks at one release at a time;
    with ``everywhere`` it is broken only where it is in each release that is judged.
    """

    code: str
    name: str
    level: Level
    severity: Severity
    summary: str
    rationale: str
    source: str
    bad: str
    good: str
    look: Callable[[Any], Iterator[Found]] | None = field(default=None, repr=False, compare=False)
    everywhere: bool = False

    def check(self, context: Context) -> Iterator[Finding]:
        """The findings of this rule about one definition."""
        if self.look is None:
            return
        for text, message, hint, part in self.look(context):
            span = text.span(part.start, part.end) if part is not None else text.span()
            yield Finding(
                self.code,
                self.name,
                self.level,
                self.severity,
                message,
                hint,
                context.definition.name.value,
                context.definition.file,
                span,
                text.field,
                text.value if text.field in context.fields else None,
            )


@dataclass(frozen=True)
class Context:
    """What a rule sees: one definition, the expressions in it that parse (by text), and the fields that hold expressions."""

    definition: Definition
    expressions: dict[str, Expression] = field(default_factory=dict)
    fields: frozenset[str] = frozenset()

    @classmethod
    def of(cls, definition: Definition) -> Context:
        """Parse all expressions of a definition; those that do not parse are left to their own rules."""
        parsed: dict[str, Expression] = {}
        fields: set[str] = set()
        for text, _ in expressions(definition):
            fields.add(text.field)
            try:
                parsed[text.value] = text.expression
            except ExpressionError:
                continue
        return cls(definition, parsed, frozenset(fields))

    def parsed(self, text: Text | None) -> Expression | None:
        """The expression of a text, None where there is none or it does not parse."""
        return None if text is None else self.expressions.get(text.value)

    @property
    def leaves(self) -> list[Component]:
        """The components that own pods, in document order."""
        return [c for c in self.definition.components if c.is_leaf]

    def at(self, path: str) -> Text:
        """The place of a field that the model keeps no text of. The file is read again: findings are few."""
        source = self.definition.name.mark.source
        document = read_marked(source.text, file=source.file)
        assert document is not None  # noqa: S101  # a definition was made of it
        steps: list[str | int] = [int(i) if i else key for key, i in _STEP.findall(path)]
        found, _ = at(document, steps)
        return Text(found.value if isinstance(found.value, str) else "", path, found.mark)


_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def expressions(definition: Definition) -> Iterator[tuple[Text, bool]]:
    """Every expression of a definition, and whether consumers assign to it, in document order."""
    for c in definition.components:
        if c.spec is not None:
            for text in (c.spec.pod_template, c.spec.pod_spec, c.spec.metadata, *(c.spec.fragments or {}).values()):
                if text is not None:
                    yield text, True
        if c.scale is not None:
            yield from (
                (t, False) for t in (c.scale.replicas, c.scale.min_replicas, c.scale.max_replicas) if t is not None
            )
        if c.instance_id is not None:
            yield c.instance_id, False
        if c.selector is not None:
            key = c.selector.component_type.key if c.selector.component_type else None
            yield from ((t, False) for t in (key, c.selector.instance_id, c.selector.replica_key) if t is not None)
        if c.status is not None:
            if c.status.phase is not None:
                yield c.status.phase, False
            if c.status.conditions is not None:
                yield c.status.conditions.path, False
            for matchers in c.status.mappings.values():
                yield from ((m.expression.expression, False) for m in matchers if m.expression is not None)
        if c.suspend is not None:
            yield from ((a.path, True) for a in (*c.suspend.suspend, *c.suspend.resume))
    for group in definition.pod_groups:
        for member in group.members:
            yield from ((t, False) for t in (*member.group_by, *member.filters))


RULES: list[Rule] = []
_Seen = TypeVar("_Seen", bound=Context)


def rule(
    code: str,
    name: str,
    severity: Severity,
    summary: str,
    rationale: str,
    *,
    source: str,
    bad: str,
    good: str,
    level: Level = Level.LINT,
    everywhere: bool = False,
) -> Callable[[Callable[[_Seen], Iterator[Found]]], Callable[[_Seen], Iterator[Found]]]:
    """Register a function as a rule, by default of level ``lint``."""

    def register(look: Callable[[_Seen], Iterator[Found]]) -> Callable[[_Seen], Iterator[Found]]:
        RULES.append(Rule(code, name, level, severity, summary, rationale, source, bad, good, look, everywhere))
        return look

    return register
