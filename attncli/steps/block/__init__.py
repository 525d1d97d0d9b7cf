"""What stands around attention in a layer."""
