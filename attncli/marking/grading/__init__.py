"""What a paper is worth.

exam       what is asked, of which numbers; marks: single ones, or for method and accuracy
addresses  the cells that answers are for, and numbers inside lines of working
words      answers in words, and why they are wrong
papers     a paper with its verdicts and points, and whether it shows working
classes    many papers: marks, commonest mistakes, hardest cells
"""
