"""How the pages of explanations look: light and dark, on paper and on a telephone, and without colours too."""

STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--quiet:#57606a;--paper:#fff;--line:#d0d7de;--for:#0550ae;--for-low:#ddf4ff;
--against:#9a3412;--against-low:#fff1e5}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--quiet:#9da7b1;--paper:#0d1117;--line:#3d444d;--for:#79c0ff;
--for-low:#0c2d55;--against:#ffa657;--against-low:#4a2407}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{max-width:56rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}h2{font-size:1.25rem;margin:2rem 0 .25rem}
h3{font-size:1.05rem;margin:1.5rem 0 .25rem}
h1,h2,h3,td,li,p,caption{overflow-wrap:anywhere}
caption{text-align:start}th{white-space:nowrap}td{min-width:5.5rem}td:first-child{min-width:8rem}td.wide{min-width:18rem}
section+section{border-top:1px solid var(--line);margin-top:2rem}
p{margin:.4rem 0}.quiet{color:var(--quiet)}
.scrolls{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{text-align:start;font-weight:600;font-size:.9rem;color:var(--quiet)}
th,td{padding:.25rem .75rem .25rem 0;vertical-align:top;border-bottom:1px solid var(--line)}
td.number,th.number{text-align:end;white-space:nowrap}td.bars{width:45%;vertical-align:middle}
tr.least td{font-weight:600}
.bar{display:block;height:.85rem;min-width:2px;border:1px solid var(--for);background:var(--for);
print-color-adjust:exact}
.bar.against{border-color:var(--against);
background:repeating-linear-gradient(45deg,var(--against) 0 2px,transparent 2px 6px)}
.text{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;
line-height:1.9;unicode-bidi:plaintext;max-height:32rem;overflow:auto}
mark{color:var(--ink);background:var(--for-low);border-bottom:2px solid var(--for);padding:0 .1em;
print-color-adjust:exact}
mark.against{background:var(--against-low);border-bottom:2px dashed var(--against)}
mark.loud{font-weight:700;border-bottom-width:3px}
mark.loud::after{content:"+";font-size:.75em;vertical-align:super;color:var(--for)}
mark.loud.against::after{content:"\\2212";color:var(--against)}
ul{padding-inline-start:1.2rem;margin:.4rem 0}blockquote{margin:.1rem 0 .4rem;color:var(--quiet)}
summary{cursor:pointer}a{color:var(--for)}:focus-visible{outline:2px solid var(--for);outline-offset:2px}
@media print{.text{max-height:none;overflow:visible}section{break-inside:avoid-page}main{max-width:none;padding:0}}
@media (max-width:40rem){td.bars{width:30%}}
"""
