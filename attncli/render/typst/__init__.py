"""Typst: what a PDF is made of. Python says what stands on a page, `page.typ` where.

    text        somebody's words and running text, as string literals
    mathematics expressions, in pieces that a line may be broken between
    cells       cells and columns of tables, their inks and shades
    tables      quantities, and whatever else has rows and columns
    working     lines of working, and column additions
    pictures    drawings, as large as they can be read
    blocks      how each block of a document is written
    files       whole files
    page.typ    how everything is laid out, by what is measured there

All of it is code, none markup: what is somebody's own is a string literal and never anything else.
"""
