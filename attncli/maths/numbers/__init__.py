"""Numbers as people write them, and how they are rounded."""
