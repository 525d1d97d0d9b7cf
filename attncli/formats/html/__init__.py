"""Blocks as HTML, for every format that is made of it."""
