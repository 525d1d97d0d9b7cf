"""Reading a file: its tree, its places, its problems, and the kinds of values in it.

Nothing here knows what the keys of a file mean: these are handed over (`steps.schema`).
"""
