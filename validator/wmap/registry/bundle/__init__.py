"""Bundles: how a state of the catalog reaches a cluster, a site without network, or another program."""

from wmap.registry.bundle.archive import BundleError
from wmap.registry.bundle.build import Built, build
from wmap.registry.bundle.content import Bundle, read_bundle

__all__ = ["Built", "Bundle", "BundleError", "build", "read_bundle"]
