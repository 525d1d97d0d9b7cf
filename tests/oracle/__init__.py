"""The sums of a Transformer or a recurrent network again, from the literature and without any of
the package's code.

A scenario is a mapping of texts, lists and maps, as YAML has it before anybody reads meaning into
it; its matrices may be NumPy arrays. Under `carry` the sums are done in decimals, each quantity
rounded half away from zero before it is used. Under `exact` they are plain NumPy in float64, or
with `decimal` the same in sixty digits, where no half is ever in doubt.

    numerals   numbers as floats or decimals, their functions, rounding
    memory     numbers that each use takes as it happens, in full or rounded
    slopes     how gradients go back through what is done often
    tape       what was made of what, and the way back over it
    training   how parameters are updated, and the sums again
    book       where quantities are written down, and with how many decimals
    written    what is said once for many layers or matrices
    matrices   given matrices: rows, named rows, random ones, files
    merges     tokenizers learned from a corpus, BPE and WordPiece
    pieces     how words are cut by these
    saved      a tokenizer.json as settings and pieces
    unigram    tokenizers that are a language model of pieces
    lesson     how such a model is learned from a corpus
    viterbi    the best cut of a word into its pieces
    text       tokens, and the rows and columns that they have
    positions  sinusoidal and rotary positions, the slopes of ALiBi
    masks      which keys are seen
    softmax    e^x over the sum of its row
    norms      layer, RMS and batch norm
    activations  what they make, and their way back
    attention  projections, heads, scores
    cells      one step in time of an RNN, a GRU, an LSTM
    recurrent  states there and back, read-outs, gradient factors
    layer      residuals, norms, feed-forward networks
    stack      embeddings, layers, encoder and decoder
    predict    logits, next tokens, losses
    quantized  matrices in few bits
    intervals  which answers are right for a cell, whichever way it is rounded
"""

from tests.oracle.intervals import Cell, Interval, intervals, paper
from tests.oracle.numerals import UnknownError, activation, round_half_away
from tests.oracle.stack import Arrays, work

__all__ = [
    "Arrays",
    "Cell",
    "Interval",
    "UnknownError",
    "activation",
    "intervals",
    "paper",
    "round_half_away",
    "work",
]
