"""LaTeX: words and mathematics, tables, lines of working, and whole files.

setting    words and numbers in TeX
tables     tables; `working` lines of working; `products` products as on paper
documents  whole files

Each makes texts of what it is given; TeX itself is never run.
"""
