r"""From a paper's LaTeX source to a folder in which its theorems are put on trial: `arubatheory new paper.tex`."""
