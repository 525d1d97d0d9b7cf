"""What a scenario says, typed: its text, its layers, its prediction, and what is given."""
