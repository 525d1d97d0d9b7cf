"""From a text to the rows that layers work on."""
