"""One indexed equation, `weights[i, j] = exp[i, j] / exp_sum[i]`, and all that follows from it.

An equation is a `tree` whose leaves are cells of operands, with the shapes of these, `signatures`.
People write equations in a `language` of their own; what they know from other programs is in
`elsewhere`. Each file here is one function over the tree: its `working` in numbers, and
`inside_out`, its values as `arrays`, the `bounds` on their error and `enclosures` of their values,
the decimals that hold them (`exact`), what sums of these round to (`integers`), its `formulas`, its
`derivative`, by `slopes` of nodes, `indices` of parts, `factored_terms`, `choices` and `functions`;
`compiled` keeps what follows from a tree, and `elision` leaves the middle of a long one out,
`long_sums` before it is written.
`deciding` is the one place where a digit is decided, `matrix` what the operands are,
`stored_matrix` those that are kept in files.
"""
