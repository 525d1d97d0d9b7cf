"""Builds a scenario of a file's values, read by the steps' keys."""
