"""What reads well and is wrong: conditions that hold always or never, false for absent, a loop over one entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wmap.expr.jq.facts import walk
from wmap.expr.jq.nodes import Binary, Call, Identity, Index, Literal, Negate, Node, Pipe, Try, Variable
from wmap.expr.jq.printer import print_tree
from wmap.expr.protocol import Json, Part, Pitfall, PitfallKind

if TYPE_CHECKING:
    from collections.abc import Iterator

Steps = tuple[str, ...]


class _Test(NamedTuple):
    """``place == value`` or, where not ``equal``, ``place != value``; ``place`` is a variable or ``.`` and the keys below it."""

    place: Steps
    equal: bool
    value: Json


def pitfalls(node: Node) -> tuple[Pitfall, ...]:
    """Each of them, in the order of the text."""
    found: list[Pitfall] = []
    inner: set[Part] = set()
    for n in walk(node):
        match n:
            case Binary(op="and" | "or" as op):
                if n.part not in inner:
                    found += _decided(n, op)
                # the operands of one chain are compared once
                inner |= {x.part for x in _chain(n, op) if x is not n}
            case Binary(op="==", left=left, right=right) if any(_is_false(x) for x in (left, right)):
                other = left if _is_false(right) else right
                if steps(other) is not None:
                    hint = "write `!= true` where a field that is not there counts too"
                    message = "an absent field is null, and null is not false"
                    found.append(Pitfall(PitfallKind.ABSENT_IS_NOT_FALSE, n.part, message, hint))
            case Call(name="any" | "all", arguments=(generator, _)) if _one_entry(generator):
                message = f"{n.name} looks at one entry only, and the order of a list tells nothing"
                found.append(Pitfall(PitfallKind.ONE_ENTRY, generator.part, message, "loop over all of them: `[]?`"))
            case Index(target=target, key=key) if _numbered(key) and _listed(target):
                message = f"entry {print_tree(key)} of the conditions is another one on another object"
                hint = "choose the condition by its type: `.conditions[]? | select(.type == ...)`"
                found.append(Pitfall(PitfallKind.ONE_ENTRY, n.part, message, hint))
            case _:
                pass
    return tuple(dict.fromkeys(found))


def _decided(node: Binary, op: str) -> Iterator[Pitfall]:
    tests = [t for part in _chain(node, op) if not isinstance(part, Binary) or part.op != op for t in _test(part)]
    # `or` holds always where the opposites can never hold together
    opposites = [t._replace(equal=not t.equal) for t in tests] if op == "or" else tests
    if any(_excludes(a, b) or _excludes(b, a) for i, a in enumerate(opposites) for b in opposites[:i]):
        holds = "always holds" if op == "or" else "never holds"
        message = f"`{op}` of these comparisons {holds}"
        yield Pitfall(PitfallKind.DECIDED, node.part, message, f"`{'and' if op == 'or' else 'or'}` may be meant")


def _excludes(a: _Test, b: _Test) -> bool:
    """Whether two tests can never hold on one object; asked for both orders."""
    if a.place == b.place:
        if a.equal and b.equal:
            return not _same(a.value, b.value)
        return a.equal is not b.equal and _same(a.value, b.value)
    # below a value that is null everything is null
    under = a.equal and a.value is None and b.place[: len(a.place)] == a.place
    return under and (b.equal is (b.value is not None))


def _same(a: Json, b: Json) -> bool:
    return type(a) is type(b) and a == b


def _chain(node: Node, op: str) -> Iterator[Node]:
    yield node
    if isinstance(node, Binary) and node.op == op:
        yield from _chain(node.left, op)
        yield from _chain(node.right, op)


def _test(node: Node) -> Iterator[_Test]:
    match node:
        case Binary(op="==" | "!=" as op, left=left, right=Literal(value=value)):
            place = steps(left)
        case Binary(op="==" | "!=" as op, left=Literal(value=value), right=right):
            place = steps(right)
        case _:
            return
    if place is not None:
        yield _Test(place, op == "==", value)


def steps(node: Node) -> Steps | None:
    """Where a value stands, as a variable or ``.`` and keys; None for what is computed, or may be several values."""
    match node:
        case Identity():
            return (".",)
        case Variable(name=name):
            return (f"${name}",)
        case Index(target=target, key=key) if isinstance(key, Literal):
            before = steps(target)
            return None if before is None else (*before, print_tree(key))
        case Try(body=body, handler=None):
            return steps(body)
        case _:
            return None


def _is_false(node: Node) -> bool:
    return isinstance(node, Literal) and node.value is False


def _one_entry(node: Node) -> bool:
    match node:
        case Index(key=key):
            return _numbered(key)
        case Try(body=body, handler=None):
            return _one_entry(body)
        case _:
            return False


def _numbered(node: Node) -> bool:
    match node:
        case Literal(value=value):
            return type(value) in (int, float)
        case Negate(operand=operand):
            return _numbered(operand)
        case _:
            return False


def _listed(node: Node) -> bool:
    """Whether a node is a list of conditions."""
    match node:
        case Index(key=Literal(value="conditions")):
            return True
        case Pipe(right=right):
            return _listed(right)
        case _:
            return False
