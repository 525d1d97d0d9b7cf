"""Tokenizers learned from a corpus, and the record of how each was learned.

    pieces          tokens with IDs, the marks of their place in a word, bytes as tokens
    corpus          the words of a corpus with their counts, and where things stand in them
    pre_tokenizers  from a text to words before any learning, and from tokens back to a text
    splitting       the ways in which a tokenizer.json cuts a text
    expressions     its regular expressions, for `re`
    charsmap        SentencePiece's map of characters
    saved           these in turn, and tokens that are taken out of a text first
    bert            the way in which BERT cuts a text and writes it without capitals
    tokenizer       a pre-tokenizer and a model together: encode, decode
    dictionary      whole words, the rarest left out
    pair_counts     counts of neighbouring symbols, kept right merge by merge
    merge_training  merges learned from a corpus: BPE, WordPiece
    merge_model     cutting a word by merges; given merges checked
    longest_match   WordPiece's cutting: the longest piece first
    lattice         all ways to cut a word: the best one, and expected counts
    unigram         pieces with log-probabilities, and the most probable cut
    substrings      what a Unigram vocabulary starts from
    count_training  Unigram learned in steps that can be followed by hand
    em_training     Unigram learned as Hugging Face's `tokenizers` does
    pruning         and how that goes without some pieces

Nothing else of attncli is imported here, and nothing is read or written.
"""
