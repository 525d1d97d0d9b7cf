"""Forms of an exercise, the same with other numbers: which numbers are nice, and finding them.

candidate_quantity  a quantity as the rules see it; which are shares of 1, which rows a page shows
rules               what makes numbers weak: the list of rules
costs               what numbers cost to work out by hand, and how far forms may differ in that
showing             which known mistakes show in a form
pools               which given matrices may have other numbers, and which
plan                in which order candidates are worked, and where numbers are drawn anew
candidates          scenarios with numbers drawn, and their quantities, many at once
sieve               candidates on their way through a plan, and those that get through all rules
search              forms of a scenario, one after the other
new_scenario        a new scenario
niceness            what isn't nice about a scenario's own numbers
"""
