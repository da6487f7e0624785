"""Compare two states of a catalog by meaning: what breaks consumers is major, what they gain is minor, the rest patch.

Major: an entry, component, path or mapping that went or is another, an instance naming, a unit, a gang key, a suspend action, a
release that is supported no more. Minor: a new entry, component, mapping or supported release. Comments and layout are nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.registry.differences import Change, Differences, EntryChanges, FrameworkChanges, Semantic, Status, What
from wmap.registry.facts import (
    GANG,
    MAJOR,
    MAPPING,
    MINOR,
    PATCH,
    STRUCTURE,
    Fact,
    Facts,
    canonical,
    component_facts,
    component_path,
    managed_kinds,
    matcher_key,
    matcher_text,
    members,
    workload_group,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wmap.contract.framework import Framework
    from wmap.definition.model import Component, Definition, Matcher
    from wmap.registry.state import CatalogState, Entry


def compare(before: CatalogState, after: CatalogState) -> Differences:
    """The differences of two states. An entry is known by its name; one that was renamed is found by its kind or its text."""
    gone = {n: e for n, e in before.entries.items() if n not in after.entries}
    came = {n: e for n, e in after.entries.items() if n not in before.entries}
    renames = dict(_renames(gone, came))
    found: list[EntryChanges] = []
    for name, entry in after.entries.items():
        old = before.entries.get(name) or gone.get(renames.get(name, ""))
        changed = compare_entries(old, entry)
        if changed is not None:
            found.append(changed)
    followed = set(renames.values())
    found += [c for n, e in gone.items() if n not in followed and (c := compare_entries(e, None)) is not None]
    frameworks = [
        FrameworkChanges(name, changes)
        for name in sorted({*before.frameworks, *after.frameworks})
        if (changes := tuple(_framework(name, before, after)))
    ]
    return Differences(
        before.label, after.label, tuple(sorted(found, key=lambda e: (e.name, e.status))), tuple(frameworks)
    )


def compare_entries(before: Entry | None, after: Entry | None) -> EntryChanges | None:
    """What changed of one entry; None on one side: it was added or removed. None: nothing that means anything."""
    if before is None or after is None:
        if after is not None:
            change = Change(What.ADDED, MINOR, "", None, _kind(after), "a new entry")
            return EntryChanges(after.name, Status.ADDED, (change,), None, None, after.path)
        if before is None:
            return None
        change = Change(What.REMOVED, MAJOR, "", _kind(before), None, "the entry is no more: nothing reads its kind")
        return EntryChanges(before.name, Status.REMOVED, (change,), None, before.path, None)
    changes: list[Change] = []
    renamed = before.name != after.name and before.definition is not None and after.definition is not None
    if renamed:
        why = "an entry is known by its name"
        changes.append(Change(What.RENAMED, MAJOR, "metadata.name", before.name, after.name, why))
    elif before.path != after.path:
        changes.append(Change(What.MOVED, PATCH, "", before.path, after.path, "the file lies elsewhere"))
    if before.data != after.data:
        changes += _entry(before, after)
    if not changes:
        return None
    changes.sort(key=lambda c: -c.level.rank)
    status = Status.RENAMED if renamed else Status.CHANGED
    return EntryChanges(after.name, status, tuple(changes), before.name if renamed else None, before.path, after.path)


def _kind(entry: Entry) -> str:
    definition = entry.definition
    return str(definition.kind) if definition is not None and definition.root.kind is not None else entry.name


def _entry(before: Entry, after: Entry) -> Iterator[Change]:
    old, new = before.definition, after.definition
    if old is not None and new is not None:
        yield from compare_definitions(old, new)
    elif old is not None:
        yield Change(What.CHANGED, MAJOR, "", "readable", after.broken, "nothing can read the definition any more")
    elif new is not None:
        yield Change(What.CHANGED, MINOR, "", before.broken, "readable", "the definition can be read again")
    else:
        yield Change(What.CHANGED, PATCH, "", before.broken, after.broken, "nothing could read it, nor can now")


def _renames(gone: Mapping[str, Entry], came: Mapping[str, Entry]) -> Iterator[tuple[str, str]]:
    """New name to old."""
    left = dict(gone)
    for new, entry in came.items():
        old = renamed_from(left, entry)
        if old is not None:
            del left[old]
            yield new, old


def renamed_from(gone: Mapping[str, Entry], came: Entry) -> str | None:
    """The key of what an entry was before it was called otherwise: of its name, its kind, or of its structure in another version."""
    for same in (_same_name, _same_kind, _same_structure):
        found = next((key for key, old in gone.items() if same(old, came)), None)
        if found is not None:
            return found
    return None


def _same_name(one: Entry, other: Entry) -> bool:
    return one.name == other.name


def _same_kind(one: Entry, other: Entry) -> bool:
    a, b = one.definition, other.definition
    return a is not None and b is not None and a.kind == b.kind


def _same_structure(one: Entry, other: Entry) -> bool:
    a, b = one.definition, other.definition
    if a is None or b is None:
        return False
    return (a.kind.group, a.kind.kind) == (b.kind.group, b.kind.kind) and all(
        c.path.endswith(".rootComponent.kind") for c in compare_definitions(a, b)
    )


def compare_definitions(before: Definition, after: Definition) -> list[Change]:
    """The changes from one definition to another, in the order of the document; names of the definitions are not looked at."""
    names = dict(_renamed_components(before, after))
    found = list(_components(before, after, names))
    found += _facts(managed_kinds(before), managed_kinds(after))
    found += _members(before, after, names)
    found += _facts(workload_group(before, names), workload_group(after, {}))
    return found


def _renamed_components(before: Definition, after: Definition) -> Iterator[tuple[str, str]]:
    """Old name to new: the root, and a component that went where one came that is the same but for its name."""
    if before.root.name != after.root.name:
        yield before.root.name.value, after.root.name.value
    root = {before.root.name.value: after.root.name.value}
    known = {c.name.value for c in after.children}
    left = [c for c in after.children if before.component(c.name.value) in (None, before.root)]
    for old in before.children:
        if old.name.value in known:
            continue
        facts = _values(component_facts(old, "", root, root=False))
        new = next((c for c in left if _values(component_facts(c, "", {}, root=False)) == facts), None)
        if new is None:
            alike = [c for c in left if _place(c) == _place(old) != (None, None, None)]
            new = alike[0] if len(alike) == 1 else None
        if new is not None:
            left.remove(new)
            yield old.name.value, new.name.value


def _place(component: Component) -> tuple[str | None, ...]:
    """From where a component is read: what makes it the same under another name."""
    spec = component.spec
    paths = (spec.pod_template, spec.pod_spec) if spec is not None else (None, None)
    return tuple(canonical(t.value) if t is not None else None for t in (*paths, component.instance_id))


def _values(facts: Facts) -> dict[str, Any]:
    return {path: fact.value for path, fact in facts.items()}


def _components(before: Definition, after: Definition, names: Mapping[str, str]) -> Iterator[Change]:
    olds = {names.get(c.name.value, c.name.value): c for c in before.children}
    news = {c.name.value: c for c in after.children}
    pairs: list[tuple[Component, Component]] = [(before.root, after.root)]
    pairs += [(olds[n], c) for n, c in news.items() if n in olds]
    for old, new in pairs:
        path = component_path(after, new)
        if old.name.value != new.name.value:
            why = "consumers know components by their names"
            yield Change(What.RENAMED, MAJOR, f"{path}.name", old.name.value, new.name.value, why)
        root = new is after.root
        yield from _facts(component_facts(old, path, names, root=root), component_facts(new, path, {}, root=root))
        yield from _mappings(old, new, path)
    for name, old in olds.items():
        if name not in news:
            path = component_path(before, old)
            yield Change(What.REMOVED, MAJOR, path, old.name.value, None, "a component is no more")
    for name, new in news.items():
        if name not in olds:
            yield Change(What.ADDED, MINOR, component_path(after, new), None, new.name.value, "a new component")
    yield from _among_leaves(before, after, pairs)


def _among_leaves(
    before: Definition, after: Definition, pairs: Iterable[tuple[Component, Component]]
) -> Iterator[Change]:
    """What the leaves mean to each other: how they count, and which comes first for a pod."""
    leaves = [(old, new) for old, new in pairs if old.is_leaf and new.is_leaf]
    scaled = [any(c.scale is not None for c in d.components if c.is_leaf) for d in (before, after)]
    for old, new in leaves:
        path = component_path(after, new)
        if scaled[0] != scaled[1] and old.scale is None and new.scale is None:
            said = ["0" if s else "1" for s in scaled]
            why = "a leaf without a count counts 0 where another has one, else 1"
            yield Change(What.CHANGED, MAJOR, f"{path}.scaleDefinition", said[0], said[1], why)
    one = [sum(c.is_leaf for c in d.components) == 1 for d in (before, after)]
    if one[0] and not one[1]:
        for _, new in leaves:
            if new.selector is None or new.selector.component_type is None:
                path = f"{component_path(after, new)}.podSelector"
                why = "it had all pods, being the only leaf; without a selector it has none"
                yield Change(What.CHANGED, MAJOR, path, "all pods", "no pods", why)
                break
    called = {old.name.value: new.name.value for old, new in leaves}
    order = [called[c.name.value] for c in before.components if c.name.value in called]
    now = [c.name.value for c in after.components if c.name.value in order]
    if order != now:
        moved = [new for _, new in leaves]
        apart = all(_apart(a, b) for i, a in enumerate(moved) for b in moved[i + 1 :])
        level, why = (
            (PATCH, "leaves stand in another order; their selectors exclude each other")
            if apart
            else (MAJOR, "a pod belongs to the first leaf that selects it, and another one comes first")
        )
        yield Change(What.REORDERED, level, f"{STRUCTURE}.childComponents", ", ".join(order), ", ".join(now), why)


def _apart(one: Component, other: Component) -> bool:
    """Whether no pod can be of both: the same key with two values, or the same label."""
    kinds = [c.selector.component_type if c.selector is not None else None for c in (one, other)]
    a, b = kinds
    if a is None or b is None:
        return False
    keyed = a.key is not None and b.key is not None and canonical(a.key.value) == canonical(b.key.value)
    if keyed and a.value is not None and b.value is not None and a.value.value != b.value.value:
        return True
    return any(k in b.match_labels and t.value != b.match_labels[k].value for k, t in a.match_labels.items())


def _mappings(old: Component, new: Component, path: str) -> Iterator[Change]:
    befores = old.status.mappings if old.status is not None else {}
    afters = new.status.mappings if new.status is not None else {}
    for status in dict.fromkeys((*befores, *afters)):
        at = f"{path}.statusDefinition.statusMappings.{status.value}"
        yield from _matchers(befores.get(status, ()), afters.get(status, ()), at)


def _matchers(befores: tuple[Matcher, ...], afters: tuple[Matcher, ...], path: str) -> Iterator[Change]:
    """The alternatives of one status: ORed, so without an order, but that reason and message come from the first."""
    keys = [[matcher_key(m) for m in side] for side in (befores, afters)]
    gone = [m for m, k in zip(befores, keys[0], strict=True) if k not in keys[1]]
    came = [m for m, k in zip(afters, keys[1], strict=True) if k not in keys[0]]
    for one, other in _paired(gone, came):
        yield Change(What.CHANGED, MAPPING.changed, path, matcher_text(one), matcher_text(other), MAPPING.why)
    for m in gone:
        yield Change(What.REMOVED, MAPPING.removed, path, matcher_text(m), None, "a mapping is no more")
    for m in came:
        yield Change(What.ADDED, MAPPING.added, path, None, matcher_text(m), "a new mapping")
    kept = [k for k in dict.fromkeys(keys[0]) if k in keys[1]]
    now = [k for k in dict.fromkeys(keys[1]) if k in keys[0]]
    if kept != now:
        reasons = any(m.conditions for m in befores)
        why = "reason and message come from the first that holds" if reasons else "mappings stand in another order"
        yield Change(What.REORDERED, MAJOR if reasons else PATCH, path, None, None, why)


def _paired(gone: list[Matcher], came: list[Matcher]) -> list[tuple[Matcher, Matcher]]:
    """Those that are one mapping with another text: they ask by the same means for the same result. Taken out of both lists."""
    pairs = []
    for old in list(gone):
        new = next((m for m in came if _means(m) == _means(old)), came[0] if len(gone) == len(came) == 1 else None)
        if new is not None:
            gone.remove(old)
            came.remove(new)
            pairs.append((old, new))
    return pairs


def _means(matcher: Matcher) -> tuple[Any, ...]:
    asked = matcher.expression
    types = tuple(sorted(str(c.type) for c in matcher.conditions))
    return matcher.phase is not None, types, asked.expected_result.value if asked is not None else None


def _members(before: Definition, after: Definition, names: Mapping[str, str]) -> Iterator[Change]:
    olds, news = members(before, names), members(after, {})
    claimed = {m.component for m in olds.values()}
    if after.pod_group is not None and before.pod_group is not None:
        return  # where the new form is there, consumers do not look at the old one
    for path in dict.fromkeys((*olds, *news)):
        old, new = olds.get(path), news.get(path)
        if new is None:
            assert old is not None  # noqa: S101  # a path is of one of them
            yield Change(What.REMOVED, GANG.removed, path, old.component, None, "a gang is no more")
        elif old is None:
            component = after.component(new.component)
            owners = {o.name.value for o in after.ancestors(component)} if component is not None else set()
            taken = sorted(claimed & {*owners, new.component})
            why = f"its pods leave the gangs of {taken[0]}" if taken else "a new gang"
            yield Change(What.ADDED, MAJOR if taken else MINOR, path, None, new.component, why)
        else:
            yield from _facts(old.facts, new.facts)
    shared = {m.component for m in olds.values() if sum(x.component == m.component for x in olds.values()) > 1}
    for name in sorted(shared):
        order = [m.group for p, m in olds.items() if m.component == name and p in news]
        now = [m.group for p, m in news.items() if m.component == name and p in olds]
        if order != now:
            at = "spec.optimizationInstructions.gangScheduling.podGroups"
            why = f"a pod of {name} belongs to the first gang whose filters hold"
            yield Change(What.REORDERED, MAJOR, at, ", ".join(order), ", ".join(now), why)


def _facts(before: Facts, after: Facts) -> Iterator[Change]:
    for path in dict.fromkeys((*before, *after)):
        old, new = before.get(path), after.get(path)
        if old is None and new is not None:
            yield _change(What.ADDED, new.meaning.added, path, None, new)
        elif old is not None and new is None:
            yield _change(What.REMOVED, old.meaning.removed, path, old, None)
        elif old is not None and new is not None and old.value != new.value:
            yield _change(What.CHANGED, new.meaning.changed, path, old, new)


def _change(what: What, level: Semantic, path: str, old: Fact | None, new: Fact | None) -> Change:
    found = new or old
    assert found is not None  # noqa: S101  # one of them is there
    return Change(what, level, path, old.shown if old else None, new.shown if new else None, found.meaning.why)


def _framework(name: str, states: CatalogState, others: CatalogState) -> Iterator[Change]:
    before, after = states.frameworks.get(name), others.frameworks.get(name)
    if before is None or after is None:
        said = [
            f.display_name if f is not None else "unreadable" if name in state.frameworks else None
            for f, state in ((before, states), (after, others))
        ]
        if said[0] is None:
            yield Change(What.ADDED, MINOR, "", None, said[1], "a new framework")
        elif said[1] is None:
            yield Change(What.REMOVED, MAJOR, "", said[0], None, "the framework is no more")
        elif said[0] != said[1]:
            yield Change(What.CHANGED, PATCH, "", said[0], said[1], "this version can read only one of both")
        return
    yield from _lives(before, after)
    for release in before.supported:
        if release not in after.supported:
            why = "a release is supported no more"
            yield Change(What.REMOVED, MAJOR, "supported.releases", release, None, why)
    for release in after.supported:
        if release not in before.supported:
            yield Change(What.ADDED, MINOR, "supported.releases", None, release, "a further release is supported")
    for key in ("display_name", "home_page", "repository", "licence", "tag_pattern", "image", "manifest"):
        old, new = getattr(before, key), getattr(after, key)
        if old != new:
            yield Change(What.CHANGED, PATCH, _NAMES.get(key, key), old, new, "who ships it, or how")
    for key in ("layout", "supported_why", "modules", "core_types", "vocabulary", "words", "notes"):
        if getattr(before, key) != getattr(after, key):
            yield Change(What.CHANGED, PATCH, _NAMES.get(key, key), None, None, "what the entries are judged by")


def _lives(before: Framework, after: Framework) -> Iterator[Change]:
    """What became of definitions: one that is yanked must not be used any more, one that is deprecated still may."""
    olds, news = ({life.name: life for life in f.lives} for f in (before, after))
    for name in sorted({*olds, *news}):
        one, other = olds.get(name), news.get(name)
        for key, level, why in (
            ("yanked", MAJOR, "the definition must not be used any more"),
            ("deprecated", MINOR, "the definition should not be used any more"),
            ("replaced_by", PATCH, "another definition is to be used"),
        ):
            old, new = (getattr(life, key, None) for life in (one, other))
            if old == new:
                continue
            path = f"definitions[{name}].{_NAMES.get(key, key)}"
            if old is None:
                yield Change(What.ADDED, level, path, None, new, why)
            elif new is None:
                yield Change(What.REMOVED, MINOR if key == "yanked" else PATCH, path, old, None, "it is said no more")
            else:
                yield Change(What.CHANGED, PATCH, path, old, new, "another reason, or another definition")


_NAMES = {
    "replaced_by": "replacedBy",
    "display_name": "displayName",
    "home_page": "homePage",
    "tag_pattern": "tagPattern",
    "supported_why": "supported.why",
    "core_types": "coreTypes",
    "image": "install.image",
    "manifest": "install.manifest",
}

__all__ = ["compare", "compare_definitions", "compare_entries", "renamed_from"]
