"""Is the difference real?

`bough.compare` runs systems on the same folds and draws the mean accuracy with 95 % intervals that account for
overlapping training rows. The dots are single folds. On wine, the linear splits of `fact` come out ahead;
`print(result)` says which differences are significant.
"""

import matplotlib.pyplot as plt

import bough

result = bough.compare(["cart", "ctree", "c4.5", "fact"], "wine", repeats=3, folds=5)
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
result.plot_dots(ax=ax)
