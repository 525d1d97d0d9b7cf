"""The numbers of exercises: which are nice, how hard they are, and finding them.

quantity     a quantity as the rules see it, in one scenario or in many candidates at once
rules        what makes numbers weak: the list of rules
softmaxes    what makes the weights of a softmax weak
matrices     what makes given matrices weak
own          which rules a scenario's own numbers break, so that forms may too
shares       which quantities are shares of 1, what of them is masked, which rows a page shows
single       the quantities of one worked scenario as the rules see them
mistakes     common mistakes, and whether numbers reveal them
ambiguous    numbers that the two rounding policies show differently
difficulty   how much work a quantity's numbers are
pools        which given matrices may have other numbers, and which
plan         in which order candidates are worked, and where numbers are drawn anew
candidates   the numbers of many candidates, worked all at once
batch        candidates on their way through a plan
sieve        candidates that get through all rules
candidate    one that got through, as a scenario
search       forms of a scenario, one after the other
counts       forms of a tokenizer that learns: other counts of the same words
unsatisfied  when no numbers are found
words        sentences
sketch       a new scenario
"""
