"""What pages are made of: which part is told, its blocks and sentences, and what is found."""
