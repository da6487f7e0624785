"""The version of the distribution; hatchling reads it from here."""

__version__ = "0.1.0"
