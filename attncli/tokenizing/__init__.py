"""Tokenizers learned from a corpus, and the record of how each was learned.

    pieces      tokens with IDs, the marks of their place in a word, bytes as tokens
    corpus      the words of a corpus with their counts
    cutting     from a text to words before any learning, and from tokens back to a text
    tokenizer   a way of cutting and a model together: encode, decode
    dictionary  whole words, the rarest left out
    pairs       counts of neighbouring symbols, kept right merge by merge
    rounds      what is written down of each merge
    learning    merges learned from a corpus: BPE, WordPiece
    merging     cutting a word by merges; given merges checked
    longest     WordPiece's cutting: the longest piece first
    lattice     all ways to cut a word: the best, the second best, expected counts
    unigram     pieces with log-probabilities, and the most probable cut
    seeds       frequent substrings to start from
    training    Unigram learned as Hugging Face's `tokenizers` does
    pruning     and how that goes without some pieces
    lesson      Unigram learned in steps that can be followed by hand

Nothing else of attncli is imported here, and nothing is read or written.
"""
