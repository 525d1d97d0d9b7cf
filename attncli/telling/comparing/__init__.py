"""Two scenarios side by side: what was changed, and which numbers that changes."""
