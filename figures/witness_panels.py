"""How a witness is drawn: three small panels in a row."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.house import BLACK, GREY, LEFT, LOOKS, RIGHT, Series, log_ticks, short, superscript

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SMALL = 6.8
PLACES = {"left": 0.075, "right": 0.985, "bottom": 0.21, "top": 0.73, "wspace": 0.3}
LINES, NUMBERS, TICKS, FIRST = 4, 9, 4, 32
GREEK = {
    "phi": "φ",
    "psi": "ψ",
    "star": "θ*",
    "theta": "θ",
    "eta": "η",
    "eps": "ε",
    "zeta": "ζ",
    "alpha": "α",
    "sigma": "σ",
    "gamma": "γ",
    "kappa": "κ",
    "nu": "ν",
    "delta": "δ",
    "comparator": "comparator",
    "length": "length of the instance",
    "optimum": "θ*",
}


def draw_row(fig: Figure | SubFigure, series: Series, heading: str = "") -> None:
    """The instance, both sides, and how they grow where that is known.

    With a heading, as one row of many, in fixed places: a constrained layout of a whole sheet takes long, and does not
    come out the same to the last digit every time.
    """
    curves = [name for name in series if name.startswith("lhs as ")]
    ratios = [1.3, 1.0, 1.15] if curves else [1.3, 1.0]
    axes = fig.subplots(1, len(ratios), width_ratios=ratios, gridspec_kw=PLACES if heading else None)
    _draw_instance(axes[0], series)
    _draw_sides(axes[1], series)
    if curves:
        _draw_curves(axes[2], series, curves[0])
    for ax in axes:
        ax.grid(False)
        ax.patch.set_visible(False)
    if heading:
        fig.suptitle(heading, fontsize=7.5, x=0.01, ha="left", fontweight="bold")


def word(name: str) -> str:
    """A part's name as it is written: phi[1] as φ₁."""
    head, _, index = name.partition("[")
    head, _, mark = head.partition("_")
    return GREEK.get(head, head) + (f"_{mark}" if mark else "") + (chr(0x2080 + int(index[:-1])) if index else "")


def readable(x: float) -> str:
    """A number in a few characters: 3/4, 2^40, 0.1234."""
    exact = Fraction(x)
    if exact.denominator == 1 and abs(exact) < 10000:
        return str(exact)
    if x > 0 and 1 in (exact.numerator, exact.denominator) and _is_power(exact):
        return "2" + superscript(exact.numerator.bit_length() - exact.denominator.bit_length())
    return str(exact) if exact.denominator <= 64 and abs(exact.numerator) < 1000 else f"{x:.4g}"


def _is_power(exact: Fraction) -> bool:
    large = max(exact.numerator, exact.denominator)
    return large > 64 and large & (large - 1) == 0


def pair(lhs: float, rhs: float) -> tuple[str, str]:
    """Both sides with as many digits as tell them apart."""
    for digits in range(4, 16):
        texts = f"{lhs:.{digits}g}", f"{rhs:.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts


# the instance ---------------------------------------------------------------------------------------------------------
def _draw_instance(ax: Axes, series: Series) -> None:
    numbers = [
        f"{word(name[7:])} = {readable(float(y[0]))}" for name, (_, y) in series.items() if name[:7] == "number "
    ]
    losses = [name for name in series if name.startswith("loss ")]
    sequences = [name for name in series if name.startswith("part ")]
    if any(np.ptp(series[name][1]) > 0 for name in losses):
        _draw_losses(ax, series, losses)
    elif sequences:
        _draw_sequences(ax, series, sequences[:LINES])
    else:
        _draw_numbers(ax, numbers)
        return
    ax.tick_params(labelsize=SMALL, pad=1.5)
    ax.set_title(_wrapped(numbers), fontsize=SMALL, pad=3)


def _wrapped(numbers: list[str], width: int = 46) -> str:
    """Numbers in at most two lines."""
    lines = [""]
    for text in numbers:
        if len(lines[-1]) + len(text) > width:
            lines.append("")
        lines[-1] += (", " if lines[-1] else "") + text
    return "\n".join(lines[:2])


def _draw_losses(ax: Axes, series: Series, losses: list[str]) -> None:
    for name, look in zip(losses, LOOKS, strict=False):
        ax.plot(*series[name], label=name, **look.line)
    if "domain" in series:
        low, high = series["domain"][0]
        ax.axvspan(low, high, color=GREY, alpha=0.12, linewidth=0)
        ax.text(high, 0.02, "Θ ", transform=ax.get_xaxis_transform(), ha="right", va="bottom", fontsize=SMALL)
    points = [name for name in series if name.startswith("point ")]
    for name in points:
        ax.axvline(series[name][0][0], color=BLACK, linewidth=0.8, linestyle=":")
    places = [float(series[name][0][0]) for name in points]
    ax.set_xticks(places, [word(name[6:]) for name in points])
    _bound_scale(ax, [series[name][1] for name in losses])
    if len(losses) > 1:
        _legend(ax)


def _draw_sequences(ax: Axes, series: Series, sequences: list[str]) -> None:
    for name, look in zip(sequences, LOOKS, strict=False):
        x, y = (values[:FIRST] for values in series[name])
        style: dict[str, Any] = look.both if len(x) <= FIRST / 2 else look.line
        ax.plot(x, y, label=word(name[5:]), **{"markersize": 3.0, **style})
    longest = max(len(series[name][0]) for name in sequences)
    shown = min(longest, FIRST)
    ax.set_xticks(np.unique(np.linspace(1, shown, min(shown, TICKS)).round()))
    if shown < longest:
        ax.set_xlabel(f"the first {shown} of {longest}", fontsize=SMALL, labelpad=1)
    _bound_scale(ax, [series[name][1] for name in sequences])
    _legend(ax)


def _bound_scale(ax: Axes, values: list[Any]) -> None:
    """A linear axis, or a logarithmic one on both sides of 0 where sizes differ by more than a thousand."""
    all_values = np.concatenate(values)
    sizes = np.abs(all_values)[all_values != 0]
    if len(sizes) and sizes.max() > 1e3 * np.median(sizes):
        ax.set_yscale("symlog", linthresh=float(np.median(sizes)))
        ax.set_yticks(np.unique([min(all_values.min(), 0.0), 0.0, all_values.max()]))
        ax.minorticks_off()
    else:
        ax.locator_params(axis="y", nbins=TICKS)
    ax.yaxis.set_major_formatter(lambda x, _: short(x))


def _legend(ax: Axes) -> None:
    ax.legend(
        fontsize=SMALL - 0.5,
        handlelength=2.2,
        labelspacing=0.2,
        borderpad=0.1,
        frameon=True,
        framealpha=0.6,
        edgecolor="none",
    )


def _draw_numbers(ax: Axes, numbers: list[str]) -> None:
    ax.set_axis_off()
    half = -(-len(numbers[:NUMBERS]) // 2) if len(numbers) > 5 else 5
    beside = max(0.5, 0.035 * max(map(len, numbers[:half]), default=0))  # as wide as the letters of the first column
    for k, text in enumerate(numbers[:NUMBERS]):
        ax.text(
            0.02 + beside * (k // half), 0.9 - 0.19 * (k % half), text, transform=ax.transAxes, fontsize=8, va="top"
        )


# both sides -----------------------------------------------------------------------------------------------------------
def _draw_sides(ax: Axes, series: Series) -> None:
    ax.set_axis_off()
    if "lhs" not in series:
        words = "A side is not a real\nnumber, although every\nassumption holds."
        ax.text(0.0, 0.6, words, transform=ax.transAxes, fontsize=8, va="center")
        return
    lhs, rhs = float(series["lhs"][1][0]), float(series["rhs"][1][0])
    unit = max(abs(lhs), abs(rhs)) or 1.0
    for height, value, text, label, look, hatch in (
        (1.0, lhs, pair(lhs, rhs)[0], "lhs", LEFT, "////"),
        (0.0, rhs, pair(lhs, rhs)[1], "rhs", RIGHT, ""),
    ):
        ax.barh(
            height, value / unit, 0.42, facecolor="white" if hatch else look.color, edgecolor=look.color, hatch=hatch
        )
        ax.text(min(0.0, min(lhs, rhs) / unit) + 0.015, height + 0.27, f"{label} = {text}", fontsize=7.5, va="bottom")
    ax.axvline(0, color=BLACK, linewidth=0.8, ymin=0.1, ymax=0.8)
    said = f"lhs / rhs = {_ratio(lhs, rhs)}" if rhs > 0 else "rhs is not positive"
    ax.text(0.0, -0.02, said, transform=ax.transAxes, fontsize=SMALL, va="bottom", color=GREY)
    ax.set_xlim(min(0.0, lhs / unit, rhs / unit) - 0.02, max(1.0, 0.0) + 0.02)
    ax.set_ylim(-0.75, 1.75)


def _ratio(lhs: float, rhs: float) -> str:
    ratio = lhs / rhs
    return f"1 + {ratio - 1:.1e}" if ratio - 1 < 5e-4 else f"{ratio:.4g}"


# as something grows ---------------------------------------------------------------------------------------------------
def _draw_curves(ax: Axes, series: Series, lhs: str) -> None:
    parameter = lhs.split()[2]
    x = series[lhs][0]
    for name, look in ((lhs, LEFT), (lhs.replace("lhs", "rhs", 1), RIGHT)):
        ax.plot(*series[name], label=name[:3], markevery=max(len(x) // 8, 1), **{**look.both, "markersize": 3.0})
    ax.set_yscale("log")
    if (x > 0).all() and x.max() > 8 * x.min():
        ax.set_xscale("log")
        log_ticks(ax.xaxis, 4)
    else:
        ax.locator_params(axis="x", nbins=TICKS)
    log_ticks(ax.yaxis, 4)
    here = series.get(f"number {parameter}")
    if here is not None:
        ax.axvline(float(here[1][0]), color=BLACK, linewidth=0.8, linestyle=":")
    ax.tick_params(labelsize=SMALL, pad=1.5)
    ax.set_xlabel(word(parameter), fontsize=7.5, labelpad=1)
    _legend(ax)
