"""False siblings of the statements in papers/aruba/s3_similarity/rates.py."""

SIBLINGS = {}
