"""Reads Moodle XML with cloze (embedded answers) questions as Moodle itself would, and marks them.

Written from what Moodle publishes of itself, and from that alone: it shares no code with the
package. Whatever Moodle would read as something other than what was meant is an error, all of
a file's errors at once.

    grammar   fields in a question's text: how Moodle finds them and takes them apart
    faults    what Moodle would misread, silently drop or show as litter
    reader    the XML around the questions
    marking   what Moodle gives for an answer, and how wide it makes a field
"""

from tests.classroom.cloze.faults import ClozeError
from tests.classroom.cloze.grammar import Alternative, Field
from tests.classroom.cloze.marking import mark, marks, overlaps, visible_size
from tests.classroom.cloze.reader import Cloze, questions

__all__ = [
    "Alternative",
    "Cloze",
    "ClozeError",
    "Field",
    "mark",
    "marks",
    "overlaps",
    "questions",
    "visible_size",
]
