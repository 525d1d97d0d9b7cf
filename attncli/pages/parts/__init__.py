"""The parts that pages are made of: choosing what is told, blocks, sentences and findings."""
