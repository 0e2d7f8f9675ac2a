"""Small statements whose truth is known, in a file that the campaign can load as a user's."""

import numpy as np

from arubatheory.statements.core import Assumption, Instance, Sides, Statement


def vectors(draw):
    n = draw.integer(1, 4)
    return Instance(x=draw.real(-1, 1, n), y=draw.real(-1, 1, n))


def cauchy_schwarz(numerator, denominator):
    def sides(i):
        inner, size = i.x @ i.y, (i.x @ i.x) * (i.y @ i.y)
        return Sides(inner * inner, size * numerator / denominator)

    return sides


def one_number(draw):
    return Instance(x=draw.real(-1, 1))


def root_scales(draw):
    return Instance(a=draw.positive(), b=draw.positive())


def mean_inequality(i):
    """2 sqrt(ab) <= a + b in balls: equality at a = b."""
    product = i.a * i.b
    root = product.sqrt() if hasattr(product, "sqrt") else np.sqrt(product)
    return Sides(2 * root, i.a + i.b)


TRUE = Statement("toy:cauchy-schwarz", "claim", r"\langle x,y\rangle^2\le\|x\|^2\|y\|^2", vectors, cauchy_schwarz(1, 1))
FALSE = Statement("toy:too-strong", "claim", r"\langle x,y\rangle^2\le.9\|x\|^2\|y\|^2", vectors, cauchy_schwarz(9, 10))
MEANS = Statement("toy:means", "claim", r"2\sqrt{ab}\le a+b", root_scales, mean_inequality)
UNDEFINED = Statement(
    "toy:undefined",
    "claim",
    r"\log x\le x",
    one_number,
    lambda i: Sides(np.log(i.x) if not hasattr(i.x, "log") else i.x.log(), i.x),
)
BROKEN_GENERATOR = Statement(
    "toy:broken-generator",
    "claim",
    r"x\ge-1",
    one_number,
    lambda i: Sides(-1, i.x),
    assumptions=(Assumption(r"x\ge0", lambda i: i.x),),
)
CRASHES = Statement("toy:crashes", "claim", r"x\ge-1", one_number, lambda i: Sides(1 // 0, i.x))
HUGE = 2**1000
NEVER_COUNTS = Statement(
    "toy:never-counts", "claim", r"0\le2^{2000}(1+x^2)", one_number, lambda i: Sides(0, (1 + i.x * i.x) * HUGE * HUGE)
)
ALL = (TRUE, FALSE, MEANS, UNDEFINED, BROKEN_GENERATOR, CRASHES, NEVER_COUNTS)
