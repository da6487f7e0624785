"""Level ``contract``: the rules at each release that is judged, and what holds for which releases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from wmap.check.judged import Judged, Known, framework_of, judged
from wmap.check.registry import rules
from wmap.findings import Finding, Level, NotRun, Span

if TYPE_CHECKING:
    from wmap.contract import Store
    from wmap.definition.model import Definition


class ContractResult(NamedTuple):
    """The findings of one definition, over all releases that were judged; what was not judged, and why."""

    findings: list[Finding]
    not_run: list[NotRun]


_Key = tuple[str, Span | str | None, str]


def judge_contract(
    definition: Definition, store: Store, wanted: str | None = None, known: Known | None = None
) -> ContractResult:
    """Judge a definition against the contracts of its kind.

    ``wanted``: a release, ``all``, or None for those that framework.yaml calls supported and the newest. A finding that does
    not hold for all releases that have the kind names those for which it does. ``known``: typings that are known already.

    Raises:
        CallError: the release that is asked for is not stored.
        InputError: the ``framework.yaml`` is broken.
    """
    name = definition.name.value
    framework = framework_of(definition, store)
    if framework is None:
        return ContractResult([], [NotRun(Level.CONTRACT, name, f"no contract of {definition.kind} is stored")])
    found: dict[_Key, tuple[Finding, list[str]]] = {}
    by_text = {"C205"}  # several notes may be about one place
    have: list[str] = []
    for context in judged(definition, store, framework, wanted, known):
        if _not_yet(context):
            continue
        if context.contract is not None:
            have.append(context.release)
        for finding in at_release(context):
            # an alias puts one text into several fields: it is one finding, at its place
            key = (finding.code, finding.span or finding.field, finding.message if finding.code in by_text else "")
            old = found.get(key)
            # the newest release words it
            releases = old[1] if old else []
            found[key] = (finding, releases if context.release in releases else [*releases, context.release])
    if not have and not found:
        return ContractResult([], [NotRun(Level.CONTRACT, name, f"no release that is judged has {definition.kind}")])
    everywhere = {r.code for r in rules() if r.everywhere}
    kept = []
    for finding, releases in found.values():
        whole = set(releases) >= set(have)
        if finding.code in everywhere and not whole:
            continue
        kept.append(finding if whole else replace(finding, releases=tuple(releases)))
    return ContractResult(kept, [])


def at_release(context: Judged) -> list[Finding]:
    """What the rules of level contract find at one release."""
    return [f for rule in rules() if rule.level is Level.CONTRACT for f in rule.check(context)]


def _not_yet(context: Judged) -> bool:
    """Whether the release is older than the first that has the kind in this version."""
    if context.contract is not None or context.stored is None:
        return False
    releases = context.stored.releases
    have = [releases.index(r) for r in context.stored.with_field("")]
    return bool(have) and releases.index(context.release) < min(have)
