r"""Appendix F: adapting to task-similarity under parameter growth."""
