"""The steps after the last layer: logits and probabilities, losses, speculative decoding."""
