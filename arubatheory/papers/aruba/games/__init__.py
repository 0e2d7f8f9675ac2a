r"""The problems that the claims of this paper are played on."""
