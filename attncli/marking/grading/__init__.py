"""What a paper is worth.

exam       what is asked, of which numbers; marks: single ones, or for method and accuracy
addresses  the cells that answers are for, and numbers inside lines of working
words      questions and answers in words, and why they are wrong
papers     papers with their verdicts and points, and whether they show working; classes of them
"""
