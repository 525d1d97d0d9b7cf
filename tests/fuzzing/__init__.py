"""Runs the command line as nobody would who means well.

    grammar    draws whole scenarios of every kind
    schemas    draws any key with a value of its kind, or nearly so
    mutations  spoils scenarios as trees, `scribbles` as texts
    commands   draws a command with options, from those that there are
    case       a scenario, a command and what else is in the folder, from a number
    worker     runs each command in a process of its own, with limits of time and memory
    warm       what these processes needn't do again
    judging    what must hold of each run
    trial      runs cases, judges them, and has pages audited

`python -m tests.fuzzing 17` runs the case of the number 17, `python -m tests.fuzzing 0 1000` a
thousand of them, and prints what went wrong with all that is needed to see it again.
"""
