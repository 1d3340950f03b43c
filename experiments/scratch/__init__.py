"""A tree from scratch against scikit-learn's on breast cancer: the SCC.461 report of 2020 once more."""
