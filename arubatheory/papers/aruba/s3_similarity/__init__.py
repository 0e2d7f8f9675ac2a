r"""Sections 2 and 3: regret-upper-bounds, similar tasks, dynamic environments."""
