"""Practising: what is asked one after the other, how an answer is met, what to practise again."""
