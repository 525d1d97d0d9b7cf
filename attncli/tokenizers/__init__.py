"""Tokenizers learned from a corpus, and the record of how each was learned.

    pieces          tokens with IDs, the marks of their place in a word, bytes as tokens
    corpus          the words of a corpus with their counts, and where things stand in them
    pre_tokenizers  from a text to words before any learning, and from tokens back to a text
    splitting       a tokenizer.json's way from a text to words, its expressions for `re`
    charsmap        SentencePiece's map of characters
    bert            the way in which BERT cuts a text and writes it without capitals
    tokenizer       a pre-tokenizer and a model together: encode, decode
    dictionary      whole words, the rarest left out
    merge_training  merges learned from a corpus: BPE, WordPiece
    merge_model     cutting a word by merges; given merges checked
    longest_match   WordPiece's cutting: the longest piece first
    unigram         pieces with log-probabilities, all ways to cut a word, the most probable one
    count_training  Unigram learned in steps that can be followed by hand
    em_training     Unigram learned as Hugging Face's `tokenizers` does

Nothing else of attncli is imported here, and nothing is read or written.
"""
