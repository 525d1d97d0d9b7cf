"""Exercises: the page of a trace with answers taken out, its key, and hints.

sections   the sections of a page that can be worked by itself
lines      asking for numbers in lines of working
asking     asking for numbers in the sections of a page
choice     which numbers are asked for, and their points
keys       what is accepted for a blank, and why
solutions  the worked solution of what is asked
papers     the exercise with everything
sheets     the same without any answer
key_pages  the answer key as a page
hints      how each thing is done, without a number
"""
