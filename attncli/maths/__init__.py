"""Numbers, equations and operations, and how each is written.

numbers     decimals, and the one place where a number is rounded
equations   equations as trees: their values, bounds, derivatives, and the working of a cell
operations  the operations of a Transformer, most of them equations
notation    numbers and equations as text, LaTeX, MathML, Typst and formulas of a spreadsheet
"""
