"""A scenario in typed records: its text, its layers, its prediction, and what is given.

file        reading YAML, with the places of its values
model       the settings of a model
scenario    what is given, read and checked
tokenizers  the kinds of tokenizers
written     steps that it writes itself, as equations
templates   layers and matrices that are given once for many
published   the numbers and claims of a source
show        how a scenario's page is shown
starter     what `attn new` writes
"""
