"""Steps that a scenario writes itself, as equations.

* keys: what a scenario may say of them; `files` that have some.
* arrays: what equations know of arrays and their sides.
* functions: of one number, along an index, and a scenario's own.
* indices: the indices of an equation, and the sides that they go along.
* reading: the parts of an equation as expressions.
* lowering: an equation of a scenario as operations.
* formulas: an equation of a scenario as it is shown.
* planning: all equations of a step, once or for each t, as definitions.
* standing: the steps of a scenario's own inside its model.
* step: the step that they are.
"""
