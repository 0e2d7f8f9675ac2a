"""The look of the page: one style sheet, light and dark by the reader's preference, readable on a narrow screen."""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fbfaf6; --raised: #ffffff; --ink: #1d1f24; --soft: #5d6068; --line: #e3e0d6; --tint: #f3f1e9;
  --accent: #2f5d8c; --refuted: #b3261e; --suspect: #8a5a00; --survived: #1e6b46; --idle: #5b5f68; --error: #8a2a86;
  --serif: Charter, "Bitstream Charter", "Source Serif 4", Georgia, Cambria, serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15171b; --raised: #1c1f25; --ink: #e7e5df; --soft: #a3a6ae; --line: #2f333b; --tint: #22262d;
    --accent: #8db8e4; --refuted: #ff8a80; --suspect: #f0be62; --survived: #7fcfa3; --idle: #9a9ea8; --error: #e79be3;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 var(--serif); }
main, .top, footer { max-width: 68rem; margin: 0 auto; padding: 0 1.25rem; }
.top { padding-top: 3.2rem; padding-bottom: 1rem; }
h1 { font-size: clamp(1.9rem, 5vw, 2.7rem); line-height: 1.15; letter-spacing: -0.015em; margin: 0 0 .5rem; }
h2 { font-size: 1.4rem; line-height: 1.25; margin: 3.2rem 0 1rem; letter-spacing: -0.01em; }
h3, h4 { font-size: 1.1rem; margin: 0; line-height: 1.35; overflow-wrap: anywhere; }
p { margin: .5rem 0; max-width: 44rem; overflow-wrap: break-word; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .18em; }
.lead { color: var(--soft); font-size: 1.1rem; }
.meta, .small, th, .tag, .badge, nav, footer, .key, .tally, summary { font-family: var(--sans); }
.meta, .small, footer { font-size: .84rem; color: var(--soft); }
footer { margin-top: 4rem; padding-top: 1.2rem; padding-bottom: 3rem; border-top: 1px solid var(--line); }
code { font-family: var(--mono); font-size: .86em; overflow-wrap: anywhere; }
.REFUTED { --tone: var(--refuted); } .SUSPECT { --tone: var(--suspect); } .SURVIVED { --tone: var(--survived); }
.IDLE, .NONE { --tone: var(--idle); } .ERROR { --tone: var(--error); }
.holds, .proof { --tone: var(--survived); } .partly, .fails { --tone: var(--refuted); }
.suspect { --tone: var(--suspect); } .error { --tone: var(--error); } .idle, .open { --tone: var(--idle); }
.badge { display: inline-block; font-size: .74rem; font-weight: 650; letter-spacing: .05em; line-height: 1;
  color: var(--tone); padding: .34em .6em; border-radius: 99px; border: 1px solid currentColor; white-space: nowrap;
  background: color-mix(in srgb, var(--tone) 9%, transparent); }
.tally { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.4rem, 1fr)); gap: .7rem;
  margin: 1.6rem 0 1rem;
  padding: 0; list-style: none; }
.tally li { background: var(--raised); border: 1px solid var(--line); border-top: 3px solid var(--tone);
  border-radius: 6px;
  padding: .75rem .9rem; }
.tally b { display: block; font-size: 1.75rem; line-height: 1.1; font-weight: 620;
  font-variant-numeric: tabular-nums; }
.tally span { font-size: .74rem; letter-spacing: .06em; color: var(--tone); font-weight: 650; }
.tally .zero { border-top-color: var(--line); } .tally .zero b, .tally .zero span { color: var(--soft);
  font-weight: 450; }
.map { display: grid; grid-template-columns: 7rem 1fr; gap: .4rem .9rem; align-items: center; margin: 1rem 0;
  padding: 0; }
.map dt { font: .84rem var(--sans); color: var(--soft); text-align: right; }
.map dd { margin: 0; display: flex; flex-wrap: wrap; gap: 4px; }
.cell { width: 1.3rem; height: 1.3rem; border-radius: 4px; display: block; text-align: center; text-decoration: none;
  font: .8rem/1.2rem var(--sans); color: var(--paper); background: var(--tone, transparent);
  border: 1.5px solid var(--tone, color-mix(in srgb, var(--soft) 38%, transparent)); font-style: normal; }
.cell.partly { background: linear-gradient(135deg, var(--refuted) 50%, var(--survived) 50%); }
.cell.proof { background: linear-gradient(135deg, var(--survived) 68%, var(--refuted) 68%); }
.cell.partly, .cell.proof { border: 0; padding: 1.5px; }
.cell.idle, .cell.open { background: none; color: var(--soft); }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: .8rem; color: var(--soft); }
.key span { display: inline-flex; align-items: center; gap: .4rem; } .key .cell { flex: none; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); }
table.verdicts { border-collapse: collapse; width: 100%; font: .86rem/1.4 var(--sans); }
.verdicts th, .verdicts td { padding: .5rem .75rem; text-align: left; border-bottom: 1px solid var(--line); }
.verdicts tr:last-child td { border-bottom: 0; }
.verdicts th { font-size: .75rem; font-weight: 600; color: var(--soft); background: var(--tint);
  white-space: nowrap; }
.verdicts .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.verdicts td:first-child { min-width: 13rem; overflow-wrap: anywhere; } .verdicts [hidden] { display: none; }
.verdicts th button { all: unset; cursor: pointer; } .verdicts th button:focus-visible { outline: 2px solid; }
.verdicts th button::after { content: " ↕"; opacity: .5; } [aria-sort="ascending"] button::after { content: " ↑"; }
[aria-sort="descending"] button::after { content: " ↓"; }
#filter { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; font: .84rem var(--sans);
  color: var(--soft); margin: .8rem 0; } #filter[hidden] { display: none; }
#filter input, #filter select, #filter button { font: inherit; color: var(--ink); background: var(--raised);
  border: 1px solid var(--line); border-radius: 5px; padding: .35rem .5rem; max-width: 100%; }
.wide { width: min(94vw, 84rem); margin-left: calc(50% - min(47vw, 42rem)); padding: .6rem; }
#graph { display: block; width: 100%; min-width: 66rem; height: auto; font: 10.5px var(--sans); }
#graph .edges path { fill: none; stroke: var(--soft); stroke-opacity: .28; }
#graph.lit .edges path { stroke-opacity: .1; }
#graph .edges path.lit { stroke: var(--accent); stroke-opacity: 1; stroke-width: 1.6; }
.node rect { fill: color-mix(in srgb, var(--tone, var(--soft)) 13%, var(--raised)); stroke: var(--tone, var(--line)); }
.node text { fill: var(--ink); } .node .mark { fill: var(--tone, var(--soft)); font-weight: 700; }
.node.partly rect { stroke-dasharray: 5 2; } a.node:hover rect, a.node:focus rect { stroke-width: 2.2; }
.item { margin: 0 0 2.6rem; scroll-margin-top: 1rem; content-visibility: auto; contain-intrinsic-size: auto 1400px; }
.item > header { display: flex; flex-wrap: wrap; gap: .2rem 1rem; align-items: baseline; }
.item > header .tag { margin: 0; } .item > header h3 { font-size: 1.3rem; }
.item > p { margin: .3rem 0 .8rem; }
.verdicts a { text-decoration: none; font-family: var(--mono); font-size: .93em; }
.verdicts a:hover { text-decoration: underline; }
.words { display: grid; grid-template-columns: auto 1fr; gap: .45rem .9rem; align-items: baseline; margin: 1rem 0; }
.words dd { margin: 0; }
article { background: var(--raised); border: 1px solid var(--line); border-left: 4px solid var(--tone);
  border-radius: 8px;
  padding: 1.2rem 1.4rem 1.3rem; margin: 0 0 1.4rem; scroll-margin-top: 1rem; }
article header { display: flex; gap: .3rem 1rem; justify-content: space-between; align-items: baseline;
  flex-wrap: wrap; }
article:target { box-shadow: 0 0 0 3px color-mix(in srgb, var(--accent) 35%, transparent); }
.tag { font-size: .84rem; color: var(--soft); margin: .15rem 0 0; }
.formula { overflow-x: auto; overflow-y: hidden; padding: .9rem .2rem; margin: .5rem 0; font-size: 1.12rem; }
.formula math[display="block"] { margin: 0; text-align: left; }
math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "Libertinus Math", math; }
.note, .given, h4, .values dd, .picture figcaption { overflow-x: auto; overflow-y: hidden; }  /* wide formulas */
mtable.rows mtd { padding: .25em 0; text-align: left; } mtable.rows mtd:first-child { text-align: right; }
.given { margin: .2rem 0 .8rem; padding: 0 0 0 1.7rem; } .given li { margin: .15rem 0; }
.links { font-size: .92rem; color: var(--soft); margin-top: .8rem; } .links p { margin: .2rem 0; max-width: none; }
.links a, .instead a, a.tag { font-family: var(--mono); font-size: .88em; overflow-wrap: anywhere; }
a.REFUTED, a.SUSPECT, a.ERROR { color: var(--tone); }
.instead { border-left: 2px solid var(--survived); padding-left: .8rem; margin: .8rem 0; }
.note { border-left: 2px solid var(--line); padding-left: .8rem; color: var(--soft); font-size: .98rem; }
.instead .note { border: 0; padding: 0; }
.finding { display: flex; flex-wrap: wrap; gap: .8rem 2rem; align-items: flex-end; margin: .8rem 0; }
.finding p { margin: 0; flex: 1 1 20rem; }
.differs { color: var(--refuted); font-weight: 600; }
.spread { width: 13.5rem; max-width: 100%; color: var(--tone); display: block; fill: none; stroke: currentColor; }
.axis { stroke-opacity: .35; } #ratios text { font: 11px var(--sans); fill: var(--soft); stroke: none; }
.spread .bars { stroke-width: 8; }
.spread .dots { stroke-width: 4.5; stroke-linecap: round; } .spread .claimed { stroke-dasharray: 4 3; opacity: .6; }
.spread + figcaption { font: .74rem var(--sans); color: var(--soft); } figure { margin: 0; }
.witnesses { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 23rem), 1fr)); gap: 1rem;
  margin-top: 1rem; }
.witness { background: var(--tint); border-radius: 7px; padding: .9rem 1rem; min-width: 0; }
.witness h5 { font: 600 .84rem var(--sans); margin: 0 0 .5rem; }
.values { display: grid; grid-template-columns: auto 1fr; gap: .15rem .9rem; margin: 0; font-size: .95rem; }
.values dt { font: .8rem/1.9 var(--sans); color: var(--soft); }
.values dd { margin: 0; min-width: 0; overflow-wrap: anywhere; font-family: var(--mono); font-size: .84rem;
  line-height: 1.75; }
pre { font: .8rem/1.6 var(--mono); margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin-top: .6rem; } summary { cursor: pointer; font-size: .82rem; color: var(--accent); }
details[open] summary { margin-bottom: .4rem; }
.replay { display: block; margin-top: .7rem; padding: .5rem .7rem; border: 1px dashed var(--line); border-radius: 5px;
  background: var(--raised); user-select: all; -webkit-user-select: all; font-size: .78rem; }
.script .replay { cursor: copy; } .replay.copied::after { content: " copied"; color: var(--survived); }
.picture { margin: 1rem 0; }
.picture img { display: block; max-width: 100%; height: auto; margin: 0 auto; padding: .6rem;
  background: #ffffff; border: 1px solid var(--line); border-radius: 8px; }
.picture figcaption { font-size: .92rem; color: var(--soft); margin-top: .4rem; max-width: 44rem; }
@media (max-width: 40rem) {
  body { font-size: 1rem; } .top { padding-top: 1.8rem; } main, .top, footer { padding-left: .9rem;
  padding-right: .9rem; }
  .map { grid-template-columns: 1fr; gap: .15rem; } .map dt { text-align: left; margin-top: .4rem; }
  article { padding: 1rem .95rem; } .wide { width: auto; margin-left: 0; }
  .words { grid-template-columns: 1fr; gap: .1rem; }
  .words dd { margin-bottom: .6rem; }
}
@media print { body { background: #fff; } article { break-inside: avoid; } }
"""
