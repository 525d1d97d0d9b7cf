"""Verdicts on numbers that somebody else wrote, and the mistakes that give the wrong ones.

judging         whether a number is right, by what its author wrote before it
verdicts        what is said of a number
honest_paths    the numbers that honest working can come to
known_mistakes  the mistakes that the steps of a trace declare
causes          which known mistake, made once, explains most
wrong_ways      the mistakes that are tried
slips           right numbers that were written down wrongly; `scaled_tables` by a factor
publications    the numbers that a source prints, judged; `one_way` its whole working
"""
