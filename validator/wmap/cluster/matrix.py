"""Which definitions are run at which releases."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from wmap.check.against import by_framework
from wmap.cluster.run import Entry
from wmap.contract.store import KUBERNETES
from wmap.errors import CallError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wmap.cluster.source import Source
    from wmap.contract import Store
    from wmap.definition.model import Definition


def entries_of(
    definitions: Sequence[Definition],
    store: Store,
    source: Source,
    *,
    frameworks: Sequence[str] = (),
    releases: Sequence[str] = (),
) -> list[Entry]:
    """An entry for each definition and release that is asked for.

    ``frameworks``: empty for all of the definitions. ``releases``: tags, or ``all``; empty for the newest of each framework that there are
    CRDs of. The kinds of Kubernetes have the release of the server, whichever is asked for.

    Raises:
        CallError: a framework or a release is not known, or nothing is left.
    """
    known = by_framework(definitions, store)
    for name in frameworks:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1, 0.5)
            raise CallError(
                f"no definition that is asked for is of a framework {name}",
                hint=f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(known))}",
            )
    found: list[Entry] = []
    matched: set[str] = set()
    for framework, own in known.items():
        if frameworks and framework not in frameworks:
            continue
        stored = store.releases(framework)
        there = stored if framework == KUBERNETES else source.releases(framework, stored)
        if framework == KUBERNETES:
            wanted = stored[-1:]
        elif not releases:
            wanted = there[-1:]
        else:
            wanted = [r for r in there if r in releases or "all" in releases]
            matched.update(wanted)
        found += [Entry(d, framework, r, newest=r == stored[-1]) for r in wanted for d in own]
    unknown = [r for r in releases if r not in matched and r != "all"]
    if unknown:
        raise CallError(
            f"there are no CRDs of a release {unknown[0]}", hint="wmap catalog matrix lists the stored releases"
        )
    if not found:
        raise CallError("there is nothing to run", hint="there are CRDs of none of these frameworks")
    return found
