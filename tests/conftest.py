"""What all tests share: Hypothesis profiles, the reference material, no network."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import pytest_socket
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parent.parent

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile(
    "ci", max_examples=500, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "deep",
    max_examples=20_000,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


@pytest.fixture(autouse=True)
def _no_network():
    """No test reaches the network."""
    pytest_socket.disable_socket(allow_unix_socket=True)
    yield
    pytest_socket.enable_socket()


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def upstream() -> Path:
    """The folder of upstream reference material; the test is reported as not run where it is absent."""
    folder = Path(os.environ.get("WMAP_UPSTREAM", REPOSITORY.parent / "shared" / "upstream"))
    if not folder.is_dir():
        pytest.skip(f"not run: no upstream reference material at {folder} (set WMAP_UPSTREAM)")
    return folder
