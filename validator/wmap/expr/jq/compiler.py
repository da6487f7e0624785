"""Compile the checked syntax tree to Python closures: which module compiles which node, and the builtins.

Generated from the tree alone, never from text. ``env`` is a tuple: the meter of the budget, then the bound variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wmap.expr.jq.builtins import BY_VALUE, FILTERS, SIMPLE
from wmap.expr.jq.code import COMPILERS, Code, Env, Scope, compile_node, placed, single
from wmap.expr.jq.construction import (
    compile_array,
    compile_bind,
    compile_interpolation,
    compile_object,
    compile_pattern,
)
from wmap.expr.jq.filters import FILTERED
from wmap.expr.jq.nodes import (
    Array,
    Binary,
    Bind,
    Call,
    Comma,
    Identity,
    If,
    Index,
    Interpolation,
    Iterate,
    Literal,
    Negate,
    Object,
    Pipe,
    Slice,
    Try,
    Variable,
)
from wmap.expr.jq.operators import compile_binary, compile_comma, compile_if, compile_negate, compile_pipe
from wmap.expr.jq.steps import (
    compile_identity,
    compile_index,
    compile_iterate,
    compile_literal,
    compile_slice,
    compile_try,
    compile_variable,
)
from wmap.expr.protocol import EvaluationError


def compile_call(node: Call, scope: Scope) -> Code:
    """Compile a builtin."""
    name, part = node.name, node.part
    arguments = [compile_node(a, scope) for a in node.arguments]
    if not arguments:
        if name in FILTERS:
            keep = FILTERS[name]
            return Code(None, lambda v, _env: iter((v,)) if keep(v) else iter(()))
        simple = SIMPLE[name]

        def one(v: Any, env: Env) -> Any:
            try:
                return simple(v, env[0])
            except EvaluationError as error:
                raise placed(error, part) from None

        return single(one)
    if name in FILTERED:
        special: Code = FILTERED[name](arguments, part)
        return special
    function, argument = BY_VALUE[name], arguments[0]

    def apply(v: Any, a: Any, env: Env) -> Any:
        try:
            return function(v, a, env[0])
        except EvaluationError as error:
            raise placed(error, part) from None

    if argument.one is not None:
        inner = argument.one
        return single(lambda v, env: apply(v, inner(v, env), env))

    def many(v: Any, env: Env) -> Iterator[Any]:
        for a in argument.many(v, env):
            yield apply(v, a, env)

    return Code(None, many)


COMPILERS.update(
    {
        Identity: compile_identity,
        Literal: compile_literal,
        Variable: compile_variable,
        Index: compile_index,
        Slice: compile_slice,
        Iterate: compile_iterate,
        Try: compile_try,
        Negate: compile_negate,
        Pipe: compile_pipe,
        Comma: compile_comma,
        Binary: compile_binary,
        If: compile_if,
        Bind: compile_bind,
        Array: compile_array,
        Object: compile_object,
        Interpolation: compile_interpolation,
        Call: compile_call,
    }
)

__all__ = ["COMPILERS", "compile_node", "compile_pattern"]
