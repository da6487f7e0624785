"""What Go's constant expressions are worth: texts only, across the files of a package and the packages of a tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from wmap.contract.vocabulary import MAX_VALUE

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DEPTH = 100
"""Levels of an expression, and of constants that refer to each other; deeper ones are left out."""

_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPE = re.compile(rb"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-7]{3}|.)", re.DOTALL)
_NO_CONVERSIONS = frozenset({"len", "cap", "min", "max", "new", "make", "append", "real", "imag", "complex", "panic"})


class Value(NamedTuple):
    """The text of a constant, and its type as it is written where it is declared ("": untyped)."""

    text: str
    type: str


@dataclass(frozen=True, eq=False)
class Declaration:
    """One name that is declared, with the expression that it stands for.

    ``local`` is 0 for a name of the package, else it says which function the name belongs to; a variable is no constant.
    """

    name: str
    type: str
    expression: Any = field(repr=False)
    file: str
    line: int
    local: int = 0
    variable: bool = False


@dataclass(eq=False)
class Package:
    """The names of one package of a tree. ``imports`` are the import paths by name, for each file (``=path``: unnamed)."""

    folder: str
    name: str
    declarations: list[Declaration] = field(default_factory=list)
    constants: dict[str, Declaration] = field(default_factory=dict)
    locals: dict[tuple[str, int, str], Declaration] = field(default_factory=dict)
    types: set[str] = field(default_factory=set)
    imports: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, declaration: Declaration) -> None:
        """Put a declaration in; of several constants of one name (files for other systems) the first counts for references."""
        self.declarations.append(declaration)
        if declaration.local:
            self.locals.setdefault((declaration.file, declaration.local, declaration.name), declaration)
        elif not declaration.variable:
            self.constants.setdefault(declaration.name, declaration)


class Evaluator:
    """Works out the texts of declarations; each once."""

    def __init__(self, packages: Mapping[tuple[str, str], Package], modules: Mapping[str, str]) -> None:
        self.modules = sorted(((path, folder) for folder, path in modules.items()), reverse=True)
        self.by_folder: dict[str, Package] = {}
        for (folder, name), package in sorted(packages.items(), key=lambda p: (p[0][0], p[0][1] == "main", p[0][1])):
            del name
            self.by_folder.setdefault(folder, package)
        self.known: dict[Declaration, Value | None] = {}

    def value(self, package: Package, declaration: Declaration, depth: int = 0) -> Value | None:
        """The text and type of a declaration; None where it is no text, or refers to what is not there."""
        if declaration in self.known:
            return self.known[declaration]
        self.known[declaration] = None  # a constant that refers to itself is worth nothing
        found = self._expression(declaration.expression, package, declaration, depth)
        if found is not None and declaration.type:
            found = Value(found.text, declaration.type)
        self.known[declaration] = found
        return found

    def _expression(self, node: Any, package: Package, at: Declaration, depth: int) -> Value | None:
        if depth > MAX_DEPTH:
            return None
        kind = node.type
        if kind == "interpreted_string_literal":
            text = _unquote(node.text[1:-1])
            return None if text is None else Value(text, "")
        if kind == "raw_string_literal":
            return Value(node.text[1:-1].decode("utf-8", "replace").replace("\r", ""), "")
        if kind == "parenthesized_expression":
            return self._expression(node.named_children[0], package, at, depth + 1)
        if kind == "binary_expression":
            return self._sum(node, package, at, depth)
        if kind == "identifier":
            return self._name(node.text.decode("utf-8", "replace"), package, at, depth)
        if kind == "selector_expression":
            return self._selected(node, package, at, depth)
        if kind in ("call_expression", "type_conversion_expression"):
            return self._conversion(node, package, at, depth)
        return None

    def _sum(self, node: Any, package: Package, at: Declaration, depth: int) -> Value | None:
        if node.child_by_field_name("operator").type != "+":
            return None
        left = self._expression(node.child_by_field_name("left"), package, at, depth + 1)
        right = self._expression(node.child_by_field_name("right"), package, at, depth + 1) if left else None
        if left is None or right is None or len(left.text) + len(right.text) > MAX_VALUE:
            return None
        return Value(left.text + right.text, left.type or right.type)

    def _name(self, name: str, package: Package, at: Declaration, depth: int) -> Value | None:
        found = package.locals.get((at.file, at.local, name)) if at.local else None
        if found is None or found is at:
            found = package.constants.get(name)
        if found is not None:
            return self.value(package, found, depth + 1)
        dotted = self._imported(package.imports.get(at.file, {}).get("."))
        return self._name(name, dotted, at, depth + 1) if dotted is not None and dotted is not package else None

    def _selected(self, node: Any, package: Package, at: Declaration, depth: int) -> Value | None:
        operand = node.child_by_field_name("operand")
        if operand.type != "identifier":
            return None
        found = self._package(operand.text.decode("utf-8", "replace"), package, at)
        name = node.child_by_field_name("field").text.decode("utf-8", "replace")
        declaration = found.constants.get(name) if found is not None else None
        return self.value(found, declaration, depth + 1) if found is not None and declaration is not None else None

    def _conversion(self, node: Any, package: Package, at: Declaration, depth: int) -> Value | None:
        """``Type("x")``: in a constant a call with a text can be nothing else; in a variable the type must be known."""
        if node.type == "call_expression":
            called = node.child_by_field_name("function")
            arguments = [a for a in node.child_by_field_name("arguments").named_children if a.type != "comment"]
        else:
            called, arguments = node.child_by_field_name("type"), [node.child_by_field_name("operand")]
        while called.type in ("parenthesized_expression", "parenthesized_type"):
            called = called.named_children[0]
        name = called.text.decode("utf-8", "replace")
        if len(arguments) != 1 or name in _NO_CONVERSIONS:
            return None
        if at.variable and name != "string" and not self._is_type(name, package, at):
            return None
        inner = self._expression(arguments[0], package, at, depth + 1)
        return None if inner is None else Value(inner.text, name)

    def _is_type(self, name: str, package: Package, at: Declaration) -> bool:
        prefix, _, last = name.rpartition(".")
        found = self._package(prefix, package, at) if prefix else package
        return found is not None and last in found.types

    def _package(self, name: str, package: Package, at: Declaration) -> Package | None:
        """The package of the tree that a file calls by a name."""
        imports = package.imports.get(at.file, {})
        if name in imports:
            return self._imported(imports[name])
        for key, path in imports.items():
            if key[0] == "=":
                found = self._imported(path)
                if found is not None and found.name == name:
                    return found
        return None

    def _imported(self, path: str | None) -> Package | None:
        """The package of an import path: by the modules of the tree, else by the longest folder that the path ends in."""
        if path is None:
            return None
        for module, folder in self.modules:
            if path == module or path.startswith(f"{module}/"):
                below = path[len(module) :].strip("/")
                return self.by_folder.get("/".join(p for p in (folder, below) if p))
        if self.modules:
            return None
        parts = path.split("/")
        ends = ("/".join(parts[i:]) for i in range(1, len(parts)))
        return next((self.by_folder[e] for e in ends if e in self.by_folder), None)


def _unquote(data: bytes) -> str | None:
    """The text of an interpreted string literal; None where it is no UTF-8 (a constant of bytes is no word)."""

    def one(match: re.Match[bytes]) -> bytes:
        found = match[1]
        head = chr(found[0])
        if head == "x":
            return bytes([int(found[1:], 16)])
        if head in "uU":
            return chr(int(found[1:], 16)).encode("utf-8", "surrogatepass")
        if len(found) == 3:
            return bytes([int(found, 8) & 0xFF])
        return _SIMPLE.get(head, head).encode()

    try:
        return _ESCAPE.sub(one, data).decode("utf-8")
    except (UnicodeDecodeError, ValueError, OverflowError):
        return None
