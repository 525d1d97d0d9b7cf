"""What may stand in a scenario file: kinds of values, and the records made of them."""
