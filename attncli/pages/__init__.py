"""From a trace to documents: the walkthrough, lessons, single cells."""
