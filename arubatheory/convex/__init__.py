r"""The minimum of a convex sum over a domain, with a certificate.

$$\min_{x \in \Theta}\ \kappa B_R(x\|\phi) + \eta\sum_{s<n} f_s(x)$$
for the `Losses`, domains and regularisers of `problems`: seven links, four domains, three regularisers, in floats (some
ten microseconds) or in balls of hundreds of bits. A `Problem` is one value, a tuple of numbers and arrays, so that
kernels take it; nothing here knows of learners, rounds or regret.

| module | what it answers |
|---|---|
| `problem` | the problem as a value, and its closed forms: linear sums, quadratic programs |
| `quadratic` | the minimum of linear and quadratic losses in floats, from sums that one pass makes |
| `path` | the central path of a primal-dual interior-point method: its variables, and a point to start from |
| `newton` | one step along the path, the same source in floats and in balls |
| `gap` | how far from optimal a point is, by duality |
| `solver` | `solve` follows the path until its gap stops shrinking |
| `enclosure` | in exact arithmetic: a rational point, and a radius in which the minimiser lies |
| `hindsight` | the minimum of a sum without a regulariser, ties broken, and a rational lower bound of it |

Only `gap`, `enclosure` and the lower bound of `hindsight` are proofs: an affine minorant of every loss, a minorised
problem that `mirror_step` solves exactly, and a difference written so that nothing cancels. How the path found the
duals does not matter: `newton` and `solver` may be tuned, or replaced, without anything that is certified becoming
wrong.
"""
