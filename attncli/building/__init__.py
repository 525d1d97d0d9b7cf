"""From a file's values, read by the steps' keys, to a scenario."""
