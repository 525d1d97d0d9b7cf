"""Worked scenarios as values of a Python program, and commands as its functions.

trace, quantity  a worked trace, its steps and quantities, which show themselves
loaded           a scenario, which shows itself
from_python      each command as a function of `attncli`
notebook         how all of these are shown
"""
