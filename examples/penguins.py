"""Draw a tree for a paper

`tree.plot()` draws a tree with matplotlib. Text columns and missing values need no preparation: the condition says
where a missing value goes, and a split on a text column divides its categories into two groups.
"""

from importlib.resources import files

import matplotlib.pyplot as plt
import pandas as pd

import bough

penguins = pd.read_csv(files("bough") / "tables/data/penguins.csv")
X, y = penguins.drop(columns="species"), penguins["species"]
tree = bough.TreeClassifier(max_leaf_nodes=5).fit(X, y)
figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
tree.plot(ax=ax)
