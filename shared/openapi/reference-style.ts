// The style of the reference page. The page's content security policy allows only this text, by its digest, so no other
// style or script can run there.

export const STYLE = `
:root { color-scheme: light dark; --fg: #1c2024; --dim: #60646c; --bg: #fcfcfd; --panel: #f0f1f3; --line: #d9dbe0;
  --get: #1d6f42; --post: #1a5fb4; --patch: #8a5a00; --delete: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --fg: #edeef0; --dim: #a5a9b2; --bg: #111214; --panel: #1b1d20; --line: #33363c;
    --get: #6fcf97; --post: #85b7ff; --patch: #f2c14e; --delete: #ff9a91 } }
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; color: var(--fg); background: var(--bg); font: 15px/1.55 system-ui, sans-serif }
.layout { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 78rem; margin: 0 auto }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line);
  font-size: 13px }
nav h2 { margin: 1.1rem 0 .2rem; font-size: 12px; color: var(--dim) }
nav ul { margin: 0; padding: 0; list-style: none }
nav a { display: block; padding: .12rem .4rem; border-radius: 4px; color: inherit; text-decoration: none }
nav a:hover, nav a:focus-visible { background: var(--panel) }
main { padding: 2rem 2.25rem 6rem; min-width: 0 }
h1 { margin: 0 0 .5rem; font-size: 1.7rem; line-height: 1.2 }
main > h2 { margin: 3rem 0 .25rem; font-size: 1.3rem }
main > section { margin: 1.5rem 0 0; padding: 1.25rem 0 0; border-top: 1px solid var(--line) }
section h3 { margin: 0; font-size: 1.05rem }
section h4 { margin: 1.1rem 0 .35rem; font-size: 13px; color: var(--dim) }
p { margin: .4rem 0; max-width: 46rem }
p.path { margin: .35rem 0; overflow-wrap: anywhere } p.path code { padding: 0; background: none }
.method { display: inline-block; margin-right: .6rem; font-weight: 700 }
.get { color: var(--get) } .post { color: var(--post) } .patch { color: var(--patch) } .delete { color: var(--delete) }
.dim { color: var(--dim) }
code, pre { font: 13px/1.5 ui-monospace, monospace }
pre { margin: 0; padding: .75rem .9rem; overflow-x: auto; background: var(--panel); border-radius: 6px }
p code, td code, li code { padding: .05rem .3rem; background: var(--panel); border-radius: 4px }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: 14px }
th, td { padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
th { font-weight: 600; color: var(--dim); font-size: 13px }
td:first-child { white-space: nowrap }
details { margin: .5rem 0 } summary { cursor: pointer; color: var(--dim) } details pre { margin-top: .4rem }
a { color: var(--post) }
@media (max-width: 800px) {
  .layout { display: block } main { padding: 1.25rem 1rem 4rem }
  nav { position: static; height: auto; max-height: 45vh; border-right: 0; border-bottom: 1px solid var(--line) }
  th { display: none } tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line) }
  td, td:first-child { display: block; padding: 0; border: 0; white-space: normal } }
`
