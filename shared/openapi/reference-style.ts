// The style of the reference page. The page's content security policy allows only this text, by its digest, so no other
// style or script can run there.

export const STYLE = `
:root { color-scheme: light dark; --dim: light-dark(#60646c, #a5a9b2); --panel: light-dark(#f0f1f3, #1b1d20);
  --line: light-dark(#d9dbe0, #33363c); --link: light-dark(#1a5fb4, #85b7ff) }
body { margin: 0; color: light-dark(#1c2024, #edeef0); background: light-dark(#fcfcfd, #111214);
  font: 15px/1.55 system-ui, sans-serif }
.layout { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 78rem; margin: 0 auto }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 0 1rem; border-right: 1px solid var(--line); font-size: 13px }
nav a { display: block; padding: .12rem .4rem; color: inherit; text-decoration: none }
nav a:hover, nav a:focus-visible, pre, p code { background: var(--panel); border-radius: 4px }
nav h2 { margin: 1.1rem 0 .2rem; font-size: 12px }
nav ul { margin: 0; padding: 0; list-style: none }
main { padding: 1rem 2.25rem 6rem }
main > h2 { margin: 3rem 0 .25rem }
section { margin: 1.5rem 0; border-top: 1px solid var(--line) }
a, .path span { color: var(--link) }
p { max-width: 46rem; overflow-wrap: anywhere }
summary { padding: .2rem 0 }
nav h2, h4, .dim, summary { color: var(--dim) }
code { font: 13px/1.5 ui-monospace, monospace }
pre { padding: .75rem .9rem; overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: 14px }
th, td { padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
@media (max-width: 800px) {
  .layout, th, td { display: block } th { border: 0; padding: .4rem 0 0 } td { padding: 0; border: 0 }
  nav { position: static; height: auto; max-height: 45vh } main { padding: 1rem 1rem 4rem } }
`
