"""False siblings of the statements in statements/meta/rates.py."""

SIBLINGS = {}
