"""What is done with the last layer's output."""
