"""Statistical learning to learn (section 5, appendices A.3 and E)."""
