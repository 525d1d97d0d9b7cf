"""Pages in a browser: a wing, of which the core knows nothing, and the only room with a server.

server, session, page  `attn serve`: a page kept true while its file, or the page, is changed
site                   `attn site`: a website of scenarios
cards, search          its first page: lessons in small, and what is found by words and numbers
commands               the declarations of both
"""
