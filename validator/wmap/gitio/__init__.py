"""Safe, read-only access to git repositories that nobody trusts."""

from wmap.gitio.command import GitLimits
from wmap.gitio.local import LocalRepository, check_revision, to_fetch
from wmap.gitio.repository import Repository, Tree, check_ref, check_url, default_cache

__all__ = [
    "GitLimits",
    "LocalRepository",
    "Repository",
    "Tree",
    "check_ref",
    "check_revision",
    "check_url",
    "default_cache",
    "to_fetch",
]
