"""Places that a CRD cuts off or leaves open, and the core type that each really is, as ``framework.yaml`` declares them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from wmap.contract import kubernetes
from wmap.contract.model import Facts, steps_of
from wmap.contract.releases import in_range
from wmap.contract.tree import Node
from wmap.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wmap.contract.crd import Declared
    from wmap.contract.framework import CoreType


def declare(kinds: Sequence[Declared], release: str, places: Sequence[CoreType]) -> None:
    """Mark the declared places in the trees of a release. A place that the CRD does describe stays as it is described.

    Raises:
        InputError: a declaration names no core type, or no version of the kind has a place at the path, or room for one.
    """
    for place in places:
        if place.type not in kubernetes.TYPES:
            raise InputError(
                f"framework.yaml: coreTypes: {place.kind} {place.path}: {place.type} is no core type",
                hint=f"they are: {', '.join(sorted(kubernetes.TYPES))}",
            )
        if not in_range(release, place.releases):
            continue
        trees = [one.tree for one in kinds if one.kind == place.kind]
        # every tree is tried: a kind may have the place in some of its versions only
        marked = [_mark(tree, place) for tree in trees]
        if marked and not any(marked):
            raise InputError(
                f"framework.yaml: coreTypes: {place.kind} has no place {place.path} at {release}",
                hint="correct the path, or say with `releases` where it holds",
            )


def _mark(tree: Node, place: CoreType) -> bool:
    here = tree
    steps = list(steps_of(place.path))
    for kind, key in steps:
        following = here.items if kind == "[]" else here.values if kind == "{}" else here.named.get(key)
        if following is None:
            if not here.facts.preserve or here.values is not None:
                return False
            following = Node(Facts(preserve=True))
            if kind == "[]":
                here.items = following
            elif kind == "{}":
                here.values = following
            else:
                here.named[key] = following
        here = following
    if here.bare:
        here.facts = replace(here.facts, type=None, preserve=False, ref=place.type)
    return True
