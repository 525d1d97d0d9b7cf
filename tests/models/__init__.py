"""Tests of the wing of models."""
