r"""Appendix B: strongly convex coupling."""
