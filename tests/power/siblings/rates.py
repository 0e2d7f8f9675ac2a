"""False siblings of the statements in statements/rates.py."""

SIBLINGS = {}
