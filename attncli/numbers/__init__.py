"""Numbers as written, rounding, expression trees, and operations on matrices."""
