"""The parts that pages are made of: choosing what is told, blocks, sentences and findings.

selection              the parts of a trace that are told
sections               sections of a page, and what stands in them
blocks                 tables, lists and trees of quantities
working                lines of working
sentences, findings, remarks  what is said of numbers
claims, published      what a source says and prints
closing, outcomes      the end of a page, and what a scenario comes to
pictures, diagrams     pictures of a trace, and of a model
gradients, way_back    the way back at a glance, and step by step
generation, tokenizing  generated tokens, and tokenizers
differences            two traces beside each other
cost_of_steps          the multiplications of steps
lengths                how long a page is
"""
