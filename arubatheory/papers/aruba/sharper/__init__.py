"""What is sharper than the paper, and what bounds it from below; the proofs stand in docs/theorems/."""
