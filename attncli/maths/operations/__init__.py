"""Operations by subject: each makes a matrix at NumPy's speed and tells the working of every cell.

A scenario needs few, so that their modules are imported one by one.
"""
