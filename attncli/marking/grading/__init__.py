"""What a paper is worth.

exam       what is asked, of which numbers, and for how many points
addresses  the cells that answers are for
terms      numbers inside lines of working
words      answers in words
scheme     marks for a number: single ones, or for method and accuracy
papers     a paper with its verdicts and points
worked     whether a paper shows working
classes    many papers: marks, commonest mistakes, hardest cells
"""
