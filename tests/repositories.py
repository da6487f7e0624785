"""Real git repositories in a temporary folder, to be fetched over ``file://``."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DATE = "2026-03-04T23:30:00-02:00"
"""When all commits are made: the 5th in UTC."""


class Origin:
    """A repository with commits and tags, as an upstream project has it."""

    def __init__(self, folder: Path, *, filters: bool = True) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "uploadpack.allowFilter", "true" if filters else "false")
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")

    @property
    def url(self) -> str:
        return f"file://{self.folder}"

    def git(self, *arguments: str) -> str:
        """What git writes there, as text."""
        return self.git_bytes(*arguments).decode().strip()

    def git_bytes(self, *arguments: str) -> bytes:
        """Run git there, apart from the configuration of whoever runs the tests."""
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": DATE,
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_COMMITTER_DATE": DATE,
        }  # fmt: skip
        done = subprocess.run(["git", *arguments], cwd=self.folder, env=environment, check=True, capture_output=True)
        return done.stdout

    def write(self, files: dict[str, str | bytes]) -> None:
        """Write files into the working tree."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: dict[str, str | bytes], tag: str | None = None, *, annotated: bool = False) -> str:
        """Commit these files and only these, tag the commit, and give its name."""
        for old in self.git("ls-files", "-z").split("\0"):
            if old:
                (self.folder / old).unlink(missing_ok=True)
        self.write(files)
        self.git("add", "--all", "--force", ".")
        self.git("commit", "--quiet", "--allow-empty", "--message", tag or "change")
        if tag:
            self.git("tag", *(["--annotate", "--message", tag] if annotated else []), tag)
        return self.git("rev-parse", "HEAD")
