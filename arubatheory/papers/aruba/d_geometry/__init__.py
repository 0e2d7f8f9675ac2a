r"""Appendix D: adapting to the inter-task geometry."""
