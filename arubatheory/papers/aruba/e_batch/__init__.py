r"""Appendix E: online-to-batch conversion for task-averaged regret."""
