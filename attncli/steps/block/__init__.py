"""The steps around attention in a layer: norms, residual connections, networks, experts."""
