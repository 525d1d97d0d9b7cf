"""Exercises: the page of a trace with answers taken out, its key, and hints; and marked papers.

requests           what an exercise asks for of a worked scenario
workable_sections  the sections of a page that can be worked by itself
line_blanks        asking for numbers in lines of working
on_the_sheet       the numbers that a sheet gives to work with; `settled` those that a mask settles
asking             which numbers are asked for, and their points
blanked            what is taken out of a page for a form; `gate_by_gate` tables of gates
answer_keys        what is accepted for a blank, and why, and worked solutions
between_parts      which parts of an exam have the same numbers
papers             the exercise with everything, and the sheet and the key of it; `functions_told`
                   the formulas of activations on sheets
exam_papers        the parts of an exam as one paper; `own_questions` a teacher's own ones
drawing            what each form draws from a pool; `sharing` points of a whole part
left_to_draw       what platforms draw from pools by themselves
answer_grid        the right answers of all forms in one table
form_costs         what the forms of an exercise cost
entry_form         the data of a form to type papers into
worked_in_browser  the formulas of a paper's numbers, as data for a browser
tasks              what is to be done, and hints how, without a number
fingerprint        the hash that tells what an exercise was made from
exams              the forms of an exercise, to mark answers by
report             a marked paper; `class_tables` the table of a class
next_lesson        the page for the next lesson, on the mistakes of most papers
gradebooks         the marks of a class for learning platforms
"""
