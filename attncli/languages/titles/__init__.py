"""What steps, parts of pages and tables are called: a table a language, by the English words."""
