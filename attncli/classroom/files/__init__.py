"""Files of a classroom: exercises, exams, schemes of marking, and the manifest of a folder."""
