"""What an operator may touch: the resources that its roles name."""

from __future__ import annotations

from typing import Any

from wmap.contract.crd import LIMITS, items_of
from wmap.definition.yamlio import decode, read_documents
from wmap.errors import InputError

ROLES = ("ClusterRole", "Role")


def read_rights(data: bytes, file: str) -> tuple[str, ...]:
    """The resources that the roles of a manifest may create or change, as ``group/resource`` (``*``: all), sorted.

    Raises:
        InputError: it cannot be read, holds no role, or one that is no good; says which and where.
    """
    found: set[str] = set()
    roles = 0
    for document, line in read_documents(decode(data, file=file, limits=LIMITS), file=file, limits=LIMITS):
        for item in items_of(document):
            if isinstance(item, dict) and item.get("kind") in ROLES:
                roles += 1
                found |= _resources(item, f"{file}:{line}")
    if not roles:
        raise InputError(
            f"{file}: there is no role in it", hint=f"give the {' or '.join(ROLES)} that the operator runs with"
        )
    return tuple(sorted(found))


def _resources(role: dict[str, Any], where: str) -> set[str]:
    rules = role.get("rules") or []
    if not isinstance(rules, list) or not all(isinstance(r, dict) for r in rules):
        raise InputError(f"{where}: the rules of the role are no list of objects")
    found: set[str] = set()
    for rule in rules:
        verbs, groups, resources = (_texts(rule.get(k), where, k) for k in ("verbs", "apiGroups", "resources"))
        if {"*", "create", "update", "patch"} & set(verbs):
            found |= {f"{group}/{resource.partition('/')[0]}" for group in groups for resource in resources}
    return found


def _texts(value: Any, where: str, name: str) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise InputError(f"{where}: {name} of a rule is no list of texts")
    return value


def may_touch(rights: frozenset[str], group: str, kind: str) -> bool:
    """Whether rights name the resource of a kind; its plural is made by the usual rules, which hold for all known kinds."""
    return bool(rights & {f"{g}/{r}" for g in (group, "*") for r in (plural(kind), "*")})


def plural(kind: str) -> str:
    """The resource of a kind: ``jobs``, ``ingresses``, ``policies``."""
    name = kind.lower()
    if name.endswith(("s", "x", "ch", "sh")):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") and name[-2:-1] not in "aeiou" else f"{name}s"
