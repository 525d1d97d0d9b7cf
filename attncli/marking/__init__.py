"""Whose number is wrong, and why: what honest paths lead to, and what known mistakes give."""
