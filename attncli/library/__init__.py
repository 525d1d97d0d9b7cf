"""What a Python program and the command line are given.

trace, quantity      a worked trace, its steps and quantities, which show themselves
loaded               a scenario, which shows itself
commands             what each command makes of what it is asked, as `exercises`, `grading` and
                     `site` do; `from_python` makes functions of `attncli` of these
arguments            what is asked, in texts as people type them, and what comes of it
paper_files, output  papers of exercises, and where pages go
"""
