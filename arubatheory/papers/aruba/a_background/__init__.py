r"""Appendix A: background and results for online convex optimization."""
