"""x"""


def choose(): ...
