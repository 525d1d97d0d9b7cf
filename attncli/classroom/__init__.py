"""Exercises, exams, forms, marking, practice: a wing, of which the core knows nothing.

files             exercise and exam files, schemes, the manifest of what was made
exercises         sheets, keys, hints and the pages about a class
forms             scenarios whose numbers are good to work with, and forms that cost the same
marking           answers read, marked and told
practice          number by number, with a verdict at once
formats           what only exercises are written in: Moodle, Canvas, QTI
exercise_orders   what a teacher orders, by a file or by options, checked
making_exercises  an exercise, made from its file; `making_exams` an exam
paper_files       the papers of an exercise as texts and files
grading           answers files, marked and told
designs           `attn design`: a new scenario, or forms that cost the same
starters          the files that `attn new` begins
lint              the weak numbers of a scenario
commands          the declarations of all these; `arguments` their options
"""
