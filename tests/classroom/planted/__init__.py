"""Papers with planted causes: scenarios drawn at random are worked by the oracle, on random honest paths,
with one of its operations done otherwise; marking is to find it. `python -m tests.classroom.planted`
counts."""
