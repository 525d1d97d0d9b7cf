"""The commands: what each is asked, in texts as people type them, and what it makes of that.

pages       commands that make pages of worked numbers
files       commands about files, and about what there is; `file_kinds` which kinds there are
declaring   how a command is declared
arguments   what several commands are asked alike, and what comes of it
changing    the parts of a scenario that readers of a page can change
renderings  pages in a format; `output` where they go, `progress` until then
"""
