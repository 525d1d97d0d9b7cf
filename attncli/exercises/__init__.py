"""Exercises: the page of a trace with answers taken out, its key, and hints.

sections   the sections of a page that can be worked by itself
lines      asking for numbers in lines of working
asking     which numbers are asked for, and their points
keys       what is accepted for a blank, and why, and worked solutions
papers     the exercise with everything, and the sheet and the key of it
tasks      what is to be done, and hints how, without a number
"""
