"""Small PyTorch models, each with one real bug, and the scenarios that say what they should be.

models  an encoder as BERT's, a decoder as GPT-2's and one as Llama's, with and without a cache
bugs    what is wrong in each, where that shows first, and what it is called
"""
