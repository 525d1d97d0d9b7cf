"""The steps of attention, of all heads together and of each by itself.

projections            queries, keys, values, and what comes out of the heads
latent                 queries, keys and values that are made of a few numbers a token
rotary                 rotary positions
scores, biases, masks  scores, what is added to them, what is hidden
weights, no_softmax    from scores to weights; `online_softmax` block by block
"""
