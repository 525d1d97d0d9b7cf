"""Tensors that an implementation dumped, compared with the quantities of a scenario.

tensors, shapes, meanings, guesses, likenesses  which quantity a tensor is
floats, departures                              where the tensors first depart
bugs, swaps, suspects                           the known bugs that explain it
"""
