"""The difference of two documents, as a JSON merge patch (RFC 7386) or a JSON Patch (RFC 6902) with tests."""

from __future__ import annotations

from typing import Any

from wmap.errors import InputError


def merge_patch(old: Any, new: Any) -> Any:
    """The merge patch that makes ``new`` of ``old``.

    Raises:
        InputError: ``new`` sets a null, which a merge patch would delete.
    """
    if not isinstance(new, dict):
        return new
    # what is no object becomes an empty one before it is merged into
    before = old if isinstance(old, dict) else {}
    patch: dict[str, Any] = {key: None for key in before if key not in new}
    for key, value in new.items():
        if key in before and same(before[key], value):
            continue
        if value is None:
            raise InputError(f"a merge patch cannot set {key} to null", hint="use -o json-patch")
        patch[key] = merge_patch(before.get(key), value)
    return patch


def json_patch(old: Any, new: Any, path: str = "") -> list[dict[str, Any]]:
    """The operations that make ``new`` of ``old``.

    Each replaced or removed value is tested first, and of each entry of a list that an operation goes into what tells it from the
    others: a list that was changed meanwhile makes the patch fail, and not change another entry.
    """
    if same(old, new):
        return []
    if isinstance(old, dict) and isinstance(new, dict):
        operations: list[dict[str, Any]] = []
        for key in old:
            if key not in new:
                place = f"{path}/{_escape(key)}"
                operations += [{"op": "test", "path": place, "value": old[key]}, {"op": "remove", "path": place}]
        for key, value in new.items():
            place = f"{path}/{_escape(key)}"
            if key in old:
                operations += json_patch(old[key], value, place)
            else:
                operations.append({"op": "add", "path": place, "value": value})
        return operations
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [
            op
            for i, (a, b) in enumerate(zip(old, new, strict=True))
            for op in _entry_patch(old, i, a, b, f"{path}/{i}")
        ]
    return [{"op": "test", "path": path, "value": old}, {"op": "replace", "path": path, "value": new}]


def _entry_patch(entries: list[Any], position: int, old: Any, new: Any, path: str) -> list[dict[str, Any]]:
    operations = json_patch(old, new, path)
    if not operations or operations[0]["path"] == path:
        return operations  # nothing, or all of the entry, which is tested
    tests = [{"op": "test", "path": path + below, "value": value} for below, value in _identity(entries, position)]
    return tests + [o for o in operations if o not in tests]


def _identity(entries: list[Any], position: int) -> list[tuple[str, Any]]:
    """What tells an entry from the others: where below it, and the value. One of its scalars, else all, else the whole entry."""
    entry = entries[position]
    others = [e for i, e in enumerate(entries) if i != position]
    if isinstance(entry, dict):
        scalars = {k: v for k, v in entry.items() if v is not None and not isinstance(v, dict | list)}
        named = sorted(scalars, key=lambda k: not (k == "name" or k.endswith("Name")))
        for keys in (*([k] for k in named if isinstance(scalars[k], str)), list(scalars)):
            if keys and not any(
                isinstance(e, dict) and all(k in e and same(e[k], scalars[k]) for k in keys) for e in others
            ):
                return [(f"/{_escape(k)}", scalars[k]) for k in keys]
    return [("", entry)]


def same(left: Any, right: Any) -> bool:
    """Equality of JSON values: true is not 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(v, right[k]) for k, v in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def apply_merge_patch(document: Any, patch: Any) -> Any:
    """The document with a merge patch applied; the document itself stays as it is."""
    if not isinstance(patch, dict):
        return patch
    result = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = apply_merge_patch(result.get(key), value)
    return result


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
