"""From a trace to documents: a page for each command, and the parts that pages share."""
