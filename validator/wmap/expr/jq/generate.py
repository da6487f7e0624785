"""Generate Python for expressions that are evaluated often: from the checked syntax tree alone, never from text.

What the generator does not know it leaves to the closures (``wmap.expr.jq.compiler``), so both mean the same. A node with
exactly one result becomes statements that end in a name; a stream becomes a loop around what comes after it. Names are
counted, and everything of the expression that is no plain word is a constant, passed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from wmap.expr.jq.builtins import SIMPLE
from wmap.expr.jq.code import Code, Env, compile_node, placed
from wmap.expr.jq.nodes import (
    Array,
    Binary,
    Bind,
    Call,
    Comma,
    Identity,
    If,
    Index,
    Iterate,
    Literal,
    Node,
    Object,
    Pipe,
    Try,
    Variable,
)
from wmap.expr.jq.operands import operands
from wmap.expr.jq.results import gives_boolean, gives_one, loops_once
from wmap.expr.jq.values import EXACT, Meter, arithmetic, compare, equal, index, number, shown
from wmap.expr.protocol import EvaluationError, Part

_WORD = re.compile(r"[A-Za-z0-9_./-]{0,80}", re.ASCII)
_MAX_LINES = 600
_MAX_DEPTH = 14
"""Python takes 20 loops in each other; deeper expressions stay closures."""

Then = Callable[[str], None]
Locals = Mapping[str, str]
"""The variables in sight and the names that hold them."""


class TooLarge(Exception):
    """The expression is left to the closures."""


class Generated(NamedTuple):
    """What was generated: ``one(value, env)`` of an expression with one result, else ``run(value, env, results)``."""

    one: Callable[[Any, Env], Any] | None
    run: Callable[[Any, Env, list[Any]], None] | None


def generate(node: Node) -> Generated:
    """Generate the functions of an expression.

    Raises:
        TooLarge: it is too large or too deep.
    """
    writer = _Writer()
    if gives_one(node):
        writer.line("def made(v, env):")
        writer.depth = 1
        writer.line("meter = env[0]")
        writer.line(f"return {writer.one(node, 'v', {})}")
        return Generated(writer.build(), None)
    writer.line("def made(v, env, results):")
    writer.depth = 1
    writer.line("meter = env[0]")
    writer.each(node, "v", {}, lambda name: writer.line(f"results.append({name})"))
    return Generated(None, writer.build())


class _Writer:
    """The text of one function, its constants, and the names it used."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0
        self.count = 0
        self.names: dict[str, Any] = {
            "step": _step, "items": _items, "maybe": _maybe, "calculate": _calculate, "compare": compare, "equal": equal,
            "number": number, "placed": placed, "EvaluationError": EvaluationError,
        }  # fmt: skip

    def build(self) -> Any:
        """The function."""
        code = compile("\n".join(self.lines), "<jq>", "exec")
        exec(code, self.names)  # noqa: S102  # made of the checked tree alone: see above
        return self.names["made"]

    def line(self, text: str) -> None:
        """Write a statement at the present depth."""
        if len(self.lines) > _MAX_LINES or self.depth > _MAX_DEPTH:
            raise TooLarge
        self.lines.append("    " * self.depth + text)

    def fresh(self) -> str:
        """A name that was not used."""
        self.count += 1
        return f"t{self.count}"

    def constant(self, value: Any) -> str:
        """A name or text for a value that is known now."""
        if value is None or value is True or value is False:
            return repr(value)
        if type(value) is str and _WORD.fullmatch(value):
            return repr(value)
        if type(value) is int and abs(value) < 1_000_000:
            return f"({value})"
        self.count += 1
        name = f"K{self.count}"
        self.names[name] = value
        return name

    def set(self, text: str) -> str:
        """Assign an expression to a fresh name."""
        name = self.fresh()
        self.line(f"{name} = {text}")
        return name

    # --- nodes with one result ----------------------------------------------------------------------------------------

    def one(self, node: Node, v: str, scope: Locals) -> str:
        """Write what computes the one result of a node; the name or constant that holds it."""
        match node:
            case Identity():
                return v
            case Literal(value=value):
                # by a name: Python warns of what is asked of a constant
                return self.set(self.constant(value))
            case Variable(name=name):
                return scope[name]
            case Index(target=target, key=Literal(value=key)) if type(key) is str:
                return self.field(self.one(target, v, scope), key, node.part)
            case Index(target=target, key=key):
                at = self.one(key, v, scope)
                return self.set(f"step({self.one(target, v, scope)}, {at}, meter, {self.constant(node.part)})")
            case Pipe(left=Array(body=Comma(left=left, right=right)), right=Call(name="min" | "max", arguments=())) if (
                gives_one(left) and gives_one(right)
            ):
                return self.extreme(node, left, right, v, scope)
            case Pipe(left=left, right=right):
                return self.one(right, self.one(left, v, scope), scope)
            case Binary():
                return self.binary(node, v, scope)
            case If(condition=condition, then=then, otherwise=otherwise):
                result = self.fresh()
                self.line(f"if {self.truth(condition, v, scope)}:")
                self.block(lambda: self.line(f"{result} = {self.one(then, v, scope)}"))
                self.line("else:")
                other = otherwise or Identity(node.end, node.end)
                self.block(lambda: self.line(f"{result} = {self.one(other, v, scope)}"))
                return result
            case Bind(source=source, pattern=Variable(name=name), body=body):
                bound = self.one(source, v, scope)
                return self.one(body, v, {**scope, name: bound})
            case Array(body=None):
                return self.set("[]")
            case Array(body=body) if body is not None:
                return self.array(body, v, scope)
            case Object(entries=entries) if all(isinstance(k, Literal) and type(k.value) is str for k, _ in entries):
                self.line(f"meter.spend({len(entries)})")
                pairs = [
                    f"{self.constant(k.value)}: {self.one(x, v, scope)}" for k, x in entries if isinstance(k, Literal)
                ]
                return self.set("{" + ", ".join(pairs) + "}")
            case Call():
                return self.call(node, v, scope)
            case _:
                return self.closure_one(node, v, scope)

    def field(self, target: str, key: str, part: Part) -> str:
        """``target.key``"""
        name, word = self.fresh(), self.constant(key)
        self.line(
            f"{name} = {target}.get({word}) if type({target}) is dict else None if {target} is None "
            f"else step({target}, {word}, meter, {self.constant(part)})"
        )
        return name

    def block(self, write: Callable[[], None]) -> None:
        """Write statements one level deeper."""
        self.depth += 1
        write()
        self.depth -= 1

    def truth(self, node: Node, v: str, scope: Locals) -> str:
        """Write what a node's one result is; a Python condition for its truth."""
        value = self.one(node, v, scope)
        if gives_boolean(node):
            return value
        return f"{value} is not None and {value} is not False"

    def binary(self, node: Binary, v: str, scope: Locals) -> str:
        """``left op right`` of single values; the right side is evaluated first, as jq does."""
        op = node.op
        if op == "//":
            result = self.set(self.one(node.left, v, scope))
            self.line(f"if {result} is None or {result} is False:")
            self.block(lambda: self.line(f"{result} = {self.one(node.right, v, scope)}"))
            return result
        if op in ("and", "or"):
            result = self.set(self.truth(node.left, v, scope))
            self.line(f"if {result}:" if op == "and" else f"if not {result}:")
            self.block(lambda: self.line(f"{result} = {self.truth(node.right, v, scope)}"))
            return result
        if op in ("==", "!=") and isinstance(node.right, Literal):
            found, value = self.one(node.left, v, scope), node.right.value
            if type(value) is str:
                return self.set(f"{found} {op} {self.constant(value)}")
            if value is None or type(value) is bool:
                return self.set(f"{found} {'is' if op == '==' else 'is not'} {value!r}")
        right = self.one(node.right, v, scope)
        left = self.one(node.left, v, scope)
        if op in ("==", "!="):
            return self.set(f"{'not ' if op == '!=' else ''}equal({left}, {right}, meter)")
        if op in ("<", "<=", ">", ">="):
            quick = f"type({left}) is int and type({right}) is int"
            return self.set(f"{left} {op} {right} if {quick} else compare({op!r}, {left}, {right}, meter)")
        slow = f"calculate({op!r}, {left}, {right}, meter, {self.constant(node.part)})"
        if op not in ("+", "-", "*"):
            return self.set(slow)
        result = self.fresh()
        self.line(f"if type({left}) is int and type({right}) is int:")
        self.block(lambda: self.line(f"{result} = {left} {op} {right}"))
        self.block(lambda: self.line(f"if not {-EXACT} <= {result} <= {EXACT}: {result} = number({result})"))
        self.line("else:")
        self.block(lambda: self.line(f"{result} = {slow}"))
        return result

    def extreme(self, node: Pipe, left: Node, right: Node, v: str, scope: Locals) -> str:
        """``[a, b] | min`` and ``max``"""
        assert isinstance(node.right, Call)  # noqa: S101  # asked for where it is
        self.line("meter.spend(5)")
        a, b = self.one(left, v, scope), self.one(right, v, scope)
        quick = f"type({a}) is int and type({b}) is int"
        best = "<" if node.right.name == "min" else ">"
        slow = f"{self.constant(SIMPLE[node.right.name])}([{a}, {b}], meter)"
        return self.set(f"({a} if {a} {best} {b} else {b}) if {quick} else {slow}")

    def array(self, body: Node, v: str, scope: Locals) -> str:
        """``[body]``"""
        if gives_one(body):
            return self.set(f"[{self.one(body, v, scope)}]")
        parts = operands(body)
        if len(parts) > 1 and all(gives_one(p) for p in parts):
            self.line(f"meter.spend({1 + len(parts)})")
            return self.set("[" + ", ".join([self.one(p, v, scope) for p in parts]) + "]")
        result = self.set("[]")
        self.each(body, v, scope, lambda x: self.line(f"{result}.append({x})"))
        self.line(f"meter.spend(1 + len({result}))")
        return result

    def call(self, node: Call, v: str, scope: Locals) -> str:
        """A builtin with one result."""
        name, arguments = node.name, node.arguments
        if not arguments:
            if name == "not":
                return self.set(f"{v} is None or {v} is False")
            result = self.fresh()
            self.line("try:")
            self.block(lambda: self.line(f"{result} = {self.constant(SIMPLE[name])}({v}, meter)"))
            self.line("except EvaluationError as error:")
            self.block(lambda: self.line(f"raise placed(error, {self.constant(node.part)}) from None"))
            return result
        if name == "map":
            return self.mapped(node, v, scope)
        if name in ("any", "all"):
            source: Node = Iterate(node.start, node.end, Identity(node.start, node.start))
            condition = arguments[-1]
            if len(arguments) == 2:
                source = arguments[0]
            if gives_one(condition) and loops_once(source):
                return self.quantified(source, condition, v, scope, wanted=name == "any")
        return self.closure_one(node, v, scope)

    def mapped(self, node: Call, v: str, scope: Locals) -> str:
        """``map(f)``"""
        body = node.arguments[0]
        result = self.set("[]")
        self.line(f"for {(x := self.fresh())} in {self.elements(v, node.part, quiet=False)}:")
        self.depth += 1
        if gives_one(body):
            self.line(f"{result}.append({self.one(body, x, scope)})")
            self.depth -= 1
        else:
            self.each(body, x, scope, lambda y: self.line(f"{result}.append({y})"))
            self.depth -= 1
            self.line(f"meter.spend(len({result}))")
        return result

    def quantified(self, source: Node, condition: Node, v: str, scope: Locals, *, wanted: bool) -> str:
        """``any(source; condition)`` and ``all``: they stop at the first condition that decides."""
        result = self.set(repr(not wanted))

        def decide(x: str) -> None:
            test = self.truth(condition, x, scope)
            self.line(f"if {test}:" if wanted else f"if not ({test}):")
            self.block(lambda: self.line(f"{result} = {wanted!r}"))
            self.block(lambda: self.line("break"))

        self.each(source, v, scope, decide)
        return result

    # --- streams --------------------------------------------------------------------------------------------------

    def each(self, node: Node, v: str, scope: Locals, then: Then) -> None:
        """Write what does ``then`` for each result of a node; ``then`` is written once."""
        if gives_one(node):
            then(self.one(node, v, scope))
            return
        depth = self.depth
        match node:
            case Iterate(target=target):
                self.each(target, v, scope, lambda t: self.loop(t, node.part, then, quiet=False))
            case Try(body=Iterate(target=target), whole=False, handler=None):
                self.each(target, v, scope, lambda t: self.loop(t, node.part, then, quiet=True))
            case Index(target=target, key=Literal(value=key)) if type(key) is str:
                self.each(target, v, scope, lambda t: then(self.field(t, key, node.part)))
            case Try(body=Index(target=target, key=Literal(value=key)), whole=False, handler=None) if type(key) is str:

                def quietly(t: str) -> None:
                    self.line(f"if {t} is None or type({t}) is dict:")
                    self.block(lambda: then(self.set(f"{t} if {t} is None else {t}.get({self.constant(key)})")))

                self.each(target, v, scope, quietly)
            case Pipe(left=left, right=right):
                self.each(left, v, scope, lambda x: self.each(right, x, scope, then))
            case Bind(source=source, pattern=Variable(name=name), body=body):
                self.each(source, v, scope, lambda x: self.each(body, v, {**scope, name: x}, then))
            case Call(name="select", arguments=(condition,)) if gives_one(condition):
                self.line(f"if {self.truth(condition, v, scope)}:")
                self.block(lambda: then(v))
            case _:
                source_name = self.closure(node, scope)
                self.line(f"for {(x := self.fresh())} in {source_name[0]}.many({v}, {source_name[1]}):")
                self.block(lambda: then(x))
        self.depth = depth

    def loop(self, target: str, part: Part, then: Then, *, quiet: bool) -> None:
        """``target[]`` and ``target[]?``"""
        self.line(f"for {(x := self.fresh())} in {self.elements(target, part, quiet=quiet)}:")
        self.block(lambda: then(x))

    def elements(self, target: str, part: Part, *, quiet: bool) -> str:
        """The elements of an array, or the values of a map in key order, with the steps that they take."""
        other = f"maybe({target})" if quiet else f"items({target}, {self.constant(part)})"
        found = self.set(f"{target} if type({target}) is list else {other}")
        self.line(f"meter.spend(len({found}))")
        return found

    # --- what is left to the closures -----------------------------------------------------------------------------

    def closure(self, node: Node, scope: Locals) -> tuple[str, str]:
        """The name of a compiled node, and the text of the environment that it is to see."""
        code: Code = compile_node(node, {name: i for i, name in enumerate(scope, 1)})
        return self.constant(code), f"(meter, {', '.join(scope.values())})" if scope else "env"

    def closure_one(self, node: Node, v: str, scope: Locals) -> str:
        """The one result of a node that the generator does not know."""
        code, env = self.closure(node, scope)
        return self.set(f"{code}.one({v}, {env})")


def _step(value: Any, key: Any, meter: Meter, part: Part) -> Any:
    try:
        return index(value, key, meter)
    except EvaluationError as error:
        raise placed(error, part) from None


def _items(value: Any, part: Part) -> list[Any]:
    if type(value) is dict:
        return [value[k] for k in sorted(value)]
    text = "Cannot iterate over null" if value is None else f"Cannot iterate over {shown(value)}"
    raise EvaluationError(text, part=part)


def _maybe(value: Any) -> list[Any]:
    return [value[k] for k in sorted(value)] if type(value) is dict else []


def _calculate(op: str, left: Any, right: Any, meter: Meter, part: Part) -> Any:
    try:
        return arithmetic(op, left, right, meter)
    except EvaluationError as error:
        raise placed(error, part) from None
