/**
 * The page's style sheet. Blue, vermilion, amber and bluish green after Okabe and Ito are told apart by colour-blind eyes, and no colour stands alone: signs, numbers and words
 * say the same. Words on every ground have a contrast of at least 4.5:1 (WCAG 2.2, 1.4.3).
 */
export const STYLE = `
:root{color-scheme:light dark;--page:#f4f5f3;--card:#fff;--ink:#1b1f22;--quiet:#5a6268;--line:#d9dcd8;--soft:#e6e9e6;--good:#006b52;--good-soft:#e0f2ec;--bad:#b03a00;--bad-soft:#fdeadf;--warn:#7a5800;--warn-soft:#faf0d2;--blue:#005f99;--area:#cfe4f3;--eq:#d3e8e1;--d1:#f3b48f;--d2:#dc6a2b;--d3:#9c3200;--d1-ink:#1b1f22;--d2-ink:#1b1f22;--d3-ink:#fff;--p1:#8f979d;--p2:#0072b2;--p3:#56b4e9;--p4:#009e73;--p5:#e69f00;--p6:#d55e00}
@media (prefers-color-scheme:dark){:root{--page:#121517;--card:#1a1e21;--ink:#e9ebea;--quiet:#a3abb0;--line:#343b40;--soft:#262c30;--good:#54d1a8;--good-soft:#12312a;--bad:#ff9a66;--bad-soft:#3a1f12;--warn:#f0c558;--warn-soft:#33290f;--blue:#6cbcf0;--area:#173447;--eq:#1d3a33;--d1:#7d3d1c;--d2:#d8692c;--d3:#ffc19c;--d1-ink:#fff;--d2-ink:#121517;--d3-ink:#121517;--p1:#7b858c}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header,main,footer{max-width:75rem;margin:0 auto;padding:0 1.25rem}
header{display:flex;gap:.6rem;align-items:baseline;flex-wrap:wrap;padding-top:1.1rem;padding-bottom:.9rem;color:var(--quiet)}
header .brand{font-weight:700;color:var(--ink);letter-spacing:-.01em;font-size:1.05rem}
header time{margin-left:auto;font-variant-numeric:tabular-nums}
footer{color:var(--quiet);font-size:.85rem;padding-top:.5rem;padding-bottom:2.5rem}
section,nav{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1.25rem;margin:0 0 1.25rem}
main>.banner{margin-bottom:1.25rem}
.banner{display:flex;gap:1rem;align-items:flex-start;border-radius:10px;padding:1rem 1.15rem;border-left:6px solid currentColor}
.banner .mark{font-size:1.7rem;line-height:1.15;font-weight:700;width:1.4em;text-align:center;flex:none}
.banner h2{margin:0;font-size:1.45rem;line-height:1.25;letter-spacing:-.015em;overflow-wrap:anywhere}
.banner .name{font-weight:400;opacity:.85;margin-right:.2em}
.banner p{margin:.25rem 0 0;color:var(--ink);overflow-wrap:anywhere}
.banner p:empty{display:none}
.banner.good{background:var(--good-soft);color:var(--good)}.banner.bad{background:var(--bad-soft);color:var(--bad)}.banner.warn{background:var(--warn-soft);color:var(--warn)}
nav th{overflow-wrap:break-word}nav tbody th{min-width:5.5rem}
td.good{color:var(--good)}td.bad{color:var(--bad)}td.warn{color:var(--warn)}
h3{margin:2rem 0 .5rem;font-size:1.05rem;letter-spacing:-.005em}
p{margin:.35rem 0 .75rem}
.quiet{color:var(--quiet)}
a{color:var(--blue)}
code,pre{font:.87em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
pre{background:var(--soft);border-radius:8px;padding:.7rem .9rem;margin:.25rem 0 0;white-space:pre-wrap}
.tiles{list-style:none;margin:1.1rem 0 0;padding:0;display:grid;gap:.65rem;grid-template-columns:repeat(auto-fill,minmax(10.4rem,1fr))}
.tile{border:1px solid var(--line);border-radius:10px;padding:.6rem .8rem .65rem;display:flex;flex-direction:column;min-width:0}
.tile .label{font-size:.8rem;color:var(--quiet)}
.tile .value{font-size:1.35rem;line-height:1.3;font-weight:650;font-variant-numeric:tabular-nums;letter-spacing:-.02em}
.tile .note{font-size:.8rem;color:var(--quiet)}
.tile.bad{border-color:var(--bad);background:var(--bad-soft)}.tile.bad .value,.tile.bad .note{color:var(--bad)}
dl{margin:.5rem 0;display:grid;grid-template-columns:minmax(6.5rem,max-content) 1fr;gap:.25rem 1.1rem}
dt{color:var(--quiet)}dd{margin:0;overflow-wrap:anywhere}
.failure{margin-top:1rem;padding:.9rem 1rem;border:1px solid var(--line);border-radius:10px}
.spots,.warnings{margin:.25rem 0;padding-left:1.2rem}
.spots li{color:var(--quiet);margin:.15rem 0}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.34rem .7rem .34rem 0;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400;overflow-wrap:anywhere}
thead th{color:var(--quiet);font-size:.82rem;white-space:nowrap;overflow-wrap:normal}
.number{text-align:right;white-space:nowrap}
.columns{display:grid;gap:0 2.2rem;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));align-items:start}
td.bar{width:38%;padding-right:0}td.bar svg{display:block;width:100%;height:.6rem;margin-top:.45rem}rect.bar{fill:var(--d2)}
.scroll{max-height:26rem;overflow:auto;margin-top:1rem;border:1px solid var(--line);border-radius:10px;scrollbar-width:thin}
.scroll th,.scroll td{padding:.34rem .8rem;overflow-wrap:break-word}
.keys tbody th{max-width:26rem;min-width:5rem}.keys td{min-width:6rem}.keys td.number{min-width:0}
.scroll thead th{position:sticky;top:0;background:var(--card);box-shadow:0 1px 0 var(--line);border:0;z-index:1}
.scroll tbody tr:last-child>*{border-bottom:0}
.scroll tr{scroll-margin-top:2.4rem}
tr:target>*{background:var(--warn-soft)}
.heat{display:grid;grid-template-columns:repeat(auto-fill,minmax(15px,1fr));gap:2px;margin:.6rem 0 .5rem}
.c{display:flex;align-items:center;justify-content:center;aspect-ratio:1;min-width:13px;border-radius:3px;background:var(--eq);font:700 10px/1 system-ui,sans-serif;text-decoration:none;color:inherit}
.c.d1{background:var(--d1);color:var(--d1-ink)}.c.d2{background:var(--d2);color:var(--d2-ink)}.c.d3{background:var(--d3);color:var(--d3-ink)}
.c.s{background:none;box-shadow:inset 0 0 0 1.5px var(--blue);color:var(--blue)}
a.c:hover,a.c:focus-visible{outline:2px solid var(--ink);outline-offset:1px}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;margin:0;padding:0;font-size:.82rem;color:var(--quiet)}
.legend li{display:flex;align-items:center;gap:.4rem}.legend .c{width:15px;height:15px;flex:none}
svg.strip{display:block;width:100%;height:14px;border-radius:4px;background:var(--soft)}
svg.key{width:.7rem;height:.7rem;vertical-align:-.05rem}
.ph{fill:var(--p1)}.ph.load{fill:var(--p2)}.ph.catchup{fill:var(--p3)}.ph.verify{fill:var(--p4)}.ph.hold{fill:var(--p5)}.ph.swap{fill:var(--p6)}
.phases{margin:.5rem 0 1.1rem}.phases .detail{color:var(--quiet);width:55%;padding-left:1.2rem}
.plots{display:grid;gap:1.3rem 2rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr))}
figure{margin:0;min-width:0}
figcaption{display:flex;justify-content:space-between;gap:1rem;margin-bottom:.25rem}
figcaption b{font-weight:600}figcaption span{color:var(--quiet)}
.frame{position:relative;padding-left:4.2rem}
.frame svg{display:block;width:100%;height:120px;overflow:visible}
.frame span{position:absolute;left:0;width:3.8rem;text-align:right;white-space:nowrap;font-size:.75rem;line-height:1;color:var(--quiet)}
.frame .top{top:.1rem}.frame .base{bottom:-.1rem}
.axis{display:flex;justify-content:space-between;padding-left:4.2rem;font-size:.75rem;color:var(--quiet);margin-top:.2rem}
.grid{stroke:var(--line);fill:none;vector-effect:non-scaling-stroke}
.edge{stroke:var(--quiet);fill:none;stroke-dasharray:2 4;opacity:.7;vector-effect:non-scaling-stroke}
.line{stroke:var(--blue);stroke-width:2;fill:none;stroke-linejoin:round;vector-effect:non-scaling-stroke}
.area{fill:var(--area)}.bars{fill:var(--d2)}
summary{cursor:pointer;margin-top:.7rem;color:var(--blue)}
@media (max-width:40rem){header,main,footer{padding-left:.75rem;padding-right:.75rem}section,nav{padding:.8rem;border-radius:10px}.banner{gap:.6rem;padding:.8rem}.banner h2{font-size:1.2rem}.tiles{grid-template-columns:repeat(2,1fr);gap:.5rem}.tile .value{font-size:1.2rem}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}.phases thead th:last-child,.phases .detail{display:none}th,td{padding-right:.5rem}.scroll th,.scroll td{padding:.34rem .5rem}.keys tbody th{max-width:13rem}.keys .number{display:none}header time{margin-left:0;flex-basis:100%}.heat{gap:1px}}
@media print{body{background:#fff}section{break-inside:auto;border:0;padding:0}.scroll{max-height:none;overflow:visible}figure,.tile{break-inside:avoid}}
`;
