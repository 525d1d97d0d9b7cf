"""The kinds of tokenizers that a scenario may name: one file a kind, with all that is its own.

    settings       what a kind of tokenizer declares, and what a scenario says of its own, checked
    making         the tokenizer that these settings come to: learned, or made of what is given
    whole_words    `whitespace`, `word` and `character`; with a corpus a dictionary
    bpe            `bpe` and `wordpiece`, which are learned by merges
    unigram        `unigram`, which prunes pieces
    sentencepiece  `sentencepiece`, one of these with spaces as characters
    hugging_face   `{file: tokenizer.json}`, read as settings and pieces

The algorithms are in `attncli.tokenizers`. A new kind is a file here, or in
a file of its like, and its name in `settings.TOKENIZERS`.
"""
