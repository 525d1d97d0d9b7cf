"""What an attention does: all heads together, and each by itself."""
