"""`attn exercise`: what is typed, checked, worked and written."""
