"""Typst: what a PDF is made of. Python says what stands on a page, `page.typ` where.

All of it is code, none markup: what is somebody's own is a string literal and never anything else.
"""
