"""The software bill of materials of a release, as CycloneDX 1.6 JSON: wmap and all that its extras bring, by name, version and licence, and
what needs what. The same environment gives the same bytes.

    python tools/sbom.py [FILE]        # by default wmap-VERSION.cdx.json
"""

from __future__ import annotations

import re
import sys
import uuid
from importlib import metadata
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = {"bundle", "fuzz", "sync", "cluster"}
_LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)


def closure(name: str, extras: set[str]) -> dict[str, list[str]]:
    """What an installed distribution needs, with all that that needs: each name with those that it asks for itself."""
    found: dict[str, list[str]] = {}
    waiting = [(canonicalize_name(name), frozenset(extras))]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        this, wanted = one
        needs = found.setdefault(this, [])
        for text in metadata.requires(this) or ():
            need = Requirement(text)
            if need.marker is not None and not any(need.marker.evaluate({"extra": e}) for e in ("", *wanted)):
                continue
            needs.append(canonicalize_name(need.name))
            waiting.append((canonicalize_name(need.name), frozenset(need.extras)))
    return found


def locked() -> set[str]:
    """The names of the lock file."""
    return {canonicalize_name(n) for n in _LOCKED.findall((ROOT / "requirements" / "dev.txt").read_text())}


def component(name: str, kind: ComponentType) -> Component:
    """What stands of one distribution."""
    said = metadata.metadata(name)
    licences = LicenseFactory()
    licence = said.get("License-Expression") or next(
        (c.rpartition(" :: ")[2] for c in said.get_all("Classifier") or () if c.startswith("License ::")), None
    )
    return Component(
        name=name,
        version=said["Version"],
        type=kind,
        bom_ref=f"pkg:pypi/{name}@{said['Version']}",
        purl=PackageURL("pypi", None, name, said["Version"]),
        licenses=[licences.make_from_string(licence)] if licence else [],
    )


def main() -> None:
    """Write the file."""
    needs, known = closure("wmap", EXTRAS), locked()
    missing = sorted(n for n in needs if n != "wmap" and n not in known)
    if missing:
        sys.exit(f"{', '.join(missing)}: not in the lock file; run make lock")
    tool = component("wmap", ComponentType.APPLICATION)
    made = {n: tool if n == "wmap" else component(n, ComponentType.LIBRARY) for n in sorted(needs)}
    lock = (ROOT / "requirements" / "dev.txt").read_bytes() + str(tool.version).encode()
    bom = Bom(
        components=[c for n, c in made.items() if n != "wmap"], serial_number=uuid.uuid5(uuid.NAMESPACE_URL, lock.hex())
    )
    bom.metadata.component = tool
    bom.metadata.timestamp = None  # type: ignore[assignment]  # the same lock gives the same bytes
    for name, own in made.items():
        bom.register_dependency(own, [made[n] for n in sorted(set(needs[name]))])
    place = Path(sys.argv[1] if len(sys.argv) > 1 else f"wmap-{tool.version}.cdx.json")
    place.write_text(JsonV1Dot6(bom).output_as_string(indent=2) + "\n")
    sys.stdout.write(f"{place}: {len(made) - 1} components\n")


if __name__ == "__main__":
    main()
