"""Formats that only exercises are written in."""
