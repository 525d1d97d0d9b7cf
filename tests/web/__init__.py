"""Tests of the wing of pages in a browser."""
