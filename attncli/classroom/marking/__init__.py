"""Which numbers are wrong, and why: where honest paths lead, and what known mistakes give."""
