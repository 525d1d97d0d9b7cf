"""Papers with planted causes: scenarios drawn at random are worked in plain NumPy, on random honest
paths, with a mistake made on purpose; marking is to find it. `python -m tests.classroom.planted` counts."""
