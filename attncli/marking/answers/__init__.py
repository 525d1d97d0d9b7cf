"""What students answered, read from files.

sheets     an answers file as data
reading    files and folders, by their endings; YAML as `attn exercise … --format yaml` writes it
tables     CSV: a student a file, a column a student, or a row an answer; what Moodle exports
"""

from attncli.marking.answers.reading import AnswersError, files_in, others_in, read_answers
from attncli.marking.answers.sheets import AnswerSheet

__all__ = ["AnswerSheet", "AnswersError", "files_in", "others_in", "read_answers"]
