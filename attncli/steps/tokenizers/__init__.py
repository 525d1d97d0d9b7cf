"""How a tokenizer comes to its vocabulary, and cuts a word."""
