"""Findings and readings rendered as text, JSON and tables. Nothing here prints."""
