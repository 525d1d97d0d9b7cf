"""Formats whose files are pictures."""
