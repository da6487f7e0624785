"""Where the files that come with the package are: in the wheel, or in the checkout it is installed from."""

from __future__ import annotations

from pathlib import Path


def data_root() -> Path:
    """The folder that holds ``catalog``, ``schemas`` and ``fixtures``."""
    packaged = Path(__file__).with_name("_data")
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2]
