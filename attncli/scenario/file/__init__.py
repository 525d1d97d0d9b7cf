"""Reading a file: its tree, its places, its problems, and the kinds of values in it.

reading, nodes   from bytes to a tree whose parts know where they stand
problems         all that is wrong, told at once
keys, matrices   the keys of a file, and the kinds of their values
address          addresses of cells
changes          `--set` in a tree; `editing` in the text of a file
emitting         from plain data to a text
named_files      files that a file names; `shipped` the scenarios that come with the program
sources          matrices that are drawn, or in files
array_files, safetensors_files, array_parts  numbers in files, and parts of them
dump_files       tensors that somebody dumped

Nothing here knows what the keys of a file mean: these are handed over (`steps.schema`).
"""
