"""Tokenizers learned from a corpus, and the record of how each was learned.

    pieces            tokens with IDs, the marks of their place in a word, bytes as tokens; a corpus
                      with its counts; dictionaries of whole words; WordPiece's cutting
    splitting         from a text to words, as tokenizers of tokenizer.json, BERT and SentencePiece
                      do it, and back; a tokenizer, which encodes and decodes
    merges            merges learned from a corpus (BPE, WordPiece), and words cut by them
    unigram           pieces with log-probabilities, all ways to cut a word, the most probable one
    unigram_training  Unigram learned by hand, and as Hugging Face's `tokenizers` does

Nothing else of attncli is imported here, and nothing is read or written.
"""
