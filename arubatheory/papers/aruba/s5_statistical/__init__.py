r"""Section 5: statistical learning-to-learn."""
