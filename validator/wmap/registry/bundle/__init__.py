"""Bundles: how a state of the catalog reaches a cluster, a site without network, or another program."""

from wmap.registry.bundle.archive import BundleError
from wmap.registry.bundle.build import Built, build
from wmap.registry.bundle.content import Bundle, read_bundle
from wmap.registry.bundle.trust import Trust

__all__ = ["Built", "Bundle", "BundleError", "Trust", "build", "read_bundle"]
