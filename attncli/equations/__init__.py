"""One indexed equation, `weights[i, j] = exp[i, j] / exp_sum[i]`, and all that follows from it.

An equation is a tree whose leaves are cells of operands, with the shapes of these. Each file here
is one function over the tree: its working in numbers, its values as arrays, the bound on their
error, the decimals and fractions that hold them, its derivative.
"""
