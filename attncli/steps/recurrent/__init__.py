"""A recurrent layer: its cell, time by time."""
