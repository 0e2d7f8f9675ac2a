r"""Claims proved, not merely tried: certificates of rational numbers that anyone can check, each with its scope."""
