"""Go source to the terms of a vocabulary, with a real parser: what the constants of a tree are worth, and where they stand.

Taken are string constants (``const``, in functions too), with the types that declarations and conversions give them;
package variables that are the plain text of a label or annotation key (some operators declare their keys so); and texts that are
assigned to a variable called a reason (``reason = "AllGroupsReady"``), because some operators name their reasons nowhere
else. All other variables and literals are left out, and so are tests, vendored and generated (``zz_``) files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from wmap.contract.goconst import Declaration, Evaluator, Package
from wmap.contract.model import Term, TermKind
from wmap.contract.vocabulary import MAX_VALUE, classify, sorted_terms
from wmap.errors import EnvironmentFailure, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_FILE = 8 * 2**20
"""Bytes of one source file; larger ones are refused."""

_REASON = re.compile(r"[rR]eason$")
_LEFT_OUT = frozenset({"vendor", "testdata", "third_party", "node_modules"})


def is_source(path: str) -> bool:
    """Whether a file of a tree holds the operator's own Go source: no test, no vendored and no generated file."""
    parts = PurePosixPath(path).parts
    name = parts[-1]
    return (
        name.endswith(".go")
        and not name.endswith("_test.go")
        and not name.startswith(("zz_", "_", "."))
        and not _LEFT_OUT.intersection(parts)
    )


@dataclass
class _File:
    """One parsed file: its text, its folder, the paths it imports by the name that it calls them."""

    path: str
    data: bytes
    root: Any
    package: str = ""
    imports: dict[str, str] = field(default_factory=dict)


def read_source(files: Mapping[str, bytes], *, modules: Mapping[str, str] | None = None) -> tuple[Term, ...]:
    """The terms of Go source files by their path in the repository.

    ``modules`` are the Go module paths by their folder in the repository (``{"ray-operator": "github.com/..."}``): with
    them imported packages are found exactly, without them by the end of the import path. What cannot be worked out (it
    refers to a package that is not there) is left out.

    Raises:
        InputError: a file is no Go; names file and line.
        EnvironmentFailure: the parser is not installed (extra ``sync``).
    """
    parser = _parser()
    parsed = [_parse(parser, path, files[path]) for path in sorted(files) if is_source(path)]
    packages: dict[tuple[str, str], Package] = {}
    for file in parsed:
        folder = _folder(file.path)
        package = packages.setdefault((folder, file.package), Package(folder, file.package))
        package.imports[file.path] = file.imports
        _declare(file, package)
    evaluator = Evaluator(packages, modules or {})
    found = []
    for package in packages.values():
        for declaration in package.declarations:
            value = evaluator.value(package, declaration)
            if value is None or not 0 < len(value.text) <= MAX_VALUE:
                continue
            kind = classify(declaration.name, value.type, value.text, declaration.file)
            if declaration.variable and kind not in (TermKind.LABEL, TermKind.ANNOTATION):
                continue
            found.append(Term(value.text, kind, declaration.name, value.type, declaration.file, declaration.line))
    return sorted_terms(found)


def _parser() -> Any:
    try:
        import tree_sitter_go  # noqa: PLC0415  # an extra, for those who read source
        from tree_sitter import Language, Parser  # noqa: PLC0415  # the same
    except ImportError as error:
        raise EnvironmentFailure(
            "the parser of Go source is not installed", hint="install the extra: pip install 'wmap[sync]'"
        ) from error
    return Parser(Language(tree_sitter_go.language()))


def _parse(parser: Any, path: str, data: bytes) -> _File:
    if len(data) > MAX_FILE:
        raise InputError(f"{path}: it has {len(data):,} bytes; at most {MAX_FILE:,} are read")
    root = parser.parse(data).root_node
    if root.has_error:
        line = min((n.start_point[0] + 1 for n in _nodes(root) if n.is_error or n.is_missing), default=1)
        raise InputError(
            f"{path}:{line}: the Go source does not parse", hint="is the file whole, and is it Go? look at this line"
        )
    file = _File(path, data, root)
    for node in root.named_children:
        if node.type == "package_clause":
            file.package = _text(node.named_children[-1])
        elif node.type == "import_declaration":
            for spec in _nodes(node):
                if spec.type == "import_spec":
                    _import(spec, file.imports)
    return file


def _import(spec: Any, imports: dict[str, str]) -> None:
    path = _text(spec.child_by_field_name("path"))[1:-1]
    name = spec.child_by_field_name("name")
    imports[_text(name) if name is not None else f"={path}"] = path


def _declare(file: _File, package: Package) -> None:
    """Put the constants of a file, and the texts that count with them, into its package."""
    for node, depth in _with_functions(file.root):
        line = node.start_point[0] + 1
        if node.type == "type_spec":
            package.types.add(_text(node.child_by_field_name("name")))
        elif node.type == "const_declaration":
            _declare_block(node, file, package, local=depth)
        elif node.type == "var_declaration" and not depth:
            for spec in _specs(node, "var_spec"):
                _declare_spec(spec, spec, file, package, local=0, variable=True)
        elif node.type in ("short_var_declaration", "assignment_statement") and depth:
            left, right = (_list(node.child_by_field_name(side)) for side in ("left", "right"))
            for name, value in zip(left, right, strict=False):
                text = _text(name)
                if name.type == "identifier" and _REASON.search(text) and value.type in _LITERALS:
                    package.add(Declaration(text, "", value, file.path, line, local=depth))


_LITERALS = ("interpreted_string_literal", "raw_string_literal")


def _declare_block(node: Any, file: _File, package: Package, *, local: int) -> None:
    """A ``const`` declaration: one that has no expression repeats the last one's, and its type."""
    last = None
    for spec in _specs(node, "const_spec"):
        if spec.child_by_field_name("value") is not None:
            last = spec
        if last is not None:
            _declare_spec(spec, last, file, package, local=local, variable=False)


def _declare_spec(spec: Any, source: Any, file: _File, package: Package, *, local: int, variable: bool) -> None:
    go_type = source.child_by_field_name("type")
    values = _list(source.child_by_field_name("value"))
    for name, value in zip(spec.children_by_field_name("name"), values, strict=False):
        package.add(
            Declaration(
                _text(name), _text(go_type) if go_type is not None else "", value, file.path,
                name.start_point[0] + 1, local=local, variable=variable,
            )
        )  # fmt: skip


def _specs(node: Any, kind: str) -> Iterator[Any]:
    for child in node.named_children:
        if child.type == kind:
            yield child
        elif child.type.endswith("_spec_list"):
            yield from (c for c in child.named_children if c.type == kind)


def _list(node: Any) -> list[Any]:
    """The expressions of a list, without comments."""
    return [] if node is None else [c for c in node.named_children if c.type != "comment"]


def _with_functions(root: Any) -> Iterator[tuple[Any, int]]:
    """The nodes that declare something, each with the function that it stands in: 0 outside, else where that begins."""
    wanted = {"const_declaration", "var_declaration", "short_var_declaration", "assignment_statement", "type_spec"}
    functions = {"function_declaration", "method_declaration", "func_literal"}
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if node.type in wanted:
            yield node, depth
        if node.type in functions and not depth:
            depth = node.start_byte + 1
        waiting.extend((child, depth) for child in reversed(node.named_children))


def _nodes(root: Any) -> Iterator[Any]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def _text(node: Any) -> str:
    text: bytes = node.text
    return text.decode("utf-8", "replace")


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
