"""The style of all drawings: light and dark, on a screen and on paper."""

from __future__ import annotations

FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', system-ui, sans-serif"

LIGHT = (
    "--rk-ink:#1b2430;--rk-soft:#566270;--rk-line:#cfd6de;--rk-paper:#ffffff;--rk-panel:#f5f7f9;"
    "--rk-for:#0063a6;--rk-against:#b34700;--rk-for-tint:#d9e9f6;--rk-against-tint:#fdeadb"
)
DARK = (
    "--rk-ink:#e8edf2;--rk-soft:#a3afbb;--rk-line:#414c58;--rk-paper:#151b22;--rk-panel:#1e262f;"
    "--rk-for:#74bdf2;--rk-against:#f5a15c;--rk-for-tint:#1d3b54;--rk-against-tint:#4d3018"
)

# Of drawings in SVG, in a file of their own or in a page. What counts for is filled, what counts against is outlined.
SHAPES = """
.rk-svg{display:block;font-family:FONT;color:var(--rk-ink);fill:var(--rk-ink)}
.rk-svg text{font-family:FONT}
.rk-word,.rk-halo{paint-order:stroke;stroke:var(--rk-paper);stroke-width:4px;stroke-linejoin:round}
.rk-soft{fill:var(--rk-soft)}
.rk-strong{font-weight:600}
.rk-grid{stroke:var(--rk-line);fill:none}
.rk-axis{stroke:var(--rk-soft);fill:none}
.rk-paper{fill:var(--rk-paper)}
.rk-panel{fill:var(--rk-panel)}
.rk-for{--rk-side:var(--rk-for);--rk-tint:var(--rk-for-tint)}
.rk-against{--rk-side:var(--rk-against);--rk-tint:var(--rk-against-tint)}
.rk-neutral{--rk-side:var(--rk-soft);--rk-tint:var(--rk-panel)}
.rk-text{fill:var(--rk-side)}
.rk-curve{fill:none;stroke:var(--rk-side);opacity:.6}
.rk-against .rk-curve,.rk-against.rk-curve{stroke-dasharray:5 3}
.rk-bracket{stroke:var(--rk-side);stroke-width:2.5;fill:none}
.rk-bracket.rk-thin{stroke-width:1}
.rk-bracket.rk-thick{stroke-width:4}
.rk-against .rk-bracket{stroke-dasharray:5 2.5}
.rk-badge{fill:var(--rk-side);stroke:var(--rk-side);stroke-width:1.5}
.rk-against .rk-badge{fill:var(--rk-paper)}
.rk-number{fill:var(--rk-paper);font-weight:700}
.rk-against .rk-number{fill:var(--rk-side)}
.rk-chip{fill:var(--rk-tint);stroke:var(--rk-side);stroke-width:.75}
.rk-fill{fill:var(--rk-side);stroke:var(--rk-side);stroke-width:1.5}
.rk-against .rk-fill,.rk-fill.rk-against{fill:var(--rk-against-tint)}
.rk-cell{fill:var(--rk-for)}
.rk-plot{fill:none;stroke:var(--rk-for);stroke-width:2;stroke-linejoin:round}
.rk-dashed{stroke-dasharray:5 3;opacity:.75}
.rk-mark{fill:var(--rk-ink);stroke:var(--rk-paper);stroke-width:1.5}
"""

# Of drawings in HTML.
PAGE = """
.rk{VARIABLES;font:15px/1.45 FONT;color:var(--rk-ink);background:var(--rk-paper);margin:0 0 1em;padding:.9em 1em;
border:1px solid var(--rk-line);border-radius:8px;max-width:960px;box-sizing:border-box;container-type:inline-size;
text-align:left;overflow-wrap:anywhere}
.rk *{box-sizing:border-box}
.rk h4{font-size:13px;font-weight:600;color:var(--rk-soft);margin:1.1em 0 .35em;text-transform:none}
.rk p{margin:.35em 0}
.rk table{border-collapse:collapse;table-layout:auto;width:100%;margin:0;font-size:14px;display:table;color:inherit;
background:none}
.rk tr,.rk tbody,.rk thead{background:none!important}
.rk td,.rk th{padding:3px 8px 3px 0;text-align:left;vertical-align:top;border:0;border-bottom:1px solid var(--rk-line);
font-weight:400;background:none;color:inherit;white-space:normal}
.rk th{color:var(--rk-soft);font-size:12.5px}
.rk td.rk-value,.rk th.rk-value{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;padding-right:0}
.rk td.rk-value+td.rk-value,.rk th.rk-value+th.rk-value{padding-left:10px}
.rk td.rk-figure,.rk th{white-space:nowrap;overflow-wrap:normal}
.rk small{color:var(--rk-soft);font-size:12.5px}
.rk code{font:13px/1.4 ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;background:var(--rk-panel);
padding:1px 4px;border-radius:3px;color:inherit;white-space:pre-wrap}
.rk-head{display:flex;flex-wrap:wrap;gap:.15em 1.2em;align-items:baseline;margin:0 0 .5em}
.rk-answer{font-size:19px;font-weight:700}
.rk .rk-missed{background:var(--rk-against-tint);color:inherit;text-decoration:underline wavy var(--rk-against) 1.5px;
text-underline-offset:4px;padding:0 2px;border-radius:3px}
.rk-answer small{font-weight:400;font-size:15px}
.rk-tag{color:var(--rk-side);font-weight:600}
.rk-narrow{display:none}
.rk-wide,.rk-narrow{width:100%;height:auto}
.rk-bar{display:block;width:100%;height:18px;overflow:visible}
.rk-clip{overflow:hidden;margin-top:10px}
.rk-fall td{vertical-align:middle}
.rk-fall td.rk-cell-bar{width:38%;padding-right:14px}
.rk-fall td.rk-cell-badge{width:26px;padding-right:4px}
.rk-fall tr.rk-sum td{border-bottom:0;font-weight:600}
.rk-shares td.rk-cell-bar{width:38%;padding-right:14px}
.rk-shares td{vertical-align:middle}
.rk-rules td.rk-cell-weight{width:16%;padding-right:10px}
.rk-rules td{vertical-align:middle}
.rk-map{max-width:560px;width:100%;height:auto}
.rk-result{font-size:17px;font-weight:600}
.rk-curves{display:flex;flex-wrap:wrap;gap:8px 14px}
.rk-curves figure{margin:0;width:208px}
.rk-curves figcaption{font-size:12.5px;line-height:1.3;color:var(--rk-soft)}
HOVER
@container (max-width:640px){.rk-wide{display:none}.rk-narrow{display:block}
.rk-fall,.rk-fall tbody{display:block}
.rk-fall tr{display:grid;grid-template-columns:26px 1fr auto;border-bottom:1px solid var(--rk-line);padding:3px 0}
.rk-fall thead{display:none}.rk-fall td{border:0;padding:1px 4px 1px 0}
.rk-fall td.rk-cell-bar{grid-row:2;grid-column:2/4;width:auto;padding:0 0 3px}
.rk-bar{overflow:hidden}.rk-curves figure{width:46%}.rk .rk-sorted td.rk-value:last-child{white-space:normal}}
@media (prefers-color-scheme:dark){.rk{DARKER}}
@media print{.rk{VARIABLES;break-inside:avoid}}
"""
LINKS = 12  # rules that can be followed with the mouse


def _follow_links() -> str:
    """Return the style that shows one rule alone while the mouse is on it, in the drawing or in the list."""
    numbers = range(1, LINKS + 1)
    over = ",".join(f".rk:has(.rk-r{n}:hover) .rk-link:not(.rk-r{n})" for n in numbers)
    row = ",".join(f".rk:has(.rk-link.rk-r{n}:hover) tr.rk-r{n} td" for n in numbers)
    return f"{over}{{opacity:.12}}\n{row}{{background:var(--rk-panel)}}\n.rk-link:hover .rk-curve{{opacity:1}}"


def _shade_cells() -> str:
    """Return the style of the cells of a confusion matrix, from light to dark."""
    return "\n".join(
        f".rk-shade-{n}{{background:color-mix(in srgb,var(--rk-for) {6 * n}%,var(--rk-paper))!important}}"
        for n in range(9)
    )


def _fill_in(text: str) -> str:
    values = {"VARIABLES": LIGHT, "DARKER": DARK, "HOVER": _follow_links(), "FONT": FONT, "SHADES": _shade_cells()}
    for name, value in values.items():
        text = text.replace(name, value)
    return text.strip()


STYLE = _fill_in(SHAPES + PAGE)
SVG_STYLE = _fill_in(f".rk-svg{{VARIABLES}}\n@media (prefers-color-scheme:dark){{.rk-svg{{DARKER}}}}{SHAPES}")
# Of a page of its own around drawings.
PAGE_STYLE = _fill_in(
    """
:root{VARIABLES;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{DARKER}}
@media print{:root{VARIABLES}}
body{margin:0;background:var(--rk-paper);color:var(--rk-ink);font:16px/1.5 FONT}
main{max-width:960px;margin:0 auto;padding:16px;box-sizing:border-box}
h1{font-size:24px;margin:8px 0 16px;overflow-wrap:anywhere}
h2{font-size:18px;margin:26px 0 8px}
@media print{main{max-width:none;padding:0}input{display:none}}
"""
)

PRINTED_ROWS = 50  # of the table of all pairs: all of them would fill a hundred sheets
# Of reports.
REPORT_STYLE = _fill_in(
    """
.rk-section h2{margin:0 0 8px}
.rk-cards{display:flex;flex-wrap:wrap;gap:10px;margin:0 0 10px}
.rk-card{display:flex;flex-direction:column;background:var(--rk-panel);border-radius:6px;padding:8px 14px;
min-width:130px}
.rk-card b{font-size:22px;line-height:1.3}
.rk-about th{width:9em;white-space:nowrap}
.rk-sorted th{cursor:pointer}
.rk-sorted th[aria-sort=ascending]::after{content:" ▲"}
.rk-sorted th[aria-sort=descending]::after{content:" ▼"}
.rk .rk-sorted:not(.rk-rows) td{overflow-wrap:break-word}
.rk-panels{display:flex;flex-wrap:wrap;gap:16px}
.rk-panel-figure{margin:0;width:282px;max-width:100%}
.rk-panel-figure figcaption{font-weight:600;font-size:14px}
.rk-dot{fill:var(--rk-for)}
.rk-confusion{width:auto!important}
.rk .rk-confusion th{vertical-align:middle}
.rk .rk-confusion td.rk-value,.rk .rk-confusion th.rk-value{padding:6px 12px}
SHADES
.rk-mistakes summary{cursor:pointer;padding:6px 0;font-weight:600}
.rk-all{max-width:none}
.rk-rows td:first-child,.rk-rows td:nth-child(n+4){white-space:nowrap}
@media (max-width:480px){.rk-rows td:not(:first-child):nth-child(-n+3){overflow-wrap:anywhere}
.rk .rk-rows td,.rk .rk-rows th{padding-left:0;padding-right:5px}}
input[type=search]{font:inherit;padding:5px 8px;border:1px solid var(--rk-soft);border-radius:5px;
background:var(--rk-paper);color:var(--rk-ink);min-width:16em;max-width:100%;box-sizing:border-box}
.rk-print{display:none}
@media print{.rk-section{border:0;padding:0;break-inside:auto}
.rk-print{display:block}.rk-rows tbody tr:nth-child(n+UNPRINTED){display:none}}
""".replace("UNPRINTED", str(PRINTED_ROWS + 1))
)
