"""What the defaults of a tree cost and gain: pruning, the criterion of small trees, probabilities."""
