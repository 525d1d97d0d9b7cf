"""What an implementation dumped: which quantities its tensors are, where they first depart, why."""
