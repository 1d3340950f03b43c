"""Why a model predicts what it does: contributions of columns, nearest changes, dependence. Reads only `Model`."""
