"""Tables 2 to 5 of the CART-ELC paper, by bough."""
