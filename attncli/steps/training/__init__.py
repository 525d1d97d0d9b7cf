"""Training: the parameters are moved against their gradients, and the model is worked again."""
