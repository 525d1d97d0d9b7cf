"""The numbers of exercises: which are nice, how hard they are, and finding them.

rules        what makes figures weak, in one scenario or in many candidates at once
difficulty   how much work a quantity's figures are
pools        which given matrices may have other figures, and which
candidates   the figures of many candidates, worked all at once
plan         in which order candidates are worked, and where figures are drawn anew
sieve        candidates that get through all rules
search       forms of a scenario, one after the other
sketch       a new scenario from a word list
"""
