"""Pages in characters, on a terminal."""
