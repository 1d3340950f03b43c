"""How near ``nominal="auto"`` comes to the best of all searches: on the root tables of real sets and on random ones."""
