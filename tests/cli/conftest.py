"""The registry that commands push to and pull from."""

from tests.registries import registry, registry_program

__all__ = ["registry", "registry_program"]
