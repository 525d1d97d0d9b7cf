"""Steps that a scenario writes itself."""
