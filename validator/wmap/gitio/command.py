"""One call of git, through GitPython: what it is given, how long it may take, and what its failure means.

Git gets a clean environment: nothing of the caller's configuration, no prompts, no replacement objects, the protocols https,
ssh and file; and options that switch off hooks, submodules and background work. Time and size are limited; at a limit the
whole process group ends.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, Any, NamedTuple

from wmap.errors import EnvironmentFailure

PROTOCOLS = ("https", "ssh", "file")

_PASSED_ON = (
    "PATH", "TMPDIR", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy",
    "NO_PROXY", "no_proxy",
)  # fmt: skip
_OPTIONS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.askPass": "",
    "credential.helper": "",
    "fetch.recurseSubmodules": "false",
    "fetch.bundleURI": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "protocol.https.allow": "always",
    "protocol.ssh.allow": "always",
    "protocol.file.allow": "always",
    "protocol.version": "2",
    "transfer.bundleURI": "false",
}
_POLL = 0.2
_HINTS = (
    (
        r"resolve host|unable to access|Connection|timed out|Network",
        "is there a network? behind a proxy, set HTTPS_PROXY",
    ),
    (
        r"could not read Username|Authentication failed|Permission denied",
        "there is no such repository, or it is private",
    ),
    (r"dubious ownership", "the repository belongs to another user: clone it, and name the clone"),
    (r"does not appear to be|not found|does not exist|Could not read from", "look at the address of the repository"),
    (r"not our ref|unadvertised object|allow-.*-sha1", "the server does not give single objects: use another one"),
    (r"--stdin|unknown option", "git is too old: 2.39 is known to work"),
    (r"No space left", "make room, or name another cache: --cache DIR"),
)


class GitLimits(NamedTuple):
    """What one repository may take: seconds for a call of git, bytes in the cache, bytes that a call may write (a tree that holds
    itself many times over is small in the cache and endless when it is listed), bytes of a file, files in one reading.
    """

    seconds: float = 600.0
    size: int = 512 * 2**20
    output: int = 128 * 2**20
    file_size: int = 16 * 2**20
    files: int = 20_000


DEFAULT_LIMITS = GitLimits()


class TooLarge(EnvironmentFailure):
    """A repository is larger than the limit; what is there of it is of no use."""


def run_git(
    arguments: list[str], *, url: str, doing: str, folder: Path | None, home: Path, limits: GitLimits, stdin: bytes = b""
) -> bytes:  # fmt: skip
    """Run git (on the bare repository ``folder``, where it is given) and give what it writes.

    ``doing`` says what failed, in the message of an error: ``its tags cannot be listed``.

    Raises:
        EnvironmentFailure: git fails, takes longer than ``limits.seconds``, or is not there.
        TooLarge: the folder, or what git writes, outgrows ``limits.size``.
    """
    options = ["--no-pager", "--no-replace-objects", "--literal-pathspecs"]
    options += [part for key, value in _OPTIONS.items() for part in ("-c", f"{key}={value}")]
    own = ["--git-dir", str(folder)] if folder is not None else []
    environment = [f"{key}={value}" for key, value in _environment(url, home).items()]
    try:
        from git.cmd import Git  # noqa: PLC0415  # takes a while, and only a sync needs it
    except ImportError as error:
        raise EnvironmentFailure(
            f"{url}: {doing}: git is not installed", hint="install git (2.39 is known to work), and have it on the PATH"
        ) from error
    # an empty folder: no repository that holds the folder for temporary files is found, nor its configuration
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        ceiling = f"GIT_CEILING_DIRECTORIES={Path(empty).resolve().parent}"
        command = ["env", "-i", *environment, ceiling, "git", *options, *own, *arguments]
        handle = Git(empty).execute(command, istream=given, as_process=True, start_new_session=True)
        process: Any = handle.proc
        try:
            out, errors = _communicate(process, f"{url}: {doing}", folder, limits)
        finally:
            if process.returncode is None:  # not before it is reaped: its number is its own
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            process.stdout.close()
            process.stderr.close()
    if process.returncode:
        raise EnvironmentFailure(f"{url}: {doing}: {_reason(errors, process.returncode)}", hint=_hint(errors))
    return out


def size_of(folder: Path) -> int:
    """The bytes of the files below a folder, while others may still write there."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(path, name)).st_size  # noqa: PTH118  # many files, five times a second
    return total


def _environment(url: str, home: Path) -> dict[str, str]:
    found = {key: os.environ[key] for key in _PASSED_ON if key in os.environ}
    return {
        **found,
        # ssh finds its keys at home; nothing else of the caller's home is of use here (.netrc holds passwords)
        "HOME": str(Path.home()) if url.startswith("ssh:") else str(home),
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS),
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ClearAllForwardings=yes",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _communicate(process: Any, what: str, folder: Path | None, limits: GitLimits) -> tuple[bytes, str]:
    """What a process writes, while it keeps within the limits."""
    written: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    ends = time.monotonic() + limits.seconds
    with selectors.DefaultSelector() as selector:
        for stream in written:
            selector.register(stream, selectors.EVENT_READ)
        looked = 0.0
        while selector.get_map():
            for key, _ in selector.select(_POLL):
                chunk = os.read(key.fd, 2**16)
                if not chunk:
                    selector.unregister(key.fileobj)
                buffer = written[key.fileobj]  # type: ignore[index]  # only streams are registered
                buffer += chunk
                if key.fileobj is process.stderr:
                    del buffer[: -(2**16)]
                elif len(buffer) > limits.output:
                    raise TooLarge(
                        f"{what}: git writes more than {limits.output:,} bytes", hint="is the repository whole?"
                    )
            now = time.monotonic()
            if now > ends:
                raise _too_late(what, limits)
            if folder is not None and now - looked > _POLL:
                looked = now
                if size_of(folder) > limits.size:
                    raise _too_large(what, limits)
    try:
        process.wait(max(0.0, ends - time.monotonic()) + 1)
    except subprocess.TimeoutExpired:
        raise _too_late(what, limits) from None
    if folder is not None and size_of(folder) > limits.size:
        raise _too_large(what, limits)
    return bytes(written[process.stdout]), bytes(written[process.stderr]).decode("utf-8", "replace")


def _too_late(what: str, limits: GitLimits) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"{what}: it takes longer than {limits.seconds:g} s", hint="try again, or raise the limit: --timeout"
    )


def _too_large(what: str, limits: GitLimits) -> TooLarge:
    return TooLarge(
        f"{what}: it is larger than the limit of {limits.size / 2**20:,.4g} MiB",
        hint="does the server filter? raise the limit with --max-size, where you trust the repository",
    )


def _reason(errors: str, code: int) -> str:
    lines = [re.sub(r"[\x00-\x1f\x7f]", " ", line).strip() for line in errors.splitlines()]
    said = [x for x in lines if x.startswith(("fatal:", "error:", "remote:", "ssh:", "env:"))] or [
        x for x in lines if x
    ]
    return said[0][:300] if said else f"git ended with code {code}"


def _hint(errors: str) -> str | None:
    return next((hint for pattern, hint in _HINTS if re.search(pattern, errors)), None)
