r"""Section 6 and appendix G: Algorithm 2 and its relatives."""
