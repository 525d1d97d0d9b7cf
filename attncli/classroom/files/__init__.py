"""Files of a classroom.

exercise_file, exam_file  what a teacher orders
mathematics               formulas in a teacher's own words
scheme                    how mistakes are marked
manifest                  the record of what was made in a folder
ids                       what a teacher's own questions are called
kinds                     whether a file is a scenario, or asks something of one
"""
