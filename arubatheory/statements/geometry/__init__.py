"""The inter-task geometry: Algorithm 2 and its theory (sections 4 and 6, appendix D)."""
