"""Modules of PyTorch that run, compared with the scenario that they work.

comparing  a module beside what it should make
names      which quantities the parts of a module make
parts      a part of a model that runs alone
caches     a cache of keys and values as a scenario's
protocols  what is used of the modules and caches of other packages
"""
