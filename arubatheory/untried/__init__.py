"""What no statement plays yet: learners made of what `learners` has on trial, for figures, benchmarks and users."""
