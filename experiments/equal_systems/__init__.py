"""How often does a test find a difference between two systems that have none?"""
