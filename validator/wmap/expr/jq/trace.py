"""Where each result of an expression was read from, for explaining: places follow the values through computations.

A walk over the tree beside the compiled code: the code computes, the walk remembers. It runs on ``--explain`` alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wmap.expr.jq.builtins import FILTERS
from wmap.expr.jq.compiler import compile_node, compile_pattern
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
    Node,
    Object,
    Pipe,
    Try,
    Variable,
    children,
)
from wmap.expr.jq.policy import bound_names
from wmap.expr.jq.values import Meter, elements, index, truthy
from wmap.expr.protocol import BudgetExceeded, EvaluationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wmap.expr.jq.code import Code
    from wmap.expr.protocol import Path

ELEMENTWISE = frozenset({"any", "all", "map_values", "sort_by", "group_by", "unique_by", "min_by", "max_by"})
"""Their only argument is evaluated on each element of the input."""


class Traced(NamedTuple):
    """A value, its place where it is one of the document's, else the places that it was computed from.

    ``parts`` holds the elements of a computed array (by index) or object (by key) where they are known, ``given`` says
    that the value stands in the expression itself: what it was read from is what was looked at before it was taken.
    """

    value: Any
    path: Path | None
    read: tuple[Path, ...] = ()
    parts: Mapping[Any, Traced] | None = None
    given: bool = False

    @property
    def places(self) -> tuple[Path, ...]:
        """The places that this value stands for."""
        return self.read if self.path is None else (self.path,)


Scope = dict[str, Traced]


class Trace:
    """One walk of a document. ``meter`` is the budget of the walk and of the code that it runs."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self._codes: dict[tuple[int, tuple[str, ...]], Code] = {}

    def walk(self, node: Node, at: Traced, scope: Scope) -> Iterator[Traced]:
        """Yield each result of the node on a value, with what it was read from.

        Raises:
            EvaluationError: as evaluating the node does.
        """
        self.meter.spend(1)
        match node:
            case Identity():
                yield at
            case Variable(name=name):
                yield scope[name]
            case Index(target=target, key=key):
                for k in list(self.walk(key, at, scope)):
                    for t in self.walk(target, at, scope):
                        yield self._step(t, k.value)
            case Iterate(target=target):
                for t in self.walk(target, at, scope):
                    yield from self._each(t)
            case Try(body=Index() | Iterate() as body, handler=None, whole=False):
                yield from self._last_step(body, at, scope)
            case Try(body=body, handler=None):
                yield from _caught(self.walk(body, at, scope))
            case Pipe(left=left, right=right):
                for t in self.walk(left, at, scope):
                    yield from self.walk(right, t, scope)
            case Comma(left=left, right=right):
                yield from self.walk(left, at, scope)
                yield from self.walk(right, at, scope)
            case Binary(op="//", left=left, right=right):
                yield from self._alternative(left, right, at, scope)
            case If(condition=condition, then=then, otherwise=otherwise):
                for c in self.walk(condition, at, scope):
                    branch = then if truthy(c.value) else otherwise
                    for t in (at,) if branch is None else self.walk(branch, at, scope):
                        yield _because(t, c.places)
            case Bind():
                yield from self._bind(node, at, scope)
            case Call(name="select", arguments=(condition,)):
                for value in self._values(condition, at, scope):
                    if truthy(value):
                        yield at
            case Call(name="first", arguments=(body,)):
                for t in self.walk(body, at, scope):
                    yield t
                    return
            case Call(name="first" | "last" as name, arguments=()):
                yield self._step(at, 0 if name == "first" else -1)
            case Call(name=name, arguments=()) if name in FILTERS:
                if FILTERS[name](at.value):
                    yield at
            case Array(body=Node() as body):
                yield self._array(list(self.walk(body, at, scope)))
            case Call(name="map", arguments=(body,)):
                yield self._array([t for each in self._each(at) for t in self.walk(body, each, scope)])
            case Call(name="to_entries" | "keys" as name, arguments=()) if isinstance(at.value, dict):
                entries = self._entries(at)
                yield (
                    entries
                    if name == "to_entries"
                    else self._array([self._step(e, "key") for e in self._each(entries)])
                )
            case Object(entries=pairs):
                yield from self._object(node, pairs, at, scope)
            case _:
                yield from self._computed(node, at, scope)

    def _values(self, node: Node, at: Traced, scope: Scope) -> Iterator[Any]:
        key = (id(node), tuple(scope))
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = compile_node(node, {name: i for i, name in enumerate(scope, 1)})
        return code.many(at.value, (self.meter, *(t.value for t in scope.values())))

    def _step(self, t: Traced, key: Any) -> Traced:
        value = index(t.value, key, self.meter)
        if type(key) is int and key < 0 and isinstance(t.value, list):
            key += len(t.value)
        if t.path is not None and (type(key) is str or (type(key) is int and key >= 0)):
            return Traced(value, (*t.path, key))
        if t.parts is not None and type(key) in (str, int) and key in t.parts:
            return t.parts[key]
        return Traced(value, None, t.places)

    def _each(self, t: Traced) -> Iterator[Traced]:
        elements(t.value, self.meter)
        for key in sorted(t.value) if isinstance(t.value, dict) else range(len(t.value)):
            yield self._step(t, key)

    def _last_step(self, body: Index | Iterate, at: Traced, scope: Scope) -> Iterator[Traced]:
        """``.a[]?``: the error of the last step is suppressed, that of the target is not."""
        if isinstance(body, Iterate):
            for t in self.walk(body.target, at, scope):
                yield from _caught(self._each(t))
            return
        for k in list(self.walk(body.key, at, scope)):
            for t in self.walk(body.target, at, scope):
                yield from _caught(self._step(each, k.value) for each in (t,))

    def _alternative(self, left: Node, right: Node, at: Traced, scope: Scope) -> Iterator[Traced]:
        looked: dict[Path, None] = {}
        found = False
        for t in self.walk(left, at, scope):
            if truthy(t.value):
                found = True
                yield t
            looked.update(dict.fromkeys(t.places))
        if not found:
            for t in self.walk(right, at, scope):
                yield _because(t, tuple(looked))

    def _bind(self, node: Bind, at: Traced, scope: Scope) -> Iterator[Traced]:
        for source in self.walk(node.source, at, scope):
            if isinstance(node.pattern, Variable):
                yield from self.walk(node.body, at, {**scope, node.pattern.name: source})
                continue
            outer = {**scope, **{name: Traced(None, None) for name in bound_names(node.pattern)}}
            slots = {name: i for i, name in enumerate(outer, 1)}
            env = (self.meter, *(t.value for t in outer.values()))
            for bound in compile_pattern(node.pattern, slots)(source.value, env, at.value):
                names = {n: Traced(bound[slots[n]], None, source.places) for n in bound_names(node.pattern)}
                yield from self.walk(node.body, at, {**outer, **names})

    def _array(self, items: list[Traced]) -> Traced:
        return Traced([t.value for t in items], None, self._union(items), dict(enumerate(items)))

    def _object(self, node: Node, pairs: tuple[tuple[Node, Node], ...], at: Traced, scope: Scope) -> Iterator[Traced]:
        """An object: its fields are known where each key and each value has one result, and there is one object."""
        fields = [(list(self._values(key, at, scope)), list(self.walk(value, at, scope))) for key, value in pairs]
        if not all(len(keys) == len(values) == 1 and type(keys[0]) is str for keys, values in fields):
            yield from self._computed(node, at, scope)
            return
        parts = {keys[0]: values[0] for keys, values in fields}
        for value in self._values(node, at, scope):
            yield Traced(value, None, self._union(parts.values()), parts)

    def _union(self, items: Iterable[Traced]) -> tuple[Path, ...]:
        read: dict[Path, None] = {}
        for t in items:
            self.meter.spend(len(t.places))
            read.update(dict.fromkeys(t.places))
        return tuple(read)

    def _entries(self, at: Traced) -> Traced:
        """The entries of an object: key and value of each have the place of the value."""
        entries = []
        for key in sorted(at.value):
            value = self._step(at, key)
            parts = {"key": Traced(key, None, value.places), "value": value}
            entries.append(Traced({"key": key, "value": value.value}, None, value.places, parts))
        return self._array(entries)

    def _computed(self, node: Node, at: Traced, scope: Scope) -> Iterator[Traced]:
        """What is computed: the values of the code, each with all that the pieces of the node read."""
        read = self._pieces(node, at, scope)
        for value in self._values(node, at, scope):
            yield Traced(value, None, read, None, not read)

    def _pieces(self, node: Node, at: Traced, scope: Scope) -> tuple[Path, ...]:
        inner: list[tuple[Node, Traced]] = [(piece, at) for piece in children(node)]
        found: list[Traced] = []
        match node:
            case Call(name=name, arguments=(body,)) if name in ELEMENTWISE:
                inner = [(body, each) for each in _caught(self._each(at))]
            case Call(name="with_entries", arguments=(body,)) if isinstance(at.value, dict):
                inner = [(body, each) for each in self._each(self._entries(at))]
            case Call(name="any" | "all", arguments=(source, condition)):
                inner = [(condition, each) for each in _caught(self.walk(source, at, scope))]
            case Call():
                found.append(at)
            case _:
                pass
        for piece, value in inner:
            # a piece that raises has read nothing: its error is that of the whole, or the code never asked for it
            found.extend(_caught(self.walk(piece, value, scope)))
        return self._union(found) or (at.places if isinstance(node, Call) else ())


def _caught(found: Iterator[Traced]) -> Iterator[Traced]:
    try:
        yield from found
    except BudgetExceeded:
        raise
    except EvaluationError:
        return


def _because(t: Traced, looked: tuple[Path, ...]) -> Traced:
    """A value that stands in the expression comes from what was looked at before it was taken."""
    if not t.given and (t.path is not None or t.read):
        return t
    return t._replace(read=tuple(dict.fromkeys((*looked, *t.read))), given=True)


def deepest(places: tuple[Path, ...]) -> tuple[Path, ...]:
    """The places without those that hold another of them."""
    holders = {p[:i] for p in places for i in range(len(p))}
    return tuple(p for p in places if p not in holders)
