"""The kinds of tokenizers that a scenario may name: one file a kind, with all that is its own.

    settings     what a kind of tokenizer declares, and what a scenario says of its own, checked
    whole_words  whitespace, word, character; with a corpus a dictionary
    bpe (wordpiece too), unigram, sentencepiece
    hugging_face  a tokenizer.json in these words
    making       the tokenizer that comes of it, what learning it costs, and how it is told

A new kind is a file here, or in a file of its like, and its name in `settings.TOKENIZERS`.
"""
