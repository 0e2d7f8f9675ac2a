"""Learning to learn: Algorithms 1 and 3 (sections 2 and 3, appendices C and F)."""
