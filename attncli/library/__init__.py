"""What a Python program and the command line are given.

trace, quantity, steps  a worked trace, its quantities and steps, which show themselves
loaded                  a scenario, which shows itself
commands                what each command makes of what it is asked, as `exercises`, `grading` and
                        `site` do; `functions` makes functions of `attncli` of these
requests                what is asked, in texts as people type them, and what comes of it
papers, output          papers of exercises, and where pages go
"""
