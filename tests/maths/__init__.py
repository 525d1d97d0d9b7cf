"""Tests of numbers, equations and operations."""
