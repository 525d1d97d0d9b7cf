"""Tokenizers: how a text becomes words and words pieces, and how pieces are learned from a corpus.

    splitting          from a text to words by white space, bytes, `▁` or as BERT does it, and from
                       tokens back to a text; a tokenizer, which encodes and decodes
    saved_steps        from a text to words as a tokenizer.json says, by the package `tokenizers`
    package_process    the program of the process in which that package runs
    pieces             tokens with IDs, the marks of their place in a word, bytes as tokens; a
                       corpus with its counts; dictionaries of whole words; WordPiece's cutting
    merges             words cut by merges
    merge_training     merges learned from a corpus (BPE, WordPiece)
    unigram            pieces with log-probabilities, all ways to cut a word, the most probable one
    unigram_by_counts  Unigram's pieces learned by counts
    unigram_by_em      Unigram's pieces learned by expectation and maximization

Nothing else of attncli is imported here, and no file is read or written.
"""
