"""``go.mod``: which version of a module a release uses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from wmap.errors import InputError

_PSEUDO = re.compile(r"-(?:0\.)?(\d{14})-([0-9a-f]{12})$", re.ASCII)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|=>|[()]|[^\s()"`]+')


class Version(NamedTuple):
    """A version of a module, and what in its repository it is: a tag, or the first 12 digits of a commit (pseudo-version).

    ``module`` is the path that it is really fetched by: another one where go.mod replaces it.
    """

    module: str
    version: str

    @property
    def tag(self) -> str | None:
        """The tag of the version; None for a pseudo-version."""
        return None if _PSEUDO.search(self.version) else self.version.removesuffix("+incompatible")

    @property
    def commit(self) -> str | None:
        """The first digits of the commit of a pseudo-version, None for a tag."""
        found = _PSEUDO.search(self.version)
        return found[2] if found else None


@dataclass(frozen=True)
class GoMod:
    """A ``go.mod``: the module's own path, what it requires, and what it replaces (None: by a folder)."""

    module: str
    requires: dict[str, str]
    replaces: dict[tuple[str, str], Version | None]

    def version(self, module: str) -> Version | None:
        """The version of a module that a build uses; None where it is not required, or replaced by a folder."""
        required = self.requires.get(module)
        if required is None:
            return None
        for key in ((module, required), (module, "")):
            if key in self.replaces:
                return self.replaces[key]
        return Version(module, required)


def parse_go_mod(text: str, *, file: str = "go.mod") -> GoMod:
    """Read a ``go.mod``: ``module``, ``require`` and ``replace``, alone or in blocks; everything else is passed over.

    Raises:
        InputError: a directive of these is not complete, or there is no module; names file and line.
    """
    module = ""
    requires: dict[str, str] = {}
    replaces: dict[tuple[str, str], Version | None] = {}
    block = ""
    for number, line in enumerate(text.split("\n"), 1):
        words = [w.strip('"`') for w in _TOKEN.findall(line.partition("//")[0])]
        if not words:
            continue
        if block:
            if words == [")"]:
                block = ""
                continue
            words.insert(0, block)
        elif words[1:] == ["("]:
            block = words[0]
            continue
        directive, *given = words
        try:
            if directive == "module":
                (module,) = given
            elif directive == "require":
                path, version = given
                requires[path] = version
            elif directive == "replace":
                _replace(given, replaces)
        except ValueError:
            raise InputError(
                f"{file}:{number}: the {directive} directive is not complete", hint="is the file whole?"
            ) from None
    if not module:
        raise InputError(f"{file}:1: there is no module directive", hint="is this a go.mod?")
    return GoMod(module, requires, replaces)


def _replace(words: list[str], replaces: dict[tuple[str, str], Version | None]) -> None:
    arrow = words.index("=>")
    old, new = words[:arrow], words[arrow + 1 :]
    if len(old) not in (1, 2) or len(new) not in (1, 2):
        raise ValueError
    replaces[old[0], old[1] if len(old) == 2 else ""] = Version(*new) if len(new) == 2 else None
