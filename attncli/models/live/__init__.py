"""Modules of PyTorch that run, compared with the scenario that they work."""
