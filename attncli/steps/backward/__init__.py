"""The way back: how the gradient of the loss goes from step to step, the last one first."""
