r"""Appendix C: adaptive and dynamic guarantees."""
