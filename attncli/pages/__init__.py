"""From a trace to documents: a page for each command, and the parts that pages share.

walkthrough  the page of `attn run`; `lesson` a step of it as a lesson
explain, why  a step, a quantity or a cell; the tree of a number
check        the page of `attn check`
compare      two scenarios side by side
costs        the page of `--detail cost`
topics       lessons on the sizes of a Transformer
questions    questions that learners have; `question_page` the page of one, `answers` of any text
catalogue    the shipped scenarios, and the reference; `packaged_steps` files of steps
parts        what these pages are made of
"""
