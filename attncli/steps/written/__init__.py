"""Steps that a scenario writes itself, as equations.

* arrays: what equations know of arrays and their sides.
* lowering: an equation of a scenario as operations.
* formulas: an equation of a scenario as it is shown.
* planning: all equations of a step, once or for each t, as definitions.
* standing: the steps of a scenario's own inside its model.
"""
