"""Contracts as text and as JSON: what the store has, what a release has, the fields of a kind."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from wmap.contract.files import facts_to

if TYPE_CHECKING:
    from wmap.contract import Contract, Facts, Store

SCHEMA_VERSION = 1


def frameworks(store: Store) -> dict[str, Any]:
    """The frameworks of a store with their releases."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "frameworks": [{"name": name, "releases": store.releases(name)} for name in store.frameworks()],
    }


def frameworks_text(store: Store) -> str:
    """The frameworks of a store, a line each."""
    names = store.frameworks()
    width = max((len(name) for name in names), default=0)
    return "".join(f"{name:{width}}  {', '.join(store.releases(name))}\n" for name in names)


def releases(store: Store, framework: str) -> dict[str, Any]:
    """The releases of a framework with where they are from."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "framework": framework,
        "releases": [_head(store, framework, name) for name in store.releases(framework)],
    }


def releases_text(store: Store, framework: str) -> str:
    """The releases of a framework, a line each."""
    heads = [_head(store, framework, name) for name in store.releases(framework)]
    width = max((len(head["release"]) for head in heads), default=0)
    return "".join(
        f"{head['release']:{width}}  {head['date'] or '':10}  {(head['commit'] or '')[:12]:12}  {len(head['kinds'])} kinds\n"
        for head in heads
    )


def release(store: Store, framework: str, name: str) -> dict[str, Any]:
    """What one release has: its kinds, its vocabulary, and what was read."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "framework": framework,
        **_head(store, framework, name),
        "read": store.entry(framework, name)["read"],
        "vocabulary": [
            {"value": t.value, "kind": str(t.kind), "name": t.name, "type": t.type, "file": t.file, "line": t.line}
            for t in store.vocabulary(framework, name).terms
        ],
    }


def release_text(store: Store, framework: str, name: str) -> str:
    """What one release has, briefly."""
    head = _head(store, framework, name)
    lines = [f"{framework} {name}"]
    lines += [f"from {head['repository']} {head['commit'] or ''} {head['date'] or ''}".rstrip()] * bool(
        head["repository"]
    )
    for kind in store.kinds(framework, name):
        contract = store.contract(framework, name, *kind)
        lines.append(
            f"  {kind}  {len(contract.fields) if contract else 0} fields" + (_states(contract) if contract else "")
        )
    counted = Counter(str(t.kind) for t in store.vocabulary(framework, name).terms)
    if counted:
        lines.append("  vocabulary: " + ", ".join(f"{n} {kind}" for kind, n in sorted(counted.items())))
    return "\n".join(lines) + "\n"


def contract(of: Contract) -> dict[str, Any]:
    """One contract, its fields as they are stored."""
    return {
        "framework": of.framework,
        "release": of.release,
        "group": of.group,
        "version": of.version,
        "kind": of.kind,
        "scope": of.scope,
        "served": of.served,
        "storage": of.storage,
        "deprecated": of.deprecated,
        "fields": {path: facts_to(of.fields[path]) for path in of.fields},
    }


def contract_text(of: Contract) -> str:
    """One contract, a line a field; core types are named, not written out."""
    lines = [f"{of.kind} {of.group}/{of.version} of {of.framework} {of.release}{_states(of)}"]
    width = min(70, max(len(path) for path in of.fields))
    lines += [f"  {path:{width}}  {described(of.fields[path])}" for path in of.fields if path]
    return "\n".join(lines) + "\n"


def described(facts: Facts) -> str:
    """The facts about a field in one line."""
    said = [facts.ref or facts.type or "any"]
    said += ["required"] * facts.required + ["nullable"] * facts.nullable + ["open"] * facts.preserve
    if facts.has_default:
        said.append(f"default {json.dumps(facts.default, ensure_ascii=False)}")
    if facts.enum:
        said.append("one of " + ", ".join(json.dumps(value, ensure_ascii=False) for value in facts.enum))
    if facts.lacks:
        said.append(f"without {len(facts.lacks)} of its fields")
    return "; ".join(said)


def _states(of: Contract) -> str:
    said = ["not served"] * (not of.served) + ["stored"] * of.storage + ["deprecated"] * of.deprecated
    return f" ({', '.join(said)})" if said else ""


def _head(store: Store, framework: str, name: str) -> dict[str, Any]:
    entry = store.entry(framework, name)
    return {
        "release": name,
        "repository": entry["repository"],
        "commit": entry["commit"],
        "date": entry["date"],
        "kinds": [str(kind) for kind in store.kinds(framework, name)],
    }
