"""Small PyTorch models, each with one real bug, and the scenarios that say what they should be.

models  an encoder as BERT's, a decoder as GPT-2's and one as Llama's, with and without a cache
rights  modules in which nothing is wrong, in several styles and of many sizes
bugs    what is wrong in each, where that shows first, and what it is called
"""
