"""Practising: one question after the other, each answered at once.

session   the questions, the answers so far, and what became of each
feedback  what is said to an answer
dialogue  asking and hearing in a terminal
memory    the record of earlier sessions
expressions    numbers that are typed as sums, products, quotients and powers
other_numbers  the numbers of a repeat
"""
