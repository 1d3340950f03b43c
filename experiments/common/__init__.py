"""What all experiments share: data, folds, statistics, tables."""
