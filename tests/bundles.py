"""Small bundles, built of a real repository once for all tests of a process that ask for the same."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.repositories import Origin

from wmap.registry.bundle import build

if TYPE_CHECKING:
    from wmap.registry.bundle import Built

ROOT = Path(__file__).parents[1]
ALWAYS = ("LICENSE", "schemas/definition.schema.json")
LWS = "catalog/lws/leaderworkerset-x-k8s-io-leaderworkerset-v1.yaml"
ADDRESS = "https://example.org/maps"


def files(*names: str) -> dict[str, bytes]:
    """These files of this repository, by their paths."""
    return {name: (ROOT / name).read_bytes() for name in names}


def of_lws(more: bytes = b"") -> dict[str, bytes]:
    """What a catalog of the LeaderWorkerSet holds, with something added at the end of its definition."""
    found = files(*ALWAYS, "catalog/lws/framework.yaml", LWS)
    return {**found, LWS: found[LWS] + more}


@cache
def built(version: str = "1.0.0", more: bytes = b"") -> Built:
    """The bundle of that catalog."""
    with tempfile.TemporaryDirectory() as folder:
        origin = Origin(Path(folder) / "origin")
        origin.commit({**of_lws(more)})
        return build(origin.folder, version=version, address=ADDRESS)
