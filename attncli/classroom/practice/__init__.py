"""Practising: one question after the other, each answered at once.

session   the questions, the answers so far, and what became of each
feedback  what is said to an answer
dialogue  asking and hearing in a terminal
memory    the record of earlier sessions
"""
