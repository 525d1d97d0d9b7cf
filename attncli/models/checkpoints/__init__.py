"""Models as `transformers` saves them: a folder read, its settings, and a scenario made of it; what
each family calls its tensors is a file in `families`."""
