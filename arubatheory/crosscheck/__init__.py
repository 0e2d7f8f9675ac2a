r"""The instrument itself on trial: what the laboratory says, said again by code that shares nothing with it."""
