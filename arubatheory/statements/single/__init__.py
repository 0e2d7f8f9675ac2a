"""The single-task theory (sections 2 and 3, appendices A, B and C)."""
