"""A stranger's package: a step, a format and a command of its own."""
