"""What steps say on sheets: a table a language, by the English words."""
