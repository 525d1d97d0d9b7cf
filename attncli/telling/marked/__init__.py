"""Marked papers, and what is said of published numbers."""
