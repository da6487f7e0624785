"""Checks on the tests and modules themselves; prints what breaks them, and exits 1 then."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

MAX_LINES = 450
BANNED_IMPORTS = ("unittest.mock", "mock")


def problems(path: Path, *, test: bool) -> list[str]:
    """What is wrong with one file."""
    text = path.read_text(encoding="utf-8")
    found = []
    lines = text.count("\n")
    if lines > MAX_LINES and not test:
        found.append(f"{path}: {lines} lines; a module holds one idea and stays under {MAX_LINES}")
    for number, line in enumerate(text.splitlines(), 1):
        if "TO" + "DO" in line and "#" + "" not in line.partition("TO" + "DO")[2]:
            found.append(f"{path}:{number}: an open end without an issue")
    if not test:
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            doc = ast.get_docstring(node)
            if not doc or not doc.rstrip().endswith("."):
                found.append(f"{path}:{node.lineno}: {node.name} does not say its behaviour in a sentence")
            if not any(
                isinstance(n, ast.Assert) or (isinstance(n, ast.Attribute) and n.attr in ("raises", "fail"))
                for n in ast.walk(node)
            ):
                found.append(f"{path}:{node.lineno}: {node.name} asserts nothing")
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [a.name for a in node.names] + (
                [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            )
            found += [f"{path}:{node.lineno}: {n} is a mock" for n in names if n.startswith(BANNED_IMPORTS)]
        if isinstance(node, ast.Attribute) and node.attr == "sleep":
            found.append(f"{path}:{node.lineno}: a test does not sleep")
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant):
            found.append(f"{path}:{node.lineno}: an assertion that cannot fail")
    return found


def main() -> int:
    """Check every module and every test."""
    found = [p for f in sorted(Path("tests").rglob("*.py")) for p in problems(f, test=True)]
    found += [p for f in sorted(Path("validator").rglob("*.py")) for p in problems(f, test=False)]
    for line in found:
        print(line)  # noqa: T201  # the output of the check
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
