"""What failed before, kept below ``.wmap/fuzz/<definition>/`` and tried first the next time."""

from __future__ import annotations

import contextlib
import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from wmap.fuzz.engine import Failure

MOST = 50


def load_replays(folder: Path) -> list[tuple[Any, int]]:
    """The objects that failed before with their twists; what does not read is left out."""
    found: list[tuple[Any, int]] = []
    for file in sorted(folder.glob("*.json"))[:MOST] if folder.is_dir() else ():
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            document = json.loads(file.read_text(encoding="utf-8"))
            if isinstance(document["object"], dict):
                found.append((document["object"], int(document["twist"])))
    return found


def keep_replays(folder: Path, failures: Iterable[Failure]) -> None:
    """Keep what failed, and forget what no longer does. A folder that cannot be written to keeps nothing."""
    texts = [json.dumps({"twist": f.twist, "object": f.obj}, sort_keys=True) for f in failures][:MOST]
    kept = {f"{hashlib.sha256(t.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.json": t for t in texts}
    with contextlib.suppress(OSError):
        for old in folder.glob("*.json") if folder.is_dir() else ():
            if old.name not in kept:
                old.unlink()
        if kept:
            folder.mkdir(parents=True, exist_ok=True)
        for name, text in kept.items():
            (folder / name).write_text(text + "\n", encoding="utf-8")
