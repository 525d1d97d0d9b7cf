"""Numbers as people write them, and how they are rounded.

decimals        reading and writing decimals
rounding        rounding policies, and the types of arrays
foreign_arrays  arrays of other libraries
"""
