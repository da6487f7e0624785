"""What the rooms above know of an expression: parse, static facts, evaluate, paths, budgets.

Nothing here is made of the syntax of one language. ``expr/jq/`` is the one language today; a later version of the
definition format brings another (CEL), which is why rules and readings see only this protocol.
"""

from __future__ import annotations

from wmap.expr.document import get_at, set_at
from wmap.expr.languages import forget_parsed, parse
from wmap.expr.protocol import (
    MISSING,
    Budget,
    BudgetExceeded,
    EvaluationError,
    Expression,
    ExpressionError,
    Json,
    Mutant,
    NotPortable,
    Part,
    Path,
    PathStep,
    Pitfall,
    PitfallKind,
    Refusal,
    Step,
)

__all__ = [
    "MISSING",
    "Budget",
    "BudgetExceeded",
    "EvaluationError",
    "Expression",
    "ExpressionError",
    "Json",
    "Mutant",
    "NotPortable",
    "Part",
    "Path",
    "PathStep",
    "Pitfall",
    "PitfallKind",
    "Refusal",
    "Step",
    "forget_parsed",
    "get_at",
    "parse",
    "set_at",
]
