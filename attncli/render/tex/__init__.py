"""LaTeX: words and mathematics, tables, lines of working, and whole files.

    text       somebody's words and running text, with nothing in them that TeX would obey
    measure    how wide mathematics and words will be, so that lines can be broken
    setting    what blocks have to know of the page that they are set on
    alignment  numbers with their points below each other
    colours    inks and shades of tables
    cells      cells and columns of tables
    tables     tables with booktabs, wide ones in bands
    working    lines of working
    addition   column additions
    pictures   drawings in TikZ
    looks      what the style sheet of pictures says, in TikZ
    blocks     how each block of a document is written
    files      whole files: an article, an exam, a fragment

Each makes texts of what it is given; TeX itself is never run.
"""
