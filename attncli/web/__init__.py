"""`attn serve`: a scenario's page, kept true in a browser while its file, or the page, is changed.
Only this room knows of a server."""
