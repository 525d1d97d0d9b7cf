"""Marking the answers of a class.

answers, word_answers, unknown_cells  what students answered, read and understood
exam, exam_parts                      the items of an exam, and their points
marked_papers, costs, overrides       a paper with its verdicts and points
class_list, headings                  the students of a class, and what columns are called
suspicions                            copies, and numbers that were perhaps typed wrongly
lost_commas                           commas that a spreadsheet took for separators of thousands
classes, anonymous                    the papers of a class
earlier                               papers that an earlier grading left
"""
