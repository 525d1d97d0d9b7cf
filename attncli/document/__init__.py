"""What is said on a page, before any format has a hand in it."""
