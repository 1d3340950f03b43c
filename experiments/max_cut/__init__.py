"""Max-Cut decision trees (Bodine & Hochbaum 2022): Table 5, Table 3 and figures 2 to 9 again."""
