"""What a Python program is given: traces, quantities and steps that know how to show themselves.

It is the front of the house beside the command line: what is told and rendered is imported when
somebody asks for it.
"""
