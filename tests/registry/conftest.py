"""The registries that the tests of this folder push to and pull from."""

from tests.registries import loopback, registry, registry_program, scripted

__all__ = ["loopback", "registry", "registry_program", "scripted"]
