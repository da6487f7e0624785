"""Measure the history and the bundles of a repository of 5,000 commits, made by git fast-import: wall time, least and median of five.

The commits change the 23 entries of this catalog in turn: a comment, a count, or a mapping; so each has about 217 versions.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from wmap import Catalog
from wmap.expr import forget_parsed
from wmap.registry.blame import blame
from wmap.registry.bundle import build, read_bundle
from wmap.registry.diff import diff
from wmap.registry.facts import canonical
from wmap.registry.log import log
from wmap.registry.state import entry_of
from wmap.report.manifests import as_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COMMITS = 5_000
TIMES = 5
NAME = "ray-io-raycluster-v1"


def _blob(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)


def stream(files: dict[str, bytes]) -> Iterator[bytes]:
    """The commits, as git fast-import reads them."""
    entries = sorted(p for p in files if p.startswith("catalog/") and not p.endswith("framework.yaml"))
    for i in range(COMMITS):
        changed = files if i == 0 else {}
        if i:
            path = entries[i % len(entries)]
            kind = (i // len(entries)) % 3
            text = files[path]
            if kind == 1:
                text = text.replace(b"// 1)", b"// %d)" % (i % 7))
            elif kind == 2:
                text = text.replace(b"running:", b"running:\n          - byPhase: Phase%d" % i)
            changed = {path: b"# version %d\n" % i + text}
        yield b"commit refs/heads/main\ncommitter a <a@example.org> %d +0000\n" % (1_700_000_000 + 60 * i)
        yield _blob(b"feat(catalog): change %d" % i)
        for path, data in changed.items():
            yield b"M 100644 inline %s\n%s" % (path.encode(), _blob(data))
        if i in (1, 2_500):
            yield b"reset refs/tags/v%d.0.0\nfrom refs/heads/main\n\n" % i


def measured(what: str, call: Callable[[], object]) -> None:
    """Print the least and the median of some calls; the first is not counted, and nothing is remembered from one to the next."""
    call()
    found = []
    for _ in range(TIMES):
        for remembers in (entry_of, canonical):
            remembers.cache_clear()
        forget_parsed()
        begin = time.perf_counter()
        call()
        found.append(time.perf_counter() - begin)
    print(f"{what:46} {min(found) * 1e3:8.0f} ms {statistics.median(found) * 1e3:8.0f} ms")  # noqa: T201  # the output


def _all(made: str) -> object:
    return Catalog.load(git=made, ref="main").definitions.all()


def main() -> None:
    """Make the repository, and measure."""
    rooms = [p for room in ("catalog", "fixtures") for p in sorted(Path(room).rglob("*.yaml"))]
    rooms += [
        Path("LICENSE"),
        Path("schemas/definition.schema.json"),
        *sorted(Path("schemas/contracts").rglob("*.json")),
    ]
    files = {p.as_posix(): p.read_bytes() for p in rooms}
    with tempfile.TemporaryDirectory() as made:
        subprocess.run(["git", "init", "--quiet", "--bare", made], check=True)  # noqa: S603, S607  # a folder of our own
        subprocess.run(  # noqa: S603  # the same
            ["git", "-C", made, "fast-import", "--quiet"],  # noqa: S607  # the same
            input=b"".join(stream(files)),
            check=True,
            stdout=subprocess.DEVNULL,
        )
        for ref in ("main", "v2500.0.0"):
            measured(f"load at {ref}", lambda ref=ref: Catalog.load(git=made, ref=ref))
        measured("load at main, and read all definitions", lambda: _all(made))
        measured("log of one entry, 100 commits", lambda: log(made, NAME, "main"))
        measured("log of one entry, all", lambda: log(made, NAME, "main", None))
        measured("log of the catalog, 100 commits", lambda: log(made, None, "main"))
        measured("blame of a field", lambda: blame(made, NAME, "[worker].instanceIdPath", "main"))
        built = build(made, at="main", version="3000.0.0")
        measured("bundle build", lambda: build(made, at="main", version="3000.0.0"))
        measured(f"bundle verify, {len(built.data):,} bytes", lambda: read_bundle(built.data))
        measured("bundle render", lambda: as_yaml(read_bundle(built.data)))
        measured("diff of two refs, without readings", lambda: diff(made, "v2500.0.0..main", readings=False))


if __name__ == "__main__":
    main()
