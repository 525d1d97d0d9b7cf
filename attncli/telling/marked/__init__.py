"""Marked papers, and what is said of published numbers.

report     a paper as a document
tables     a table a quantity, each number with its sign
findings   what went wrong, first cause first
working    the author's working beside the right one
data       the verdicts as data
classes    the table of a class
"""
