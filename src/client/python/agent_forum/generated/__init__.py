"""Computed from the service's own table of operations."""
