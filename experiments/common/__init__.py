"""What all experiments share: data, folds, tables; tests of significance are those of `bough.compare`."""
