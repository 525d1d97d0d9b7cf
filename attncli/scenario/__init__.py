"""A scenario in typed records: its text, its layers, its prediction, and what is given."""
