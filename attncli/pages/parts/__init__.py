"""The parts that pages are made of.

selection     which parts of a trace are told, and which rows of them
sections      what a section opens with, and how its quantities stand in it; `blocks` makes these
working       the lines of working; `cost_of_steps` counts their multiplications
constants     settings that a reader changes where they stand in an equation
products      products of matrices laid out as on paper, and the softmax beside its rows; `heads`
              those of the head that a page is about
asked_first   what tells readers who are asked for numbers: ranges, and what mistakes give
sentences     what sentences are put together from
findings      what a step finds, each a `finding`; `recurrent` cells, and their gradients
tokenizing    how a tokenizer is learned and cuts
gradients     the way back at a glance; `way_back` in full, `updates` what comes after one
answer        the number that a page begins with, said by its `cell_words`, and what it comes to
closing       what closes a page, in its order: what is `unused`, what the scenario asks to `show`,
              what came of `generation`, of `training` and of its `variants`, with the `nearness`
              of words, how much of its `source` follows, and `next_commands`
published     what a source prints otherwise, in marks and in a table; `claims` what it says
differences   which cells of two traces differ
pictures      pictures made of a trace; `diagrams` of what runs
lengths       how long a page is, and how to see less of it
"""
