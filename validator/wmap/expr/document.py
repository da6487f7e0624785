"""Get and set at a place of a document, of any language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.expr.protocol import MISSING, EvaluationError

if TYPE_CHECKING:
    from wmap.expr.protocol import Json, Path


def get_at(document: Json, path: Path) -> Any:
    """The value at the path, or MISSING where there is none."""
    value = document
    for step in path:
        if isinstance(step, str):
            if not isinstance(value, dict) or step not in value:
                return MISSING
            value = value[step]
        else:
            if not isinstance(value, list) or not 0 <= step < len(value):
                return MISSING
            value = value[step]
    return value


def set_at(document: Json, path: Path, value: Json) -> Json:
    """A new document with the value at the path. Parents that are absent are created; nothing else differs.

    Only what lies on the path is copied. An array is filled up with nulls to reach an index behind its end.

    Raises:
        EvaluationError: a parent is neither absent nor of the kind that the step needs.
    """
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, str):
        if document is not None and not isinstance(document, dict):
            raise EvaluationError(f'Cannot index {_name(document)} with "{step}"', path=path)
        copied = dict(document or {})
        copied[step] = set_at(copied.get(step), rest, value)
        return copied
    if document is not None and not isinstance(document, list):
        raise EvaluationError(f"Cannot index {_name(document)} with number", path=path)
    items = list(document or [])
    items.extend([None] * (step + 1 - len(items)))
    items[step] = set_at(items[step], rest, value)
    return items


def _name(value: Json) -> str:
    if isinstance(value, bool):
        return "boolean"
    return {str: "string", int: "number", float: "number", list: "array", dict: "object"}[type(value)]
