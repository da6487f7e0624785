"""Safe, read-only access to git repositories that nobody trusts."""

from wmap.gitio.command import GitLimits
from wmap.gitio.repository import Repository, Tree, check_ref, check_url, default_cache

__all__ = ["GitLimits", "Repository", "Tree", "check_ref", "check_url", "default_cache"]
