"""Models as `transformers` saves them: a folder, its settings, and the scenario of it."""
