"""Formats whose files are text."""
