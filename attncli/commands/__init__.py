"""The commands: what each is asked, in texts as people type them, and what it makes of that.

arguments  what several commands are asked alike, and what comes of it
pages      commands that make pages of worked numbers
files      commands about scenario files, and about what there is
"""
