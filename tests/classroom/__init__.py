"""Tests of the wing of a classroom."""
