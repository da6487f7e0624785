"""Write what failed as fixtures: the object, and what was wrong; what must be read is worked out by hand."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import yaml

from wmap.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from wmap.fuzz.run import Found


def save_fixtures(found: Iterable[Found], fixtures: Path) -> list[Path]:
    """Write a fixture for each finding into ``fixtures/<definition>/``; the paths of those that are new.

    A fixture expects that nothing is warned of: what else must be read is not known to a program.

    Raises:
        EnvironmentFailure: a file cannot be written.
    """
    written: list[Path] = []
    for one in found:
        finding = one.finding
        digest = hashlib.sha256(
            repr((finding.code, finding.field, one.obj)).encode("utf-8", "surrogatepass")
        ).hexdigest()
        path = fixtures / str(finding.definition) / f"fuzz-{finding.code.lower()}-{digest[:8]}.yaml"
        if path.exists():
            continue
        document: dict[str, Any] = {
            "description": f"Found by fuzzing at {one.release}, {finding.code} {finding.name}: {finding.message}",
            "object": one.obj,
        }
        if one.pods:
            document["pods"] = list(one.pods)
        document["expect"] = {"warnings": []}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_yaml(document), encoding="utf-8")
        except OSError as error:
            raise EnvironmentFailure(f"{path} cannot be written: {error.strerror}") from error
        written.append(path)
    return written


def _yaml(document: Any) -> str:
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)
    return text
