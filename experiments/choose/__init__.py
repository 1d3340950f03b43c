"""Held out: is the system that `bough.choose` takes as good as the best single one, and smaller?"""
