"""Cluster runs: definitions where they will be used, on a real API server."""
