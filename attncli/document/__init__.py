"""Pages before any format has a hand in them.

blocks      the closed set of blocks, sections, whole pages, and the one walk over them
tables      what tables are made of; `grid` lays one out, whatever the format
pictures    pictures as data
whole_head  the products of a head, on one sheet
questions   what an exercise asks
changing    the places in a scenario of numbers that readers of a page may change
retold      sentences that are said otherwise when their numbers change
languages   the words around an exercise, in each language
"""
