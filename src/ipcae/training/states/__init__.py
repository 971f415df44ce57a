"""What a training keeps: its state, the best one, the history, and checkpoints."""
