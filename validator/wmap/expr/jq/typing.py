"""Static typing of a jq expression over a tree of declared fields: the operators of the language."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wmap.expr import static
from wmap.expr.jq import facts, typing_calls, typing_construction
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
    Node,
    Object,
    Pipe,
    Slice,
    Try,
    Variable,
)
from wmap.expr.jq.printer import print_tree
from wmap.expr.jq.typing_construction import pattern_of
from wmap.expr.jq.typing_narrow import conditions
from wmap.expr.jq.typing_operators import compare, operate
from wmap.expr.jq.typing_state import MOST, STEPS, Narrow, Segment, State, Stream, Val, counted, joined, merged, spelled
from wmap.expr.static import (
    ANY,
    ARRAY,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
    Place,
    join,
)
from wmap.expr.typing import (
    Defaulted,
    Link,
    Position,
    Typing,
)

if TYPE_CHECKING:
    from wmap.expr.protocol import Part

Env = dict[str, Val]


def infer(tree: Node, root: Place, *, defaulted: bool = False) -> Typing:
    """Type an expression over a tree. ``defaulted``: as objects are once the API server has given its defaults."""
    state = State(defaulted)
    root = root if isinstance(root, static.Remembered) else static.Remembered(root)
    whole = state.refined(Val(static.shape_of(root), ()))
    state.reads[root.path] = None
    stream = Typer(state).run(tree, whole, {})
    for segment in stream:
        state.use(segment.val.shape)
    return Typing(
        tuple(Position(s.val.shape, s.links) for s in stream),
        tuple(state.raises.values()),
        tuple(state.unknown_fields),
        tuple(state.unknown_places),
        tuple(state.compared.values()),
        tuple(state.unordered.values()),
        tuple(state.defaults.values()),
        tuple(state.reads),
        tuple(state.whole),
        tuple(state.absence),
        facts.not_assignable(tree),
    )


class Typer:
    """Walks a tree with abstract values."""

    def __init__(self, state: State) -> None:
        self.state = state

    def run(self, node: Node, val: Val, env: Env) -> Stream:
        """The stream of a node on a value."""
        self.state.steps += 1
        stream = _WALK[type(node)](self, node, val, env)
        return stream if len(stream) <= MOST else self.squeezed(stream, node.part)

    def value(self, node: Node, val: Val, env: Env) -> Val:
        """All results of a node as one value (its count is not looked at)."""
        stream = self.run(node, val, env)
        return joined(s.val for s in stream) if stream else Val(static.NOTHING)

    def squeezed(self, stream: Stream, part: Part) -> Stream:
        """Many positions as one of an unknown count."""
        if not stream:
            return ()
        return (Segment(Val(join(s.val.shape for s in stream)), (Link(True, None, part, "many results"),)),)

    def each(self, stream: Stream, node: Node, env: Env) -> Stream:
        """A node on each result of a stream."""
        if len(stream) > 1 and self.state.steps > STEPS:
            stream = self.squeezed(stream, node.part)
        out: list[Segment] = []
        for s in stream:
            with self.state.knowing(s.narrow):
                results = self.run(node, s.val, env)
            out += [Segment(r.val, s.links + r.links, _both(s, r)) for r in results]
        return tuple(out)

    # --- paths --------------------------------------------------------------------------------------------------------

    def index(self, node: Index, val: Val, env: Env) -> Stream:
        targets = self.run(node.target, val, env)
        key = node.key
        out: list[Segment] = []
        if isinstance(key, Literal):
            constant = Val(static.constant(key.value))
            for t in targets:
                with self.state.knowing(t.narrow):
                    out.append(Segment(self.at(t.val, constant, node), t.links, t.narrow))
            return tuple(out)
        for k in self.run(key, val, env):
            out += [Segment(self.at(t.val, k.val, node), k.links + t.links) for t in targets]
        return tuple(out)

    def at(self, target: Val, key: Val, node: Node) -> Val:
        """``target[key]``."""
        state, shape, part = self.state, target.shape, node.part
        found: list[static.Shape] = []
        kinds, literals = key.shape.kinds, key.shape.literals
        if not kinds or not shape.kinds:
            return Val(static.NOTHING)
        exact = literals[0] if literals is not None and len(literals) == 1 and not kinds & NULL else None
        if kinds & STRING:
            what = f' with "{exact}"' if isinstance(exact, str) else " with string"
            left = state.bad(part, shape, OBJECT | NULL, f"Cannot index {{}}{_braced(what)}")
            texts = None if literals is None else [v for v in literals if isinstance(v, str)]
            if texts is not None:
                found += [state.field(left, text, part) for text in texts]
            elif left.kinds:
                if left.kinds & OBJECT:
                    found.append(state.elements(left.only(OBJECT), part))
                found.append(static.ONLY_NULL)
        if kinds & NUMBER:
            left = state.bad(part, shape, ARRAY | NULL, "Cannot index {} with number")
            if left.kinds & ARRAY:
                found.append(state.elements(left.only(ARRAY), part))
            if left.kinds:
                found.append(static.ONLY_NULL)
        if kinds & ~(STRING | NUMBER):
            state.raise_(part, "the key may be neither text nor number", key.shape)
            found.append(ANY)
        origin = None
        if target.origin is not None and exact is not None:
            origin = (*target.origin, exact if isinstance(exact, str) else ("#", exact))
        elif exact is None:
            state.use(key.shape)
        return state.refined(Val(join(found), origin))

    def slice(self, node: Slice, val: Val, env: Env) -> Stream:
        out: list[Segment] = []
        bounds = [self.run(b, val, env) for b in (node.low, node.high) if b is not None]
        links: tuple[Link, ...] = ()
        for bound in bounds:
            for b in bound:
                self.state.bad(node.part, b.val.shape, NULL | NUMBER, "a bound of a slice is {}")
                self.state.use(b.val.shape)
            links += counted(bound, node.part)
        for t in self.run(node.target, val, env):
            shape = self.state.bad(node.part, t.val.shape, ARRAY | STRING | NULL, "Cannot index {} with object")
            self.state.use(shape)
            if shape.kinds & STRING and shape.literals is not None:
                shape = replace(shape, literals=None)
            out.append(Segment(Val(shape), links + t.links))
        return tuple(out)

    def iterate(self, node: Iterate, val: Val, env: Env) -> Stream:
        return self.spread(self.run(node.target, val, env), node.part)

    def spread(self, targets: Stream, part: Part) -> Stream:
        """``[]`` of each target."""
        state = self.state
        out: list[Segment] = []
        for t in targets:
            shape = state.bad(part, t.val.shape, ARRAY | OBJECT, "Cannot iterate over {}")
            if t.val.inner is not None:
                # no origin: a second iteration would take its elements for those of the first
                out += [Segment(replace(s.val, origin=None), t.links + s.links, t.narrow) for s in t.val.inner]
                continue
            if not shape.kinds:
                continue
            element = state.elements(shape, part)
            if not element.kinds:
                continue
            name = spelled(t.val.origin)
            origin = None if t.val.origin is None else (*t.val.origin, ("[]", state.loop()))
            link = Link(True, name, part, name or "", _varies(shape))
            out.append(Segment(state.refined(Val(element, origin)), (*t.links, link), t.narrow))
        return tuple(out)

    def attempt(self, node: Try, val: Val, env: Env) -> Stream:
        body = node.body
        if not node.whole and isinstance(body, Iterate):
            targets = self.run(body.target, val, env)
            with self.state.caught():
                return self.spread(targets, body.part)
        if not node.whole and isinstance(body, Index):
            targets = self.run(body.target, val, env)
            keys = self.run(body.key, val, env)
            out: list[Segment] = []
            for k in keys:
                for t in targets:
                    with self.state.knowing(t.narrow), self.state.caught() as raised:
                        found = self.at(t.val, k.val, body)
                    if found.shape.kinds:
                        out.append(Segment(found, k.links + t.links + _dropped(bool(raised), node.part), t.narrow))
            return tuple(out)
        with self.state.caught() as raised:
            stream = self.run(body, val, env)
        if not raised:
            return stream
        drop = _dropped(True, node.part)
        out = [Segment(s.val, s.links + drop, s.narrow) for s in stream if s.val.shape.kinds]
        if node.handler is not None:
            out += [Segment(s.val, s.links + drop) for s in self.run(node.handler, Val(ANY), env)]
        return tuple(out)

    # --- combination --------------------------------------------------------------------------------------------------

    def condition(self, node: If, val: Val, env: Env) -> Stream:
        tests = self.run(node.condition, val, env)
        shape = join(t.val.shape for t in tests)
        if not shape.kinds:
            return ()
        links = counted(tests, node.condition.part)
        yes, no = conditions(node.condition, val, env)
        then: Stream = ()
        other: Stream = ()
        can = shape.without_false().kinds
        may_not = shape.kinds & NULL or (
            shape.kinds & static.BOOLEAN and (shape.literals is None or any(v is False for v in shape.literals))
        )
        if can:
            with self.state.knowing(yes):
                then = self.run(node.then, self.state.refined(val), env)
        if may_not:
            with self.state.knowing(no):
                refined = self.state.refined(val)
                other = (Segment(refined),) if node.otherwise is None else self.run(node.otherwise, refined, env)
        if not can or not may_not:
            return _behind(links, then if can else other)
        if [s.links for s in then] == [s.links for s in other]:
            both = zip(then, other, strict=True)
            return _behind(links, tuple(Segment(joined((a.val, b.val)), a.links) for a, b in both))
        where = spelled(val.origin)
        free = not _variables(node.condition)
        out: list[Segment] = []
        for side, stream in (("then", then), ("else", other)):
            key = f"{side} {where or ''} | {print_tree(node.condition)}" if free and where is not None else None
            reason = "only where the condition says so"
            link = Link(False, key, node.condition.part, reason, certain=False)
            out += [Segment(s.val, (link, *s.links), s.narrow) for s in stream]
        return _behind(links, tuple(out))

    def binary(self, node: Binary, val: Val, env: Env) -> Stream:
        if node.op == "//":
            return self.alternative(node, val, env)
        if node.op in ("and", "or"):
            return self.logic(node, val, env)
        right = self.run(node.right, val, env)
        left = self.run(node.left, val, env)
        out: list[Segment] = []
        for y in right:
            for x in left:
                if node.op in ("==", "!=", "<", "<=", ">", ">="):
                    shape = compare(self.state, node, x.val.shape, y.val.shape)
                else:
                    shape = operate(self.state, node.op, x.val.shape, y.val.shape, node.part)
                if shape.kinds:
                    out.append(Segment(Val(shape), y.links + x.links))
        return tuple(out)

    def logic(self, node: Binary, val: Val, env: Env) -> Stream:
        left = self.run(node.left, val, env)
        if not left:
            return ()
        yes, no = conditions(node.left, val, env)
        with self.state.knowing(yes if node.op == "and" else no):
            right = self.run(node.right, self.state.refined(val), env)
        links = counted(left, node.part)
        more = counted(right, node.part)
        if more:
            more = (Link(True, None, node.part, "the right side gives not exactly one result"),)
        return (Segment(Val(static.SOME_BOOLEAN), links + more),)

    def alternative(self, node: Binary, val: Val, env: Env) -> Stream:
        left = self.run(node.left, val, env)
        given = node.right.value if isinstance(node.right, Literal) else None
        if isinstance(node.right, Literal):
            for s in left:
                for path in s.val.shape.paths if s.val.shape.null else ():
                    self.state.defaults.setdefault((path, node.part), Defaulted(path, given, node.part))
        one = len(left) == 1 and not left[0].links
        kept = [(s, s.val.shape.without_false()) for s in left]
        if one and kept[0][1] == kept[0][0].val.shape and not _falsy(kept[0][0].val.shape):
            return left
        narrow = conditions(node.left, val, env)[1] if one else None
        with self.state.knowing(narrow):
            right = self.run(node.right, val, env)
        if one and len(right) == 1 and not right[0].links:
            if not kept[0][1].kinds:
                return right
            a, b = kept[0][1], right[0].val
            inner: Stream | None = None
            if b.inner == () or b.shape.made == (static.ObjectOf(),):  # `(.x // [])[]` gives what `.x[]?` gives
                kinds = a.only(ARRAY | OBJECT)
                inner = self.spread((Segment(Val(kinds, left[0].val.origin, left[0].val.inner)),), node.part)
            return (Segment(Val(join((a, b.shape)), None, inner)),)
        out: list[Segment] = []
        for s, shape in kept:
            if not shape.kinds:
                continue
            falsy = _falsy(s.val.shape)
            path = next(iter(s.val.shape.paths), "")
            reason = f"// leaves out an entry whose {path or 'value'} is null or false"
            links = (*s.links, Link(False, None, node.part, reason, certain=falsy)) if falsy else s.links
            out.append(Segment(Val(shape, s.val.origin), links, s.narrow))
        if any(not s.links and not _falsy(s.val.shape) for s, _ in kept):
            return tuple(out)
        link = Link(False, f"only:{node.part}", node.part, "only where the left side gives nothing")
        out += [Segment(s.val, (link, *s.links)) for s in right]
        return tuple(out)

    def bind(self, node: Bind, val: Val, env: Env) -> Stream:
        out: list[Segment] = []
        sources = self.run(node.source, val, env)
        if len(sources) > 1 and self.state.steps > STEPS:
            sources = self.squeezed(sources, node.source.part)
        for s in sources:
            with self.state.knowing(s.narrow):
                for bound, links in pattern_of(self, node.pattern, s.val, dict(env), val):
                    results = self.run(node.body, val, bound)
                    out += [Segment(r.val, s.links + links + r.links, _both(s, r)) for r in results]
        return tuple(out)

    def call(self, node: Call, val: Val, env: Env) -> Stream:
        return typing_calls.call(self, node, val, env)


def _both(s: Segment, r: Segment) -> Narrow | None:
    return merged(s.narrow, r.narrow)


def _falsy(shape: static.Shape) -> bool:
    if shape.kinds & NULL:
        return True
    return bool(shape.kinds & static.BOOLEAN) and (shape.literals is None or any(v is False for v in shape.literals))


def _behind(links: tuple[Link, ...], stream: Stream) -> Stream:
    return tuple(replace(s, links=links + s.links) for s in stream) if links else stream


def _dropped(dropped: bool, part: Part) -> tuple[Link, ...]:
    return (Link(False, None, part, "an error is suppressed, and its entry left out"),) if dropped else ()


def _varies(shape: static.Shape) -> bool:
    """Whether collections of different sizes are admitted."""
    if len(shape.places) != 1 or shape.made or shape.unknown:
        return False
    place = shape.places[0]
    if place.type != "array":
        return False
    low, high = place.facts.min_items or 0, place.facts.max_items
    return high is None or high > max(low, 1)


def _variables(node: Node) -> bool:
    return any(isinstance(n, Variable) for n in facts.walk(node))


_WALK: dict[type[Node], Any] = {
    Identity: lambda _t, _n, val, _e: (Segment(val),),
    Literal: lambda _t, n, _v, _e: (
        Segment(Val(static.constant(n.value) if n.value is not None else static.ONLY_NULL)),
    ),
    Variable: lambda t, n, _v, env: (Segment(t.state.refined(env[n.name])),),
    Index: Typer.index,
    Slice: Typer.slice,
    Iterate: Typer.iterate,
    Try: Typer.attempt,
    If: Typer.condition,
    Binary: Typer.binary,
    Pipe: lambda t, n, val, env: t.each(t.run(n.left, val, env), n.right, env),
    Comma: lambda t, n, val, env: t.run(n.left, val, env) + t.run(n.right, val, env),
    Bind: Typer.bind,
    Array: typing_construction.array,
    Object: typing_construction.object_,
    Interpolation: typing_construction.interpolation,
    Negate: typing_construction.negate,
    Call: Typer.call,
}


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
