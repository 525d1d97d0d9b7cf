"""Formats whose files are not text."""
