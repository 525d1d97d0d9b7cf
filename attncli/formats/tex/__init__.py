"""LaTeX: words and mathematics, tables, lines of working, and whole files.

Each makes texts of what it is given; TeX itself is never run.
"""
