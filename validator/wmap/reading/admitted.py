"""What the stored releases admit of the fields that a definition reads: a warning where an object has another value there.

The release of an object is not known, so a value is admitted where one of the newest three contracts does that stored releases
have (releases with the same contract count once). An absent field, and null in its place, is normal input. Looked at are types,
enumerations, bounds, lengths and patterns of the paths that the text of an expression names, and of what they go through.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from wmap.contract import Store
from wmap.contract.model import step as step_text
from wmap.contract.values import bounds, called, is_of
from wmap.expr import MISSING, EvaluationError, Step, get_at, parse
from wmap.reading.model import Warned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from wmap.contract import Field
    from wmap.definition.model import Definition
    from wmap.expr import Expression

CODE = "not-admitted"
MOST = 20
"""Warnings of one reading; how many more there are is said in one line."""

CONTRACTS = 3
"""How many distinct contracts are looked at, the newest."""

_OFTEN = 8  # readings after which a generated function pays
_MOST_PLACES = 2_000
_MOST_LOOPS = 12  # Python takes 20 loops in each other
_MOST_STEPS = 60  # and 100 levels of indentation

StaticPath = tuple[str | int | Step, ...]
Reader = tuple["Expression", str | None]
"""An expression that is evaluated on the workload, and the component that it belongs to."""


@dataclass(slots=True)
class Place:
    """What may stand at one place, in some stored release. ``reader`` is the first expression that looks there."""

    reader: Reader
    types: frozenset[str]
    """Empty: the contracts do not say."""
    null: bool = False
    enum: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None
    shortest: int | None = None
    longest: int | None = None
    patterns: tuple[re.Pattern[str], ...] = ()
    named: dict[str, Place] = field(default_factory=dict)
    each: Place | None = None


class Admitted:
    """The check of one definition; it is made when the first object is read."""

    def __init__(self, definition: Definition, readers: Sequence[tuple[Expression, str | None, StaticPath]]) -> None:
        self._definition = definition
        self._readers = readers
        self._root: Place | None = None
        self._admits: Callable[[Any], bool] | None = None
        self._readings = 0
        self._numbers: dict[StaticPath, Reader] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Admitted, (self._definition, self._readers)

    def warn(self, obj: Any, warnings: list[Warned]) -> None:
        """Say which values of the object the contract does not admit, 20 of them at most."""
        readings = self._readings = self._readings + 1
        if readings == 1:
            self._root = self._made()
            self._numbers = {
                path: (expression, component)
                for expression, component, _ in self._readers
                if "tonumber" in expression.text
                for path in expression.numbers
                if not any(isinstance(step, Step) for step in path)
            }
        if self._numbers:
            warnings += self._no_numbers(obj)
        if self._root is None:
            return
        if self._admits is not None:
            if self._admits(obj):
                return
        elif readings > _OFTEN:
            self._admits = generate(self._root)
        said = {(w.component, w.expression) for w in warnings if w.code in ("bad-replicas", "id-not-string")}
        found = [
            Warned(CODE, text, component, expression.text)
            for text, (expression, component) in refusals(self._root, obj, "")
            if (component, expression.text) not in said
        ]
        warnings += found[:MOST]
        if len(found) > MOST:
            warnings.append(Warned(CODE, f"{len(found) - MOST} more values that the contract does not admit"))

    def _no_numbers(self, obj: Any) -> Iterator[Warned]:
        """Texts that are to be numbers, as in annotations, and are none."""
        for path, (expression, component) in self._numbers.items():
            value = get_at(obj, path)  # type: ignore[arg-type]  # fixed keys, as was looked at
            if value is MISSING or not isinstance(value, str):
                continue
            try:
                parse("tonumber").first(value)
            except EvaluationError:
                from wmap.reading.explain import place  # noqa: PLC0415  # seldom

                where = place(path)  # type: ignore[arg-type]  # the same
                yield Warned(
                    "bad-value", f"{where} is {_short(value)}, which is no number: ignored", component, expression.text
                )

    def _made(self) -> Place | None:
        roots = _roots(self._definition)
        if not roots or not self._readers:
            return None
        root = Place(self._readers[0][:2], frozenset({"object"}))
        tree = _Tree(root, roots)
        for expression, component, below in self._readers:
            for path in expression.reads:
                tree.add((*path, *below), (expression, component))
        return root


def refusals(place: Place, value: Any, at: str) -> Iterator[tuple[str, Reader]]:
    """What keeps a value, which is not null, from standing at a place, and what reads it."""
    where = at or "the object"
    if place.types and not any(is_of(kind, value) for kind in place.types):
        yield f"{where} is {called(value)}; the contract says {_or(place.types)}", place.reader
        return
    problem = _problem(place, value)
    if problem is not None:
        yield f"{where} {problem}", place.reader
    if isinstance(value, dict):
        for key, child in place.named.items():
            if value.get(key) is not None:
                yield from refusals(child, value[key], f"{at}{step_text(key)}")
        if place.each is not None:
            for key, entry in value.items():
                if entry is not None:
                    yield from refusals(place.each, entry, f"{at}{step_text(key)}")
    elif isinstance(value, list) and place.each is not None:
        for i, entry in enumerate(value):
            if entry is not None:
                yield from refusals(place.each, entry, f"{at}[{i}]")
            elif not place.each.null:
                yield f"{at}[{i}] is null, which the contract does not admit", place.each.reader


def _problem(place: Place, value: Any) -> str | None:
    if place.enum and value not in place.enum:
        shown = ", ".join(str(v) or '""' for v in place.enum[:8])
        return f"is {_short(value)}, which is none of {shown}"
    if isinstance(value, str):
        if place.shortest is not None and len(value) < place.shortest:
            return f"is {_short(value)}, shorter than {place.shortest}"
        if place.longest is not None and len(value) > place.longest:
            return f"has {len(value)} characters, more than {place.longest}"
        if place.patterns and not any(p.search(value) for p in place.patterns):
            return f"is {_short(value)}, which does not match {place.patterns[-1].pattern}"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if place.low is not None and value < place.low:
            return f"is {value}, less than {place.low}"
        if place.high is not None and value > place.high:
            return f"is {value}, more than {place.high}"
    return None


def generate(root: Place) -> Callable[[Any], bool]:
    """A function that says whether all is admitted: generated of the tree alone, as a reading pays for it every time.

    It agrees with ``refusals``; keys and bounds are constants, passed in.
    """
    writer = _Writer()
    writer.check(root, "v")
    code = "def admits(v):\n" + "\n".join(writer.lines) + "\n    return True"
    exec(compile(code, "<admitted>", "exec"), writer.names)  # noqa: S102  # see above: no text of the definition is in it
    made: Callable[[Any], bool] = writer.names["admits"]
    return made


class _Writer:
    """The statements of the function, and its constants."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"is_of": is_of}
        self.depth = 1
        self.count = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def constant(self, value: Any) -> str:
        self.names[name := f"k{len(self.names)}"] = value
        return name

    def refuse(self, condition: str) -> None:
        self.line(f"if {condition}: return False")

    def check(self, place: Place, name: str) -> None:
        """Statements that return where the value, which is not null, is not admitted."""
        if place.types:
            self.refuse(" and ".join(self._differs(kind, name) for kind in sorted(place.types)))
        if place.enum:
            self.refuse(f"{name} not in {self.constant(place.enum)}")
        self._bounds(place, name)
        if not place.named and place.each is None:
            return
        sure = len(place.types) == 1
        if "object" in place.types or not place.types:
            if not sure:
                self.line(f"if isinstance({name}, dict):")
                self.depth += 1
            for key, child in place.named.items():
                inner = self.fresh()
                self.line(f"{inner} = {name}.get({self.constant(key)})")
                self.line(f"if {inner} is not None:")
                self._nested(child, inner)
            if place.each is not None:
                inner = self.fresh()
                self.line(f"for {inner} in {name}.values():")
                self.depth += 1
                self.line(f"if {inner} is not None:")
                self._nested(place.each, inner)
                self.depth -= 1
            self.line("pass")
            self.depth -= not sure
        if place.each is not None and ("array" in place.types or not place.types):
            if not sure:
                self.line(f"if isinstance({name}, list):")
                self.depth += 1
            inner = self.fresh()
            self.line(f"for {inner} in {name}:")
            self.depth += 1
            if not place.each.null:
                self.refuse(f"{inner} is None")
            self.line(f"if {inner} is not None:")
            self._nested(place.each, inner)
            self.depth -= 1 + (not sure)

    def fresh(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def _nested(self, place: Place, name: str) -> None:
        self.depth += 1
        self.check(place, name)
        self.line("pass")
        self.depth -= 1

    def _differs(self, kind: str, name: str) -> str:
        quick = {"object": "dict", "array": "list", "string": "str", "boolean": "bool", "integer": "int"}.get(kind)
        slow = f"not is_of({self.constant(kind)}, {name})"
        return slow if quick is None else f"(type({name}) is not {quick} and {slow})"

    def _bounds(self, place: Place, name: str) -> None:
        number = [
            f"{name} {sign} {self.constant(v)}" for sign, v in (("<", place.low), (">", place.high)) if v is not None
        ]
        if number:
            only = (
                ""
                if place.types <= {"integer", "number"} and place.types
                else f"type({name}) in {self.constant((int, float))} and "
            )
            self.refuse(f"{only}({' or '.join(number)})")
        text = [
            f"len({name}) {sign} {self.constant(v)}"
            for sign, v in (("<", place.shortest), (">", place.longest))
            if v is not None
        ]
        if place.patterns:
            searches = " or ".join(f"{self.constant(p.search)}({name})" for p in place.patterns)
            text.append(f"not ({searches})")
        if text:
            self.refuse(f"isinstance({name}, str) and ({' or '.join(text)})")


class _Tree:
    """The places of all paths that are read, filled one path at a time."""

    def __init__(self, root: Place, fields: Sequence[Field]) -> None:
        self.root = root
        self.places = 0
        self._fields: dict[int, Sequence[Field]] = {id(root): fields}

    def add(self, path: StaticPath, reader: Reader) -> None:
        """Add what a path goes through, as far as a contract knows it."""
        here = self.root
        loops = 0
        for step in path[:_MOST_STEPS]:
            fields = self._fields[id(here)]
            if isinstance(step, str):
                if step not in here.named:
                    child = self._new([c for f in fields if (c := f.child(step)) is not None], reader)
                    if child is None:
                        return
                    here.named[step] = child
                here = here.named[step]
                continue
            loops += 1
            if here.each is None:
                items = [c for f in fields if (c := f.items or f.values) is not None]
                here.each = self._new(items, reader) if loops <= _MOST_LOOPS else None
            if here.each is None:
                return
            here = here.each

    def _new(self, fields: list[Field], reader: Reader) -> Place | None:
        if not fields or self.places >= _MOST_PLACES:
            return None
        self.places += 1
        made = _place(fields, reader)
        self._fields[id(made)] = fields
        return made


def _place(fields: Sequence[Field], reader: Reader) -> Place:
    """What some release admits: a bound counts where every release has one, and then the widest."""
    types = [f.facts.type or f.type for f in fields]
    limits = [
        (*bounds(f.facts, kind), f.facts.min_length, f.facts.max_length) for f, kind in zip(fields, types, strict=True)
    ]
    low, high, shortest, longest = zip(*limits, strict=True)
    known = {t for t in types if t is not None}
    return Place(
        reader,
        types=frozenset(known) if None not in types else frozenset(),
        null=any(f.facts.nullable for f in fields),
        enum=tuple(dict.fromkeys(v for f in fields for v in f.facts.enum)) if all(f.facts.enum for f in fields) else (),
        low=_widest(low, min),
        high=_widest(high, max),
        shortest=_widest(shortest, min),
        longest=_widest(longest, max),
        patterns=_patterns([f.facts.pattern for f in fields]),
    )


def _widest(values: Sequence[Any], choose: Any) -> Any:
    return None if any(v is None for v in values) else choose(values)


def _patterns(texts: Sequence[str | None]) -> tuple[re.Pattern[str], ...]:
    found = []
    for text in dict.fromkeys(texts):
        try:
            found.append(re.compile(text or ""))
        except re.error:  # one of Go's that Python does not read
            return ()
    return () if None in texts else tuple(found)


def _roots(definition: Definition) -> list[Field]:
    """The distinct contracts of the kind, of every stored release that has it."""
    store, kind = stored(), definition.kind
    framework = store.framework_of(kind.group, kind.kind, definition.file)
    if framework is None:
        return []
    found: dict[int, Field] = {}
    for release in reversed(store.releases(framework)):
        contract = store.contract(framework, release, kind.group, kind.version, kind.kind)
        if contract is not None:
            found.setdefault(id(contract.fields), contract.root)
        if len(found) == CONTRACTS:
            break
    return list(found.values())


@cache
def stored() -> Store:
    """The contracts that come with the package."""
    return Store()


def _or(types: Iterable[str]) -> str:
    return " or ".join(sorted(types))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
